import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Disposable } from '../shared/disposable.ts';
import type { SessionId } from '../shared/session.ts';

/** Milliseconds between two drawings of a byte count. Faster nobody reads; each one draws the status bar. */
const TELL_EVERY_MS = 250;

/**
 * How far into each session's output its terminal has come. The byte path reports here, message by message; whoever
 * draws it hears of it four times a second. The host tells the count of a session only when its state changes.
 */
export class OutputProgress implements Disposable {
  readonly store: StoreApi<ReadonlyMap<SessionId, number>> = createStore<ReadonlyMap<SessionId, number>>(
    () => new Map(),
  );
  readonly #offsets = new Map<SessionId, number>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** Everything up to this offset of the session's output is on its screen. */
  report(id: SessionId, endOffset: number): void {
    this.#offsets.set(id, endOffset);
    this.#timer ??= setTimeout(() => this.#tell(), TELL_EVERY_MS);
  }

  /** Lets go of a session that is gone. */
  forget(id: SessionId): void {
    this.#offsets.delete(id);
  }

  dispose(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    this.#timer = null;
    this.#offsets.clear();
  }

  #tell(): void {
    this.#timer = null;
    this.store.setState(new Map(this.#offsets), true);
  }
}
