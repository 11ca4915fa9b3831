import { closeSync, openSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { test } from '../support/engine-world.ts';

/** Lists the child's descriptors with what they lead to; the last is the directory that ls itself reads. */
const LIST_DESCRIPTORS = ['/bin/sh', '-c', 'ls -l /proc/self/fd'];

describe('descriptors of a child', () => {
  for (const kind of ['pty', 'pipe'] as const) {
    test(`A9: a ${kind} child has no descriptor of another session, nor any above stderr`, async ({ world }) => {
      const backend = kind === 'pty' ? ({ kind } as const) : ({ kind, stdin: false } as const);
      // Masters below and above a gap: an incomplete fix stops at the first descriptor that is not open.
      const fillers = Array.from({ length: 40 }, () => openSync('/dev/null', 'r'));
      const first = await world.start(['/bin/cat']);
      for (const filler of fillers) {
        closeSync(filler);
      }
      const second = await world.start(['/bin/cat']);
      const { id } = await world.start(LIST_DESCRIPTORS, { backend });
      await world.closed(id);
      const listed = [...(await world.text(id)).matchAll(/ (\d+) -> (\S+)/g)].map(([, number, target]) => ({
        number: Number(number),
        target: String(target),
      }));
      expect(listed.filter(({ target }) => target.includes('ptmx'))).toEqual([]);
      expect(listed.filter(({ number, target }) => number > 2 && !target.startsWith('/proc/'))).toEqual([]);
      expect(listed.length).toBe(4);
      expect((await world.engine.get(first.id)).state).toBe('running');
      expect((await world.engine.get(second.id)).state).toBe('running');
    });
  }
});
