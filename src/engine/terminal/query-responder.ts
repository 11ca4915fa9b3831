import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/headless';
import type { Disposable } from '../../shared/disposable.ts';
import { setUpCells } from '../../shared/printed-cells.ts';
import type { ProgramProgress, TerminalSize } from '../../shared/session.ts';
import type { TerminalColours } from '../../shared/terminal-colours.ts';
import { FolderNote, type ToldFolder } from './folder-note.ts';
import { ProgressNote } from './progress-note.ts';
import { QueryScan } from './query-scan.ts';
import { ColourTable, DEFAULT_COLOURS } from './terminal-colours.ts';

/**
 * Most bytes parsed to find out what the screen looks like, the latest ones: as much as a new pane is given, so that both
 * know the same. 1 MiB takes some 40 ms of CPU; what a program did to the terminal before that is forgotten.
 */
const REPLAY_BYTES = 1024 * 1024;

/** Bytes parsed without a look at the clock: xterm checks it between writes only. 32 KiB take about 1 ms. */
const WRITE_BYTES = 32 * 1024;

/**
 * Time in milliseconds that the terminal is kept after its last answer. Programs ask in bursts, at their start; a terminal
 * costs some 0.5 MB, and rebuilding one costs a replay.
 */
const KEEP_TERMINAL_MS = 10_000;

/**
 * Lines above the screen. Not for show: a terminal that grows takes lines back from there, and the cursor moves down with
 * them. As many as a screen is likely to grow by.
 */
const SCROLLBACK_LINES = 200;

/** Largest terminal in each direction, as in a pane. What claims to be larger must not cost gigabytes here. */
const MAX_CELLS = 2_000;

const LINE_FEED = 0x0a;

/** A piece of the session's output. */
export interface RetainedOutput {
  /** Absolute offset of the first byte in everything the child ever printed. */
  readonly offset: number;
  /** The responder's to keep: it parses them later. */
  readonly bytes: Uint8Array;
  /** The size of the terminal that the bytes were made for. */
  readonly size: TerminalSize;
}

export interface QueryResponderOptions {
  /**
   * Takes what the terminal says, in order, for the child's input: it is a terminal reply, typed by nobody. Called from a
   * timer, so it must not throw.
   */
  readonly reply: (bytes: Uint8Array) => void;
  /**
   * The retained output that holds the bytes from this absolute offset on, oldest first and without gaps, up to the newest
   * byte that `output` was told of. Begins earlier when the offset is inside a piece, and later when bytes are gone.
   */
  readonly replay: (fromOffset: number) => Iterable<RetainedOutput>;
  /** Told to a program that asks; the default is xterm.js's own. */
  readonly colours?: TerminalColours;
}

/**
 * Answers the questions that one session's program asks its terminal (DA, DSR, CPR, DECRQM, DECRQSS, colours), whether
 * a window shows it or not: panes keep silent (`mute-answers.ts`), so that there is exactly one answer. It claims to be
 * what a pane is: the same library, with the same options.
 *
 * **What it costs.** A scan of the bytes, and nothing else until a question is found. Then the retained output since the
 * terminal's last look is parsed, at most `REPLAY_BYTES` of it, and nobody is waited for: a flood without questions is
 * never parsed. Parsing takes at most about half of a core, because a look is followed by a rest of the same length;
 * questions that fall out of the retained bytes meanwhile stay without an answer.
 *
 * ```
 * output ─► scan ─► a question? ─► (new terminal) ─► parse what was not parsed yet ─► reply
 *                                                  muted: settled before ─┘
 * ```
 */
