import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Disposable } from '../shared/disposable.ts';
import type { WindowApi } from '../shared/ipc.ts';
import type { ReachedPort, SessionUsage } from '../shared/session-facts.ts';
import { isLive, type SessionId, type SessionInfo } from '../shared/session.ts';
import type { WindowState } from './window/window-state.ts';

/** Time between two looks, in milliseconds. Each of them walks the process table. */
const LOOK_EVERY_MS = 2_000;

/** What a running session uses; where it listens, which is asked of the one in view alone. */
export interface ShownUsage extends SessionUsage {
  readonly listening?: readonly ReachedPort[];
}

/** What the running sessions use. */
export type UsageById = ReadonlyMap<SessionId, ShownUsage>;

/** Asks the host for all of that. */
export async function loadUsage(
  host: Pick<WindowApi, 'sessionUsage' | 'sessionListening'>,
  inView: SessionId | null,
): Promise<UsageById> {
  // A session that has just ended is not there to be asked: nothing is said of its ports then.
  const looked = inView === null ? null : host.sessionListening(inView).catch(() => null);
  const [used, listening] = await Promise.all([host.sessionUsage(), looked]);
  return new Map(
    used.map((usage) => [usage.id, usage.id === inView && listening !== null ? { ...usage, listening } : usage]),
  );
}

/** True when the window shows what a session uses: in the list, or in the status bar of the one in view. */
export function isUsageShown(sessions: readonly SessionInfo[], { panels, selected }: WindowState): boolean {
  return sessions.some(({ id, state }) => isLive(state) && (panels.sessions || id === selected));
}

/**
 * A fact of the moment that the system does not tell by itself, e.g. what sessions use. Nobody asks while nobody can see
 * it; one request at a time. What cannot be told now is left out, and asked for again.
 */
export class PolledFeed<T> implements Disposable {
  readonly store: StoreApi<T>;
  readonly #load: () => Promise<T>;
  readonly #nothing: T;
  #isWanted = false;
  #isLoading = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor({ load, nothing }: { readonly load: () => Promise<T>; readonly nothing: T }) {
    this.#load = load;
    this.#nothing = nothing;
    this.store = createStore<T>(() => nothing);
  }

  /** From here on it is looked at, or no longer. */
  setWanted(isWanted: boolean): void {
    this.#isWanted = isWanted;
    if (isWanted && this.#timer === null && !this.#isLoading) {
      void this.#look();
    }
    if (!isWanted) {
      this.#stopTimer();
    }
  }

  /** Looks at once, since something was done about it; nothing happens while nobody wants to know. */
  lookNow(): void {
    if (this.#timer !== null) {
      this.#stopTimer();
      void this.#look();
    }
  }

  dispose(): void {
    this.setWanted(false);
  }

  #stopTimer(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
  }

  async #look(): Promise<void> {
    this.#isLoading = true;
    try {
      this.store.setState(await this.#load(), true);
    } catch {
      this.store.setState(this.#nothing, true);
    } finally {
      this.#isLoading = false;
      if (this.#isWanted) {
        this.#timer = setTimeout(() => {
          this.#timer = null;
          void this.#look();
        }, LOOK_EVERY_MS);
      }
    }
  }
}
