import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SessionId, SessionInfo } from '../shared/session.ts';
import type { TimelineEntry } from '../shared/timeline.ts';
import { CODEX, ended, exampleSession } from './testing/example-session.ts';
import { allTurns } from './testing/fake-host.ts';
import { TimelineFeed, wantedRecentActs, wantedTimeline, type WantedTimeline } from './timeline-feed.ts';
import { INITIAL_WINDOW_STATE } from './window/window-state.ts';

const ENTRY: TimelineEntry = { number: 1, atMs: 1, by: { kind: 'person' }, act: { kind: 'took-keyboard' }, offset: 0 };
const held = exampleSession({ origin: CODEX, keyboard: 'person' });

/** What is wanted while a session is in view and the panel is open. */
function timelineOf(session: SessionInfo): WantedTimeline<SessionId> | null {
  const panels = { sessions: false, timeline: true };
  return wantedTimeline([session], { ...INITIAL_WINDOW_STATE, selected: session.id, panels });
}

/** Requests that are answered when the test says so, in order. */
function startFeed(pauseMs?: number) {
  const asked: { readonly id: string; answer(entries: readonly TimelineEntry[]): void; fail(): void }[] = [];
  const onLoadFailed = vi.fn();
  const feed = new TimelineFeed<string, TimelineEntry>({
    ...(pauseMs === undefined ? {} : { pauseMs }),
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
    feed.follow(timelineOf(held));
    expect(view()).toEqual({ of: 's1', entries: [], isLoaded: false });
    asked[0]?.answer([ENTRY]);
    await allTurns();
    expect(view()).toEqual({ of: 's1', entries: [ENTRY], isLoaded: true });
    feed.follow(timelineOf({ ...held, outputBytes: 7 }));
    expect(asked).toHaveLength(1);
    feed.follow(timelineOf({ ...held, timelineNumber: 2 }));
    feed.follow(timelineOf({ ...held, timelineNumber: 2, timelineActs: 4 }));
    feed.follow(timelineOf({ ...held, timelineNumber: 3, timelineActs: 5 }));
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
    feed.follow(timelineOf(held));
    feed.follow(timelineOf({ ...held, id: 's2' as SessionId }));
    asked[0]?.answer([ENTRY]);
    await allTurns();
    expect(view()).toEqual({ of: 's2', entries: [], isLoaded: false });
    expect(asked.map(({ id }) => id)).toEqual(['s1', 's2']);
    feed.follow(null);
    asked[1]?.answer([ENTRY]);
    await allTurns();
    expect(view()).toEqual({ of: null, entries: [], isLoaded: false });
  });

  it('is had of the next session when the one before was closed meanwhile, and nothing is told of that', async () => {
    const { feed, asked, onLoadFailed, view } = startFeed();
    feed.follow(timelineOf(held));
    feed.follow(timelineOf({ ...held, id: 's2' as SessionId }));
    asked[0]?.fail();
    await allTurns();
    asked[1]?.answer([ENTRY]);
    await allTurns();
    expect([view(), onLoadFailed.mock.calls]).toEqual([{ of: 's2', entries: [ENTRY], isLoaded: true }, []]);
  });

  it('that cannot be had is told, and asked for again at the next news', async () => {
    const { feed, asked, onLoadFailed } = startFeed();
    feed.follow(timelineOf(held));
    asked[0]?.fail();
    await allTurns();
    expect(onLoadFailed).toHaveBeenCalledOnce();
    feed.follow(timelineOf({ ...held, timelineActs: 9 }));
    expect(asked).toHaveLength(2);
  });

  it('is wanted of the agent’s session in view whose keyboard the person holds', () => {
    const wanted = (over: Parameters<typeof exampleSession>[0]) =>
      wantedTimeline([exampleSession(over)], { ...INITIAL_WINDOW_STATE, selected: 's1' as SessionId })?.of ?? null;
    expect(wanted({ origin: CODEX, keyboard: 'person' })).toBe('s1');
    expect(wanted({ origin: CODEX, keyboard: 'agent' })).toBeNull();
    expect(wanted({ origin: CODEX, keyboard: 'person', ...ended(0) })).toBeNull();
    expect(wanted({})).toBeNull();
    expect(wanted({ id: 's2', origin: CODEX, keyboard: 'person' })).toBeNull();
  });

  it('is wanted of whatever is in view while the panel is open', () => {
    const panels = { sessions: false, timeline: true };
    const state = { ...INITIAL_WINDOW_STATE, selected: 's1' as SessionId, panels };
    expect(wantedTimeline([exampleSession(ended(0))], state)?.of).toBe('s1');
    expect(wantedTimeline([], state)).toBeNull();
  });
});

describe('the timeline of all sessions', () => {
  const panels = { sessions: false, timeline: true };
  const state = { ...INITIAL_WINDOW_STATE, selected: 's1' as SessionId, panels };
  const sessions = [exampleSession(), exampleSession({ id: 's2' })];

  it('is wanted in place of that of the session in view, while the panel is open', () => {
    const ofAll = { ...state, isTimelineOfAll: true };
    expect([wantedRecentActs(sessions, state), wantedTimeline(sessions, ofAll)]).toEqual([null, null]);
    expect(wantedRecentActs(sessions, { ...ofAll, panels: { sessions: false, timeline: false } })).toBeNull();
    expect(wantedRecentActs(sessions, ofAll)?.of).toBe('all');
    const held = [exampleSession({ origin: CODEX, keyboard: 'person' })];
    expect(wantedTimeline(held, ofAll)?.of).toBe('s1');
  });

  it('may have more with each act on one of them, with one that comes, and with one that goes', () => {
    const newsOf = (all: readonly SessionInfo[]) => wantedRecentActs(all, { ...state, isTimelineOfAll: true })?.news;
    const others = [exampleSession(), exampleSession({ id: 's2', timelineNumber: 2 })];
    const news = [sessions, others, sessions.slice(0, 1), [...sessions, exampleSession({ id: 's3' })]].map(newsOf);
    expect(new Set(news).size).toBe(news.length);
    expect(newsOf([...sessions])).toBe(newsOf(sessions));
  });

  it('is loaded again after a pause at the soonest, and again when it is wanted anew', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { feed, asked, view } = startFeed(300);
    feed.follow({ of: 'all', news: '1' });
    asked[0]?.answer([ENTRY]);
    await vi.advanceTimersByTimeAsync(0);
    expect(view()).toEqual({ of: 'all', entries: [ENTRY], isLoaded: true });
    feed.follow({ of: 'all', news: '2' });
    feed.follow({ of: 'all', news: '3' });
    await vi.advanceTimersByTimeAsync(299);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(2);
    asked[1]?.answer([ENTRY]);
    await vi.advanceTimersByTimeAsync(0);
    feed.follow(null);
    feed.follow({ of: 'all', news: '3' });
    expect(view().isLoaded).toBe(false);
    await vi.advanceTimersByTimeAsync(300);
    expect(asked).toHaveLength(3);
  });
});