export class QueryResponder implements Disposable {
  readonly #options: QueryResponderOptions;
  readonly #note = new ProgressNote();
  readonly #folder = new FolderNote();
  readonly #scan = new QueryScan(this.#note, this.#folder);
  #colours: TerminalColours;
  #colourTable: ColourTable;
  /** Everything the child has printed so far. */
  #endOffset = 0;
  /** Every question that ends before this offset has its answer, or can have none. */
  #settledOffset = 0;
  /** No question ends after this offset. */
  #askedEnd = 0;
  #terminal: Terminal | null = null;
  /** Everything before is parsed by `#terminal`. */
  #parsedOffset = 0;
  #isMuted = true;
  #replies = '';
  #state: 'idle' | 'parsing' | 'resting' = 'idle';
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  /** To be made before the child prints. Throws a `RangeError` when a colour is not one. */
  constructor(options: QueryResponderOptions) {
    this.#options = options;
    this.#colours = options.colours ?? DEFAULT_COLOURS;
    this.#colourTable = new ColourTable(this.#colours);
  }

  /** What the program says of its progress: its scan finds that as well. Null when it says nothing. */
  get progress(): ProgramProgress | null {
    return this.#note.progress;
  }

  /** Whoever told of the progress has gone without taking it away. */
  forgetProgress(): void {
    this.#note.forget();
  }

  /** Where the program says it is: found by the same scan. Null when it says nothing. */
  get toldFolder(): ToldFolder | null {
    return this.#folder.folder;
  }

  /** Whoever told of the folder has gone. */
  forgetFolder(): void {
    this.#folder.forget();
  }

  /** Takes what the child printed, each byte once, when it is retained already. */
  output(bytes: Uint8Array): void {
    if (this.#isDisposed) {
      return;
    }
    const offset = this.#endOffset;
    this.#endOffset += bytes.length;
    if (this.#scan.scan(bytes) !== 'answered') {
      return;
    }
    if (!this.#isAsked()) {
      this.#settle(offset);
    }
    this.#askedEnd = this.#endOffset;
    this.#parseSoon();
  }

  /**
   * Other colours to tell, e.g. of the window's new theme. What the program has set is forgotten, as xterm.js forgets it.
   * Throws a `RangeError` when one is not a colour, and then changes nothing.
   */
  setColours(colours: TerminalColours): void {
    this.#colourTable = new ColourTable(colours);
    this.#colours = colours;
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    this.#dropTerminal();
  }

