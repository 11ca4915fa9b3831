import { PANE_MESSAGE_BYTES } from '../shared/limits.ts';
import type { TimelineEntry } from '../shared/timeline.ts';

/**
 * Output of a child is joined for this long, in milliseconds, before it goes to a pane: a frame has 16. What comes after a
 * silence, as the echo of a key does, goes at once.
 */
const JOIN_MS = 5;

/** What goes to a pane in one message. */
export interface OutputPiece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly endOffset: number;
  /** The input that came where a byte of it stands. */
  readonly inputs: readonly TimelineEntry[];
}

/** A pane's output that is joined with what comes next, until it is due. */
export class JoinedOutput {
  readonly #onDue: () => void;
  #bytes: Uint8Array[] = [];
  #length = 0;
  #inputs: TimelineEntry[] = [];
  #endOffset = 0;
  /** In `performance.now()`. */
  #takenAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  /** `onDue` is told once for what is to be taken: within `add`, or some milliseconds later. */
  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  /** Of what was added last, also when that was taken or dropped. */
  get endOffset(): number {
    return this.#endOffset;
  }

  /** The bytes are kept, not copied. `isUrgent`: somebody waits for them. */
  add({ bytes, endOffset, inputs }: AddedOutput, isUrgent: boolean): void {
    this.#bytes.push(bytes);
    this.#length += bytes.length;
    this.#inputs.push(...inputs);
    this.#endOffset = endOffset;
    const isAfterSilence = this.#timer === null && performance.now() - this.#takenAt >= JOIN_MS;
    if (isUrgent || isAfterSilence || this.#length >= PANE_MESSAGE_BYTES) {
      this.#onDue();
    } else {
      this.#timer ??= setTimeout(this.#onDue, JOIN_MS);
    }
  }

  /** All of it, in one copy; null where there is none. */
  take(): readonly OutputPiece[] | null {
    this.dispose();
    if (this.#bytes.length === 0) {
      return null;
    }
    this.#takenAt = performance.now();
    // Memory of its own: what a port sends must not share a buffer with what the ring retains.
    const all = new Uint8Array(this.#length);
    let filled = 0;
    for (const bytes of this.#bytes) {
      all.set(bytes, filled);
      filled += bytes.length;
    }
    return this.#piecesOf(all, this.drop());
  }

  /** It is given another time. Answers the input that came in it. */
  drop(): readonly TimelineEntry[] {
    const inputs = this.#inputs;
    this.#bytes = [];
    this.#length = 0;
    this.#inputs = [];
    return inputs;
  }

  /** Nothing is due any more, until more is added. */
  dispose(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
  }

  #piecesOf(all: Uint8Array<ArrayBuffer>, inputs: readonly TimelineEntry[]): readonly OutputPiece[] {
    const pieces: OutputPiece[] = [];
    const startOffset = this.#endOffset - all.length;
    for (let from = 0; from < all.length; from += PANE_MESSAGE_BYTES) {
      const bytes = all.subarray(from, from + PANE_MESSAGE_BYTES);
      const endOffset = startOffset + from + bytes.length;
      const own = inputs.filter(({ offset }) => offset < endOffset && offset >= endOffset - bytes.length);
      pieces.push({ bytes, endOffset, inputs: own });
    }
    return pieces;
  }
}

interface AddedOutput {
  readonly bytes: Uint8Array;
  readonly endOffset: number;
  readonly inputs: readonly TimelineEntry[];
}
