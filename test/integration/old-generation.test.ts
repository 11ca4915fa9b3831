import { describe, expect } from 'vitest';
import type { BackendKind, SessionId } from '../../src/shared/session.ts';
import { TurnoverMap } from '../../src/shared/turnover.ts';
import { test } from '../support/engine-world.ts';
import { survivingShare } from '../support/old-generation.ts';

// Whatever leads from something old to a session that has ended is followed by each collection of young objects: it copies
// all that the session held, and no exit is told meanwhile.
describe('what has ended is let go of by the next collection of young objects', () => {
  test('what was taken out of a TurnoverMap, as it is not out of a Map', async () => {
    const map = new Map<number, unknown>();
    const turnover = new TurnoverMap<number, unknown>();
    const comeAndGo = (into: Pick<typeof map, 'set' | 'delete'>) => (held: readonly number[], number: number) => {
      into.set(number, held);
      into.delete(number - 2);
    };
    expect(await survivingShare(200, comeAndGo(map))).toBeGreaterThan(0.7);
    expect(await survivingShare(200, comeAndGo(turnover as unknown as typeof map))).toBeLessThan(0.2);
  });

  test.for<BackendKind>(['pty', 'pipe'])('a session on %s that was closed', async (kind, { world }) => {
    const { engine } = world;
    const open: SessionId[] = [];
    const share = await survivingShare(40, async (held) => {
      const { id } = await world.start(['/bin/echo', 'x'], {
        backend: kind === 'pty' ? { kind } : { kind, stdin: true },
      });
      engine.follow(id, { afterSeq: 0, creditBytes: 1_000, holdsChildMs: 0, onEvent: () => held.length });
      await world.closed(id);
      // Some are always there, as in a host that is used.
      open.push(id);
      const oldest = open.length > 3 ? open.shift() : undefined;
      if (oldest !== undefined) {
        await engine.close(oldest, 'host');
      }
    });
    // Of 40 three are open still, and what is in use when the collector comes of itself is moved as well.
    expect(share).toBeLessThan(0.25);
  });
});
