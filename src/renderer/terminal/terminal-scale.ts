import type { Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';

/** Quiet time of the boxes before the font is chosen anew: each choice draws the terminal again. */
const SCALE_QUIET_MS = 75;

/** Below this share of the font, or this many CSS pixels, nothing is read any more: the pane scrolls instead. */
const LEAST_SHARE = 0.6;
const LEAST_FONT_PX = 7;

/** CSS pixels from one size that is tried to the next. */
const STEP_PX = 0.5;

export interface TerminalScaleOptions {
  readonly terminal: Pick<Terminal, 'options'>;
  readonly host: HTMLElement;
  /** Asked before each choice: the terminal's size is somebody else's, and the pane shows it as it is. */
  readonly isFixed: () => boolean;
  /** What it is chosen for, in CSS pixels. */
  readonly fontSize: number;
  /** Told when it changes: the share of the font that the terminal is drawn with; 1 at first. */
  readonly onScale: (scale: number) => void;
}

/**
 * Draws a terminal that is larger than its pane with a smaller font, so that all of it is in view. The font, not a
 * transformation of the page: so xterm knows its cells, and a pointer hits the right ones.
 */
export class TerminalScale implements Disposable {
  readonly #options: TerminalScaleOptions;
  readonly #observer: ResizeObserver;
  readonly #pane: HTMLElement | null;
  #fontSize: number;
  #scale = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: TerminalScaleOptions) {
    this.#options = options;
    this.#fontSize = options.fontSize;
    this.#pane = options.host.closest<HTMLElement>('.pane');
    this.#observer = new ResizeObserver(() => this.#soon());
  }

  /** Follows the pane and the terminal, which must be open, from now on. */
  start(): void {
    for (const box of [this.#pane, screenOf(this.#options.host)]) {
      if (box !== null) {
        this.#observer.observe(box);
      }
    }
    this.now();
  }

  /** Takes another font, in CSS pixels, which the terminal has already. */
  setFontSize(fontSize: number): void {
    this.#fontSize = fontSize;
    this.now();
  }

  /** Chooses the largest font with which the terminal is not larger than its pane; the usual one where it is not fixed. */
  now(): void {
    clearTimeout(this.#timer);
    if (!this.#options.isFixed()) {
      this.#draw(this.#fontSize);
      this.#tell();
      return;
    }
    const share = this.#share;
    // Out of view nothing can be measured.
    if (share === null) {
      return;
    }
    if (share < 1 || this.#drawn < this.#fontSize) {
      this.#approach(this.#drawn * share);
    }
    this.#tell();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#observer.disconnect();
  }

  /** Cells are whole pixels for some, and a line is for all: what would fit is only known when it is drawn. */
  #approach(estimate: number): void {
    const full = this.#fontSize;
    const least = Math.min(full, Math.max(LEAST_FONT_PX, full * LEAST_SHARE));
    const inSteps = Math.ceil(estimate / STEP_PX) * STEP_PX;
    this.#draw(Math.min(full, Math.max(least, inSteps)));
    while (this.#drawn < full && this.#fits) {
      this.#draw(Math.min(full, this.#drawn + STEP_PX));
    }
    while (this.#drawn > least && !this.#fits) {
      this.#draw(Math.max(least, this.#drawn - STEP_PX));
    }
  }

  get #drawn(): number {
    return this.#options.terminal.options.fontSize ?? this.#fontSize;
  }

  #draw(fontSize: number): void {
    if (this.#drawn !== fontSize) {
      this.#options.terminal.options.fontSize = fontSize;
    }
  }

  get #fits(): boolean {
    return (this.#share ?? 1) >= 1;
  }

  /** The part of its cells' width or height that there is room for, the smaller of both; null while nothing has a box. */
  get #share(): number | null {
    const { host } = this.#options;
    const screen = screenOf(host);
    if (this.#pane === null || screen === null || this.#pane.offsetWidth === 0 || screen.offsetWidth === 0) {
      return null;
    }
    const style = getComputedStyle(this.#pane);
    // Without regard to scroll bars, which go with what is too large.
    const width = this.#pane.offsetWidth - pixels(style.paddingLeft) - pixels(style.paddingRight);
    const height = this.#pane.offsetHeight - pixels(style.paddingTop) - pixels(style.paddingBottom);
    const frameWidth = host.offsetWidth - screen.offsetWidth;
    const frameHeight = host.offsetHeight - screen.offsetHeight;
    return Math.min((width - frameWidth) / screen.offsetWidth, (height - frameHeight) / screen.offsetHeight);
  }

  #tell(): void {
    const scale = this.#drawn / this.#fontSize;
    if (scale !== this.#scale) {
      this.#scale = scale;
      this.#options.onScale(scale);
    }
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.now(), SCALE_QUIET_MS);
  }
}

/** What the cells fill. */
function screenOf(host: HTMLElement): HTMLElement | null {
  return host.querySelector<HTMLElement>('.xterm-screen');
}

function pixels(length: string): number {
  return Number.parseFloat(length) || 0;
}
