import { FitAddon } from '@xterm/addon-fit';
import type { Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';
import type { TerminalSize } from '../../shared/session.ts';

/** Quiet time of the pane's box before a new size is asked for. Each one makes the program repaint (SIGWINCH). */
const RESIZE_QUIET_MS = 75;

/** Narrower or lower than this a pane is on its way in or out, and no child shall be told of it. */
const SMALLEST_FIT = { cols: 4, rows: 2 } as const;

/** Whose the size is: the pane's alone, the child's after the pane, or not the pane's at all. */
export type SizeOwner = 'pane' | 'child-follows' | 'other';

export interface TerminalFitOptions {
  readonly terminal: Terminal;
  readonly host: HTMLElement;
  /** Asked before each change. */
  readonly owner: () => SizeOwner;
  /** Gives the screen a size that matters to no child. */
  readonly resize: (size: TerminalSize) => void;
  /** Asks that the child's terminal has this size. */
  readonly request: (size: TerminalSize) => void;
}

/** How many cells the pane has room for, and who is told when that changes. */
export class TerminalFit implements Disposable {
  readonly #options: TerminalFitOptions;
  readonly #addon = new FitAddon();
  readonly #observer: ResizeObserver;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #requested: TerminalSize | null = null;

  constructor(options: TerminalFitOptions) {
    this.#options = options;
    options.terminal.loadAddon(this.#addon);
    this.#observer = new ResizeObserver(() => this.soon());
  }

  /** Follows the pane's box from now on; the terminal must be open in it. */
  start(): void {
    this.#observer.observe(this.#options.host);
    if (this.#options.owner() === 'pane') {
      this.now();
    }
  }

  /** Fits when the box has come to rest. */
  soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.now(), RESIZE_QUIET_MS);
  }

  /** Fits, if the size is the pane's to choose and is another than it was. */
  now(): void {
    const size = this.#proposed;
    const owner = this.#options.owner();
    if (size === null || owner === 'other') {
      return;
    }
    if (owner === 'pane') {
      this.#options.resize(size);
      return;
    }
    const known = this.#requested ?? this.#options.terminal;
    if (known.cols !== size.cols || known.rows !== size.rows) {
      this.#requested = size;
      this.#options.request(size);
    }
  }

  /** What was asked for holds no longer: somebody else may set the size, or the pane asks anew. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#requested = null;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#observer.disconnect();
  }

  /** Cells that would fill the host element; null while it has no box. */
  get #proposed(): TerminalSize | null {
    const { host } = this.#options;
    if (host.clientWidth === 0 || host.clientHeight === 0) {
      return null;
    }
    const proposed = this.#addon.proposeDimensions();
    if (proposed === undefined || proposed.cols < SMALLEST_FIT.cols || proposed.rows < SMALLEST_FIT.rows) {
      return null;
    }
    return { cols: proposed.cols, rows: proposed.rows };
  }
}
