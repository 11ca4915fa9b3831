import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Engine, FollowRequest, StartSafety } from '../../engine/engine.ts';
import { silentLogger } from '../../shared/logger.ts';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import type { Params } from './exec-server-schema.ts';
import { ExecSession } from './exec-session.ts';
import type { Outbox } from './hosted-process.ts';

const RUNNING = { id: 'session-1' as SessionId, state: 'running', exit: null } as SessionInfo;

/** An engine whose start is settled by the test, and which notes what is asked of it. */
function fakeEngine() {
  let answer: (info: SessionInfo) => void = () => {};
  const started = new Promise<SessionInfo>((resolve) => {
    answer = resolve;
  });
  const follows: FollowRequest[] = [];
  const terminated: string[] = [];
  const left: string[] = [];
  const startedFor: (string | undefined)[] = [];
  const engine = {
    start: (_request: unknown, safety?: Partial<StartSafety>) => {
      startedFor.push(safety?.clientSession);
      return started;
    },
    endClientSession: async (id: string) => void left.push(id),
    get: async () => RUNNING,
    follow: (_id: string, request: FollowRequest) => {
      follows.push(request);
      return { ack() {}, close() {} };
    },
    terminate: async (id: string) => {
      terminated.push(id);
      return true;
    },
  } as unknown as Engine;
  return { engine, childRuns: () => answer(RUNNING), follows, terminated, left, startedFor };
}

function outbox(): Outbox & { readonly frames: string[] } {
  const frames: string[] = [];
  return { frames, notify: (frame) => frames.push(frame.toString()) };
}

const START = {
  processId: 'p1',
  argv: ['true'],
  cwd: '/',
  env: {},
  tty: true,
  pipeStdin: false,
  enforceManagedNetwork: false,
} satisfies Params<'process/start'>;

describe('ExecSession', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function session(engine: Engine, onExpired = () => {}) {
    return new ExecSession({
      engine,
      log: silentLogger,
      account: null,
      clientName: 'test',
      onExpired,
      onStarted: () => {},
      ofAccount: () => [],
    });
  }

  test('belongs to one connection at a time, and only that one can let go of it', () => {
    const hosted = session(fakeEngine().engine);
    const [first, second] = [outbox(), outbox()];
    expect(hosted.claim(first)).toBe(true);
    expect(hosted.claim(second)).toBe(false);
    hosted.detach(second);
    expect(hosted.claim(second)).toBe(false);
    hosted.detach(first);
    expect(hosted.claim(second)).toBe(true);
  });

  test('ends its processes when nobody came back in time, and not when somebody did', async () => {
    const { engine, childRuns, terminated } = fakeEngine();
    const expired = vi.fn<() => void>();
    const hosted = session(engine, expired);
    const [first, second] = [outbox(), outbox()];
    hosted.claim(first);
    childRuns();
    await hosted.start(START);
    hosted.detach(first);
    vi.advanceTimersByTime(79_000);
    hosted.claim(second);
    vi.advanceTimersByTime(200_000);
    expect(expired).not.toHaveBeenCalled();
    hosted.detach(second);
    hosted.claim(first);
    hosted.detach(first);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(80_000);
    expect(expired).toHaveBeenCalledOnce();
    expect(terminated).toEqual(['session-1']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is what a person allows commands for, until its client did not come back in time', async () => {
    const { engine, childRuns, left, startedFor } = fakeEngine();
    const hosted = session(engine);
    const owner = outbox();
    hosted.claim(owner);
    childRuns();
    await hosted.start(START);
    expect(startedFor).toEqual([hosted.id]);
    hosted.detach(owner);
    vi.advanceTimersByTime(79_999);
    expect(left).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(left).toEqual([hosted.id]);
  });

  test('a start that is answered after a reconnect is told once, from its first byte, to who is there now', async () => {
    const { engine, childRuns, follows } = fakeEngine();
    const hosted = session(engine);
    const [first, second] = [outbox(), outbox()];
    hosted.claim(first);
    hosted.attach(first);
    const answered = hosted.start(START);
    hosted.detach(first);
    hosted.claim(second);
    childRuns();
    await answered;
    hosted.attach(second);
    expect(follows).toEqual([]);
    hosted.announce('p1');
    hosted.announce('p1');
    expect(follows.map(({ afterSeq }) => afterSeq)).toEqual([0]);
    follows[0]?.onEvent({ kind: 'closed', seq: 1 });
    expect({ first: first.frames.length, second: second.frames.length }).toEqual({ first: 0, second: 1 });
  });

  test('a child whose start was under way when its client was given up is ended', async () => {
    const { engine, childRuns, terminated } = fakeEngine();
    const hosted = session(engine);
    const answered = hosted.start(START);
    await hosted.dispose();
    childRuns();
    await answered;
    expect(terminated).toEqual(['session-1']);
  });

  test('a request that was sent twice is refused once and let through once: the process is the client’s', async () => {
    const { engine, terminated } = fakeEngine();
    const settles: { readonly allow: (info: SessionInfo) => void; readonly refuse: (why: Error) => void }[] = [];
    const start = () => new Promise<SessionInfo>((allow, refuse) => settles.push({ allow, refuse }));
    const hosted = session(Object.assign(Object.create(engine) as Engine, { start }));
    const request = { ...START, shellscope: { requestId: 'r' } } satisfies Params<'process/start'>;
    const [one, other] = [hosted.start(request), hosted.start(request)];
    settles[0]?.refuse(new Error('a person refused this'));
    await expect(one).rejects.toThrow();
    settles[1]?.allow(RUNNING);
    expect(await other).toMatchObject({ processId: 'p1' });
    expect(await hosted.terminate({ processId: 'p1' })).toEqual({ running: true });
    expect(terminated).toEqual(['session-1']);
  });

  test('C10: an exited process keeps its id for a time, 80 s as the real server has it, and then it is free', async () => {
    const { engine, childRuns, follows } = fakeEngine();
    const hosted = session(engine);
    const owner = outbox();
    hosted.claim(owner);
    hosted.attach(owner);
    childRuns();
    await hosted.start(START);
    hosted.announce('p1');
    follows[0]?.onEvent({ kind: 'closed', seq: 1 });
    vi.advanceTimersByTime(79_999);
    await expect(hosted.start(START)).rejects.toThrow('process p1 already exists');
    vi.advanceTimersByTime(1);
    expect(await hosted.start(START)).toMatchObject({ processId: 'p1' });
  });
});
