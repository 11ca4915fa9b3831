import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '../../shared/logger.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import { openEarlier, type KeptEarlierSession } from './earlier-transcript.ts';
import { lookAtTranscript } from './transcript-archive.ts';
import { recordHeader, type RecordKind, type TranscriptRecord } from './transcript-format.ts';
import { segmentName } from './transcript-segments.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'shellscope-earlier-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const INFO = {
  id: 'session-1',
  backend: 'pty',
  argv: ['/bin/cat'],
  cwd: '/tmp',
  shownCwd: '/tmp',
  size: { cols: 80, rows: 24 },
  origin: { kind: 'person' },
  startedAtMs: 1,
  endedAtMs: null,
  epoch: 'e',
  title: null,
  exit: null,
};

function record(kind: RecordKind, fact: unknown, seq = 1): TranscriptRecord {
  return { kind, seq, atMs: 7, payload: Buffer.from(typeof fact === 'string' ? fact : JSON.stringify(fact)) };
}

const size = (cols: number): TranscriptRecord => record('size', { cols, rows: 24 });

const act = (number: number, times: number): TranscriptRecord =>
  record('act', { number, atMs: 1, by: { kind: 'person' }, offset: 0, act: { kind: 'wrote', times, bytes: 1 } });

let folders = 0;

const lastFolder = (): string => join(FOLDER, String(folders), 'e');

/** Opened again as it is on the disk now. */
const openedAgain = (log = silentLogger) =>
  openEarlier({ epoch: 'e', folder: lastFolder(), changedAtMs: 0, bytes: 0 }, log);

/** A transcript with these segments, by the offsets of their first bytes. */
async function opened(segments: Readonly<Record<number, readonly TranscriptRecord[]>>, log = silentLogger) {
  folders += 1;
  const folder = lastFolder();
  mkdirSync(folder, { recursive: true });
  for (const [offset, records] of Object.entries(segments)) {
    const bytes = Buffer.concat(records.flatMap((one) => [recordHeader(one), one.payload]));
    writeFileSync(join(folder, segmentName(Number(offset))), bytes);
  }
  return openedAgain(log);
}

async function found(segments: Parameters<typeof opened>[0]): Promise<KeptEarlierSession> {
  const session = await opened(segments);
  if (typeof session === 'string') {
    throw new Error(`the transcript is ${session}`);
  }
  return session;
}

const SEGMENTS = {
  0: [record('session', INFO), size(80), record('pty', 'one ', 1), record('pty', 'two ', 2)],
  8: [record('session', INFO, 3), size(90), record('pty', 'three ', 3), size(100), record('pty', 'four', 4)],
};

describe('the end of what an earlier run printed', () => {
  const textsOf = async (segments: Parameters<typeof opened>[0], maxBytes: number) => {
    const { seq, offset, entries } = await (await found(segments)).output.tail(maxBytes);
    const texts = entries.map((entry) =>
      entry.kind === 'output' ? Buffer.from(entry.bytes).toString() : entry.size.cols,
    );
    return [seq, offset, ...texts];
  };

  test('is given in whole pieces, over segments, with the sizes they were made for', async () => {
    expect(await textsOf(SEGMENTS, 1_000)).toEqual([1, 0, 80, 'one ', 'two ', 90, 'three ', 100, 'four']);
    expect(await textsOf(SEGMENTS, 11)).toEqual([2, 4, 80, 'two ', 90, 'three ', 100, 'four']);
    expect(await textsOf(SEGMENTS, 4)).toEqual([4, 14, 100, 'four']);
  });

  test('begins after what the disk did not take', async () => {
    const holed = { ...SEGMENTS, 20: [record('session', INFO, 7), size(90), record('pty', 'late', 7)] };
    expect(await textsOf(holed, 1_000)).toEqual([7, 20, 90, 'late']);
  });

  test('goes on over an exit, after which something else printed', async () => {
    const exited = record('exited', { exitCode: 0, signal: null }, 3);
    const records = [...SEGMENTS[0], exited, record('pty', 'late', 4)];
    expect(await textsOf({ 0: records }, 1_000)).toEqual([1, 0, 80, 'one ', 'two ', 'late']);
  });

  test('has the input that came in its segments, as it was in the end, without those of before and what is no input', async () => {
    const replied = { number: 4, atMs: 1, by: { kind: 'terminal' }, offset: 8 };
    const segments = {
      0: [...SEGMENTS[0], act(1, 1)],
      8: [
        ...[record('session', INFO, 3), size(90), act(2, 1), record('pty', 'three ', 3), act(2, 5)],
        record('act', { number: 3, atMs: 1, by: { kind: 'child' }, offset: 8, act: { kind: 'output-closed' } }),
        record('act', { ...replied, act: { kind: 'replied', times: 1, bytes: 9 } }),
        record('act', { ...replied, number: 5, by: { kind: 'agent' }, act: { kind: 'wrote', times: 1, bytes: 9 } }, 4),
      ],
    };
    const { inputs } = await (await found(segments)).output.tail(5);
    expect(inputs.map(({ number, by, act: what }) => [number, by.kind, 'times' in what && what.times])).toEqual([
      [2, 'person', 5],
      [4, 'terminal', 1],
    ]);
  });

  test('is nothing, at the right place, where its files have left', async () => {
    const { output } = await found(SEGMENTS);
    expect(output.keptFrom(0)).toBe(0);
    output.removed();
    expect(await output.tail(1_000)).toEqual({ seq: 5, offset: 18, entries: [], inputs: [] });
    expect(output.keptFrom(0)).toBeNull();
  });
});

