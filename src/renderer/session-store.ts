import { createStore, type StoreApi } from 'zustand/vanilla';
import type { SessionListEvent, SessionListSnapshot } from '../shared/ipc.ts';
import type { SessionInfo } from '../shared/session.ts';
import { requestWindowFrame, type RequestFrame } from './window/window-frame.ts';

/** What the window knows of the host's sessions, oldest first. */
export interface SessionList {
  /** False until the first snapshot came: an empty list is not yet a fact. */
  readonly loaded: boolean;
  readonly revision: number;
  readonly sessions: readonly SessionInfo[];
}

const NOTHING_KNOWN: SessionList = { loaded: false, revision: 0, sessions: [] };

/** The list as the snapshot tells it. */
export function fromSnapshot(snapshot: SessionListSnapshot): SessionList {
  return { loaded: true, revision: snapshot.revision, sessions: [...snapshot.sessions].sort(byAge) };
}

/**
 * The list after an event; the same list when the event is already in it; `missed` when events between are missing,
 * so that only a new snapshot can tell.
 */
export function afterEvent(list: SessionList, event: SessionListEvent): SessionList | 'missed' {
  if (event.revision <= list.revision) {
    return list;
  }
  if (event.revision !== list.revision + 1) {
    return 'missed';
  }
  return { ...list, revision: event.revision, sessions: changedSessions(list.sessions, event) };
}

function changedSessions(sessions: readonly SessionInfo[], event: SessionListEvent): readonly SessionInfo[] {
  if (event.type === 'removed') {
    return sessions.filter((session) => session.id !== event.id);
  }
  const { session } = event;
  const isKnown = sessions.some((known) => known.id === session.id);
  if (isKnown) {
    return sessions.map((known) => (known.id === session.id ? session : known));
  }
  return [...sessions, session].sort(byAge);
}

/** Opening order, so that a tab never changes its place; ids decide within a millisecond (`s9` before `s10`). */
function byAge(a: SessionInfo, b: SessionInfo): number {
  return a.startedAtMs - b.startedAtMs || a.id.localeCompare(b.id, 'en', { numeric: true });
}

export interface SessionFeedOptions {
  readonly loadSnapshot: () => Promise<SessionListSnapshot>;
  /** A snapshot could not be had; the list stays as it was and the next event tries again. */
  readonly onLoadFailed: (error: unknown) => void;
  readonly requestFrame?: RequestFrame;
}

/**
 * Keeps a store in step with the host: events are applied in order of revision, and a jump asks for a new snapshot.
 *
 * ```
 * refresh() ──► snapshot 7        events 8, 9 ──► applied
 *               event 6 ─► dropped     event 12 ──► kept, refresh(), then applied on top
 * ```
 *
 * The store changes once a frame at most, since the window is drawn anew each time: a command of a moment has some four
 * events. What comes after a frame without any is applied at once.
 */
export class SessionFeed {
  readonly store: StoreApi<SessionList> = createStore(() => NOTHING_KNOWN);
  readonly #options: SessionFeedOptions;
  readonly #requestFrame: RequestFrame;
  /** Events that wait for the next frame. */
  #queue: SessionListEvent[] = [];
  #isFrameAwaited = false;
  /** Events that wait for the snapshot under way; null while the list is in step. */
  #waiting: SessionListEvent[] | null = null;

  constructor(options: SessionFeedOptions) {
    this.#options = options;
    this.#requestFrame = options.requestFrame ?? requestWindowFrame;
  }

  /** Takes one event of the host, in the order in which it was sent. */
  receive(event: SessionListEvent): void {
    if (this.#waiting !== null) {
      this.#waiting.push(event);
      return;
    }
    this.#queue.push(event);
    if (!this.#isFrameAwaited) {
      this.#beginFrame();
    }
  }

  /** Applies what waits for a frame now, for whoever must know all that the host has told. */
  takeAll(): void {
    const events = this.#queue;
    this.#queue = [];
    this.#apply(this.store.getState(), events);
  }

  /** Loads a snapshot and applies what comes meanwhile on top of it. One at a time; never rejects. */
  async refresh(...newer: readonly SessionListEvent[]): Promise<void> {
    if (this.#waiting !== null) {
      this.#waiting.push(...newer);
      return;
    }
    const waiting = [...newer, ...this.#queue];
    this.#queue = [];
    this.#waiting = waiting;
    let list: SessionList;
    try {
      list = fromSnapshot(await this.#options.loadSnapshot());
    } catch (error) {
      this.#waiting = null;
      this.#options.onLoadFailed(error);
      return;
    }
    this.#waiting = null;
    this.#apply(list, waiting);
  }

  #beginFrame(): void {
    this.#isFrameAwaited = this.#queue.length > 0;
    if (this.#isFrameAwaited) {
      this.takeAll();
      this.#requestFrame(() => this.#beginFrame());
    }
  }

  /** Makes the list after the events known, as one change of the store. */
  #apply(list: SessionList, events: readonly SessionListEvent[]): void {
    let latest = list;
    for (const [index, event] of events.entries()) {
      const next = latest.loaded ? afterEvent(latest, event) : 'missed';
      if (next === 'missed') {
        this.#setList(latest);
        void this.refresh(...events.slice(index));
        return;
      }
      latest = next;
    }
    this.#setList(latest);
  }

  #setList(list: SessionList): void {
    if (list !== this.store.getState()) {
      this.store.setState(list, true);
    }
  }
}
