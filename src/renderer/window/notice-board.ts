import type { StoreApi } from 'zustand/vanilla';
import { addNotice, type WindowState } from './window-state.ts';

/** The window's alert region: failures, told to the person until she dismisses them. */
export class NoticeBoard {
  readonly #state: StoreApi<WindowState>;
  #count = 0;

  constructor(state: StoreApi<WindowState>) {
    this.#state = state;
  }

  /** Tells a failure. */
  notify(text: string): void {
    this.#count += 1;
    this.#state.setState(addNotice(this.#state.getState(), { id: this.#count, text }), true);
  }

  dismiss(id: number): void {
    this.#state.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }));
  }

  /** What was told is true no longer. */
  withdraw(text: string): void {
    this.#state.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.text !== text) }));
  }
}
