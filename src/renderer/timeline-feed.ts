import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Disposable } from '../shared/disposable.ts';
import type { SessionId, SessionInfo } from '../shared/session.ts';
import type { TimelineEntry } from '../shared/timeline.ts';
import { canGiveBack } from './acts/session-acts.ts';
import type { WindowState } from './window/window-state.ts';

/** The session whose timeline the window shows something of; null when of none. */
export function wantedTimeline(sessions: readonly SessionInfo[], state: WindowState): SessionInfo | null {
  const session = sessions.find(({ id }) => id === state.selected);
  // What an agent was refused is told in the frame of the pane as well.
  return session !== undefined && (state.panels.timeline || canGiveBack(session)) ? session : null;
}

/** What is known of the acts on one session. */
export interface TimelineView {
  /** Null while no timeline is wanted. */
  readonly id: SessionId | null;
  readonly entries: readonly TimelineEntry[];
  /** False until the first answer: an empty timeline is not yet a fact. */
  readonly isLoaded: boolean;
}

const NOTHING: TimelineView = { id: null, entries: [], isLoaded: false };

export interface TimelineFeedOptions {
  readonly load: (id: SessionId) => Promise<readonly TimelineEntry[]>;
  readonly onLoadFailed: (error: unknown) => void;
}

/**
 * The timeline of one session, kept in step with it: loaded again whenever the session tells of something new. One
 * request at a time, so that a flooding session costs no more than its answers take.
 */
export class TimelineFeed implements Disposable {
  readonly store: StoreApi<TimelineView> = createStore<TimelineView>(() => NOTHING);
  readonly #options: TimelineFeedOptions;
  #wanted: SessionId | null = null;
  #wantedKey = '';
  #isLoading = false;

  constructor(options: TimelineFeedOptions) {
    this.#options = options;
  }

  /** The session whose timeline is to be seen, as it is known now; null for none. */
  follow(session: SessionInfo | null): void {
    const key =
      session === null ? '' : `${session.id} ${session.timelineNumber} ${session.activity} ${session.keyboard}`;
    if (key === this.#wantedKey) {
      return;
    }
    this.#wantedKey = key;
    this.#wanted = session?.id ?? null;
    if (this.store.getState().id !== this.#wanted) {
      this.store.setState({ ...NOTHING, id: this.#wanted }, true);
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
    for (let loaded = ''; this.#wanted !== null && loaded !== this.#wantedKey;) {
      loaded = this.#wantedKey;
      await this.#loadOnce(this.#wanted);
    }
    this.#isLoading = false;
  }

  /** What comes of a session that is wanted no longer (a closed one has no timeline) is nobody's concern. */
  async #loadOnce(id: SessionId): Promise<void> {
    try {
      const entries = await this.#options.load(id);
      if (this.#wanted === id) {
        this.store.setState({ id, entries, isLoaded: true }, true);
      }
    } catch (error) {
      if (this.#wanted === id) {
        this.#options.onLoadFailed(error);
      }
    }
  }
}
