import type { Terminal } from '@xterm/headless';
import type { Disposable } from '../../shared/disposable.ts';
import type { TerminalSize } from '../../shared/session.ts';
import { unfinishedLength } from '../../shared/unfinished-character.ts';
import { openEndLength } from './control-sequences.ts';
import { feed, headlessTerminal } from './headless-terminal.ts';
import type { RetainedOutput } from './query-responder.ts';
import { scrolledAwayFrom } from './scrolled-away.ts';
import { hasControls, SkippedModes } from './skipped-modes.ts';
import { terminalState } from './terminal-state.ts';

/** Bytes dealt with in one go, some 2 ms of parsing. */
const STEP_BYTES = 64 * 1024;

/** Bytes at the end of a step in which the lines of a whole screen are looked for, and that a screen begins with. */
const TAIL_BYTES = 16 * 1024;

/** Bytes of nothing but text that are dealt with in one go: they are only looked through, 0.06 ms a megabyte. */
const JUMP_BYTES = 1024 * 1024;

/** Lines above the screen that are kept with it, 2 kB each while a terminal is open. */
const SCROLLBACK_LINES = 200;

/** Bytes of output that is skipped which a screen begins with. */
const SKIPPED_TAIL_BYTES = 64 * 1024;

/**
 * Parts of the retained output, and what happens when so much of it has not been looked at: all of it but `keep` is, or what
 * is above `skipTo` is skipped. Between, a look rests as long as it took, up to where it has to hurry.
 */
const LAG = { keep: 0.25, lookAbove: 0.5, hurryAbove: 0.7, skipTo: 0.8, skipAbove: 0.9 } as const;

const LINE_FEED = 0x0a;
const ESCAPE = 0x1b;

/** Output is not looked at more often than this, in bytes and in pieces: a child that prints single bytes counts, too. */
const LOOK_EVERY = { bytes: 64 * 1024, pieces: 512 } as const;

/** What a replay begins with: brings a fresh terminal of that size to where everything before the offset leads it. */
export interface ReplayStart {
  readonly offset: number;
  readonly size: TerminalSize;
  readonly bytes: Uint8Array;
}

/** The output that a session retains. */
export interface KeeperSource {
  startOffset(): number;
  endOffset(): number;
  /** How full the memory is with what was printed from an offset on: at 1 the first byte of it leaves. */
  fullness(fromOffset: number): number;
  /** As `QueryResponderOptions.replay`, but the bytes are lent until the next is asked for. */
  lent(fromOffset: number): Iterable<RetainedOutput>;
}

/** A state, as what leads there. */
interface Kept {
  readonly size: TerminalSize;
  readonly sequences: readonly (string | Uint8Array)[];
}

/**
 * Knows what a session's terminal looked like at a place in its output, so that a replay can begin there although what was
 * before is gone: a program that draws its frame once and then changes cells would be shown without the frame.
 *
 * **What it costs.** Nothing until half of what memory holds is unparsed (4 MiB), or a replay is wanted that does not begin
 * with the first byte. Then the older part of it is looked at, with rests: at most half of a core. Where text has scrolled everything away, which
 * floods do, a search of the last kilobytes tells so and nothing is parsed. Else a headless terminal parses it, and leaves
 * a text of some kilobytes behind. A program that draws faster than that is skipped: its modes are still noted, and the
 * screen is right again when it has redrawn itself.
 */
export class ScreenKeeper implements Disposable {
  readonly #source: KeeperSource;
  readonly #modes = new SkippedModes();
  /** Everything before was fed to `#modes`. Ahead of `#offset` while a step is parsed. */
  #modesOffset = 0;
  /** What `#kept` leads to, when nothing runs. */
  #offset = 0;
  /** Null at the first byte. */
  #kept: Kept | null = null;
  /** How often output was skipped: whoever parses meanwhile begins anew. */
  #skips = 0;
  #running: Promise<void> | null = null;
  #isUrgent = false;
  #wake: (() => void) | null = null;
  #sinceLook = { bytes: 0, pieces: 0 };
  #isDisposed = false;

