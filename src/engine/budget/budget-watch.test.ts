import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { BudgetHit } from '../../shared/budget.ts';
import type { Logger } from '../../shared/logger.ts';
import type { SessionId } from '../../shared/session.ts';
import type { ProcessUsage } from '../backend/process-usage.ts';
import { BudgetWatch, type WatchedSession } from './budget-watch.ts';
import type { CgroupReading } from './cgroup.ts';

const MIB = 1024 * 1024;

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

/** A watch over a process table that the test sets. */
function world() {
  const hits: [string, BudgetHit['limit'], number | null][] = [];
  const warnings: unknown[] = [];
  const log: Logger = { info() {}, warn: (...it) => warnings.push(it), error() {} };
  const state = {
    table: [] as readonly ProcessUsage[] | null,
    exactBytes: 0,
    /** When each look at the table was taken, in milliseconds. */
    looks: [] as number[],
    exactLooks: 0,
    /** Called while the exact memory is being read. */
    onExactLook: () => {},
    fails: false,
    /** By pid. */
    marks: new Map<number, readonly string[]>(),
  };
  const watch = new BudgetWatch({
    onHit: (id, { limit, measured }) => hits.push([id, limit, measured]),
    log,
    readProcesses: async () => {
      state.looks.push(performance.now() - begin);
      if (state.fails) {
        throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      }
      return state.table;
    },
    marks: { of: ({ pid }) => state.marks.get(pid) ?? [], keepOnly() {} },
    proportionalBytes: async () => {
      state.exactLooks += 1;
      state.onExactLook();
      return state.exactBytes;
    },
  });
  const begin = performance.now();
  return { watch, hits, state, warnings };
}

/** A session whose leader has the number that its name ends with. */
const session = (id: string, limits: WatchedSession['limits'], more: Partial<WatchedSession> = {}): WatchedSession => ({
  id: id as SessionId,
  leader: { pid: Number(id.split('-')[1]), startTime: null },
  limits,
  ...more,
});

const entry = (pid: number, more: Partial<ProcessUsage> = {}): ProcessUsage => ({
  pid,
  parentPid: 999,
  sessionId: pid,
  startTime: `start of ${pid}`,
  zombie: false,
  cpuMs: 0,
  childrenCpuMs: 0,
  residentBytes: MIB,
  ...more,
});

