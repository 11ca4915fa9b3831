import { vi } from 'vitest';
import type { StoreApi } from 'zustand/vanilla';
import type { SessionSurvivors } from '../../shared/session-facts.ts';
import type { SessionId } from '../../shared/session.ts';
import type { SessionAct, TimelineEntry } from '../../shared/timeline.ts';
import { loadUsage, PolledFeed, type UsageById } from '../polled-feed.ts';
import { SessionFeed } from '../session-store.ts';
import { TimelineFeed } from '../timeline-feed.ts';
import type { WindowState } from '../window/window-state.ts';
import type { FakeHost } from './fake-host.ts';

/** All that a window follows of a fake host. */
export function feedsOf({ api }: FakeHost, state: StoreApi<WindowState>) {
  return {
    feed: new SessionFeed({
      loadSnapshot: () => api.listSessions(),
      onLoadFailed: vi.fn(),
      requestFrame: (onFrame) => onFrame(),
    }),
    usage: new PolledFeed<UsageById>({
      load: () => loadUsage(api, state.getState().selected),
      nothing: new Map(),
    }),
    survivors: new PolledFeed<readonly SessionSurvivors[] | null>({
      load: () => api.listSurvivors(),
      nothing: null,
    }),
    timeline: new TimelineFeed<SessionId, TimelineEntry>({
      load: (id) => api.sessionTimeline(id),
      onLoadFailed: vi.fn(),
    }),
    recentActs: new TimelineFeed<'all', SessionAct>({
      load: () => api.recentActs(),
      onLoadFailed: vi.fn(),
    }),
  };
}
