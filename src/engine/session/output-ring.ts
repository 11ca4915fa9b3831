import type { OutputStreamName, TerminalSize } from '../../shared/session.ts';
import { copyBytes } from './copied-bytes.ts';
import { OutputMemory, type OutputBlock } from './output-memory.ts';

/** One retained piece of output. */
export interface OutputChunk {
  readonly kind: 'output';
  /** Position in the session's log: from 1, rising by 1 over output, `exited` and `closed` alike. */
  readonly seq: number;
  /** Absolute offset of the first byte in everything the child ever printed. */
  readonly offset: number;
  readonly stream: OutputStreamName;
  /** Where the ring holds them: right until control returns to the event loop. Who keeps them copies them. */
  readonly bytes: Uint8Array;
  /** Unix time in milliseconds at which the bytes were read. */
  readonly atMs: number;
  /** True when eviction took the head of this chunk: its bytes are no longer all that `seq` stood for. */
  readonly trimmed: boolean;
}

/** The child ended, or its output did. Takes a `seq` like a chunk, holds no bytes. */
export interface EndMark {
  readonly kind: 'exited' | 'closed';
  readonly seq: number;
  readonly offset: number;
}

export type LogEntry = OutputChunk | EndMark;

interface RetainedChunk extends OutputChunk {
  readonly block: OutputBlock;
}

type Retained = RetainedChunk | EndMark;

/** Output of one stream from one offset to another, without a hole. */
export interface OutputPiece {
  readonly stream: OutputStreamName;
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** Unix time in milliseconds at which the first of them was read. */
  readonly atMs: number;
  /** Of the terminal that they were made for; null on pipes. */
  readonly size: TerminalSize | null;
}

/** What was asked for, as far as it is retained. */
export interface OutputPage {
  readonly pieces: readonly OutputPiece[];
  /** Bytes from the place that was asked for up to the first piece: they were evicted. */
  readonly goneBytes: number;
  /** Offset after the last piece: where to go on reading. */
  readonly endOffset: number;
}

/** From this offset on, bytes were made for a terminal of this size. */
export interface SizeMark {
  readonly offset: number;
  readonly size: TerminalSize;
}

export interface OutputRingOptions {
  /** Bytes retained; at least 1. */
  readonly maxBytes: number;
  /** Chunks retained; bounds the memory of a child that prints single bytes. */
  readonly maxChunks: number;
}

const BEGIN = { seq: 1, offset: 0 } as const;

/**
 * Pieces of one page: a millisecond's work. Where streams take turns with single bytes there are 65,536, and to make an
 * object of each took 50 ms.
 */
export const MAX_PAGE_PIECES = 2_048;

/** Chunks that are joined to a page's pieces, for the same reason: to copy one takes a seventh of a microsecond. */
export const MAX_PAGE_CHUNKS = 8_192;

/** The places of evicted entries are only cut off the array when this many have gathered, so that eviction costs amortised O(1). */
const COMPACT_AFTER = 1_024;

/**
 * What a session printed, as far as it is retained: the only truth that panes, long-polls and replays read from.
 *
 * Appending beyond the cap evicts exactly the excess bytes, oldest first, across and inside chunks (A3). Nothing here
 * waits or notifies; time comes in as an argument.
 */
export class OutputRing {
  #maxBytes: number;
  readonly #maxChunks: number;
  #excess = { bytes: 0, chunks: 0 };
  /** Null where the entry was evicted and only its place is left. */
  #entries: (Retained | null)[] = [];
  readonly #memory = new OutputMemory();
  /** Index of the first retained entry in `#entries`. */
  #head = 0;
  #nextSeq: number;
  #endOffset: number;
  #startOffset: number;
  #sizeMarks: SizeMark[] = [];

  /** Empty; `from` is where in everything that the child printed the first byte stands that it will be given. */
  constructor(options: OutputRingOptions, from: { readonly seq: number; readonly offset: number } = BEGIN) {
    this.#maxBytes = options.maxBytes;
    this.#maxChunks = options.maxChunks;
    this.#nextSeq = from.seq;
    this.#startOffset = from.offset;
    this.#endOffset = from.offset;
  }

  /** The `seq` that the next entry will get. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** `seq` of the oldest retained entry; `nextSeq` when nothing is retained. */
  get firstSeq(): number {
    return this.#entries[this.#head]?.seq ?? this.#nextSeq;
  }

  /** How full the ring is after this many entries and bytes: 1 is the cap of the one that is nearer to its own. */
  fullness(entries: number, bytes: number): number {
    return Math.max(entries / this.#maxChunks, bytes / this.#maxBytes);
  }

  /** Offset of the oldest retained byte. */
  get startOffset(): number {
    return this.#startOffset;
  }

  /** Offset after the newest byte: how much the child printed in all. */
  get endOffset(): number {
    return this.#endOffset;
  }

  /** Retains a copy of the bytes. Answers the chunk they became; null for no bytes. */
  append(stream: OutputStreamName, bytes: Uint8Array, atMs: number): OutputChunk | null {
    if (bytes.length === 0) {
      return null;
    }
    const { bytes: kept, block } = this.#memory.keep(bytes);
    const chunk: RetainedChunk = {
      kind: 'output',
      seq: this.#nextSeq++,
      offset: this.#endOffset,
      stream,
      bytes: kept,
      atMs,
      trimmed: false,
      block,
    };
    this.#entries.push(chunk);
    this.#endOffset += bytes.length;
    this.#evictExcess();
    return chunk;
  }

  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** Changes the cap, and evicts what is over it. */
  setMaxBytes(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#evictExcess();
  }

  /** Allows so much over the caps, for a while; `fullness` goes by the caps. What is over both is evicted. */
  allowExcess(excess: { readonly bytes: number; readonly chunks: number }): void {
    this.#excess = excess;
    this.#evictExcess();
  }

  /** Records that the child ended or that its output did, and answers the mark's `seq`. */
  mark(kind: EndMark['kind']): number {
    const seq = this.#nextSeq++;
    this.#entries.push({ kind, seq, offset: this.#endOffset });
    return seq;
  }

  /** Records that bytes from now on are made for this size. */
  markSize(size: TerminalSize): void {
    const last = this.#sizeMarks.at(-1);
    if (last?.offset === this.#endOffset) {
      this.#sizeMarks.pop();
    }
    this.#sizeMarks.push({ offset: this.#endOffset, size });
  }

  /** The size that the byte at `offset` was made for, or null when no size was ever recorded up to there. */
  sizeAt(offset: number): TerminalSize | null {
    return this.#sizeMarks.findLast((mark) => mark.offset <= offset)?.size ?? null;
  }

  /** Offset of the next byte that was made for another size than the one at `offset`. */
  #sizeHoldsTo(offset: number): number {
    return this.#sizeMarks.find((mark) => mark.offset > offset)?.offset ?? Infinity;
  }

