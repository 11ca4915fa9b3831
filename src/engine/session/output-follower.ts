import type { ExitStatus, OutputStreamName } from '../../shared/session.ts';
import type { OutputRing } from './output-ring.ts';

/** What a follower is told, in the order of `seq`. */
export type FollowEvent =
  | {
      readonly kind: 'output';
      readonly seq: number;
      readonly offset: number;
      readonly stream: OutputStreamName;
      readonly bytes: Uint8Array;
    }
  /**
   * Entries from `fromSeq` up to before `toSeq` are not given to this follower: they were evicted before it could have
   * them, or it skips them (`SkipAhead`). `bytes` is null for
   * one that came back to a place that is gone, and did not say at which offset that was. `keptFrom` is the offset from
   * which on `page` can still give them; null when that is nowhere.
   */
  | {
      readonly kind: 'gap';
      readonly fromSeq: number;
      readonly toSeq: number;
      readonly bytes: number | null;
      readonly keptFrom: number | null;
    }
  | { readonly kind: 'exited'; readonly seq: number; readonly exit: ExitStatus }
  | { readonly kind: 'closed'; readonly seq: number };

/** How a follower that only shows output catches up with a child that prints faster than it can show. */
export interface SkipAhead {
  /** So many bytes behind it skips what it has not been given… */
  readonly aboveBytes: number;
  /** … but for about so many at the end. Less than `aboveBytes`. */
  readonly keepBytes: number;
  /** What is skipped and still retained, in order, before the gap is told. The bytes are another's once it returns. */
  readonly onSkipped: (bytes: Uint8Array) => void;
}

export interface FollowOptions {
  /** The last `seq` that the follower has already; 0 for everything retained. */
  readonly afterSeq: number;
  /** Offset after the last byte that the follower has: then a gap at its begin is told in bytes. */
  readonly afterOffset?: number;
  /**
   * Bytes that may be on their way: given out and not yet acknowledged. At least one chunk is always given out; a
   * chunk counts as at least `LEAST_COST_BYTES`.
   */
  readonly creditBytes: number;
  /** See `OutputRecorder.keptFrom`. */
  readonly keptFrom: (offset: number) => number | null;
  /** See `FollowRequest.borrowsBytes`. */
  readonly borrowsBytes: boolean;
  /** Without it a follower is given everything that is not evicted. */
  readonly skipAhead?: SkipAhead;
  readonly onEvent: (event: FollowEvent) => void;
}

/** What a chunk costs of the credit however short it is, in bytes: about what a message costs that carries it. */
const LEAST_COST_BYTES = 256;

interface OnItsWay {
  readonly endOffset: number;
  readonly cost: number;
}

/**
 * A reader that is told of output as it comes, no faster than it acknowledges it. One that is slow falls behind in
 * the ring and catches up from there; it never holds up another reader.
 */
export class OutputFollower {
  readonly #ring: OutputRing;
  readonly #exit: () => ExitStatus;
  readonly #options: FollowOptions;
  #cursorSeq: number;
  /** Offset after the last byte that was given out, or is known to be gone. */
  #cursorOffset: number | null;
  readonly #onItsWay: OnItsWay[] = [];
  #costOnItsWay = 0;
  #closed = false;
  #pumping = false;

  /** `exit` is asked only after the ring has an `exited` mark. */
  constructor(ring: OutputRing, exit: () => ExitStatus, options: FollowOptions) {
    this.#ring = ring;
    this.#exit = exit;
    this.#options = options;
    this.#cursorSeq = options.afterSeq + 1;
    this.#cursorOffset = options.afterSeq === 0 ? 0 : (offsetOf(ring, this.#cursorSeq) ?? options.afterOffset ?? null);
  }

