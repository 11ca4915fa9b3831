import type { MessagePortMain } from 'electron';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Engine, FollowEvent, FollowRequest, SessionEvent } from '../engine/engine.ts';
import type { HostToPane, PaneToHost } from '../shared/ipc.ts';
import {
  PANE_INTERRUPT_LAG_BYTES,
  PANE_INTERRUPT_TAIL_BYTES,
  PANE_INTERRUPTED_MS,
  PANE_LAG_BYTES,
  PANE_REPLAY_BYTES,
  PANE_TAIL_BYTES,
} from '../shared/limits.ts';
import { silentLogger } from '../shared/logger.ts';
import type { SessionId, SessionInfo, TerminalSize } from '../shared/session.ts';
import type { TimelineEntry } from '../shared/timeline.ts';
import { PaneFeed } from './pane-feed.ts';

const log = silentLogger;

// What is joined goes by the clock: a busy machine must not part it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A feed whose session says what the test has it say. */
function startFeed() {
  const posted: HostToPane[] = [];
  const requests: FollowRequest[] = [];
  const inputs: TimelineEntry[] = [];
  const listeners: ((event: SessionEvent) => void)[] = [];
  const onMessage: ((event: { readonly data: PaneToHost }) => void)[] = [];
  /** What the session has printed and retains, and its size. */
  const state = {
    ...{ outputBytes: 0, firstSeq: 1, size: null as TerminalSize | null },
    /** So many bytes before the end stands what comes after this event. */
    ...{ nearBytes: 0, nearSeq: 0 },
    onFollow: (_request: FollowRequest): void => undefined,
    written: Promise.resolve(null) as unknown as ReturnType<Engine['write']>,
  };
  /** How far the pane might be behind when its reader was had look at it. */
  const acks: (number | undefined)[] = [];
  let closedFollows = 0;
  const port = {
    on: (event: string, listener: (event: { readonly data: PaneToHost }) => void) => {
      if (event === 'message') {
        onMessage.push(listener);
      }
      return port;
    },
    start: () => undefined,
    close: () => undefined,
    postMessage: (message: HostToPane) => posted.push(message),
  };
  const engine: Partial<Engine> = {
    get: (id) => Promise.resolve({ id, outputBytes: state.outputBytes } as SessionInfo),
    replayFrom: (_id, bytes) => (bytes <= state.nearBytes ? state.nearSeq : state.firstSeq - 1),
    sizeAt: () => state.size,
    inputsAt: (_id, at) => inputs.filter(({ offset }) => offset === at),
    inputsSince: (_id, revision) => ({ revision: inputs.length, entries: inputs.slice(revision) }),
    onEvent: (listener) => {
      listeners.push(listener);
      return () => undefined;
    },
    follow: (_id, request) => {
      requests.push(request);
      state.onFollow(request);
      return { ack: () => acks.push(request.skipAhead?.aboveBytes), close: () => (closedFollows += 1) };
    },
    write: () => state.written,
  };
  const feed = new PaneFeed({
    engine: engine as Engine,
    session: { id: '1' as SessionId, outputBytes: 0 } as SessionInfo,
    start: null,
    port: port as unknown as MessagePortMain,
    log,
  });
  const tell = (event: FollowEvent): void => requests.at(-1)?.onEvent(event);
  const print = (text: string, offset: number): void =>
    tell({ kind: 'output', seq: 1, offset, stream: 'pty', bytes: new TextEncoder().encode(text) });
  const skip = (text: string): void => requests.at(-1)?.skipAhead?.onSkipped(new TextEncoder().encode(text));
  const changed = (outputBytes: number): void => {
    for (const listener of listeners) {
      listener({ type: 'changed', session: { id: '1', outputBytes, size: null } as SessionInfo });
    }
  };
  /** Answers when the feed has dealt with it. */
  const say = async (data: PaneToHost): Promise<void> => {
    for (const listener of onMessage) {
      listener({ data });
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  const reading = (): number => requests.length - closedFollows;
  return { feed, posted, requests, tell, print, skip, inputs, changed, state, say, reading, acks };
}

const input = (number: number, offset: number): TimelineEntry => ({
  ...{ number, offset, atMs: 0 },
  ...{ by: { kind: 'person' }, act: { kind: 'wrote', times: 1, bytes: 1 } },
});

const shown = (posted: readonly HostToPane[]) =>
  posted.map((message) =>
    message.type === 'output'
      ? [new TextDecoder().decode(message.bytes), message.endOffset, ...(message.inputs ?? []).map((one) => one.number)]
      : message,
  );

test('what comes after a silence is sent at once', () => {
  const { feed, posted, print } = startFeed();
  print('$ ', 0);
  feed.dispose();
  expect(shown(posted)).toEqual([{ type: 'live' }, ['$ ', 2]]);
});

test('what is skipped is told with the next whole line, in bytes, and with the modes that it chose', () => {
  const { feed, posted, tell, print, skip } = startFeed();
  print('first\n', 0);
  skip('a line\u001B[?2004h\n');
  skip('and ha');
  tell({ kind: 'gap', fromSeq: 2, toSeq: 4, bytes: 21, keptFrom: 6 });
  print('lf \u001B[31m of one\nlast\n', 27);
  feed.dispose();
  expect(shown(posted)).toEqual([
    { type: 'live' },
    ['first\n', 6],
    { type: 'skipped', bytes: 37, modes: '\u001B[?2004h', rendition: '\u001B[31m' },
  ]);
});

test('what was skipped to the end is told before the end', () => {
  const { posted, tell } = startFeed();
  tell({ kind: 'gap', fromSeq: 1, toSeq: 2, bytes: 9, keptFrom: null });
  tell({ kind: 'gap', fromSeq: 2, toSeq: 3, bytes: 1, keptFrom: null });
  tell({ kind: 'closed', seq: 3 });
  expect(posted).toEqual([
    { type: 'live' },
    { type: 'skipped', bytes: 10, modes: '', rendition: '' },
    { type: 'ended' },
  ]);
});

test('input is told with the bytes that it came between, and costs no message of its own', () => {
  const { feed, posted, print, inputs, changed } = startFeed();
  print('$ ', 0);
  inputs.push(input(1, 6));
  print('more', 2);
  print('ls', 6);
  inputs.push(input(2, 8));
  print('...', 8);
  inputs.push(input(3, 11));
  changed(11);
  feed.dispose();
  expect(shown(posted)).toEqual([
    { type: 'live' },
    ['$ ', 2],
    ['morels...', 11, 1, 2],
    { type: 'inputs', entries: [input(3, 11)] },
  ]);
});

test('input within what is too long for a message is told with the part that it came in', () => {
  const { feed, posted, print, inputs } = startFeed();
  print('$ ', 0);
  inputs.push(input(1, 2), input(2, 80_002));
  print('x'.repeat(80_000), 2);
  print('y'.repeat(80_000), 80_002);
  feed.dispose();
  const ends = shown(posted).flatMap((message) => (Array.isArray(message) ? [message.slice(1)] : []));
  expect(ends).toEqual([[2], [32_770, 1], [65_538], [80_002], [112_770, 2], [145_538], [160_002]]);
});

test('input after which nothing is printed is told with the change that tells of it, and what is ahead not before its place', () => {
  const { feed, posted, print, inputs, changed } = startFeed();
  print('$ ', 0);
  inputs.push(input(1, 2), input(2, 9));
  changed(9);
  changed(9);
  const told = (): unknown => posted.flatMap((message) => (message.type === 'inputs' ? [message.entries] : []));
  expect(told()).toEqual([[input(1, 2)]]);
  print('seven..', 2);
  changed(9);
  changed(9);
  expect(told()).toEqual([[input(1, 2)], [input(2, 9)]]);
  feed.dispose();
});

test('a held pane is sent nothing and nothing is read for it; in view again it is given what it misses, as a replay', async () => {
  const { feed, posted, requests, print, inputs, changed, state, say, reading } = startFeed();
  print('$ ', 0);
  await say({ type: 'hold', bells: false });
  expect(reading()).toBe(0);
  state.outputBytes = 8;
  state.size = { cols: 100, rows: 30 };
  inputs.push(input(1, 2));
  changed(2);
  changed(8);
  expect(shown(posted)).toEqual([{ type: 'live' }, ['$ ', 2]]);

  await say({ type: 'resume' });
  expect(reading()).toBe(1);
  expect(requests.at(-1)).toMatchObject({ afterSeq: 1, afterOffset: 2 });
  print('missed', 2);
  print('news', 8);
  feed.dispose();
  expect(reading()).toBe(0);
  expect(posted.slice(2)).toEqual([
    { type: 'inputs', entries: [input(1, 2)] },
    { type: 'size', size: { cols: 100, rows: 30 } },
    { type: 'output', bytes: new TextEncoder().encode('missed'), endOffset: 8, replay: true },
    { type: 'live' },
  ]);
});

test('a held pane whose session was silent is live at once, with the size of now', async () => {
  const { feed, posted, print, state, say } = startFeed();
  print('$ ', 0);
  state.outputBytes = 2;
  await say({ type: 'hold', bells: false });
  state.size = { cols: 100, rows: 30 };
  await say({ type: 'resume' });
  await say({ type: 'resume' });
  feed.dispose();
  expect(posted.slice(2)).toEqual([{ type: 'size', size: { cols: 100, rows: 30 } }, { type: 'live' }]);
});

test('a held pane that misses more than a new one is given, or what is gone, is told that it is stale', async () => {
  for (const missed of [{ outputBytes: 3 + PANE_REPLAY_BYTES }, { outputBytes: 8, firstSeq: 3 }]) {
    const { posted, print, state, say, reading } = startFeed();
    print('$ ', 0);
    await say({ type: 'hold', bells: false });
    Object.assign(state, missed);
    await say({ type: 'resume' });
    expect(posted.at(-1)).toEqual({ type: 'stale' });
    expect(reading()).toBe(0);
  }
});

test('a pane that is hidden again before it is told anything stays held', async () => {
  const { feed, posted, print, say, reading } = startFeed();
  print('$ ', 0);
  await Promise.all([
    say({ type: 'hold', bells: false }),
    say({ type: 'resume' }),
    say({ type: 'hold', bells: false }),
  ]);
  expect(reading()).toBe(0);
  expect(posted).toHaveLength(2);
  feed.dispose();
});

test('of a held pane that wants it bells are told, and nothing else', async () => {
  const { feed, posted, print, say, reading } = startFeed();
  print('$ ', 0);
  await say({ type: 'hold', bells: true });
  print('\u001B]0;a title\u0007', 2);
  expect(posted).toHaveLength(2);
  print('done\u0007', 13);
  print('\u0007\u0007', 18);
  expect(posted.slice(2)).toEqual([{ type: 'bell' }]);
  await say({ type: 'hold', bells: false });
  expect(reading()).toBe(0);
  feed.dispose();
});

const CTRL_C = new Uint8Array([0x03]);
const USUAL = { aboveBytes: PANE_LAG_BYTES, keepBytes: PANE_TAIL_BYTES };
const INTERRUPTED = { aboveBytes: PANE_INTERRUPT_LAG_BYTES, keepBytes: PANE_INTERRUPT_TAIL_BYTES };

test('an interrupt that is delivered has what is behind looked at anew, and the pane held close for a moment', async () => {
  const { feed, posted, requests, print, say, acks } = startFeed();
  print('a flood\n', 0);
  const skipAhead = requests[0]?.skipAhead;
  await say({ type: 'input', bytes: new Uint8Array([0x63]) });
  expect(acks).toEqual([]);
  expect(skipAhead).toMatchObject(USUAL);
  await say({ type: 'input', bytes: CTRL_C });
  expect(acks).toEqual([PANE_INTERRUPT_LAG_BYTES]);
  expect(skipAhead).toMatchObject(INTERRUPTED);
  expect(posted.at(-1)).toEqual({ type: 'together', messages: [] });
  vi.advanceTimersByTime(PANE_INTERRUPTED_MS - 1);
  expect(skipAhead).toMatchObject(INTERRUPTED);
  vi.advanceTimersByTime(1);
  expect(skipAhead).toMatchObject(USUAL);
  feed.dispose();
});

test('an interrupt changes nothing before it is delivered, when it cannot be, and while a replay is drawn', async () => {
  const { feed, requests, print, state, say, acks } = startFeed();
  print('$ ', 0);
  state.written = new Promise(() => undefined);
  await say({ type: 'input', bytes: CTRL_C });
  state.written = Promise.reject(new Error('the child has ended'));
  await say({ type: 'input', bytes: CTRL_C });
  state.written = Promise.resolve(null) as unknown as typeof state.written;
  await say({ type: 'hold', bells: false });
  state.outputBytes = 8;
  await say({ type: 'resume' });
  await say({ type: 'input', bytes: CTRL_C });
  expect(acks).toEqual([]);
  expect(requests.at(-1)?.skipAhead).toMatchObject(USUAL);
  print('missed', 2);
  await say({ type: 'input', bytes: CTRL_C });
  expect(acks).toEqual([PANE_INTERRUPT_LAG_BYTES]);
  feed.dispose();
});

test('an interrupt gives a pane that is far behind the end in one message, in place of what it has not parsed', async () => {
  const { feed, posted, requests, print, tell, skip, inputs, state, say, acks, reading } = startFeed();
  print('parsed\n', 0);
  print('\u001B(0 line\n', 7);
  vi.advanceTimersByTime(5);
  await say({ type: 'ack', endOffset: 7 });
  skip('\u001B[?1h');
  tell({ kind: 'gap', fromSeq: 2, toSeq: 90, bytes: 300_000, keptFrom: null });
  print('kept\n', 300_017);
  inputs.push(input(1, 300_022));
  print('half', 300_022);
  posted.length = 0;
  Object.assign(state, { nearBytes: PANE_INTERRUPT_LAG_BYTES, nearSeq: 200 });
  state.onFollow = ({ skipAhead, onEvent }) => {
    skipAhead?.onSkipped(new TextEncoder().encode('\u001B[31m\u001B[?2004h and'));
    onEvent({ kind: 'gap', fromSeq: 2, toSeq: 201, bytes: 500_000, keptFrom: null });
    const bytes = new TextEncoder().encode(' so on\n$ ');
    onEvent({ kind: 'output', seq: 201, offset: 800_026, stream: 'pty', bytes });
  };
  await say({ type: 'input', bytes: CTRL_C });
  // By the pane alone.
  expect(acks).toEqual([PANE_LAG_BYTES]);
  expect(reading()).toBe(1);
  expect(requests.at(-1)).toMatchObject({ afterSeq: 1, afterOffset: 300_026, skipAhead: INTERRUPTED });
  expect(posted).toHaveLength(1);
  expect(shown(posted[0]?.type === 'together' ? posted[0].messages : [])).toEqual([
    {
      ...{ type: 'skipped', from: 7, bytes: 800_026 },
      ...{ modes: '\u001B(0\u001B[?1h\u001B[?2004h', rendition: '\u001B[31m' },
    },
    ['$ ', 800_035],
    { type: 'inputs', entries: inputs },
  ]);
  // What it prints next is not joined with more.
  print('# ', 800_035);
  expect(shown(posted.slice(1))).toEqual([['# ', 800_037]]);
  feed.dispose();
});

test('an interrupt tells a skip that was not yet told with what follows it', async () => {
  const { feed, posted, requests, print, tell, skip, state, say } = startFeed();
  print('drawn\n', 0);
  await say({ type: 'ack', endOffset: 6 });
  skip('\u001B[?2004h');
  tell({ kind: 'gap', fromSeq: 2, toSeq: 90, bytes: 3_000_000, keptFrom: null });
  posted.length = 0;
  Object.assign(state, { nearBytes: PANE_INTERRUPT_LAG_BYTES, nearSeq: 200 });
  await say({ type: 'input', bytes: CTRL_C });
  expect(requests.at(-1)).toMatchObject({ afterSeq: 89, afterOffset: 3_000_006 });
  tell({ kind: 'gap', fromSeq: 90, toSeq: 201, bytes: 500_000, keptFrom: null });
  print('$ ', 3_500_006);
  expect(shown(posted)).toEqual([
    { type: 'together', messages: [] },
    { type: 'skipped', from: 6, bytes: 3_500_000, modes: '\u001B[?2004h', rendition: '' },
    ['$ ', 3_500_008],
  ]);
  feed.dispose();
});
