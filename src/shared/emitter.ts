/** Tells listeners of one kind of event, in the order they came. */
export class Emitter<T> {
  readonly #listeners = new Set<(event: T) => void>();
  readonly #onFault: (error: unknown) => void;

  /** `onFault` is told of a listener that threw. That one is told no more; the others, and who tells, go on. */
  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  /** Answers the function that takes the listener off again. */
  on(listener: (event: T) => void): () => void {
    // A wrapper of its own, so that the same function can listen twice and leave once.
    const own = (event: T) => listener(event);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** A listener that leaves while an event is told is not told of it any more; one that comes is not told of it yet. */
  emit(event: T): void {
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) {
        continue;
      }
      try {
        listener(event);
      } catch (error) {
        this.#listeners.delete(listener);
        this.#onFault(error);
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}
