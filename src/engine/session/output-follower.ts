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
  /** Entries from `fromSeq` up to before `toSeq` were evicted before this follower could have them. */
  | { readonly kind: 'gap'; readonly fromSeq: number; readonly toSeq: number; readonly bytes: number }
  | { readonly kind: 'exited'; readonly seq: number; readonly exit: ExitStatus }
  | { readonly kind: 'closed'; readonly seq: number };

export interface FollowOptions {
  /** The last `seq` that the follower has already; 0 for everything retained. */
  readonly afterSeq: number;
  /** Bytes that may be on their way: given out and not yet acknowledged. At least one chunk is always given out. */
  readonly creditBytes: number;
  readonly onEvent: (event: FollowEvent) => void;
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
  #cursorOffset: number;
  #ackedOffset: number;
  #closed = false;
  #pumping = false;

  /** `exit` is asked only after the ring has an `exited` mark. */
  constructor(ring: OutputRing, exit: () => ExitStatus, options: FollowOptions) {
    this.#ring = ring;
    this.#exit = exit;
    this.#options = options;
    this.#cursorSeq = options.afterSeq + 1;
    this.#cursorOffset = ring.entry(this.#cursorSeq)?.offset ?? ring.endOffset;
    this.#ackedOffset = this.#cursorOffset;
  }

  /** Bytes in the ring that this follower has not been given. */
  get lagBytes(): number {
    return this.#ring.endOffset - this.#cursorOffset;
  }

  /** Everything up to this absolute offset has been dealt with. Cumulative; an older one changes nothing. */
  ack(endOffset: number): void {
    this.#ackedOffset = Math.max(this.#ackedOffset, Math.min(endOffset, this.#cursorOffset));
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

  #hasCredit(): boolean {
    return this.#cursorOffset - this.#ackedOffset < this.#options.creditBytes;
  }

  #giveNext(): void {
    const seq = this.#cursorSeq;
    const entry = this.#ring.entry(seq);
    if (entry === null || (entry.kind === 'output' && entry.trimmed)) {
      this.#skipGone(seq);
      return;
    }
    this.#cursorSeq = seq + 1;
    if (entry.kind === 'output') {
      this.#cursorOffset = entry.offset + entry.bytes.length;
      this.#options.onEvent({
        kind: 'output',
        seq,
        offset: entry.offset,
        stream: entry.stream,
        bytes: entry.bytes,
      });
    } else {
      this.#options.onEvent(
        entry.kind === 'exited' ? { kind: 'exited', seq, exit: this.#exit() } : { kind: 'closed', seq },
      );
    }
  }

  /** A chunk that lost its head counts as gone: its `seq` stood for more bytes than are left. */
  #skipGone(fromSeq: number): void {
    let toSeq = Math.max(fromSeq, this.#ring.firstSeq);
    const first = this.#ring.entry(toSeq);
    if (first?.kind === 'output' && first.trimmed) {
      toSeq += 1;
    }
    const offset = this.#ring.entry(toSeq)?.offset ?? this.#ring.endOffset;
    const bytes = offset - this.#cursorOffset;
    this.#cursorSeq = toSeq;
    this.#cursorOffset = offset;
    // What is gone will never be acknowledged: what is on its way stays what it was.
    this.#ackedOffset += bytes;
    this.#options.onEvent({ kind: 'gap', fromSeq, toSeq, bytes });
  }
}
