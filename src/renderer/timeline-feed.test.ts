import { describe, expect, it, vi } from 'vitest';
import type { SessionId } from '../shared/session.ts';
import type { TimelineEntry } from '../shared/timeline.ts';
import { CODEX, ended, exampleSession } from './testing/example-session.ts';
import { allTurns } from './testing/fake-host.ts';
import { TimelineFeed, wantedTimeline } from './timeline-feed.ts';
import { INITIAL_WINDOW_STATE } from './window/window-state.ts';

const ENTRY: TimelineEntry = { number: 1, atMs: 1, by: { kind: 'person' }, act: { kind: 'took-keyboard' }, offset: 0 };
const held = exampleSession({ origin: CODEX, keyboard: 'person' });

/** Requests that are answered when the test says so, in order. */
function startFeed() {
  const asked: { readonly id: SessionId; answer(entries: readonly TimelineEntry[]): void; fail(): void }[] = [];
  const onLoadFailed = vi.fn();
  const feed = new TimelineFeed({
    load: (id) =>
      new Promise((resolve, reject) =>
        asked.push({ id, answer: resolve, fail: () => reject(new Error('It was closed.')) }),
      ),
    onLoadFailed,
  });
  return { feed, asked, onLoadFailed, view: () => feed.store.getState() };
}

describe('the timeline of a session', () => {
  it('is loaded when it is wanted, and again when the session tells of something new', async () => {
    const { feed, asked, view } = startFeed();
    feed.follow(held);
    expect(view()).toEqual({ id: 's1', entries: [], isLoaded: false });
    asked[0]?.answer([ENTRY]);
    await allTurns();
    expect(view()).toEqual({ id: 's1', entries: [ENTRY], isLoaded: true });
    feed.follow({ ...held, outputBytes: 7 });
    expect(asked).toHaveLength(1);
    feed.follow({ ...held, timelineNumber: 2 });
    feed.follow({ ...held, timelineNumber: 2, activity: 4 });
    feed.follow({ ...held, timelineNumber: 3, activity: 5 });
    expect(asked).toHaveLength(2);
    asked[1]?.answer([ENTRY]);
    await allTurns();
    expect(asked).toHaveLength(3);
    asked[2]?.answer([ENTRY, { ...ENTRY, number: 2 }]);
    await allTurns();
    expect([asked.length, view().entries.length]).toEqual([3, 2]);
  });

  it('of another session is not mistaken for that of the one in view', async () => {
    const { feed, asked, view } = startFeed();
    feed.follow(held);
    feed.follow({ ...held, id: 's2' as SessionId });
    asked[0]?.answer([ENTRY]);
    await allTurns();
    expect(view()).toEqual({ id: 's2', entries: [], isLoaded: false });
    expect(asked.map(({ id }) => id)).toEqual(['s1', 's2']);
    feed.follow(null);
    asked[1]?.answer([ENTRY]);
    await allTurns();
    expect(view()).toEqual({ id: null, entries: [], isLoaded: false });
  });

  it('is had of the next session when the one before was closed meanwhile, and nothing is told of that', async () => {
    const { feed, asked, onLoadFailed, view } = startFeed();
    feed.follow(held);
    feed.follow({ ...held, id: 's2' as SessionId });
    asked[0]?.fail();
    await allTurns();
    asked[1]?.answer([ENTRY]);
    await allTurns();
    expect([view(), onLoadFailed.mock.calls]).toEqual([{ id: 's2', entries: [ENTRY], isLoaded: true }, []]);
  });

  it('that cannot be had is told, and asked for again at the next news', async () => {
    const { feed, asked, onLoadFailed } = startFeed();
    feed.follow(held);
    asked[0]?.fail();
    await allTurns();
    expect(onLoadFailed).toHaveBeenCalledOnce();
    feed.follow({ ...held, activity: 9 });
    expect(asked).toHaveLength(2);
  });

  it('is wanted of the agent’s session in view whose keyboard the person holds', () => {
    const wanted = (over: Parameters<typeof exampleSession>[0]) =>
      wantedTimeline([exampleSession(over)], { ...INITIAL_WINDOW_STATE, selected: 's1' as SessionId })?.id ?? null;
    expect(wanted({ origin: CODEX, keyboard: 'person' })).toBe('s1');
    expect(wanted({ origin: CODEX, keyboard: 'agent' })).toBeNull();
    expect(wanted({ origin: CODEX, keyboard: 'person', ...ended(0) })).toBeNull();
    expect(wanted({})).toBeNull();
    expect(wanted({ id: 's2', origin: CODEX, keyboard: 'person' })).toBeNull();
  });

  it('is wanted of whatever is in view while the panel is open', () => {
    const panels = { sessions: false, timeline: true };
    const state = { ...INITIAL_WINDOW_STATE, selected: 's1' as SessionId, panels };
    expect(wantedTimeline([exampleSession(ended(0))], state)?.id).toBe('s1');
    expect(wantedTimeline([], state)).toBeNull();
  });
});
