import type { TerminalSize } from '../../shared/session.ts';
import { copyBytes } from './copied-bytes.ts';

/** A stretch of output without a hole, however many pieces it came in. */
export interface OutputRun {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** A piece of output, or a part of it. */
export interface CopiedPiece {
  readonly from: Uint8Array;
  readonly begin: number;
  readonly end: number;
  /** See `OutputPiece`. */
  readonly atMs: number;
  readonly size: TerminalSize | null;
}

/** From this offset on. */
interface Mark<T> {
  readonly offset: number;
  readonly value: T;
}

/** Output between two offsets, joined: of single bytes there would be a million pieces in a megabyte. */
export class OutputRuns {
  readonly #from: number;
  readonly #bytes: Buffer;
  readonly #runs: { readonly from: number; to: number }[] = [];
  readonly #times: Mark<number>[] = [];
  readonly #sizes: Mark<TerminalSize | null>[] = [];
  /** Of what was copied last. */
  #last: { readonly from: number; to: number } | null = null;
  #lastMs = Number.NaN;
  #lastSize: TerminalSize | null | undefined;

  constructor(from: number, to: number) {
    this.#from = from;
    this.#bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  }

  /** Copies the bytes of a piece from one index to another; it comes after all before it. */
  copy(offset: number, piece: CopiedPiece): void {
    const { from, begin, end, atMs, size } = piece;
    const target = offset - this.#from;
    const length = end - begin;
    copyBytes(from, piece, this.#bytes, target);
    if (this.#last?.to === offset) {
      this.#last.to = offset + length;
    } else {
      this.#last = { from: offset, to: offset + length };
      this.#runs.push(this.#last);
    }
    if (this.#lastMs !== atMs) {
      this.#lastMs = atMs;
      this.#times.push({ offset, value: atMs });
    }
    const before = this.#lastSize;
    if (before === undefined || before?.cols !== size?.cols || before?.rows !== size?.rows) {
      this.#lastSize = size;
      this.#sizes.push({ offset, value: size });
    }
  }

  /** In order, with something gone between each two. */
  get runs(): readonly OutputRun[] {
    return this.#runs.map(({ from, to }) => ({ offset: from, bytes: this.between(from, to) }));
  }

  /** Where output was made for another size than before it; the first is of the first byte. */
  get sizes(): readonly { readonly offset: number; readonly size: TerminalSize | null }[] {
    return this.#sizes.map(({ offset, value }) => ({ offset, size: value }));
  }

  /** Unix time in milliseconds at which a byte was printed; 0 before the first. */
  atMs(offset: number): number {
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#times[middle]?.offset ?? 0) <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return this.#times[low - 1]?.value ?? 0;
  }

  /** The bytes of one run from an offset to another. */
  between(from: number, to: number): Buffer {
    return this.#bytes.subarray(from - this.#from, to - this.#from);
  }
}
