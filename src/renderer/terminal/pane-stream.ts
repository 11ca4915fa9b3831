import type { Disposable } from '../../shared/disposable.ts';
import { isInterrupt } from '../../shared/interrupt-keys.ts';
import type { HostToPane, PaneToHost } from '../../shared/ipc.ts';
import { PANE_INTERRUPTED_MS } from '../../shared/limits.ts';
import type { TerminalSize } from '../../shared/session.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import type { Droppable } from './parse-turns.ts';
import { END_OF_OUTPUT_MODES, FOCUS_IN, isReport, skippedLine } from './stream-sequences.ts';
import { WantedSize } from './wanted-size.ts';

/** What the stream needs of a terminal: xterm's `Terminal`, with its writes in turns. */
export interface StreamTerminal {
  write(data: Uint8Array | string, onParsed?: () => void, droppable?: Droppable): void;
  /** Drops what may be dropped and is not yet parsed; answers its bytes. See `TurnWrites.drop`. */
  drop(): number;
  resize(cols: number, rows: number): void;
  /** Keys, pastes, and the replies that the terminal itself makes to a program's questions. */
  onData(listener: (data: string) => void): Disposable;
  /** Mouse reports of the oldest protocol: one byte per UTF-16 unit. */
  onBinary(listener: (data: string) => void): Disposable;
}

/** What the stream needs of a `MessagePort`. */
export interface PanePort {
  postMessage(message: PaneToHost): void;
  close(): void;
}

export interface PaneStreamEvents {
  /** Everything up to this offset of the session's output is on the screen. */
  readonly onParsed: (endOffset: number) => void;
  /** What is printed at this offset begins at the terminal's cursor. Every two kilobytes at least. */
  readonly onPlace: (offset: number) => void;
  /** Input came where the output stands now on the screen; or some that came before has grown. */
  readonly onInputs: (entries: readonly TimelineEntry[]) => void;
  /** The person has interrupted the program. */
  readonly onInterrupted: () => void;
  /** So many bytes are not shown, since the pane was too far behind; its session has them. */
  readonly onSkipped: (bytes: number) => void;
  /** Everything retained is on the screen; what follows is news. */
  readonly onLive: () => void;
  /** The program rang, though none of its output is given. */
  readonly onBell: () => void;
  /** The held terminal cannot go on from where it was: it is to be made anew. The port is closed. */
  readonly onStale: () => void;
  /** No more output will follow, and all of it is parsed. Input is off from here. */
  readonly onEnded: () => void;
}

/**
 * Parsed bytes after which an acknowledgement is sent although more is waiting. Larger lots save messages; it must stay
 * well under the host's credit (128 KiB), or the host would stop and wait for an acknowledgement that is not yet due.
 */
const ACK_LOT_BYTES = 8 * 1024;

/**
 * Milliseconds after an interrupt in which what waits is held, until the host has said whether it skips it. Shorter, and it is
 * drawn in vain before the prompt; longer, and a slow program's end is late.
 */
const SKIP_AWAITED_MS = 50;

/** Bytes after which a place in the output is told, so that it can be found again to within a screen. */
const PLACE_EVERY_BYTES = 2 * 1024;

/**
 * The byte path of one pane, between its port and its terminal. Nothing of it touches React.
 *
 * - Bytes are acknowledged when they are *parsed*, cumulatively, so that the host's credit measures this pane.
 * - Everything that changes the terminal goes through its write queue, so a size, the end of the replay and the end of
 *   the output take effect between the bytes they stand between.
 * - While a replayed message is parsed, what the terminal emits is dropped: it answers a question that was asked, and
 *   answered, in the past. A key pressed meanwhile passes, since no key is handled inside the parser.
 */
export class PaneStream implements Disposable {
  readonly #terminal: StreamTerminal;
  readonly #port: PanePort;
  readonly #events: PaneStreamEvents;
  readonly #subscriptions: readonly Disposable[];
  #isParsingReplay = false;
  #isInputOn: boolean;
  #isDisposed = false;
  #sendsReports = true;
  /** In `performance.now()`. */
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #isSkipAwaited = false;
  readonly #wantedSize = new WantedSize();
  #hasWritten = false;
  #unparsedMessages = 0;
  /** Writes of any kind whose callback is still to come. */
  #openWrites = 0;
  /** Up to here it was given output, or told that it is skipped. */
  #receivedOffset = 0;
  #parsedOffset = 0;
  #ackedOffset = 0;

