import type { SessionId } from '../shared/session.ts';
import { TurnoverMap, TurnoverSet } from '../shared/turnover.ts';

/** A window, by the id of its page. */
export type WindowId = number;

/** Which window has which session's tab. Each session has one, as long as there is a window. Pure bookkeeping. */
export class WindowTabs {
  readonly #windowOf = new TurnoverMap<SessionId, WindowId>();
  /** Sessions that came while there was no window. */
  readonly #homeless = new TurnoverSet<SessionId>();

  /** A session is there: a new one's tab goes to the window in which the person works. Answers whether it was new. */
  seen(id: SessionId, current: WindowId | null): boolean {
    if (this.#windowOf.has(id) || this.#homeless.has(id)) {
      return false;
    }
    if (current === null) {
      this.#homeless.add(id);
    } else {
      this.#windowOf.set(id, current);
    }
    return true;
  }

  /** A session is forgotten. */
  gone(id: SessionId): void {
    this.#windowOf.delete(id);
    this.#homeless.delete(id);
  }

  /** The tab goes to another window. */
  move(id: SessionId, window: WindowId): void {
    this.#homeless.delete(id);
    this.#windowOf.set(id, window);
  }

  /** The window of a session's tab; null without one. */
  windowOf(id: SessionId): WindowId | null {
    return this.#windowOf.get(id) ?? null;
  }

  /** A window is there: what has none goes to it. */
  opened(window: WindowId): void {
    for (const id of this.#homeless) {
      this.#windowOf.set(id, window);
    }
    this.#homeless.clear();
  }

  /** A window is gone: its tabs go to another one, or wait for one. */
  closed(window: WindowId, heir: WindowId | null): void {
    for (const [id, owner] of this.#windowOf) {
      if (owner !== window) {
        continue;
      }
      if (heir === null) {
        this.#windowOf.delete(id);
        this.#homeless.add(id);
      } else {
        this.#windowOf.set(id, heir);
      }
    }
  }

  /** The sessions whose tabs are in other windows than this. */
  elsewhere(window: WindowId): readonly SessionId[] {
    return [...this.#windowOf].filter(([, owner]) => owner !== window).map(([id]) => id);
  }
}