  /** The entry with that `seq`, or null when it was evicted or is still to come. */
  entry(seq: number): LogEntry | null {
    const { firstSeq } = this;
    return seq < firstSeq ? null : (this.#entries[this.#head + (seq - firstSeq)] ?? null);
  }

  /** `seq` of the entry that holds the byte at `offset`: the oldest one when that byte is gone. */
  seqAtOffset(offset: number): number {
    return this.#entries[this.#indexAtOffset(offset)]?.seq ?? this.#nextSeq;
  }

  #indexAtOffset(offset: number): number {
    let low = this.#head;
    let high = this.#entries.length;
    // The last entry that begins at or before the offset; entries are sorted by offset.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.offset ?? 0) <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return Math.max(this.#head, low - 1);
  }

  /**
   * A copy of the retained bytes from `offset` on, at most `maxBytes` of them, also from the middle of a chunk. An offset that is
   * still to come answers nothing, from there. Chunks of one stream and size come as one piece, and a page ends at
   * `MAX_PAGE_PIECES` and at `MAX_PAGE_CHUNKS`: who wants more goes on at its `endOffset`.
   */
  read(offset: number, maxBytes: number): OutputPage {
    const from = Math.max(offset, this.#startOffset);
    const begin = this.#indexAtOffset(from);
    const { offset: chunksTo } = this.#entries[begin + MAX_PAGE_CHUNKS] ?? { offset: this.#endOffset };
    const to = Math.max(from, Math.min(chunksTo, from + maxBytes));
    const copy = Buffer.allocUnsafe(to - from);
    const pieces: OutputPiece[] = [];
    let first: OutputChunk | null = null;
    let [at, pieceFrom, sizeTo] = [from, from, from];
    const endPiece = (): void => {
      if (first !== null) {
        const { stream, atMs } = first;
        const bytes = copy.subarray(pieceFrom - from, at - from);
        pieces.push({ stream, offset: pieceFrom, bytes, atMs, size: this.sizeAt(pieceFrom) });
      }
    };
    // Retained are all chunks from the first one on, so that nothing is missing between two of them.
    for (let index = begin; at < to; index += 1) {
      const entry = this.#entries[index] ?? null;
      if (entry === null) {
        break;
      }
      if (entry.kind !== 'output') {
        continue;
      }
      const part = { begin: at - entry.offset, end: Math.min(entry.bytes.length, to - entry.offset) };
      if (part.end <= part.begin) {
        continue;
      }
      if (first?.stream !== entry.stream || at >= sizeTo) {
        endPiece();
        if (pieces.length === MAX_PAGE_PIECES) {
          first = null;
          break;
        }
        [first, pieceFrom, sizeTo] = [entry, at, this.#sizeHoldsTo(at)];
      }
      copyBytes(entry.bytes, part, copy, at - from);
      at = entry.offset + part.end;
    }
    endPiece();
    return { pieces, goneBytes: from - offset, endOffset: at };
  }

  #evictExcess(): void {
    const maxBytes = this.#maxBytes + this.#excess.bytes;
    const maxChunks = this.#maxChunks + this.#excess.chunks;
    while (this.#endOffset - this.#startOffset > maxBytes || this.#entries.length - this.#head > maxChunks) {
      const oldest = this.#entries[this.#head] ?? null;
      if (oldest === null) {
        break;
      }
      const excess = this.#endOffset - this.#startOffset - maxBytes;
      if (oldest.kind === 'output' && excess > 0 && excess < oldest.bytes.length) {
        this.#entries[this.#head] = {
          ...oldest,
          offset: oldest.offset + excess,
          bytes: oldest.bytes.subarray(excess),
          trimmed: true,
        };
        this.#startOffset += excess;
      } else {
        // The bytes must go now, not when the array is cut: 1,024 chunks of a pipe are 64 MiB.
        this.#entries[this.#head] = null;
        this.#head += 1;
        if (oldest.kind === 'output') {
          this.#startOffset += oldest.bytes.length;
          this.#memory.letGo(oldest.block);
        }
      }
    }
    if (this.#head > COMPACT_AFTER) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    this.#forgetOldSizes();
  }

  /** Keeps the mark that the oldest retained byte falls under, and all later ones. */
  #forgetOldSizes(): void {
    const current = this.#sizeMarks.findLastIndex((mark) => mark.offset <= this.#startOffset);
    if (current > 0) {
      this.#sizeMarks = this.#sizeMarks.slice(current);
    }
  }
}