  #isAsked(): boolean {
    return this.#askedEnd > this.#settledOffset;
  }

  #settle(offset: number): void {
    this.#settledOffset = Math.max(this.#settledOffset, offset);
  }

  #parseSoon(): void {
    if (this.#state === 'idle' && this.#isAsked()) {
      this.#parse();
    }
  }

  #parse(): void {
    clearTimeout(this.#timer);
    const startedAtMs = performance.now();
    const end = this.#askedEnd;
    const earliest = Math.max(0, end - REPLAY_BYTES);
    const wanted = this.#terminal !== null && this.#parsedOffset >= earliest ? this.#parsedOffset : earliest;
    const pieces = [...this.#options.replay(wanted)];
    const first = pieces[0];
    if (first === undefined || first.offset >= end) {
      // All of it has been evicted since: a flood.
      this.#settle(end);
      this.#keepTerminal();
      return;
    }
    const kept = wanted === this.#parsedOffset && first.offset <= wanted ? this.#terminal : null;
    const terminal = kept ?? this.#newTerminal(first.size);
    const from = kept === null ? this.#safeStart(pieces, Math.max(first.offset, wanted)) : wanted;
    this.#state = 'parsing';
    this.#write(terminal, pieces, from, end);
    terminal.write('', () => this.#parsed(end, startedAtMs));
  }

  /** Everything that changes the terminal goes through its write queue, to take effect between the bytes it stands between. */
  #write(terminal: Terminal, pieces: readonly RetainedOutput[], from: number, end: number): void {
    for (const { offset, bytes, size } of pieces) {
      const pieceEnd = Math.min(end, offset + bytes.length);
      let at = Math.max(from, offset);
      if (at < pieceEnd) {
        terminal.write('', () => resize(terminal, size));
      }
      while (at < pieceEnd) {
        const { isMuted, until } = this.#muteAt(at);
        const stop = Math.min(pieceEnd, until, at + WRITE_BYTES);
        terminal.write('', () => (this.#isMuted = isMuted));
        terminal.write(bytes.subarray(at - offset, stop - offset), () => this.#tellReplies());
        at = stop;
      }
    }
  }

  /** Whether a question that ends at this offset has had its answer, and up to where that holds. */
  #muteAt(offset: number): { readonly isMuted: boolean; readonly until: number } {
    const isMuted = offset < this.#settledOffset;
    return { isMuted, until: isMuted ? this.#settledOffset : Number.POSITIVE_INFINITY };
  }

  /**
   * Where to begin when the beginning is gone: at a line, since half an escape sequence would be taken for text. Only among
   * what is settled, so that no question is cut off.
   */
  #safeStart(pieces: readonly RetainedOutput[], from: number): number {
    const limit = this.#settledOffset;
    if (from === 0) {
      return from;
    }
    for (const { offset, bytes } of pieces) {
      const at = bytes.indexOf(LINE_FEED, Math.max(0, from - offset));
      if (at !== -1 || offset >= limit) {
        const start = offset + at + 1;
        return at !== -1 && start <= limit ? start : from;
      }
    }
    return from;
  }

  #parsed(end: number, startedAtMs: number): void {
    if (this.#isDisposed) {
      return;
    }
    this.#parsedOffset = end;
    this.#settle(end);
    this.#state = 'resting';
    this.#timer = setTimeout(() => this.#rested(), performance.now() - startedAtMs);
  }

  #rested(): void {
    this.#state = 'idle';
    this.#keepTerminal();
    this.#parseSoon();
  }

  #keepTerminal(): void {
    this.#timer = setTimeout(() => this.#dropTerminal(), KEEP_TERMINAL_MS);
  }

  #newTerminal({ cols, rows }: TerminalSize): Terminal {
    this.#dropTerminal();
    const terminal = new Terminal({
      cols: Math.min(cols, MAX_CELLS),
      rows: Math.min(rows, MAX_CELLS),
      allowProposedApi: true, // for `unicode` and `parser`
      logLevel: 'off',
      scrollback: SCROLLBACK_LINES,
    });
    // As in a pane: the width of what was printed decides where the cursor is.
    setUpCells(terminal, new Unicode11Addon());
    terminal.onData((reply) => this.#addReply(reply));
    this.#colourTable = new ColourTable(this.#colours);
    this.#answerColours(terminal);
    this.#terminal = terminal;
    return terminal;
  }

  /** The library answers these in a page only. */
  #answerColours(terminal: Terminal): void {
    const on = (number: number, take: (payload: string) => string | void) =>
      terminal.parser.registerOscHandler(number, (payload) => {
        this.#addReply(take(payload) ?? '');
        return true;
      });
    on(4, (payload) => this.#colourTable.takePalette(payload));
    on(104, (payload) => this.#colourTable.resetPalette(payload));
    for (const number of [10, 11, 12] as const) {
      on(number, (payload) => this.#colourTable.takeSpecial(number, payload));
      on(100 + number, () => this.#colourTable.resetSpecial(number));
    }
  }

  #addReply(reply: string): void {
    if (!this.#isMuted) {
      this.#replies += reply;
    }
  }

  #tellReplies(): void {
    const replies = this.#replies;
    this.#replies = '';
    if (replies !== '' && !this.#isDisposed) {
      this.#options.reply(new TextEncoder().encode(replies));
    }
  }

  #dropTerminal(): void {
    this.#terminal?.dispose();
    this.#terminal = null;
  }
}

function resize(terminal: Terminal, size: TerminalSize): void {
  const cols = Math.min(size.cols, MAX_CELLS);
  const rows = Math.min(size.rows, MAX_CELLS);
  if (cols !== terminal.cols || rows !== terminal.rows) {
    terminal.resize(cols, rows);
  }
}
