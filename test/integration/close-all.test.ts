import { expect, onTestFinished, vi } from 'vitest';
import type { SessionId } from '../../src/shared/session.ts';
import { test } from '../support/engine-world.ts';
import { isRunning } from '../support/is-running.ts';

/** Pids of leaders that cannot be ended: the system would not say what runs. */
const unendable = vi.hoisted(() => new Set<number>());

vi.mock(import('../../src/engine/backend/terminate-tree.ts'), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    terminateTree: async (...[tree, options]: Parameters<typeof original.terminateTree>) => {
      if ('leader' in tree && unendable.has(tree.leader?.pid ?? 0)) {
        throw new Error('too many open files');
      }
      return original.terminateTree(tree, options);
    },
  };
});

test.for([
  ['pty', {}],
  ['pipe', { backend: { kind: 'pipe', stdin: true } }],
] as const)('E12: closing all goes on past failures and reports them together (%s)', async ([, request], { world }) => {
  const pids = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    pids.push((await world.start(['/bin/sleep', '300'], { ...request, id: name as SessionId })).pid ?? 0);
  }
  onTestFinished(() => unendable.clear());
  unendable.add(pids[0] ?? 0).add(pids[2] ?? 0);
  const failure: unknown = await world.engine.closeAll('person').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AggregateError);
  expect((failure as AggregateError).message).toBe('2 of 4 sessions could not be closed');
  expect((failure as AggregateError).errors).toHaveLength(2);
  expect(pids.map(isRunning)).toEqual([true, false, true, false]);
  expect((await world.engine.list()).map(({ id }) => id)).toEqual(['a', 'c']);
  unendable.clear();
  expect((await world.engine.closeAll('person')).map(({ id }) => id)).toEqual(['a', 'c']);
  expect(pids.map(isRunning)).toEqual([false, false, false, false]);
});
