/** A number of places, each for one at a time; who finds none waits, in the order in which they came. */
export class Places {
  #left: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#left = count;
  }

  async take(): Promise<{ free(): void }> {
    if (this.#left > 0) {
      this.#left -= 1;
    } else {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return { free: () => this.#free() };
  }

  /** Hands the place over, so that nobody who comes meanwhile takes it. */
  #free(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#left += 1;
    } else {
      next();
    }
  }
}
