import { getPriority, setPriority } from 'node:os';
import { describe, expect } from 'vitest';
import { test } from '../support/engine-world.ts';

const STARTED_WITH = getPriority();

/** Only who may lower a niceness, as root may, can give a host one that its children are not to have. */
const mayLower = ((): boolean => {
  try {
    setPriority(STARTED_WITH - 1);
    setPriority(STARTED_WITH);
    return true;
  } catch {
    return false;
  }
})();

/** What the child has, and what something has that it started. */
const TELL = ['/bin/sh', '-c', 'nice; sh -c nice; :'];

describe.skipIf(!mayLower)('a host with a lower niceness than its children shall have (only who may lower one)', () => {
  test.override({ engineOptions: { childNiceness: STARTED_WITH + 2 } });

  for (const backend of [{ kind: 'pty' }, { kind: 'pipe', stdin: false }] as const) {
    test(`gives it to no child on a ${backend.kind}, and keeps it`, async ({ world }) => {
      setPriority(STARTED_WITH - 3);
      try {
        const { id } = await world.start(TELL, { backend });
        expect(getPriority()).toBe(STARTED_WITH - 3);
        await world.closed(id);
        const told = (await world.text(id)).split(/\r?\n/).filter(Boolean).map(Number);
        expect(told).toEqual([STARTED_WITH + 2, STARTED_WITH + 2]);
      } finally {
        setPriority(STARTED_WITH);
      }
    });
  }
});

describe('a host with a higher one', () => {
  test.override({ engineOptions: { childNiceness: STARTED_WITH - 1 } });

  test('shares it with its children', async ({ world }) => {
    const { id } = await world.start(TELL);
    await world.closed(id);
    expect((await world.text(id)).split(/\r?\n/).filter(Boolean).map(Number)).toEqual([STARTED_WITH, STARTED_WITH]);
  });
});
