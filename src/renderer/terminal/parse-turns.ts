import type { Disposable } from '../../shared/disposable.ts';
import { requestWindowFrame, type RequestFrame } from '../window/window-frame.ts';

/**
 * Milliseconds of each frame for parsing output. A frame has 16; to lay out and paint one pane that scrolls takes some 4 of
 * them, and a key must find the page free. Less, and a pane that shows a flood is further behind it; more, and keys wait.
 */
const TURN_MS = 6;

/** With no more than this to parse, in bytes, a pane need not wait for its turn: it costs a fraction of a millisecond. */
const SMALL_BYTES = 4 * 1024;

/**
 * Milliseconds for which panes that flood wait after a program was interrupted in another one. Shorter, and its prompt waits
 * for their frames; longer, and one sees them stand still.
 */
const ALONE_MS = 100;

/** What a write needs of a terminal. */
type Write = (data: Uint8Array | string, onParsed: () => void) => void;

/**
 * How soon a pane is given its output: `whole`, without a pause, what is waited for and ends, as a replay; `interrupted`, without
 * a pause as well, but so that what waits can still be dropped; `first`, where the person types, in each frame and what is small at once; `in-turn` in the frame that is its turn.
 */
export type ParseHaste = 'whole' | 'interrupted' | 'first' | 'in-turn';

/** What may be dropped before it is parsed. */
export interface Droppable {
  /** Of the session's output that are not shown then. */
  readonly bytes: number;
  /** In place of `onParsed`. */
  readonly onDropped: () => void;
}

interface WaitingWrite {
  readonly data: Uint8Array | string;
  readonly onParsed: () => void;
  readonly droppable: Droppable | null;
}

/**
 * Shares each frame of a window among its panes, so that none that floods keeps the page from its frames and its keys: to
 * parse and to draw four floods takes longer than a frame, so that a key would wait for all of them.
 *
 * In each frame the pane with the keyboard has a turn, and those with little to parse. In every other frame one of the rest
 * has one, one after the other: what floods cannot be read, and 30 times a second looks no different from 60.
 * For a moment after an interrupt in one pane the floods in the others wait: their frames would come before its prompt.
 * What waits is bounded by what the host gives a pane before it acknowledges.
 */
export class ParseTurns {
  readonly #requestFrame: RequestFrame;
  /** Those that have something to parse, the one whose turn it is first. */
  readonly #waiting = new Set<TurnWrites>();
  /** False: nobody had a turn since the last frame, and the next write need not wait for another. */
  #isFrameAwaited = false;
  /** One that floods had its turn in the last frame. */
  #isRest = false;
  /** In `performance.now()`. */
  #floodsWaitUntil = 0;

  constructor(requestFrame: RequestFrame = requestWindowFrame) {
    this.#requestFrame = requestFrame;
  }

  /** The writes of one pane, in order, given to `write` when it is their turn. `haste` is asked again and again. */
  open(write: Write, haste: () => ParseHaste): TurnWrites {
    return new TurnWrites({
      write,
      haste,
      onWaiting: (pane) => this.#wait(pane),
      onNothingLeft: (pane) => this.#waiting.delete(pane),
    });
  }

  /** A program was interrupted in one of the panes: what floods in the others waits for a moment. */
  interrupted(): void {
    this.#floodsWaitUntil = performance.now() + ALONE_MS;
  }

  #wait(pane: TurnWrites): void {
    this.#waiting.add(pane);
    if (!this.#isFrameAwaited) {
      this.#takeTurns();
    }
  }

  #takeTurns(): void {
    const waiting = [...this.#waiting];
    this.#isFrameAwaited = waiting.length > 0;
    if (!this.#isFrameAwaited) {
      return;
    }
    this.#requestFrame(() => this.#takeTurns());
    const large = waiting.filter((pane) => pane.haste === 'in-turn' && pane.isLarge);
    const isHeld = this.#isRest || performance.now() < this.#floodsWaitUntil;
    const behind = new Set(isHeld ? large : large.slice(1));
    this.#isRest = behind.size < large.length;
    const having = waiting.filter((pane) => !behind.has(pane));
    const turnMs = TURN_MS / Math.max(1, having.filter((pane) => pane.isLarge).length);
    for (const pane of having) {
      // To the end of the row, where something of it may be left.
      this.#waiting.delete(pane);
      this.#waiting.add(pane);
      pane.takeTurn(turnMs);
    }
  }
}

