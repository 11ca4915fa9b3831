import { describe, expect, it } from 'vitest';
import type { SessionInfo } from '../../shared/session.ts';
import { keptSession } from './kept-session.ts';
import { readRecords, recordHeader, type RecordKind, type TranscriptRecord } from './transcript-format.ts';

const INFO = {
  id: 'session-3',
  backend: 'pty',
  argv: ['/bin/sh', '-c', 'make'],
  cwd: '/tmp',
  shownCwd: '/tmp',
  pid: 77,
  size: { cols: 80, rows: 24 },
  state: 'running',
  exit: null,
  endedBy: null,
  failure: null,
  origin: { kind: 'person' },
  startedAtMs: 1_000,
  endedAtMs: null,
  outputBytes: 0,
  epoch: 'e',
  activity: 0,
  folder: { path: '/tmp/web', host: null, isHome: false },
  waitingFor: { kind: 'line', pid: 77, program: 'sh', echo: true, canonical: true },
  treeEmpty: false,
  limits: {},
  limitHit: null,
  sandbox: null,
  retryOf: null,
  title: null,
  keyboard: 'person',
  lastHold: null,
  timelineNumber: 1,
  attention: null,
} as unknown as SessionInfo;

function record(kind: RecordKind, fact: unknown, seq = 1, atMs = 5_000): TranscriptRecord {
  return { kind, seq, atMs, payload: Buffer.from(typeof fact === 'string' ? fact : JSON.stringify(fact)) };
}

const act = (number: number, what: object): TranscriptRecord =>
  record('act', { number, atMs: 1, by: { kind: 'person' }, offset: 0, act: what });

describe('a session as its transcript leaves it', () => {
  it('is lost where no end was written, with all that was told since', () => {
    const kept = keptSession(
      [
        record('session', INFO),
        act(2, { kind: 'titled', title: 'the build' }),
        record('pty', 'hello', 1),
        record('size', { cols: 100, rows: 30 }, 2),
        act(3, { kind: 'wrote', times: 1, bytes: 4 }),
        record('pty', 'more', 2),
      ],
      1_000,
    );
    expect(kept).toEqual({
      nextSeq: 3,
      wasTyped: true,
      session: {
        ...INFO,
        state: 'lost',
        exit: { exitCode: null, signal: null },
        pid: null,
        waitingFor: null,
        progress: null,
        treeEmpty: null,
        title: 'the build',
        size: { cols: 100, rows: 30 },
        outputBytes: 1_009,
        timelineNumber: 3,
        timelineActs: 0,
      },
    });
  });

  it('has the end that was written, and no more of it than that', () => {
    const exit = { exitCode: 3, signal: null };
    const half = keptSession([record('session', INFO), record('exited', exit, 1, 9_000)], 0);
    expect(half?.session).toMatchObject({ state: 'closed', exit, endedAtMs: 9_000, endedBy: null });
    const last = { ...INFO, state: 'closed', exit, endedBy: 'agent', endedAtMs: 8_999 };
    const whole = keptSession(
      [record('session', INFO), record('exited', exit, 1, 9_000), record('closed', {}), record('session', last)],
      0,
    );
    expect(whole?.session).toMatchObject({ state: 'closed', exit, endedAtMs: 8_999, endedBy: 'agent' });
  });

  it.each([
    ['nothing', undefined],
    ['no JSON', '{'],
    ['no command', { ...INFO, argv: [] }],
    ['a command that is no text', { ...INFO, argv: ['/bin/sh', { c: 1 }] }],
    ['no size', { ...INFO, size: { cols: 0, rows: 1e9 } }],
    ['nobody who asked', { ...INFO, origin: { kind: 'agent' } }],
    ['no time', { ...INFO, startedAtMs: 'now' }],
    ['no end', { ...INFO, exit: { exitCode: '0', signal: null } }],
  ])('is none where the disk says %s', (_, fact) => {
    expect(keptSession(fact === undefined ? [] : [record('session', fact)], 0)).toBeNull();
  });

  it('takes the limit of an earlier version for one that ended the child', () => {
    const hit = { limit: 'cpu', maximum: 1, measured: 2, enforcedBy: 'host', message: 'Ended by its CPU limit.' };
    const kept = (info: object) => keptSession([record('session', { ...INFO, ...info })], 0)?.session.limitHit;
    expect(kept({ endedBy: 'limit', limitHit: hit })).toEqual({ ...hit, ended: 'child' });
    expect(kept({ endedBy: 'child', limitHit: { ...hit, ended: 'nothing' } })).toEqual({ ...hit, ended: 'nothing' });
  });

  it('takes no fact for more than it is', () => {
    const odd = { ...INFO, endedBy: 'nobody', sandbox: 7, limits: 'none', limitHit: 1, timelineNumber: 'x' };
    const kept = keptSession(
      [record('session', { ...odd, folder: { path: 1 } }), record('size', { cols: 1e9, rows: 3 }), act(2, {})],
      0,
    );
    const nothing = { endedBy: null, sandbox: null, limits: {}, limitHit: null, folder: null };
    expect(kept?.session).toMatchObject({ ...nothing, size: INFO.size });
  });
});

describe('a segment that is not whole', () => {
  const whole = Buffer.concat(
    [record('session', INFO), record('pty', 'hello')].flatMap((one) => [recordHeader(one), one.payload]),
  );

  it('is no damage where it was cut short anywhere, also by zeros', () => {
    for (let length = 0; length <= whole.length; length += 1) {
      expect(readRecords(whole.subarray(0, length)).isDamaged, `cut to ${length}`).toBe(false);
      expect(readRecords(Buffer.concat([whole.subarray(0, length)])).records.length).toBeLessThanOrEqual(2);
    }
    expect(readRecords(Buffer.concat([whole, Buffer.alloc(500)]))).toMatchObject({ isDamaged: false });
  });

  it('is damaged where something else stands in the place of a record', () => {
    expect(readRecords(Buffer.concat([whole, Buffer.from('garbage')])).isDamaged).toBe(true);
    const overwritten = Buffer.from(whole).fill('x', 0, 4);
    expect(readRecords(overwritten)).toEqual({ records: [], isDamaged: true });
  });
});
