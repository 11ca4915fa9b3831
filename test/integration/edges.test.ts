import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, onTestFinished } from 'vitest';
import { createEngine, type WaitCondition } from '../../src/engine/engine.ts';
import type { SessionId } from '../../src/shared/session.ts';
import { test } from '../support/engine-world.ts';
import { isRunning } from '../support/is-running.ts';

const pipe = { backend: { kind: 'pipe', stdin: true } } as const;
const id = (name: string) => name as SessionId;

/** Longest time that the event loop stood still meanwhile, in milliseconds. */
async function longestStall(act: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  await act();
  delays.disable();
  return delays.max / 1e6;
}

describe('many sessions', () => {
  test('a hundred that end beside three hundred ended ones keep the host from nothing', async ({ world }) => {
    for (let run = 0; run < 300; run += 1) {
      await expect(world.start(['/no/such/program'])).rejects.toThrow('cannot start');
    }
    await Promise.all(Array.from({ length: 100 }, () => world.start(['/bin/sleep', '300'], pipe)));
    // The fault that this is for took seconds.
    expect(await longestStall(() => world.engine.closeAll('person'))).toBeLessThan(1_000);
    expect(await world.engine.list()).toEqual([]);
  }, 40_000);
});

describe('a listener that throws', () => {
  test('harms neither the child nor other listeners', async ({ world }) => {
    const told: string[] = [];
    world.engine.onEvent(() => {
      throw new Error('a fault of a listener');
    });
    world.engine.onEvent((event) => told.push(event.type));
    const { id: session } = await world.start(['/bin/sh', '-c', 'echo one; read a; echo two'], pipe);
    world.engine.follow(session, {
      afterSeq: 0,
      creditBytes: 1_000,
      holdsChildMs: 0,
      onEvent: () => {
        throw new Error('a fault of a reader');
      },
    });
    await world.printed(session, 'one');
    await world.engine.write(session, Buffer.from(''), { enter: true });
    expect((await world.closed(session)).exit).toEqual({ exitCode: 0, signal: null });
    expect(told.length).toBeGreaterThan(1);
  });
});