interface TurnWritesOptions {
  readonly write: Write;
  readonly haste: () => ParseHaste;
  readonly onWaiting: (pane: TurnWrites) => void;
  readonly onNothingLeft: (pane: TurnWrites) => void;
}

/** The writes of one pane that wait for its turn. */
export class TurnWrites implements Disposable {
  readonly #options: TurnWritesOptions;
  #writes: WaitingWrite[] = [];
  #waitingBytes = 0;
  /** In `performance.now()`: until then it may go on. */
  #turnEndsAt = 0;
  /** The terminal has a write of a turn that it has not called back for. */
  #isParsing = false;

  constructor(options: TurnWritesOptions) {
    this.#options = options;
  }

  get haste(): ParseHaste {
    return this.#options.haste();
  }

  /** More than small waits, see `SMALL_BYTES`. */
  get isLarge(): boolean {
    return this.#waitingBytes > SMALL_BYTES;
  }

  /** Gives it to the terminal, after all that was written before, when it may. Calls back when it is parsed. */
  write(data: Uint8Array | string, onParsed: () => void = () => undefined, droppable: Droppable | null = null): void {
    this.#writes.push({ data, onParsed, droppable });
    this.#waitingBytes += data.length;
    const { haste } = this;
    if (haste === 'interrupted') {
      if (!this.#isParsing) {
        this.#giveNext();
      }
    } else if (haste === 'whole' || (haste === 'first' && this.#waitingBytes <= SMALL_BYTES && !this.#isParsing)) {
      this.#giveAll();
    } else if (!this.#isParsing) {
      this.#options.onWaiting(this);
    }
  }

  /** Drops of what waits what may be dropped, and answers how many bytes of output that was. Calls back in order all the same. */
  drop(): number {
    let bytes = 0;
    this.#writes = this.#writes.map((write) => {
      if (write.droppable === null) {
        return write;
      }
      bytes += write.droppable.bytes;
      this.#waitingBytes -= write.data.length;
      return { data: '', onParsed: write.droppable.onDropped, droppable: null };
    });
    return bytes;
  }

  /** Parses what waits, for so many milliseconds from now. */
  takeTurn(turnMs: number): void {
    this.#turnEndsAt = performance.now() + turnMs;
    if (!this.#isParsing) {
      this.#giveNext();
    }
  }

  dispose(): void {
    this.#writes = [];
    this.#waitingBytes = 0;
    this.#options.onNothingLeft(this);
  }

  /** One by one: a terminal that has more goes on for 12 ms. */
  #giveNext(): void {
    if (this.haste === 'whole') {
      this.#giveAll();
      return;
    }
    const next = this.#writes.shift();
    if (next === undefined) {
      this.#options.onNothingLeft(this);
      return;
    }
    this.#waitingBytes -= next.data.length;
    this.#isParsing = true;
    this.#options.write(next.data, () => {
      this.#isParsing = false;
      next.onParsed();
      if (performance.now() < this.#turnEndsAt || this.haste === 'interrupted') {
        this.#giveNext();
      } else if (this.#writes.length > 0) {
        this.#options.onWaiting(this);
      } else {
        this.#options.onNothingLeft(this);
      }
    });
  }

  #giveAll(): void {
    const writes = this.#writes;
    this.#writes = [];
    this.#waitingBytes = 0;
    this.#options.onNothingLeft(this);
    for (const { data, onParsed } of writes) {
      this.#options.write(data, onParsed);
    }
  }
}
