import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SessionId } from '../shared/session.ts';
import { OutputProgress } from './output-progress.ts';

const S1 = 's1' as SessionId;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('tells the last of many reports, four times a second at most', () => {
  const progress = new OutputProgress();
  const told: (number | undefined)[] = [];
  progress.store.subscribe((offsets) => told.push(offsets.get(S1)));
  for (let offset = 1; offset <= 1_000; offset += 1) {
    progress.report(S1, offset);
    vi.advanceTimersByTime(1);
  }
  expect(told).toEqual([250, 500, 750, 1_000]);
});

it('forgets a session, and leaves no timer behind', () => {
  const progress = new OutputProgress();
  progress.report(S1, 1);
  progress.forget(S1);
  vi.advanceTimersByTime(250);
  expect([...progress.store.getState()]).toEqual([]);
  progress.report(S1, 2);
  progress.dispose();
  expect(vi.getTimerCount()).toBe(0);
});
