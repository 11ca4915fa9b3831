import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { afterAll, describe, expect, vi } from 'vitest';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import type { SessionId } from '../../src/shared/session.ts';
import { test } from '../support/engine-world.ts';
import { ExecClient } from '../support/exec-client.ts';
import { withoutLeftovers } from '../support/leftovers.ts';

const BACKENDS = [
  ['pty', {}],
  ['pipe', { backend: { kind: 'pipe', stdin: true } }],
] as const;

const KEPT = { retainedBytes: 100_000 };

/** Prints numbered lines, so that each byte says where it belongs. */
const numbered = (count: number) => `stty -opost 2>/dev/null; seq -f '%09.0f' ${count}`;
const LINE_BYTES = 10;

const FOLDER = mkdtempSync(join(tmpdir(), 'shellscope-transcripts-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const linesFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${String(first + index).padStart(9, '0')}\n`).join('');

/** Everything that can be read by pages from a place on, and what was told to be gone. */
async function pagesFrom(engine: Engine, id: SessionId, cursor: { epoch: string; offset: number } | 'begin') {
  let next: typeof cursor = cursor;
  let text = '';
  let goneBytes = 0;
  for (let isMore = true; isMore;) {
    const page = await engine.page(id, { cursor: next, maxBytes: 70_000, waitMs: 0 });
    text += Buffer.concat(page.pieces.map(({ bytes }) => bytes)).toString('latin1');
    goneBytes += page.goneBytes;
    next = page.cursor;
    isMore = page.more;
  }
  return { text, goneBytes };
}

describe('a reader that fell behind what memory holds', () => {
  test.override({ engineOptions: { ...KEPT, transcripts: { folder: join(FOLDER, 'readers') } } });

  for (const [kind, request] of BACKENDS) {
    test(`S1: is told exactly how many bytes are gone and where they can still be read (${kind})`, async ({
      world,
    }) => {
      const script = `printf 'before...\\n'; read a; ${numbered(50_000)}; read b`;
      const { id, epoch } = await world.start(['/bin/sh', '-c', `stty -echo 2>/dev/null; ${script}`], request);
      await world.printed(id, 'before...');
      const asked = { reader: 'slow', drain: true, maxBytes: 1_000_000, waitMs: 0 };
      const first = await world.engine.text(id, asked);
      expect(first).toMatchObject({ text: expect.stringContaining('before'), goneBytes: 0, goneKeptFrom: null });
      await world.engine.write(id, Buffer.from(''), { enter: true });
      await world.printed(id, linesFrom(50_000, 1));
      const { outputBytes } = await world.engine.get(id);
      const goneBytes = outputBytes - first.cursor.offset - KEPT.retainedBytes;
      const behind = await world.engine.text(id, asked);
      expect(behind).toMatchObject({ goneBytes, goneKeptFrom: first.cursor });
      expect(behind.text).toHaveLength(KEPT.retainedBytes);
      // No reader takes another's output.
      expect(await world.engine.text(id, { ...asked, reader: 'other' })).toMatchObject({ text: behind.text });
      const from = behind.goneKeptFrom ?? { epoch, offset: -1 };
      const kept = await pagesFrom(world.engine, id, from);
      expect(kept.goneBytes).toBe(0);
      expect(kept.text.endsWith(linesFrom(1, 50_000))).toBe(true);
      expect(kept.text.slice(0, goneBytes) + behind.text).toBe(kept.text);
    });
  }

  test('and follows is told where the gap can still be read', async ({ world }) => {
    const { id } = await world.start(['/bin/sh', '-c', `${numbered(50_000)}; read b`]);
    await world.printed(id, linesFrom(50_000, 1));
    const events: unknown[] = [];
    world.engine
      .follow(id, { afterSeq: 0, creditBytes: 1, holdsChildMs: 0, onEvent: (event) => void events.push(event) })
      .close();
    expect(events[0]).toMatchObject({ kind: 'gap', bytes: expect.any(Number), keptFrom: 0 });
  });
});

describe('everything that a child printed', () => {
  const folder = join(FOLDER, 'everything');
  test.override({ engineOptions: { ...KEPT, transcripts: { folder } } });

  for (const [kind, request] of BACKENDS) {
    test(`S2: is kept beyond memory, and beyond the session's closing, stream by stream (${kind})`, async ({
      world,
    }) => {
      const { id, epoch } = await world.start(['/bin/sh', '-c', `${numbered(300_000)}; echo err >&2; exit 7`], request);
      await world.closed(id);
      expect(await pagesFrom(world.engine, id, 'begin')).toEqual({
        text: `${linesFrom(1, 300_000)}err\n`,
        goneBytes: 0,
      });
      await world.engine.close(id, 'person');
      const [kept] = await world.engine.transcripts();
      const endOffset = 300_000 * LINE_BYTES + 4;
      expect(kept).toMatchObject({ epoch, startOffset: 0, endOffset, isWhole: true });
      expect(kept?.session).toMatchObject({ id, exit: { exitCode: 7, signal: null }, outputBytes: endOffset });
      const { pieces, endOffset: end } = await world.engine.transcriptPage(epoch, {
        offset: endOffset - 14,
        maxBytes: 1_000,
      });
      expect(end).toBe(endOffset);
      const streams = kind === 'pty' ? ['pty'] : ['stdout', 'stderr'];
      expect([...new Set(pieces.map(({ stream }) => stream))]).toEqual(streams);
      expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()).toBe(`${linesFrom(300_000, 1)}err\n`);
    });
  }

  test('only its owner can read it', async ({ world }) => {
    const { id } = await world.start(['/bin/echo', 'secret']);
    await world.closed(id);
    const names = await readdir(folder, { recursive: true });
    expect(names.some((name) => name.endsWith('.out'))).toBe(true);
    for (const name of names) {
      expect((await stat(join(folder, name))).mode & 0o077, name).toBe(0);
    }
  });

  test('what is asked for beyond it is refused by name', async ({ world }) => {
    const { id, epoch } = await world.start(['/bin/echo', 'short']);
    await world.closed(id);
    const ask = (of: string, offset: number) => world.engine.transcriptPage(of, { offset, maxBytes: 10 });
    await expect(ask('none', 0)).rejects.toMatchObject({ code: 'session-not-found' });
    await expect(ask(epoch, 100)).rejects.toMatchObject({ code: 'session-not-found' });
    await expect(ask(epoch, -1)).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});

describe('the budget of one session', () => {
  test.override({
    engineOptions: { ...KEPT, transcripts: { folder: join(FOLDER, 'one'), bytesPerSession: 2_500_000 } },
  });

  test('S2: takes its oldest output, and what is left is read with the truth about it', async ({ world }) => {
    const { id } = await world.start(['/bin/sh', '-c', numbered(600_000)]);
    await world.closed(id);
    const { text, goneBytes } = await pagesFrom(world.engine, id, { ...(await cursorAt(world.engine, id, 0)) });
    expect(goneBytes).toBeGreaterThan(3_000_000);
    expect(goneBytes + text.length).toBe(600_000 * LINE_BYTES);
    expect(linesFrom(1, 600_000).endsWith(text)).toBe(true);
  });
});

describe('the budget of all', () => {
  test.override({ engineOptions: { ...KEPT, transcripts: { folder: join(FOLDER, 'all'), bytesInAll: 2_500_000 } } });

  test('S2: takes what ended first', async ({ world }) => {
    const printed: SessionId[] = [];
    for (let count = 0; count < 4; count += 1) {
      const { id } = await world.start(['/bin/sh', '-c', numbered(100_000)]);
      await world.closed(id);
      printed.push(id);
    }
    expect((await world.engine.transcripts()).map(({ session }) => session.id)).toEqual([printed[3], printed[2]]);
    const gone = await pagesFrom(world.engine, printed[0] as SessionId, 'begin');
    expect(gone.text).toBe(linesFrom(90_001, 10_000));
  });
});

describe('a disk that takes nothing', () => {
  const warnings: string[] = [];
  const note = (message: string) => void warnings.push(message);
  const file = join(FOLDER, 'file');
  writeFileSync(file, '');
  test.override({
    engineOptions: { ...KEPT, transcripts: { folder: file }, log: { info: () => {}, warn: note, error: note } },
  });

  test('stops no session, and is told once for each', async ({ world }) => {
    const { id } = await world.start(['/bin/sh', '-c', `${numbered(50_000)}; exit 3`]);
    expect((await world.closed(id)).exit).toEqual({ exitCode: 3, signal: null });
    const { text, goneBytes } = await pagesFrom(world.engine, id, await cursorAt(world.engine, id, 0));
    expect([text, goneBytes]).toEqual([linesFrom(40_001, 10_000), 400_000]);
    expect(warnings.filter((message) => message.startsWith('output cannot be kept'))).toHaveLength(1);
  });
});

describe('a host that is killed', () => {
  test('S2: what it told anybody can be read by the next one', async () => {
    const state = await mkdtemp(join(tmpdir(), 'shellscope-killed-'));
    await withoutLeftovers(async () => {
      const host = spawn(process.execPath, [resolve('out/cli/main.js'), 'serve', '--no-auth'], {
        env: { ...process.env, SHELLSCOPE_STATE_DIR: state },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const [url] = (await once(createInterface(host.stdout), 'line')) as [string];
      const client = await ExecClient.ready(url, null);
      await client.start('p1', ['/bin/sh', '-c', `${numbered(20_000)}; exec sleep 300`]);
      const heard = () =>
        Buffer.concat(
          client.notifications
            .filter(({ method }) => method === 'process/output')
            .map(({ params }) => Buffer.from(params.chunk ?? '', 'base64')),
        ).toString();
      await client.until(() => heard().length >= 20_000 * LINE_BYTES, 'all lines to be heard');
      await client.start('silent', ['/bin/sleep', '300']);
      await vi.waitUntil(async () => (await transcriptFiles(state)).length === 2);
      await vi.waitUntil(async () => (await transcriptSizes(state)).every((size) => size > 0));
      host.kill('SIGKILL');
      await once(host, 'exit');

      const next = createEngine({
        hostEnvironment: process.env,
        transcripts: { folder: join(state, 'transcripts') },
      });
      try {
        const all = await next.transcripts();
        const kept = all.find(({ endOffset }) => endOffset > 0);
        // Of a session that had printed nothing it is known what it was.
        expect(all.filter((one) => one !== kept)).toMatchObject([
          { endOffset: 0, isWhole: false, session: { argv: ['/bin/sleep', '300'] } },
        ]);
        expect(kept).toMatchObject({ startOffset: 0, endOffset: 20_000 * LINE_BYTES, isWhole: false });
        expect(kept?.session).toMatchObject({ argv: ['/bin/sh', '-c', expect.any(String)], exit: null });
        const page = await next.transcriptPage(kept?.epoch ?? '', { offset: 0, maxBytes: 1_000_000 });
        expect(Buffer.concat(page.pieces.map(({ bytes }) => bytes)).toString()).toBe(heard());
      } finally {
        await next.dispose();
      }
    });
    await rm(state, { recursive: true });
  });
});

async function cursorAt(engine: Engine, session: SessionId, offset: number) {
  return { epoch: (await engine.get(session)).epoch, offset };
}

async function transcriptSizes(state: string): Promise<readonly number[]> {
  const paths = await transcriptFiles(state);
  return Promise.all(paths.map(async (path) => (await stat(join(state, 'transcripts', path))).size));
}

/** Paths below the folder of transcripts. */
async function transcriptFiles(state: string): Promise<readonly string[]> {
  const paths = await readdir(join(state, 'transcripts'), { recursive: true });
  return paths.filter((path) => path.endsWith('.out'));
}