  constructor(source: KeeperSource) {
    this.#source = source;
  }

  /** So many bytes more are retained. */
  printed(byteCount: number): void {
    this.#sinceLook.bytes += byteCount;
    this.#sinceLook.pieces += 1;
    if (this.#sinceLook.bytes < LOOK_EVERY.bytes && this.#sinceLook.pieces < LOOK_EVERY.pieces) {
      return;
    }
    this.#sinceLook = { bytes: 0, pieces: 0 };
    const lag = this.#source.fullness(this.#offset);
    if (lag > LAG.skipAbove) {
      this.#skipUntil((offset) => this.#source.fullness(offset) <= LAG.skipTo);
    } else if (lag > LAG.lookAbove && this.#running === null) {
      // Gives way to who wants a replay now. What cannot be parsed is skipped: nobody waits for this to hear of it.
      this.#run(() => !this.#isUrgent && this.#source.fullness(this.#offset) > LAG.keep).catch(() =>
        this.#skipUntil(() => false),
      );
    }
  }

  /** Only so many bytes will be retained from now on. */
  makeRoom(maxBytes: number): void {
    if (this.#source.endOffset() - this.#offset > maxBytes * LAG.skipAbove) {
      this.#skipUntil((offset) => this.#source.endOffset() - offset <= maxBytes * LAG.skipTo);
    }
  }

  /**
   * What a replay of about the last `maxBytes` begins with; null for with the first byte, and nothing. Takes some 20 ms for
   * each megabyte that was not looked at.
   */
  async before(maxBytes: number): Promise<ReplayStart | null> {
    const startOffset = this.#source.startOffset();
    const endOffset = this.#source.endOffset();
    // Not what leaves at the next byte.
    const wanted = Math.max(endOffset - maxBytes, startOffset === 0 ? 0 : startOffset + LOOK_EVERY.bytes);
    while (this.#running !== null) {
      this.#hurry();
      await this.#running;
    }
    if (wanted > this.#offset) {
      const run = this.#run(() => this.#offset < wanted, wanted);
      this.#hurry();
      await run;
    }
    const kept = this.#kept;
    if (kept === null) {
      return null;
    }
    const parts = kept.sequences.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
    return { offset: this.#offset, size: kept.size, bytes: Buffer.concat(parts) };
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#skips += 1;
    this.#wake?.();
  }

  #hurry(): void {
    this.#isUrgent = true;
    this.#wake?.();
  }

  #run(hasMore: () => boolean, upTo = Number.POSITIVE_INFINITY): Promise<void> {
    this.#isUrgent = false;
    const run = this.#advance(hasMore, upTo).finally(() => {
      this.#running = null;
    });
    this.#running = run;
    return run;
  }

  /** Step by step, as long as there is more to do. */
  async #advance(hasMore: () => boolean, upTo: number): Promise<void> {
    let terminal: Terminal | null = null;
    let skips = this.#skips;
    while (!this.#isDisposed && hasMore()) {
      if (this.#offset < this.#source.startOffset()) {
        this.#skipUntil((offset) => offset >= this.#source.startOffset());
      }
      if (skips !== this.#skips) {
        terminal?.dispose();
        terminal = null;
        skips = this.#skips;
      }
      const startedAtMs = performance.now();
      if (this.#jump(upTo)) {
        terminal?.dispose();
        terminal = null;
        await this.#rest(performance.now() - startedAtMs);
        continue;
      }
      const pieces = this.#nextStep(upTo);
      const [first] = pieces;
      const last = pieces.at(-1);
      if (first === undefined || last === undefined) {
        break;
      }
      const end = last.offset + last.bytes.length;
      const scrolled = this.#feedModes(pieces);
      this.#modesOffset = end;
      if (scrolled === null) {
        terminal ??= await opened(this.#kept, first.size);
        await parse(terminal, pieces);
      } else {
        terminal?.dispose();
        terminal = null;
        this.#kept = scrolled;
      }
      if (skips === this.#skips) {
        this.#offset = end;
        await this.#rest(performance.now() - startedAtMs);
      }
    }
    if (terminal !== null) {
      await this.#keep(terminal, skips);
    }
  }

  async #keep(terminal: Terminal, skips: number): Promise<void> {
    const size = { cols: terminal.cols, rows: terminal.rows };
    try {
      const state = await terminalState(terminal, { modes: this.#modes, scrollback: SCROLLBACK_LINES });
      if (skips === this.#skips) {
        this.#kept = { size, sequences: [state] };
      }
    } finally {
      terminal.dispose();
    }
  }

  /**
   * Over a stretch of nothing but text, as a flood is one, whose last lines tell the state after it. Answers false, and
   * goes nowhere, where there is none.
   */
  #jump(upTo: number): boolean {
    if (this.#modes.isOnAlternate || this.#modes.hasOrigin) {
      return false;
    }
    const stop = Math.min(upTo, this.#offset + JUMP_BYTES);
    let end = this.#offset;
    let size: TerminalSize | null = null;
    for (const piece of this.#source.lent(this.#offset)) {
      const isOtherSize = size !== null && (size.cols !== piece.size.cols || size.rows !== piece.size.rows);
      const pieceEnd = piece.offset + piece.bytes.length;
      if (pieceEnd > stop || isOtherSize || hasControls(piece.bytes)) {
        break;
      }
      this.#modes.feed(piece.bytes.subarray(Math.max(0, this.#modesOffset - piece.offset)));
      end = pieceEnd;
      this.#modesOffset = Math.max(this.#modesOffset, end);
      ({ size } = piece);
    }
    if (size === null || end - this.#offset < STEP_BYTES || this.#modes.hasRegion(size.rows)) {
      return false;
    }
    const tail = this.#copy(Math.max(this.#offset, end - TAIL_BYTES), end);
    const text = tail.subarray(0, tail.length - unfinishedLength(tail));
    const begin = scrolledAwayFrom(text, size.rows);
    if (begin === -1) {
      return false;
    }
    const { modesOfBoth, rendition } = this.#modes;
    this.#offset = end - tail.length + text.length;
    this.#kept = { size, sequences: [modesOfBoth, rendition, text.subarray(begin)] };
    return true;
  }

  /** Notes the modes that a step chooses. Answers the state after it when that is told by its last lines alone. */
  #feedModes(pieces: readonly RetainedOutput[]): Kept | null {
    const last = pieces.at(-1);
    for (const { bytes } of pieces.slice(0, -1)) {
      this.#modes.feed(bytes);
    }
    if (last === undefined) {
      return null;
    }
    const { bytes, size } = last;
    const tailStart = Math.max(0, bytes.length - TAIL_BYTES);
    const begin = scrolledAwayFrom(bytes.subarray(tailStart), size.rows);
    if (begin === -1) {
      this.#modes.feed(bytes);
      return null;
    }
    const tail = bytes.subarray(tailStart + begin);
    this.#modes.feed(bytes.subarray(0, tailStart + begin));
    const { rendition } = this.#modes;
    this.#modes.feed(tail);
    if (this.#modes.isOnAlternate || this.#modes.hasRegion(size.rows) || this.#modes.hasOrigin) {
      return null;
    }
    return { size, sequences: [this.#modes.modesOfBoth, rendition, tail] };
  }

  /** Notes the modes of what is not parsed any more, and begins with its last lines. */
  #skipUntil(isEnough: (offset: number) => boolean): void {
    this.#skips += 1;
    let size: TerminalSize | null = null;
    for (const piece of this.#source.lent(this.#modesOffset)) {
      this.#modes.feed(piece.bytes.subarray(Math.max(0, this.#modesOffset - piece.offset)));
      this.#modesOffset = piece.offset + piece.bytes.length;
      size = piece.size;
      if (isEnough(this.#modesOffset)) {
        break;
      }
    }
    if (size === null) {
      return;
    }
    const tail = this.#copy(this.#modesOffset - SKIPPED_TAIL_BYTES, this.#modesOffset);
    const shown = tail.subarray(0, tail.length - openLength(tail));
    const screen = this.#modes.isOnAlternate ? '\u001B[?1049h' : '';
    const chosen = `${screen}${this.#modes.modesOfBoth}${this.#modes.region('used')}`;
    this.#offset = this.#modesOffset - tail.length + shown.length;
    this.#kept = { size, sequences: [chosen, shown.subarray(wholeFrom(shown)), this.#modes.rendition] };
  }

  /** What is retained of the bytes between two offsets. */
  #copy(from: number, to: number): Buffer {
    const parts: Buffer[] = [];
    for (const { offset, bytes } of this.#source.lent(from)) {
      if (offset >= to) {
        break;
      }
      parts.push(Buffer.from(bytes.subarray(Math.max(0, from - offset), to - offset)));
    }
    return Buffer.concat(parts);
  }

  /** A copy of what comes next, whole sequences and characters of it: a state cannot be kept in the midst of one. */
  #nextStep(upTo: number): readonly RetainedOutput[] {
    const pieces: { readonly offset: number; readonly size: TerminalSize; readonly parts: Buffer[] }[] = [];
    let at = this.#offset;
    const stop = Math.min(upTo, at + STEP_BYTES);
    for (const { offset, bytes, size } of this.#source.lent(at)) {
      if (at >= stop) {
        break;
      }
      const part = Buffer.from(bytes.subarray(Math.max(0, at - offset), stop - offset));
      const last = pieces.at(-1);
      if (last?.size.cols === size.cols && last.size.rows === size.rows) {
        last.parts.push(part);
      } else {
        pieces.push({ offset: at, size, parts: [part] });
      }
      at += part.length;
    }
    const whole = pieces.map(({ offset, size, parts }) => ({ offset, size, bytes: Buffer.concat(parts) }));
    const last = whole.pop();
    if (last === undefined) {
      return [];
    }
    const bytes = last.bytes.subarray(0, last.bytes.length - openLength(last.bytes));
    return bytes.length === 0 ? whole : [...whole, { ...last, bytes }];
  }

  #rest(ms: number): Promise<void> {
    if (this.#isUrgent || this.#isDisposed || this.#source.fullness(this.#offset) > LAG.hurryAbove) {
      return new Promise((resolve) => void setImmediate(resolve));
    }
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wake = null;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wake = done;
    });
  }
}

/** Where something whole begins in output that was cut anywhere: a line, else a sequence. */
function wholeFrom(bytes: Uint8Array): number {
  const lineFeed = bytes.indexOf(LINE_FEED);
  return lineFeed === -1 ? Math.max(0, bytes.indexOf(ESCAPE)) : lineFeed + 1;
}

/** Bytes at the end of a sequence or character that goes on behind them. */
function openLength(bytes: Uint8Array): number {
  return Math.max(openEndLength(bytes), unfinishedLength(bytes));
}

/** A terminal in that state; without one, a fresh one of that size. */
async function opened(kept: Kept | null, size: TerminalSize): Promise<Terminal> {
  const terminal = headlessTerminal({ size: kept?.size ?? size, scrollback: SCROLLBACK_LINES, convertEol: false });
  for (const part of kept?.sequences ?? []) {
    await feed(terminal, part);
  }
  return terminal;
}

async function parse(terminal: Terminal, pieces: readonly RetainedOutput[]): Promise<void> {
  for (const { bytes, size } of pieces) {
    if (size.cols !== terminal.cols || size.rows !== terminal.rows) {
      terminal.resize(size.cols, size.rows);
    }
    await feed(terminal, bytes);
  }
}
