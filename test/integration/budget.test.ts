import { resolve } from 'node:path';
import { describe, expect, vi } from 'vitest';
import type { BudgetHit, SessionLimits } from '../../src/shared/budget.ts';
import { test } from '../support/budget-world.ts';
import { isRunning } from '../support/is-running.ts';

const MIB = 1024 * 1024;

const python = (program: string, ...args: readonly string[]) => [
  'python3',
  resolve(`test/fixtures/programs/${program}.py`),
  ...args,
];

/** More than any of the children here uses. */
const AMPLE: SessionLimits = {
  memoryBytes: 4_096 * MIB,
  processes: 1_000,
  cpuSeconds: 1_000,
  outputBytes: 1_000 * MIB,
  lifetimeMs: 1_000_000,
  idleMs: 1_000_000,
};

interface Case {
  readonly name: string;
  readonly argv: readonly string[];
  readonly limits: SessionLimits;
  readonly limit: BudgetHit['limit'];
  /** The least that must have been measured, in the limit's unit. */
  readonly atLeast: number;
}

const cases: readonly Case[] = [
  {
    name: 'takes more and more memory',
    argv: python('memory-hog', '300'),
    limits: { memoryBytes: 64 * MIB },
    limit: 'memory',
    atLeast: 64 * MIB + 1,
  },
  {
    name: 'forks a bomb, half of it into sessions of their own',
    argv: python('fork-bomb', '6'),
    limits: { processes: 20 },
    limit: 'processes',
    atLeast: 21,
  },
  { name: 'burns CPU', argv: python('cpu-burner', 'self'), limits: { cpuSeconds: 1 }, limit: 'cpu', atLeast: 1 },
  {
    name: 'burns CPU in children that ended',
    argv: python('cpu-burner', 'waited'),
    limits: { cpuSeconds: 2 },
    limit: 'cpu',
    atLeast: 2,
  },
  {
    name: 'burns CPU in children that nobody waits for',
    argv: python('cpu-burner', 'ignored'),
    limits: { cpuSeconds: 2 },
    limit: 'cpu',
    atLeast: 2,
  },
  {
    name: 'burns CPU in orphans',
    argv: python('cpu-burner', 'orphans'),
    limits: { cpuSeconds: 2 },
    limit: 'cpu',
    atLeast: 2,
  },
  { name: 'floods', argv: ['yes'], limits: { outputBytes: MIB }, limit: 'output', atLeast: MIB + 1 },
  {
    name: 'stays too long',
    argv: ['sh', '-c', 'while :; do echo tick; sleep 0.1; done'],
    limits: { lifetimeMs: 700 },
    limit: 'lifetime',
    atLeast: 700,
  },
  {
    name: 'falls silent',
    argv: ['sh', '-c', 'echo once; exec sleep 60'],
    limits: { idleMs: 400 },
    limit: 'idle',
    atLeast: 400,
  },
];

describe('a child with a budget', () => {
  test.for(cases)('that $name is ended, and the hit says why', async (example, { world, budgets }) => {
    const { id, pid } = await budgets.start(example.argv, { ...AMPLE, ...example.limits });
    const hit = await budgets.hit(id);
    expect(hit).toEqual({
      limit: example.limit,
      maximum: Object.values(example.limits)[0],
      measured: expect.any(Number),
      enforcedBy: 'host',
      ended: null,
      message: expect.stringMatching(/^Over its .+; the limit is .+\.$/),
    });
    expect(hit.measured).toBeGreaterThanOrEqual(example.atLeast);
    expect(await world.closed(id)).toMatchObject({ endedBy: 'host' });
    expect(isRunning(pid ?? 0)).toBe(false);
    expect(budgets.hits).toHaveLength(1);
  });

  test('that keeps within it is left alone while others are ended', async ({ world, budgets }) => {
    const modest = await budgets.start(['sh', '-c', 'for i in 1 2 3 4 5 6 7 8; do sleep 0.2; echo $i; done'], AMPLE);
    const burner = await budgets.start(python('cpu-burner', 'self'), { ...AMPLE, cpuSeconds: 1 });
    await budgets.hit(burner.id);
    expect(await world.closed(modest.id)).toMatchObject({ exit: { exitCode: 0, signal: null }, endedBy: 'child' });
    expect(budgets.hits.map(([id]) => id)).toEqual([burner.id]);
    expect(budgets.watch.untoldHit(modest.id)).toBeNull();
  });

  test.skipIf(process.platform !== 'linux')(
    'is not ended for memory that its forks share',
    async ({ world, budgets }) => {
      // 80 MiB once, which is in RAM four times as the processes tell it.
      const { id } = await budgets.start(python('memory-hog', '80', '3'), { memoryBytes: 200 * MIB });
      await world.printed(id, 'full\nfull\nfull\nfull\n');
      // Such a sample finds more resident than is allowed, and so asks for the exact figure before it answers. The kernel
      // may need a moment to map all of it into each of them.
      await vi.waitFor(async () =>
        expect((await budgets.watch.usage()).get(id)?.residentBytes).toBeGreaterThan(200 * MIB),
      );
      expect(budgets.hits).toEqual([]);
      expect((await world.engine.get(id)).state).toBe('running');
    },
  );

  test('shows what it uses', async ({ world, budgets }) => {
    const { id } = await budgets.start(python('memory-hog', '64', '2'), {});
    await world.printed(id, 'full\nfull\nfull\n');
    const usage = (await budgets.watch.usage()).get(id);
    expect(usage).toMatchObject({ processes: 3, cpuPercent: null });
    expect(usage?.residentBytes).toBeGreaterThan(64 * MIB);
    expect(usage?.cpuMs).toBeGreaterThan(0);
  });
});
