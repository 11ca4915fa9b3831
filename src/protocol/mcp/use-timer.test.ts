import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { UseTimer } from './use-timer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('what may be unused', () => {
  test('is noticed once nobody has used it for the time, counted from the last use', () => {
    const onUnused = vi.fn();
    const timer = new UseTimer(1_000, onUnused);
    timer.enter();
    timer.enter();
    timer.leave();
    vi.advanceTimersByTime(5_000);
    expect(onUnused).not.toHaveBeenCalled();
    timer.leave();
    vi.advanceTimersByTime(999);
    timer.enter();
    timer.leave();
    vi.advanceTimersByTime(999);
    expect(onUnused).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onUnused).toHaveBeenCalledOnce();
  });

  test('tells a use that began and ended in between', () => {
    const timer = new UseTimer(1_000, () => {});
    const before = timer.timesUsed;
    timer.enter();
    timer.leave();
    expect(timer.isUsed).toBe(false);
    expect(timer.timesUsed).not.toBe(before);
  });

  test('is noticed by nobody after its end', () => {
    const onUnused = vi.fn();
    const timer = new UseTimer(1_000, onUnused);
    timer.enter();
    timer.dispose();
    timer.leave();
    vi.advanceTimersByTime(5_000);
    expect(onUnused).not.toHaveBeenCalled();
  });
});
