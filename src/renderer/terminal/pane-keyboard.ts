import type { SessionId } from '../../shared/session.ts';

/**
 * Gives the keyboard to panes. A pane that was just selected is not drawn yet, and what is hidden cannot be focused: the
 * request then waits until the pane says that it is shown. Only the last request counts.
 */
export class PaneKeyboard {
  readonly #shown = new Map<SessionId, () => void>();
  #awaited: SessionId | null = null;
  /** The tab that is drawn anew at this moment, elsewhere, and had the keyboard. */
  #movingTab: SessionId | null = null;

  /** Asks for the keyboard to go to this session's pane, now or as soon as it is shown. */
  give(id: SessionId): void {
    const focus = this.#shown.get(id);
    this.#awaited = focus === undefined ? id : null;
    focus?.();
  }

  /** A pane is visible now, and this is how it takes the keyboard. */
  shown(id: SessionId, focus: () => void): void {
    this.#shown.set(id, focus);
    if (this.#awaited === id) {
      this.give(id);
    }
  }

  /** A pane is visible no longer. */
  hidden(id: SessionId): void {
    this.#shown.delete(id);
  }

  /** A tab that has the keyboard leaves its strip. When it comes into another one in the same turn, it has it again. */
  tabLeaves(id: SessionId): void {
    this.#movingTab = id;
    queueMicrotask(() => {
      this.#movingTab = null;
    });
  }

  /** A tab was drawn, and this is how it takes the keyboard. */
  tabComes(id: SessionId, focus: () => void): void {
    if (this.#movingTab === id) {
      focus();
    }
  }
}