describe('ends that meet', () => {
  test('who has less patience does not wait for who has more', async ({ world }) => {
    const { id: session } = await world.start(['/bin/sh', '-c', 'trap "" TERM; echo ready; while :; do sleep 1; done']);
    await world.printed(session, 'ready');
    const patient = world.engine.terminate(session, 'agent', { graceMs: 60_000 });
    expect(await world.engine.terminate(session, 'person', { graceMs: 0 })).toBe(true);
    await patient;
    expect(await world.engine.get(session)).toMatchObject({ endedBy: 'agent', exit: { signal: 'SIGKILL' } });
    await expect(world.engine.terminate(session, 'person', { graceMs: Number.NaN })).resolves.toBe(false);
  });

  test('of two closes one is told, and a session that takes the id meanwhile stays', async ({ world }) => {
    await world.start(['/bin/sleep', '300'], { id: id('x') });
    const again: Promise<unknown>[] = [];
    world.engine.onEvent((event) => {
      if (event.type === 'removed' && again.length === 0) {
        again.push(world.start(['/bin/sleep', '300'], { id: id('x') }));
      }
    });
    await Promise.all([world.engine.close(id('x'), 'person'), world.engine.close(id('x'), 'person')]);
    expect(again).toHaveLength(1);
    await Promise.all(again);
    expect((await world.engine.list()).map((session) => `${session.id} ${session.state}`)).toEqual(['x running']);
  });

  test('a limit that is reached while an agent ends the session is not what ended it', async ({ world }) => {
    const { id: session } = await world.start(
      ['/bin/sh', '-c', 'trap "" TERM; echo ready; while :; do sleep 1; done'],
      {
        limits: { lifetimeMs: 300 },
      },
    );
    await world.printed(session, 'ready');
    await world.engine.terminate(session, 'agent');
    expect(await world.engine.get(session)).toMatchObject({
      endedBy: 'agent',
      limitHit: { limit: 'lifetime', ended: 'nothing' },
    });
  });

  test('what a host has ended is no more on its record, however fast', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'shellscope-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const engine = createEngine({ hostEnvironment: process.env, ledgerFolder: folder });
    const [host] = await engine.leftOvers();
    expect(host).toBeUndefined();
    for (let run = 0; run < 30; run += 1) {
      const { id: session } = await engine.start({
        argv: ['/bin/true'],
        cwd: '/',
        environment: { kind: 'exact', variables: {} },
        backend: run % 2 === 0 ? { kind: 'pty' } : { kind: 'pipe', stdin: false },
        origin: { kind: 'person' },
      });
      await engine.close(session, 'person');
    }
    const [record] = await readdir(folder);
    const liveHost = record?.replace('.jsonl', '') ?? '';
    await expect(engine.settleLeftOvers(liveHost, 'keep')).rejects.toMatchObject({ code: 'invalid-argument' });
    await engine.dispose();
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('bad numbers', () => {
  test('are refused by the name of their field, and nothing else changes', async ({ world }) => {
    const { id: session } = await world.start(['/bin/sh', '-c', 'echo one; read a'], { id: id('x') });
    await world.printed(session, 'one');
    const { engine } = world;
    const text = (maxBytes: number) => engine.text(session, { reader: 'r', drain: true, maxBytes, waitMs: 0 });
    const wait = (timeoutMs: number) => engine.wait({ condition: { kind: 'exit', session }, timeoutMs });
    const read = (afterSeq: number) => engine.read(session, { afterSeq, maxBytes: 1, waitMs: 0 });
    const { epoch } = await engine.get(session);
    const from = (offset: number): WaitCondition => ({ kind: 'text', session, text: 'x', from: { epoch, offset } });
    const resize = (cols: number) => engine.resize(session, { cols, rows: 24 });
    const cases: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['maxBytes', () => text(Number.NaN)],
      ['maxBytes', () => text(-1)],
      ['timeoutMs', () => wait(Number.NaN)],
      ['timeoutMs', () => engine.write(session, Buffer.from('x'), { timeoutMs: -5 })],
      ['afterSeq', () => read(0.5)],
      ['afterSeq', () => read(Number.NaN)],
      ['cols', () => resize(1.5)],
      ['cols', () => resize(0)],
      ['cols', () => resize(70_000)],
      ['cursor.offset', () => engine.page(session, { cursor: { epoch: 'e', offset: -100 }, maxBytes: 1, waitMs: 0 })],
      ['signal', () => engine.signal(session, 'SIGFOO' as NodeJS.Signals)],
      ['from.offset', () => engine.wait({ condition: from(-5), timeoutMs: 1 })],
      ['from.offset', () => engine.wait({ condition: from(Number.NaN), timeoutMs: 1 })],
      ['from', () => engine.wait({ condition: from(6), timeoutMs: 1 })],
      ['cwd', () => world.start(['/bin/true'], { cwd: '.' })],
      ['workspace', () => world.start(['/bin/true'], { workspace: 'tmp' })],
      ['graceMs', () => engine.terminate(session, 'person', { graceMs: Number.NaN })],
      ['cols', () => world.start(['/bin/true'], { backend: { kind: 'pty', size: { cols: Number.NaN, rows: 1 } } })],
    ];
    for (const [field, act] of cases) {
      await expect(act()).rejects.toMatchObject({
        code: 'invalid-argument',
        message: expect.stringMatching(`^${field}:`),
      });
    }
    expect((await text(Number.POSITIVE_INFINITY)).text).toBe('one\r\n');
    // As long as a timer can be; not at once.
    const endless = wait(Number.POSITIVE_INFINITY);
    await engine.terminate(session, 'person');
    expect((await endless).outcome).toBe('met');
  });

  for (const [kind, request] of [
    ['pty', {}],
    ['pipe', pipe],
  ] as const) {
    test(`more arguments than the system takes are refused with the numbers, however many (${kind})`, async ({
      world,
    }) => {
      await expect(world.start(['/bin/true', ...Array<string>(1_500_000).fill('x')], request)).rejects.toMatchObject({
        code: 'spawn-failed',
        systemCode: 'E2BIG',
        message: expect.stringMatching(/^argv and env hold \d+ bytes, the longest string \d+;/),
      });
    });
  }

  test('a request id that is used for something else is refused', async ({ world }) => {
    const start = (argv: readonly string[]) => world.start(argv, { ...pipe, requestId: '1' });
    const first = await start(['/bin/cat']);
    await expect(start(['/bin/true'])).rejects.toThrow('requestId: it was that of another start');
    await world.engine.write(first.id, Buffer.from('a'), { requestId: 'w' });
    await expect(world.engine.write(first.id, Buffer.from('b'), { requestId: 'w' })).rejects.toThrow(
      'requestId: w was another write',
    );
    await world.engine.close(first.id, 'person');
    expect(await start(['/bin/cat'])).toMatchObject({ id: first.id, state: 'closed' });
    const origin = { kind: 'agent', client: 'other', processId: 'p', threadId: null, callId: null } as const;
    const other = await world.start(['/bin/true'], { requestId: '1', origin });
    expect(other.id).not.toBe(first.id);
  });
});

describe('a wait for a text', () => {
  const pattern = (session: SessionId, source: string): WaitCondition => ({
    kind: 'pattern',
    session,
    pattern: source,
    ignoreCase: true,
    from: null,
  });

  test('in much that is retained lets others work meanwhile', async ({ world }) => {
    const script =
      'i=0; while [ $i -lt 120 ]; do head -c 65536 /dev/zero | tr "\\0" x; echo; i=$((i+1)); done; echo end; read a';
    const { id: session } = await world.start(['/bin/sh', '-c', script], pipe);
    await world.printed(session, 'end');
    const stall = await longestStall(() =>
      world.engine.wait({ condition: pattern(session, 'never'), timeoutMs: 2_000 }),
    );
    expect(stall).toBeLessThan(400);
    expect((await world.engine.wait({ condition: pattern(session, '^END$'), timeoutMs: 20_000 })).outcome).toBe('met');
  }, 40_000);

  test('finds the start of a line only where a line starts, and a text with its line end', async ({ world }) => {
    const script = 'head -c 300000 /dev/zero | tr "\\0" x; printf foo; sleep 0.1; printf "foo\\n"; read a';
    const { id: session } = await world.start(['/bin/sh', '-c', script]);
    await world.printed(session, 'foofoo\r\n');
    expect((await world.engine.wait({ condition: pattern(session, 'xfoo'), timeoutMs: 10_000 })).outcome).toBe('met');
    expect((await world.engine.wait({ condition: pattern(session, '^foo'), timeoutMs: 100 })).outcome).toBe(
      'timed-out',
    );
    const line: WaitCondition = { kind: 'text', session, text: 'foo\r\n', from: null };
    expect((await world.engine.wait({ condition: line, timeoutMs: 10_000 })).outcome).toBe('met');
  });

  test('nested without measure, or too long, is refused', async ({ world }) => {
    const { id: session } = await world.start(['/bin/sleep', '300']);
    let nested = pattern(session, 'x');
    for (let depth = 0; depth < 20_000; depth += 1) {
      nested = { kind: 'any', of: [nested] };
    }
    await expect(world.engine.wait({ condition: nested, timeoutMs: 1 })).rejects.toThrow(
      'condition: any and all nested',
    );
    await expect(world.engine.wait({ condition: pattern(session, 'x'.repeat(501)), timeoutMs: 1 })).rejects.toThrow(
      'pattern: at most',
    );
  });
});

test('S5: what a session waits for is looked at anew after a signal', async ({ world }) => {
  const { id: session, pid } = await world.start(['/bin/cat']);
  await world.engine.wait({ condition: { kind: 'input', session }, timeoutMs: 10_000 });
  const kinds = new Set<string | undefined>();
  const busy = new Promise<void>((resolve) => {
    world.engine.onEvent((event) => {
      if (event.type === 'changed') {
        kinds.add(event.session.waitingFor?.kind);
        if (event.session.waitingFor?.kind === 'busy') {
          resolve();
        }
      }
    });
  });
  await world.engine.signal(session, 'SIGSTOP');
  await busy;
  expect(isRunning(pid ?? 0)).toBe(true);
  await world.engine.signal(session, 'SIGCONT');
});