  /** How far this follower is behind, as a part of what the ring can retain: 0 is not at all, above 1 it loses output. */
  get lag(): number {
    return this.#ring.fullness(
      this.#ring.nextSeq - this.#cursorSeq,
      this.#ring.endOffset - (this.#cursorOffset ?? this.#ring.startOffset),
    );
  }

  /** Everything up to this absolute offset has been dealt with. Cumulative; an older one changes nothing. */
  ack(endOffset: number): void {
    const open = this.#onItsWay.findIndex((given) => given.endOffset > endOffset);
    for (const { cost } of this.#onItsWay.splice(0, open === -1 ? this.#onItsWay.length : open)) {
      this.#costOnItsWay -= cost;
    }
    this.pump();
  }

  /** Gives out what is there, as far as credit goes. */
  pump(): void {
    // A consumer that acknowledges inside `onEvent` must not start a second loop at the same cursor.
    if (this.#pumping) {
      return;
    }
    this.#pumping = true;
    try {
      this.#skipAhead();
      while (!this.#closed && this.#cursorSeq < this.#ring.nextSeq && this.#hasCredit()) {
        this.#giveNext();
      }
    } finally {
      this.#pumping = false;
    }
  }

  close(): void {
    this.#closed = true;
  }

  /** The output is about to be forgotten: what was not given out is told as a gap, and the end as it was. */
  finish(): void {
    while (!this.#closed && this.#cursorSeq < this.#ring.nextSeq) {
      if (this.#ring.entry(this.#cursorSeq)?.kind === 'output') {
        this.#skipRetained();
      } else {
        this.#giveNext();
      }
    }
    this.close();
  }

  #hasCredit(): boolean {
    return this.#costOnItsWay < this.#options.creditBytes;
  }

  #giveNext(): void {
    const seq = this.#cursorSeq;
    const entry = this.#ring.entry(seq);
    if (entry === null || (entry.kind === 'output' && entry.trimmed)) {
      this.#skipGone();
      return;
    }
    this.#cursorSeq = seq + 1;
    if (entry.kind === 'output') {
      this.#cursorOffset = entry.offset + entry.bytes.length;
      const cost = Math.max(entry.bytes.length, LEAST_COST_BYTES);
      this.#onItsWay.push({ endOffset: this.#cursorOffset, cost });
      this.#costOnItsWay += cost;
      this.#options.onEvent({
        kind: 'output',
        seq,
        offset: entry.offset,
        stream: entry.stream,
        bytes: this.#options.borrowsBytes ? entry.bytes : Buffer.from(entry.bytes),
      });
    } else {
      this.#options.onEvent(
        entry.kind === 'exited' ? { kind: 'exited', seq, exit: this.#exit() } : { kind: 'closed', seq },
      );
    }
  }

  /** A chunk that lost its head counts as gone: its `seq` stood for more bytes than are left. */
  #skipGone(): void {
    let toSeq = Math.max(this.#cursorSeq, this.#ring.firstSeq);
    const first = this.#ring.entry(toSeq);
    if (first?.kind === 'output' && first.trimmed) {
      toSeq += 1;
    }
    this.#skipTo(toSeq);
  }

  /** Up to where it is told of something else than output. What is not given needs no credit. */
  #skipAhead(): void {
    const { skipAhead } = this.#options;
    const lagBytes = this.#ring.endOffset - (this.#cursorOffset ?? this.#ring.endOffset);
    if (skipAhead === undefined || this.#closed || lagBytes <= skipAhead.aboveBytes) {
      return;
    }
    const keepFromSeq = this.#ring.seqAtOffset(this.#ring.endOffset - skipAhead.keepBytes);
    let toSeq = Math.max(this.#cursorSeq, this.#ring.firstSeq);
    for (let entry = this.#ring.entry(toSeq); toSeq < keepFromSeq && entry?.kind === 'output';) {
      skipAhead.onSkipped(entry.bytes);
      toSeq += 1;
      entry = this.#ring.entry(toSeq);
    }
    if (toSeq > this.#cursorSeq) {
      this.#skipTo(toSeq);
    }
  }

  #skipRetained(): void {
    let toSeq = this.#cursorSeq;
    while (this.#ring.entry(toSeq)?.kind === 'output') {
      toSeq += 1;
    }
    this.#skipTo(toSeq);
  }

  #skipTo(toSeq: number): void {
    const fromSeq = this.#cursorSeq;
    const offset = this.#ring.entry(toSeq)?.offset ?? this.#ring.endOffset;
    const bytes = this.#cursorOffset === null ? null : offset - this.#cursorOffset;
    const kept = this.#cursorOffset === null ? null : this.#options.keptFrom(this.#cursorOffset);
    this.#cursorSeq = toSeq;
    this.#cursorOffset = offset;
    const keptFrom = kept !== null && kept < offset ? kept : null;
    this.#options.onEvent({ kind: 'gap', fromSeq, toSeq, bytes, keptFrom });
  }
}

/** Where the entry begins, or will begin; null when that is gone, for one that lost its head, too. */
function offsetOf(ring: OutputRing, seq: number): number | null {
  const entry = ring.entry(seq);
  if (entry === null) {
    return seq >= ring.nextSeq ? ring.endOffset : null;
  }
  return entry.kind === 'output' && entry.trimmed ? null : entry.offset;
}