const id = (text: string) => text as SessionId;
const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('the watch of budgets', () => {
  test('has no timer and looks at nothing while no session has limits', async () => {
    const { watch, state } = world();
    watch.add(session('s-1', {}));
    watch.add(session('s-2', { outputBytes: 5 }));
    expect(vi.getTimerCount()).toBe(0);
    await after(60_000);
    expect(state.looks).toEqual([]);
  });

  test('has one timer and one look at a time for a hundred sessions', async () => {
    const { watch, state } = world();
    for (let number = 1; number <= 100; number += 1) {
      watch.add(session(`s-${number}`, { memoryBytes: 100 * MIB, cpuSeconds: 5, lifetimeMs: 1e9, idleMs: 1e9 }));
    }
    expect(vi.getTimerCount()).toBe(1);
    await after(250);
    expect(state.looks).toEqual([250]);
    expect(vi.getTimerCount()).toBe(1);
    watch.dispose();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('looks often at what is young, near a limit or growing towards it, and seldom at all else', async () => {
    const { watch, state } = world();
    watch.add(session('s-1', { memoryBytes: 100 * MIB }));
    const set = (mebibytes: number) => (state.table = [entry(1, { residentBytes: mebibytes * MIB })]);
    set(10);
    await after(2_000);
    expect(state.looks).toEqual([250, 500, 750, 1_000, 1_250, 1_500, 1_750, 2_000]);
    await after(3_000);
    expect(state.looks.slice(8)).toEqual([3_500, 5_000]);
    // 30 MiB now, and 20 more than before.
    set(30);
    await after(1_750);
    expect(state.looks.slice(10)).toEqual([6_500, 6_750]);
    set(60);
    await after(2_000);
    expect(state.looks.slice(12, 15)).toEqual([8_250, 8_500, 8_750]);
  });

  test('tells which limit each session hit, with the figure, once, and leaves the others alone', async () => {
    const { watch, hits, state } = world();
    state.table = [
      entry(1, { residentBytes: 101 * MIB }),
      entry(2),
      entry(20, { sessionId: 2 }),
      entry(3, { cpuMs: 1_500, childrenCpuMs: 700 }),
      entry(4, { cpuMs: 1_990, residentBytes: 100 * MIB }),
      entry(40, { sessionId: 4 }),
    ];
    state.exactBytes = 101 * MIB;
    watch.add(session('s-1', { memoryBytes: 100 * MIB }));
    watch.add(session('s-2', { processes: 1 }));
    watch.add(session('s-3', { cpuSeconds: 2 }));
    watch.add(session('s-4', { memoryBytes: 101 * MIB, processes: 2, cpuSeconds: 2 }));
    await after(10_000);
    expect(hits).toEqual([
      ['s-2', 'processes', 2],
      ['s-3', 'cpu', 2.2],
      ['s-1', 'memory', 101 * MIB],
    ]);
  });

  test('does not take memory that is shared for used twice', async () => {
    const { watch, hits, state } = world();
    state.table = [entry(1, { residentBytes: 90 * MIB }), entry(11, { parentPid: 1, residentBytes: 90 * MIB })];
    state.exactBytes = 95 * MIB;
    watch.add(session('s-1', { memoryBytes: 100 * MIB }));
    await after(1_000);
    expect(hits).toEqual([]);
    expect(state.exactLooks).toBeGreaterThan(0);
    state.exactBytes = 101 * MIB;
    await after(1_000);
    expect(hits).toEqual([['s-1', 'memory', 101 * MIB]]);
  });

  test('counts output exactly, and tells at the first byte over the limit', () => {
    const { watch, hits } = world();
    watch.add(session('s-1', { outputBytes: 100 }));
    watch.output(id('s-1'), 60);
    watch.output(id('s-1'), 40);
    expect(hits).toEqual([]);
    watch.output(id('s-1'), 1);
    watch.output(id('s-1'), 1);
    expect(hits).toEqual([['s-1', 'output', 101]]);
    expect(watch.untoldHit(id('s-1'))).toBeNull();
  });

  test('tells the end of a lifetime on time', async () => {
    const { watch, hits } = world();
    watch.add(session('s-1', { lifetimeMs: 5_000 }));
    watch.add(session('s-2', { lifetimeMs: 3_000 }));
    await after(2_999);
    expect(hits).toEqual([]);
    await after(1);
    expect(hits).toEqual([['s-2', 'lifetime', 3_000]]);
    await after(2_000);
    expect(hits).toEqual([
      ['s-2', 'lifetime', 3_000],
      ['s-1', 'lifetime', 5_000],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a lifetime longer than a timer can hold does not end at once', async () => {
    const { watch, hits } = world();
    watch.add(session('s-1', { lifetimeMs: 2 ** 31 + 5_000 }));
    await after(2 ** 31);
    expect(hits).toEqual([]);
    await after(5_000);
    expect(hits).toEqual([['s-1', 'lifetime', 2 ** 31 + 5_000]]);
  });

  test('output and input put off the end of the patience with silence', async () => {
    const { watch, hits } = world();
    watch.add(session('s-1', { idleMs: 1_000 }));
    await after(900);
    watch.output(id('s-1'), 1);
    await after(900);
    watch.input(id('s-1'));
    await after(999);
    expect(hits).toEqual([]);
    await after(1);
    expect(hits).toEqual([['s-1', 'idle', 1_000]]);
  });

  test('what was removed is never hit', async () => {
    const { watch, hits, state } = world();
    state.table = [entry(1, { cpuMs: 9_000 })];
    watch.add(session('s-1', { cpuSeconds: 1, lifetimeMs: 100, idleMs: 100, outputBytes: 1 }));
    expect(watch.remove(id('s-1'))).toBeNull();
    watch.output(id('s-1'), 2);
    expect(vi.getTimerCount()).toBe(0);
    await after(1_000);
    expect(hits).toEqual([]);
  });

  test('what outlives the leader has the same limits, until nothing runs and no output comes', async () => {
    const { watch, hits, state } = world();
    state.table = [entry(11, { sessionId: 1, cpuMs: 100 })];
    watch.add(session('s-1', { cpuSeconds: 1 }));
    watch.add(session('s-2', { lifetimeMs: 4_000, outputBytes: 10 }));
    watch.add(session('s-3', { lifetimeMs: 4_000 }));
    expect(watch.untoldHit(id('s-1'))).toBeNull();
    watch.outputEnded(id('s-1'));
    watch.treeEnded(id('s-2'));
    watch.treeEnded(id('s-3'));
    watch.outputEnded(id('s-3'));
    await after(1_000);
    expect(hits).toEqual([]);
    state.table = [entry(11, { sessionId: 1, cpuMs: 1_100 })];
    await after(5_000);
    expect(hits).toEqual([['s-1', 'cpu', 1.1]]);
    watch.output(id('s-2'), 11);
    watch.output(id('s-3'), 11);
    expect(hits.slice(1)).toEqual([['s-2', 'output', 11]]);
    watch.treeEnded(id('s-1'));
    watch.outputEnded(id('s-2'));
    expect(vi.getTimerCount()).toBe(0);
    expect((await watch.usage()).size).toBe(0);
  });

  test('what carries the mark of a session counts in it, whoever its parent is; what a person keeps does not', async () => {
    const { watch, hits, state } = world();
    state.marks.set(50, ['outer', 'mark 1']);
    state.marks.set(60, ['mark 2']);
    state.table = [entry(1), entry(2), entry(50), entry(51, { parentPid: 50 }), entry(60), entry(70)];
    watch.add(session('s-1', { processes: 2 }, { mark: 'mark 1' }));
    const kept: { readonly pid: number; readonly startTime: null }[] = [];
    watch.add(session('s-2', { processes: 2 }, { mark: 'mark 2', adopted: () => kept }));
    await after(250);
    expect(hits).toEqual([['s-1', 'processes', 3]]);
    expect((await watch.usage()).get(id('s-2'))?.processes).toBe(2);
    kept.push({ pid: 60, startTime: null });
    expect((await watch.usage()).get(id('s-2'))?.processes).toBe(1);
  });

  test('a session that was removed while its memory was read is not hit, nor is the next one of its name', async () => {
    const { watch, hits, state } = world();
    state.table = [entry(1)];
    state.exactBytes = MIB;
    state.onExactLook = () => {
      watch.remove(id('s-1'));
      watch.add(session('s-1', { processes: 5 }));
    };
    watch.add(session('s-1', { memoryBytes: 1 }));
    await after(1_000);
    expect(state.exactLooks).toBe(1);
    expect(hits).toEqual([]);
    expect(watch.untoldHit(id('s-1'))).toBeNull();
  });

  test('a look that fails hits nothing, is logged, and the next one is taken', async () => {
    const { watch, hits, state, warnings } = world();
    state.table = [entry(1, { cpuMs: 9_000 })];
    state.fails = true;
    watch.add(session('s-1', { cpuSeconds: 1 }));
    await after(250);
    expect(warnings).toEqual([['what sessions use could not be measured', { reason: 'EMFILE' }]]);
    state.fails = false;
    await after(250);
    expect(hits).toEqual([['s-1', 'cpu', 9]]);
  });

  test('where the system does not tell what is used, time and output are still limited', async () => {
    const { watch, hits, state } = world();
    state.table = null;
    watch.add(session('s-1', { memoryBytes: 1, lifetimeMs: 3_000 }));
    await after(3_000);
    expect(hits).toEqual([['s-1', 'lifetime', 3_000]]);
    expect((await watch.usage()).size).toBe(0);
  });

  test('answers what each session uses, with or without limits', async () => {
    const { watch, state } = world();
    state.table = [entry(1, { cpuMs: 20 }), entry(2, { residentBytes: 5 })];
    watch.add(session('s-1', {}));
    watch.add(session('s-2', { processes: 3 }));
    const usages = await watch.usage();
    expect(
      [...usages].map(([key, { residentBytes, processes, cpuMs }]) => [key, residentBytes, processes, cpuMs]),
    ).toEqual([
      ['s-1', MIB, 1, 20],
      ['s-2', 5, 1, 0],
    ]);
    expect(watch.remove(id('s-1'))).toMatchObject({ cpuMs: 20 });
  });

  test('answers for how long each session has lived and been idle, at the moment of the question', async () => {
    const { watch, state } = world();
    state.table = [entry(1)];
    watch.add(session('s-1', {}));
    await vi.advanceTimersByTimeAsync(3_000);
    watch.output(id('s-1'), 1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await watch.usage()).get(id('s-1'))).toMatchObject({ lifetimeMs: 5_000, idleMs: 2_000 });
    watch.input(id('s-1'));
    expect((await watch.usage()).get(id('s-1'))).toMatchObject({ lifetimeMs: 5_000, idleMs: 0 });
  });

  test('nothing is left and nothing is told after it was disposed of', async () => {
    const { watch, hits, state } = world();
    state.table = [entry(1, { cpuMs: 9_000 })];
    watch.add(session('s-1', { cpuSeconds: 1, lifetimeMs: 300 }));
    const asked = watch.usage();
    watch.dispose();
    await asked;
    watch.add(session('s-2', { lifetimeMs: 1 }));
    await after(10_000);
    expect(hits).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a control group', () => {
  const reading: CgroupReading = {
    cpuMs: 700,
    memoryBytes: 90 * MIB,
    memoryPeakBytes: 100 * MIB,
    oomKills: 0,
    refusedForks: 0,
  };
  const groupOf = (more: Partial<CgroupReading>, members: readonly number[] = []) => ({
    enforces: { memory: true, processes: true },
    read: () => ({ ...reading, ...more }),
    members: () => members,
  });

  test('that killed for want of memory is the reason of the end, though nothing was measured', () => {
    const { watch, hits } = world();
    watch.add(session('s-1', { memoryBytes: 100 * MIB }, { cgroup: groupOf({ oomKills: 3 }) }));
    expect(watch.untoldHit(id('s-1'))).toMatchObject({ limit: 'memory', measured: 100 * MIB, enforcedBy: 'kernel' });
    expect(hits).toEqual([]);
  });

  test('that refused a fork is a hit at the next look', async () => {
    const { watch, hits } = world();
    watch.add(session('s-1', { processes: 4 }, { cgroup: groupOf({ refusedForks: 1 }) }));
    await after(250);
    expect(hits).toEqual([['s-1', 'processes', null]]);
  });

  test('tells the exact CPU time and who belongs to the session, and judges the memory alone', async () => {
    const { watch, hits, state } = world();
    state.table = [entry(1, { residentBytes: 500 * MIB }), entry(50, { sessionId: 50 })];
    state.exactBytes = 500 * MIB;
    watch.add(session('s-1', { memoryBytes: 100 * MIB }, { cgroup: groupOf({}, [1, 50]) }));
    expect((await watch.usage()).get(id('s-1'))).toMatchObject({ processes: 2, cpuMs: 700 });
    expect(watch.untoldHit(id('s-1'))).toBeNull();
    expect(hits).toEqual([]);
  });
});
