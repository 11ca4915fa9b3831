import type { TerminalSize } from '../../shared/session.ts';

/**
 * The size that this pane has asked for. Output that was made for the size before is still on its way: the terminal has
 * the wanted size only when nothing is left to parse.
 */
export class WantedSize {
  #size: TerminalSize | null = null;
  /** The host told it: what is told after it is somebody else's wish. */
  #isTold = false;

  /** Null: only what the host tells counts. */
  get size(): TerminalSize | null {
    return this.#size;
  }

  want(size: TerminalSize): void {
    this.#size = size;
    this.#isTold = false;
  }

  /** The size is somebody else's again. */
  forget(): void {
    this.#size = null;
  }

  /** What follows was made for this size. */
  told({ cols, rows }: TerminalSize): void {
    if (this.#size === null) {
      return;
    }
    if (this.#size.cols === cols && this.#size.rows === rows) {
      this.#isTold = true;
    } else if (this.#isTold) {
      this.#size = null;
    }
  }
}
