import type { SessionId } from '../shared/session.ts';

/**
 * Gives the keyboard to panes. A pane that was just selected is not drawn yet, and what is hidden cannot be focused: the
 * request then waits until the pane says that it is shown. Only the last request counts.
 */
export class PaneKeyboard {
  #shown: { readonly id: SessionId; readonly focus: () => void } | null = null;
  #awaited: SessionId | null = null;

  /** Asks for the keyboard to go to this session's pane, now or as soon as it is shown. */
  give(id: SessionId): void {
    const isShown = this.#shown?.id === id;
    this.#awaited = isShown ? null : id;
    if (isShown) {
      this.#shown?.focus();
    }
  }

  /** A pane is visible now, and this is how it takes the keyboard. */
  shown(id: SessionId, focus: () => void): void {
    this.#shown = { id, focus };
    if (this.#awaited === id) {
      this.give(id);
    }
  }

  /** A pane is visible no longer. */
  hidden(id: SessionId): void {
    if (this.#shown?.id === id) {
      this.#shown = null;
    }
  }
}
