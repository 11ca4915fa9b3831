import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Disposable } from '../shared/disposable.ts';
import { isLive, type SessionId, type SessionInfo } from '../shared/session.ts';
import type { SessionUsage } from '../shared/session-facts.ts';
import type { WindowState } from './window-state.ts';

/** Time between two looks at what sessions use, in milliseconds. Each walks the process table. */
const LOOK_EVERY_MS = 2_000;

export type UsageById = ReadonlyMap<SessionId, SessionUsage>;

/** True when the window shows what a session uses: in the list, or in the status bar of the one in view. */
export function isUsageShown(sessions: readonly SessionInfo[], { panels, selected }: WindowState): boolean {
  return sessions.some(({ id, state }) => isLive(state) && (panels.sessions || id === selected));
}

/** What the running sessions use. Nobody asks while nobody can see it; one request at a time. */
export class UsageFeed implements Disposable {
  readonly store: StoreApi<UsageById> = createStore<UsageById>(() => new Map());
  readonly #load: () => Promise<readonly SessionUsage[]>;
  #isWanted = false;
  #isLoading = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(load: () => Promise<readonly SessionUsage[]>) {
    this.#load = load;
  }

  /** From here on it is looked at, or no longer. */
  setWanted(isWanted: boolean): void {
    this.#isWanted = isWanted;
    if (isWanted && this.#timer === null && !this.#isLoading) {
      void this.#look();
    }
    if (!isWanted && this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
  }

  dispose(): void {
    this.setWanted(false);
  }

  async #look(): Promise<void> {
    this.#isLoading = true;
    try {
      const usage = await this.#load();
      this.store.setState(new Map(usage.map((entry) => [entry.id, entry])), true);
    } catch {
      // Facts of a moment: what cannot be told now is left out, and asked for again.
      this.store.setState(new Map(), true);
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
