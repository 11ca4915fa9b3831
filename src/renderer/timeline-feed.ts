import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Disposable } from '../shared/disposable.ts';
import type { SessionId, SessionInfo } from '../shared/session.ts';
import { canGiveBack } from './acts/session-acts.ts';
import type { WindowState } from './window/window-state.ts';

/** What a timeline is wanted of. */
export interface WantedTimeline<Subject> {
  readonly of: Subject;
  /** Another one with each thing that the timeline may have more of. */
  readonly news: string;
}

/** The timeline of one session that the window shows something of; null when of none. */
export function wantedTimeline(sessions: readonly SessionInfo[], state: WindowState): WantedTimeline<SessionId> | null {
  const session = sessions.find(({ id }) => id === state.selected);
  const isInPanel = state.panels.timeline && !state.isTimelineOfAll;
  // What an agent was refused is told in the frame of the pane as well.
  const isWanted = session !== undefined && (isInPanel || canGiveBack(session));
  return isWanted ? { of: session.id, news: newsOf(session) } : null;
}

/** Whether the window shows the timeline of all sessions. */
export function wantedRecentActs(sessions: readonly SessionInfo[], state: WindowState): WantedTimeline<'all'> | null {
  const isWanted = state.panels.timeline && state.isTimelineOfAll;
  return isWanted ? { of: 'all', news: sessions.map((session) => `${session.id} ${newsOf(session)}`).join() } : null;
}

function newsOf({ timelineNumber, timelineActs }: SessionInfo): string {
  return `${timelineNumber} ${timelineActs}`;
}

/** What is known of acts. */
export interface TimelineView<Subject, Entry> {
  /** Null while no timeline is wanted. */
  readonly of: Subject | null;
  readonly entries: readonly Entry[];
  /** False until the first answer: an empty timeline is not yet a fact. */
  readonly isLoaded: boolean;
}

export interface TimelineFeedOptions<Subject, Entry> {
  readonly load: (of: Subject) => Promise<readonly Entry[]>;
  readonly onLoadFailed: (error: unknown) => void;
  /** Time between an answer and the next request, in milliseconds. Default: none. */
  readonly pauseMs?: number;
}

/**
 * A timeline that is kept in step: loaded again whenever there is something new. One request at a time, so that a flooding
 * session costs no more than its answers take.
 */
export class TimelineFeed<Subject extends string, Entry> implements Disposable {
  readonly store: StoreApi<TimelineView<Subject, Entry>>;
  readonly #options: TimelineFeedOptions<Subject, Entry>;
  #wanted: Subject | null = null;
  #wantedNews = '';
  /** Rises with each change of what is wanted. */
  #revision = 0;
  #isLoading = false;

  constructor(options: TimelineFeedOptions<Subject, Entry>) {
    this.#options = options;
    this.store = createStore<TimelineView<Subject, Entry>>(() => nothingOf<Subject, Entry>(null));
  }

  /** What is to be seen, as it is known now; null for nothing. */
  follow(wanted: WantedTimeline<Subject> | null): void {
    const of = wanted?.of ?? null;
    const news = wanted?.news ?? '';
    if (of === this.#wanted && news === this.#wantedNews) {
      return;
    }
    this.#wanted = of;
    this.#wantedNews = news;
    this.#revision += 1;
    if (this.store.getState().of !== of) {
      this.store.setState(nothingOf<Subject, Entry>(of), true);
    }
    void this.#load();
  }

  dispose(): void {
    this.follow(null);
  }

  async #load(): Promise<void> {
    if (this.#isLoading) {
      return;
    }
    this.#isLoading = true;
    const { pauseMs = 0 } = this.#options;
    for (let loaded = 0; this.#wanted !== null && loaded !== this.#revision;) {
      loaded = this.#revision;
      await this.#loadOnce(this.#wanted);
      if (pauseMs > 0) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
    this.#isLoading = false;
  }

  /** What comes of what is wanted no longer (a closed session has no timeline) is nobody's concern. */
  async #loadOnce(of: Subject): Promise<void> {
    try {
      const entries = await this.#options.load(of);
      if (this.#wanted === of) {
        this.store.setState({ of, entries, isLoaded: true }, true);
      }
    } catch (error) {
      if (this.#wanted === of) {
        this.#options.onLoadFailed(error);
      }
    }
  }
}

function nothingOf<Subject, Entry>(of: Subject | null): TimelineView<Subject, Entry> {
  return { of, entries: [], isLoaded: false };
}
