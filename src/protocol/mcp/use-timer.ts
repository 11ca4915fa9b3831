/** Notices when something has been used by nobody for so many milliseconds. */
export class UseTimer {
  readonly #unusedMs: number;
  readonly #onUnused: () => void;
  #uses = 0;
  #entered = 0;
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(unusedMs: number, onUnused: () => void) {
    this.#unusedMs = unusedMs;
    this.#onUnused = onUnused;
  }

  get isUsed(): boolean {
    return this.#uses > 0;
  }

  /** How often it was used so far: the same number again means that nobody came in between. */
  get timesUsed(): number {
    return this.#entered;
  }

  enter(): void {
    this.#uses += 1;
    this.#entered += 1;
    clearTimeout(this.#timer);
  }

  /** Once for each `enter`. */
  leave(): void {
    this.#uses -= 1;
    if (this.#uses === 0 && !this.#isDisposed) {
      this.#timer = setTimeout(this.#onUnused, this.#unusedMs);
      this.#timer.unref();
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
  }
}
