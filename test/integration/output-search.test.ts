import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import type { OutputHit, OutputSearchStep } from '../../src/shared/output-search.ts';
import type { SessionId } from '../../src/shared/session.ts';
import { test } from '../support/engine-world.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'shellscope-search-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const RETAINED = 100_000;
const LINES = 400_000;
const LINE_BYTES = 10;

/** 4 MB, of which memory keeps the end; a line says its own number, with a colour in the midst of it. */
const SCRIPT = `stty -opost -echo; printf 'a \\033[31mnee\\033[0mdle at the very beginning\\n'; seq -f '%09.0f' ${LINES}; echo end; exec cat`;
const BEGIN = 'a \u001B[31mnee\u001B[0mdle at the very beginning\n';

async function found(engine: Engine, id: SessionId, text: string, maxBytes = 1_000_000): Promise<Found> {
  const hits: OutputHit[] = [];
  const steps: OutputSearchStep[] = [];
  for (let before: number | null = null, isFirst = true; isFirst || before !== null; isFirst = false) {
    const query = { text, matchCase: true, wholeWord: false };
    const step = await engine.search(id, { query, before, from: 0, maxBytes, maxHits: 1_000 });
    hits.push(...step.hits);
    steps.push(step);
    before = step.nextBefore;
  }
  return { hits, steps, goneBytes: steps.reduce((sum, step) => sum + step.goneBytes, 0) };
}

interface Found {
  readonly hits: readonly OutputHit[];
  readonly steps: readonly OutputSearchStep[];
  readonly goneBytes: number;
}

/** Where a numbered line begins. */
const offsetOf = (number: number): number => BEGIN.length + (number - 1) * LINE_BYTES;

describe('what a session printed', () => {
  const folder = join(FOLDER, 'running');
  test.override({ engineOptions: { retainedBytes: RETAINED, transcripts: { folder } } });

  test('is searched in memory and on the disk, each match once, while it runs and after a restart', async ({
    world,
  }) => {
    const { id, epoch } = await world.start(['/bin/sh', '-c', SCRIPT]);
    await world.printed(id, 'end');
    const needle = await found(world.engine, id, 'needle');
    expect(needle.hits).toMatchObject([
      { offset: 'a \u001B[31m'.length, line: 'a needle at the very beginning', column: 2, lineOffset: 0 },
    ]);
    expect(needle.steps.length).toBeGreaterThan(3);
    expect(needle.goneBytes).toBe(0);
    // Across the border of memory and disk, and across each border of two files and two steps.
    const rare = (await found(world.engine, id, '7777', 70_000)).hits.map(({ lineOffset }) => lineOffset);
    const numbers = Array.from({ length: LINES }, (_none, index) => LINES - index);
    expect(rare).toEqual(numbers.filter((number) => String(number).includes('7777')).map(offsetOf));

    const many = await found(world.engine, id, '0');
    expect(many.hits).toHaveLength(1_000);
    expect(many.steps).toMatchObject([{ isCut: true }]);

    const stretch = await world.engine.stretch(id, {
      offset: offsetOf(5_000),
      linesBefore: 2,
      linesAfter: 3,
      maxBytes: 100_000,
    });
    expect(Buffer.concat(stretch.parts.map(({ bytes }) => bytes)).toString()).toBe(
      [4_998, 4_999, 5_000, 5_001, 5_002].map((number) => `${String(number).padStart(9, '0')}\n`).join(''),
    );
    expect(stretch).toMatchObject({ startOffset: offsetOf(4_998), endOffset: offsetOf(5_003), keptFrom: 0 });
    await world.engine.dispose();

    for (const host of await readdir(folder)) {
      const file = join(folder, host, 'host.json');
      const record = JSON.parse(await readFile(file, 'utf8')) as object;
      await writeFile(file, JSON.stringify({ ...record, startTime: '1' }));
    }
    const next = createEngine({ hostEnvironment: process.env, transcripts: { folder } });
    try {
      await next.findEarlier([epoch]);
      const [restored] = await next.restore([epoch]);
      expect((await found(next, restored?.id ?? id, 'needle')).hits).toEqual(needle.hits);
    } finally {
      await next.dispose();
    }
  });

  test('is shown at the size it was made for, with the modes of what came before', async ({ world }) => {
    const { id } = await world.start(
      [
        '/bin/sh',
        '-c',
        `stty -opost -echo; printf '\\033[?1049h\\033[1mnarrow\\n'; read a; seq -w ${LINES}; echo end; read b`,
      ],
      { backend: { kind: 'pty', size: { cols: 61, rows: 17 } } },
    );
    await world.printed(id, 'narrow');
    await world.engine.resize(id, { cols: 100, rows: 30 });
    await world.engine.write(id, Buffer.from('\r'));
    await world.printed(id, 'end');
    const request = { linesBefore: 10, linesAfter: 10, maxBytes: 1_000 };
    const first = await world.engine.stretch(id, { ...request, offset: 0 });
    expect(first.parts.map(({ offset, size }) => [offset, size])).toEqual([
      [0, { cols: 61, rows: 17 }],
      ['\u001B[?1049h\u001B[1mnarrow\n'.length, { cols: 100, rows: 30 }],
    ]);
    expect(first).toMatchObject({ modes: '', rendition: '' });
    expect(Math.abs(Date.now() - (first.atMs ?? 0))).toBeLessThan(60_000);
    const later = await world.engine.stretch(id, { ...request, offset: 50_000 });
    expect(later).toMatchObject({ modes: '\u001B[?1049h', rendition: expect.stringContaining('\u001B[1m') });
  });
});

describe('without a disk', () => {
  test.override({ engineOptions: { retainedBytes: RETAINED } });

  test('what memory has no more is told as gone', async ({ world }) => {
    const { id } = await world.start(['/bin/sh', '-c', SCRIPT]);
    await world.printed(id, 'end');
    const { hits, goneBytes } = await found(world.engine, id, 'needle');
    const { outputBytes } = await world.engine.get(id);
    expect({ hits, goneBytes }).toEqual({ hits: [], goneBytes: outputBytes - RETAINED });
    const stretch = await world.engine.stretch(id, { offset: 0, linesBefore: 1, linesAfter: 1, maxBytes: 1_000 });
    expect(stretch).toMatchObject({
      atMs: null,
      startOffset: outputBytes - RETAINED,
      keptFrom: outputBytes - RETAINED,
    });
  });
});
