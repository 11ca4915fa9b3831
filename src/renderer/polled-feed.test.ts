import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionUsage } from '../shared/session-facts.ts';
import type { SessionId } from '../shared/session.ts';
import { isUsageShown, PolledFeed } from './polled-feed.ts';
import { ended, exampleSession } from './testing/example-session.ts';
import { INITIAL_WINDOW_STATE } from './window/window-state.ts';

const USAGE: SessionUsage = {
  id: 's1' as SessionId,
  cpuPercent: 4,
  residentBytes: 61_000_000,
  processes: 1,
  cpuMs: 0,
  lifetimeMs: 0,
  idleMs: 0,
};

describe('what sessions use', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is looked at every two seconds while somebody can see it, and never otherwise', async () => {
    const load = vi.fn(() => Promise.resolve([USAGE]));
    const feed = new PolledFeed<readonly SessionUsage[]>({ load, nothing: [] });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(load).not.toHaveBeenCalled();
    feed.setWanted(true);
    feed.setWanted(true);
    await vi.advanceTimersByTimeAsync(1_999);
    expect([load.mock.calls.length, feed.store.getState()]).toEqual([1, [USAGE]]);
    await vi.advanceTimersByTimeAsync(1);
    expect(load).toHaveBeenCalledTimes(2);
    feed.setWanted(false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(load).toHaveBeenCalledTimes(2);
    feed.setWanted(true);
    feed.dispose();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(load).toHaveBeenCalledTimes(3);
  });

  it('is not asked for twice at once, however slow the answer', async () => {
    let answer = (_usage: readonly SessionUsage[]): void => undefined;
    const load = vi.fn(() => new Promise<readonly SessionUsage[]>((resolve) => (answer = resolve)));
    const feed = new PolledFeed<readonly SessionUsage[]>({ load, nothing: [] });
    feed.setWanted(true);
    feed.setWanted(false);
    feed.setWanted(true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(load).toHaveBeenCalledOnce();
    answer([USAGE]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(load).toHaveBeenCalledTimes(2);
    feed.dispose();
  });

  it('is looked at at once when something was done about it, and nobody else than who wants to know waits', async () => {
    const load = vi.fn(() => Promise.resolve([USAGE]));
    const feed = new PolledFeed<readonly SessionUsage[]>({ load, nothing: [] });
    feed.lookNow();
    expect(load).not.toHaveBeenCalled();
    feed.setWanted(true);
    await vi.advanceTimersByTimeAsync(500);
    feed.lookNow();
    expect(load).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(load).toHaveBeenCalledTimes(2);
    feed.dispose();
  });

  it('that cannot be told is left out, and asked for again', async () => {
    const load = vi.fn<() => Promise<readonly SessionUsage[]>>(() => Promise.resolve([USAGE]));
    const feed = new PolledFeed<readonly SessionUsage[]>({ load, nothing: [] });
    feed.setWanted(true);
    await vi.advanceTimersByTimeAsync(0);
    load.mockRejectedValueOnce(new Error('no /proc'));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(feed.store.getState().length).toBe(0);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(feed.store.getState().length).toBe(1);
    feed.dispose();
  });
});

describe('who sees what sessions use', () => {
  const state = { ...INITIAL_WINDOW_STATE, selected: 's1' as SessionId };
  const open = { ...state, panels: { sessions: true, timeline: false } };
  const running = (id: string) => exampleSession({ id });

  it('is whoever looks at a running session, or at the list of them', () => {
    expect(isUsageShown([running('s1')], state)).toBe(true);
    expect(isUsageShown([running('s2')], state)).toBe(false);
    expect(isUsageShown([running('s2')], open)).toBe(true);
    expect(isUsageShown([exampleSession(ended(0))], open)).toBe(false);
    expect(isUsageShown([], open)).toBe(false);
  });
});
