import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { WaitingFor, WaitingKind } from '../../shared/session.ts';
import { WaitingWatch } from './waiting-watch.ts';

function answer(kind: WaitingKind): WaitingFor {
  return { kind, pid: 1, program: 'program', echo: null, canonical: null };
}

/** A watch of a child that waits for what `kind` says at each look; no look is slower than a turn of the loop. */
function watched(kind: WaitingKind) {
  const world = { kind, looks: [] as number[], told: [] as WaitingKind[], watch: null as WaitingWatch | null };
  const startedAtMs = performance.now();
  const watch = new WaitingWatch({
    look: async () => {
      world.looks.push(Math.round(performance.now() - startedAtMs));
      return answer(world.kind);
    },
    onAnswer: (waiting, changed) => {
      if (changed) {
        world.told.push(waiting.kind);
      }
    },
  });
  onTestFinished(() => watch.close());
  return { world, watch };
}

describe('the watch of what a child waits for', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('does not look at a child that prints, and looks once it has been silent for 100 ms', async () => {
    const { world, watch } = watched('busy');
    for (let time = 0; time < 3_000; time += 50) {
      await vi.advanceTimersByTimeAsync(50);
      watch.activity();
    }
    expect(world.looks).toEqual([]);
    await vi.advanceTimersByTimeAsync(99);
    expect(world.looks).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(world.looks.length).toBe(1);
  });

  test('looks at a silent busy child ever more rarely, and sees it begin to wait', async () => {
    const { world } = watched('busy');
    await vi.advanceTimersByTimeAsync(33_000);
    expect(world.looks).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 22_800, 32_800]);
    expect(world.told).toEqual(['busy']);
    world.kind = 'line';
    await vi.advanceTimersByTimeAsync(10_000);
    expect(world.told).toEqual(['busy', 'line']);
  });

  test('looks four times a second while somebody waits for the answer, and as before afterwards', async () => {
    const { world, watch } = watched('busy');
    await vi.advanceTimersByTimeAsync(20_000);
    const before = world.looks.length;
    const leave = watch.attend();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(world.looks.length - before).toBe(8);
    leave();
    leave();
    await vi.advanceTimersByTimeAsync(250);
    const after = world.looks.length;
    await vi.advanceTimersByTimeAsync(9_000);
    expect(world.looks.length - after).toBeLessThanOrEqual(1);
  });

  test('stops looking at a child that waits, until it prints or is given input', async () => {
    const { world, watch } = watched('repl');
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(world.looks).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800]);
    expect(vi.getTimerCount()).toBe(0);
    world.kind = 'busy';
    watch.activity();
    await vi.advanceTimersByTimeAsync(100);
    expect(world.told).toEqual(['repl', 'busy']);
  });

  test('gives no answer from before the last input to who waits for one', async () => {
    const { world, watch } = watched('line');
    await vi.advanceTimersByTimeAsync(100);
    const isLine = ({ kind }: WaitingFor) => kind === 'line';
    expect(await watch.until(isLine)).toEqual(answer('line'));
    watch.activity();
    world.kind = 'busy';
    const seen: (WaitingFor | null)[] = [];
    void watch.until(isLine).then((waiting) => seen.push(waiting));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(seen).toEqual([]);
    world.kind = 'line';
    await vi.advanceTimersByTimeAsync(1_000);
    expect(seen).toEqual([answer('line')]);
  });

  test('throws away a look that output overtook, and looks again', async () => {
    const looks: ((waiting: WaitingFor) => void)[] = [];
    const told: WaitingKind[] = [];
    const watch = new WaitingWatch({
      look: () => new Promise((resolve) => looks.push(resolve)),
      onAnswer: ({ kind }) => told.push(kind),
    });
    onTestFinished(() => watch.close());
    await vi.advanceTimersByTimeAsync(100);
    watch.activity();
    // The first look is still under way when the next one is due: never two at once.
    await vi.advanceTimersByTimeAsync(150);
    expect(looks.length).toBe(1);
    looks[0]?.(answer('line'));
    await vi.advanceTimersByTimeAsync(100);
    expect(told).toEqual([]);
    expect(looks.length).toBe(2);
    looks[1]?.(answer('busy'));
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toEqual(['busy']);
  });

  test('ends with null for who waits when it is closed or the wait is aborted, and leaves no timer', async () => {
    const { watch } = watched('busy');
    const abort = new AbortController();
    const aborted = watch.until(() => false, abort.signal);
    const closed = watch.until(() => false);
    abort.abort();
    expect(await aborted).toBeNull();
    await watch.close();
    expect(await closed).toBeNull();
    watch.activity();
    expect(vi.getTimerCount()).toBe(0);
  });
});