  constructor(options: {
    readonly terminal: StreamTerminal;
    readonly port: PanePort;
    /** False for a child without a terminal's input. */
    readonly acceptsInput: boolean;
    readonly events: PaneStreamEvents;
  }) {
    this.#terminal = options.terminal;
    this.#port = options.port;
    this.#events = options.events;
    this.#isInputOn = options.acceptsInput;
    const encoder = new TextEncoder();
    this.#subscriptions = [
      options.terminal.onData((data) => {
        if (this.#sendsReports || !isReport(data)) {
          this.#sendInput(() => encoder.encode(data));
        }
      }),
      options.terminal.onBinary((data) => {
        if (this.#sendsReports) {
          this.#sendInput(() => Uint8Array.from(data, (unit) => unit.charCodeAt(0)));
        }
      }),
    ];
  }

  /** Takes one message of the host, in order. */
  receive(message: HostToPane): void {
    if (this.#isDisposed) {
      return;
    }
    switch (message.type) {
      case 'output':
        this.#write(message);
        return;
      case 'restored':
        this.#hasWritten = true;
        this.#enqueue('', () => (this.#isParsingReplay = true));
        this.#enqueue(message.bytes, () => (this.#isParsingReplay = false));
        return;
      case 'size':
        this.#wantedSize.told(message.size);
        this.#afterParsing(() => this.#terminal.resize(message.size.cols, message.size.rows));
        return;
      case 'skipped':
        this.#skip(message);
        return;
      case 'together':
        this.#isSkipAwaited = false;
        for (const one of message.messages) {
          this.receive(one);
        }
        return;
      case 'inputs':
        this.#tellInputs(message.entries);
        return;
      case 'live':
        this.#afterParsing(() => this.#events.onLive());
        return;
      case 'bell':
        this.#events.onBell();
        return;
      case 'stale':
        this.#events.onStale();
        return;
      case 'ended':
        this.#afterParsing(() => this.#end());
        return;
    }
  }

  /** The host may still skip what waits to be parsed: it has said nothing since the program was interrupted. */
  get isSkipAwaited(): boolean {
    return this.#isSkipAwaited && performance.now() - this.#interruptedAt < SKIP_AWAITED_MS;
  }

  /** The program was interrupted just now: whoever did it waits for what it prints next. */
  get isInterrupted(): boolean {
    return performance.now() - this.#interruptedAt < PANE_INTERRUPTED_MS;
  }

  /** From here on nothing is sent to the child, though output may still come. */
  stopInput(): void {
    this.#isInputOn = false;
  }

  /** Whether the program hears of the mouse and of the focus. Sent to an agent's session, they would take its keyboard. */
  setReports(sendsReports: boolean): void {
    this.#sendsReports = sendsReports;
  }

  /**
   * Out of view: no output is to come, or bells alone. What is on its way still does. Said again, it changes what is wanted.
   */
  hold(wantsBells: boolean): void {
    this.#post({ type: 'hold', bells: wantsBells });
  }

  /** In view again: what is missing comes as a replay, whose end `onLive` tells, or `onStale`. */
  resume(): void {
    this.#post({ type: 'resume' });
  }

  /** Tells the program that its terminal has the focus, where it may hear of it and no terminal has told it. */
  reportFocus(): void {
    if (this.#sendsReports) {
      this.#sendInput(() => new TextEncoder().encode(FOCUS_IN));
    }
  }

  /** The size is somebody else's again: from here on only what the host tells counts. */
  keepToldSize(): void {
    this.#wantedSize.forget();
  }

  /**
   * Gives the child another size, and the terminal too. Output that was made for the old size is still on its way: it is
   * parsed at the size that the host tells before it, and the wanted one comes back when nothing is left to parse.
   */
  requestSize(size: TerminalSize): void {
    if (this.#isDisposed) {
      return;
    }
    this.#wantedSize.want(size);
    this.#port.postMessage({ type: 'resize', size });
    this.#afterParsing(() => this.#takeWantedSize());
  }

  dispose(): void {
    if (this.#isDisposed) {
      return;
    }
    this.#isDisposed = true;
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
    this.#port.close();
  }

  #write({ bytes, endOffset, replay, inputs = [] }: Extract<HostToPane, { type: 'output' }>): void {
    this.#unparsedMessages += 1;
    this.#hasWritten = true;
    // The terminal parses write by write and calls back between them: the two callbacks enclose exactly these bytes.
    if (replay) {
      this.#enqueue('', () => (this.#isParsingReplay = true));
    }
    const from = endOffset - bytes.length;
    this.#receivedOffset = endOffset;
    const tell = (offset: number): void => this.#tellPlace(offset, inputs);
    if (this.#openWrites === 0) {
      // Not through the queue: xterm parses only the first write after a key at once, and that is to be the echo.
      tell(from);
    } else {
      this.#enqueue('', () => tell(from), { bytes: 0, onDropped: () => this.#tellInputsAt(from, inputs) });
    }
    const cuts = cutsOf(from, endOffset, inputs);
    let begin = from;
    for (const cut of cuts) {
      this.#enqueue(bytes.subarray(begin - from, cut - from), () => tell(cut), {
        bytes: cut - begin,
        onDropped: () => this.#tellInputsAt(cut, inputs),
      });
      begin = cut;
    }
    const end = (): boolean => {
      this.#isParsingReplay = false;
      this.#unparsedMessages -= 1;
      this.#parsedOffset = Math.max(this.#parsedOffset, endOffset);
      if (!this.#isDisposed) {
        this.#acknowledge();
      }
      return !this.#isDisposed;
    };
    const parsed = (): void => {
      if (end()) {
        this.#tellPlace(endOffset, []);
        this.#events.onParsed(this.#parsedOffset);
        this.#takeWantedSize();
      }
    };
    const dropped = (): void => {
      if (end()) {
        this.#takeWantedSize();
      }
    };
    this.#enqueue(bytes.subarray(begin - from), parsed, { bytes: endOffset - begin, onDropped: dropped });
  }

  /** What is dropped here counts with what the host skips: all that is not shown between two lines is told in one. */
  #skip(message: Extract<HostToPane, { type: 'skipped' }>): void {
    const { from } = message;
    const dropped = from === undefined ? 0 : this.#terminal.drop();
    const end = from === undefined ? this.#receivedOffset + message.bytes : from + message.bytes;
    const bytes = dropped + end - this.#receivedOffset;
    this.#receivedOffset = end;
    this.#enqueue(skippedLine({ ...message, bytes }, this.#hasWritten), () => this.#tellSkipped(bytes), {
      bytes,
      onDropped: () => undefined,
    });
  }

  /** Not through the queue when that is empty, see `#write`. */
  #tellInputs(entries: readonly TimelineEntry[]): void {
    if (this.#openWrites === 0) {
      this.#events.onInputs(entries);
    } else {
      this.#afterParsing(() => this.#events.onInputs(entries));
    }
  }

  #tellSkipped(bytes: number): void {
    if (!this.#isDisposed) {
      this.#events.onSkipped(bytes);
    }
  }

  /** `inputs`: of the message, of which those are told that began here. */
  #tellPlace(offset: number, inputs: readonly TimelineEntry[]): void {
    if (this.#isDisposed) {
      return;
    }
    this.#events.onPlace(offset);
    this.#tellInputsAt(offset, inputs);
  }

  #tellInputsAt(offset: number, inputs: readonly TimelineEntry[]): void {
    if (this.#isDisposed) {
      return;
    }
    const here = inputs.filter((entry) => entry.offset === offset);
    if (here.length > 0) {
      this.#events.onInputs(here);
    }
  }

  #takeWantedSize(): void {
    const { size } = this.#wantedSize;
    if (size !== null && this.#unparsedMessages === 0) {
      this.#terminal.resize(size.cols, size.rows);
    }
  }

  #acknowledge(): void {
    const unacknowledged = this.#parsedOffset - this.#ackedOffset;
    const isDue = unacknowledged >= ACK_LOT_BYTES || (unacknowledged > 0 && this.#unparsedMessages === 0);
    if (!isDue) {
      return;
    }
    this.#ackedOffset = this.#parsedOffset;
    this.#port.postMessage({ type: 'ack', endOffset: this.#parsedOffset });
  }

  #sendInput(encode: () => Uint8Array<ArrayBuffer>): void {
    if (this.#isParsingReplay || !this.#isInputOn || this.#isDisposed) {
      return;
    }
    const bytes = encode();
    if (isInterrupt(bytes)) {
      this.#interruptedAt = performance.now();
      this.#isSkipAwaited = true;
      this.#events.onInterrupted();
    }
    this.#port.postMessage({ type: 'input', bytes });
  }

  #post(message: PaneToHost): void {
    if (!this.#isDisposed) {
      this.#port.postMessage(message);
    }
  }

  #end(): void {
    this.stopInput();
    this.#enqueue(END_OF_OUTPUT_MODES, () => {
      if (!this.#isDisposed) {
        this.#events.onEnded();
      }
    });
  }

  #afterParsing(act: () => void): void {
    this.#enqueue('', () => {
      if (!this.#isDisposed) {
        act();
      }
    });
  }

  #enqueue(data: Uint8Array | string, onParsed?: () => void, droppable?: Droppable): void {
    this.#openWrites += 1;
    const closing = (act?: () => void) => (): void => {
      this.#openWrites -= 1;
      act?.();
    };
    this.#terminal.write(
      data,
      closing(onParsed),
      droppable === undefined ? undefined : { ...droppable, onDropped: closing(droppable.onDropped) },
    );
  }
}

/** Where a message is parsed up to before what follows: often enough for places, and where input came. */
function cutsOf(from: number, to: number, inputs: readonly TimelineEntry[]): readonly number[] {
  const cuts = new Set(inputs.map(({ offset }) => offset).filter((offset) => offset > from && offset < to));
  for (let cut = from + PLACE_EVERY_BYTES; cut < to; cut += PLACE_EVERY_BYTES) {
    cuts.add(cut);
  }
  return [...cuts].sort((a, b) => a - b);
}