describe('a session of an earlier run', () => {
  test('is known by the segment before, when the host was killed as it began the last one', async () => {
    const { info, output } = await found({ ...SEGMENTS, 18: [] });
    expect([info.state, info.outputBytes, output.nextSeq]).toEqual(['lost', 18, 5]);
    expect(await lookAtTranscript({ epoch: 'e', folder: lastFolder(), changedAtMs: 0, bytes: 0 })).toMatchObject({
      ...{ session: { id: 'session-1' }, startOffset: 0, endOffset: 18, isWhole: false },
    });
    expect(await opened({ 0: [] })).toBe('damaged');
    expect(await opened({})).toBe('gone');
  });

  test('whose end may stand where something else stands now is none', async () => {
    const odd = { ...record('pty', 'x', 5), payload: Buffer.from('no record begins after it') };
    expect(await opened({ 0: [...SEGMENTS[0], { ...odd, kind: 'odd' as RecordKind }] })).toBe('damaged');
  });

  test('of another epoch than its folder says is none', async () => {
    expect(await opened({ 0: [record('session', { ...INFO, epoch: 'other' })] })).toBe('damaged');
  });

  test('takes a new name where it is known from, and nothing else that is done to it', async () => {
    const titled: TimelineEntry = {
      number: 9,
      atMs: 8,
      by: { kind: 'person' },
      act: { kind: 'titled', title: 'the build' },
      offset: 18,
    };
    const { output } = await found({ ...SEGMENTS, 18: [] });
    output.act({ ...titled, number: 8, act: { kind: 'read', times: 1, bytes: 4 } });
    expect((await output.timeline()).map(({ number }) => number)).toEqual([]);
    output.act(titled);
    expect(await openedAgain()).toMatchObject({ info: { title: 'the build', state: 'lost', outputBytes: 18 } });
    expect(await output.timeline()).toEqual([titled]);
    expect(await output.tail(4)).toMatchObject({ seq: 4, offset: 14, entries: [{ size: { cols: 100 } }, { atMs: 7 }] });
    output.removed();
    output.act({ ...titled, act: { kind: 'titled', title: 'of what has left' } });
    expect(await openedAgain()).toMatchObject({ info: { title: 'the build' } });
  });

  test('that was damaged since is left as it is, and that its name is not kept is said', async () => {
    const log = { ...silentLogger, warn: vi.fn() };
    const session = await opened({ 0: SEGMENTS[0] }, log);
    const file = join(lastFolder(), segmentName(0));
    const damaged = Buffer.concat([readFileSync(file), Buffer.from('something else stands here')]);
    writeFileSync(file, damaged);
    const act = { kind: 'titled', title: 'lost' } as const;
    (session as KeptEarlierSession).output.act({ number: 9, atMs: 8, by: { kind: 'person' }, act, offset: 8 });
    expect(readFileSync(file).equals(damaged)).toBe(true);
    expect(log.warn).toHaveBeenCalledTimes(1);
  });

  test('has the timeline of all its segments, of an entry that grew the last', async () => {
    const { output, wasTyped } = await found({
      0: [...SEGMENTS[0], act(1, 1), act(1, 3)],
      8: [...SEGMENTS[8], act(2, 1), record('act', { number: 'odd' })],
    });
    expect(await output.timeline()).toMatchObject([
      { number: 1, act: { times: 3 } },
      { number: 2, act: { times: 1 } },
    ]);
    expect(wasTyped).toBe(true);
  });
});
