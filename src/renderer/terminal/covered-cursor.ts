import type { Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';

/** From one height to another, in CSS pixels from the top of the page. */
export interface Span {
  readonly top: number;
  readonly bottom: number;
}

/** Rows above the cursor that are shown with it, where there is room: what its program asked, or printed last. */
const ROWS_ABOVE = 5;

/** Questions that lie over all panes, and those over the session's own; children of the one and of the other. */
const OVER_ALL = ':scope > :is(.question-bar, .quit-question)';
const OVER_PANE = ':scope > :is(.clipboard-question, .close-question, .paste-question)';

/** What is free of a pane below what lies at its top and above what lies at its bottom. Pure. */
export function freeSpan(pane: Span, covers: readonly Span[]): Span {
  let { top, bottom } = pane;
  for (const cover of covers) {
    if (cover.bottom > top && cover.top <= top) {
      top = Math.min(cover.bottom, bottom);
    } else if (cover.top < bottom && cover.bottom >= bottom) {
      bottom = Math.max(cover.top, top);
    }
  }
  return { top, bottom };
}

/**
 * How far down a terminal's picture is to be moved, in CSS pixels, for its cursor's row to be in what is free, with the
 * rows above it as far as they have room there. 0 where it is in it already, or where there is no room for a row. Pure.
 */
export function shiftInto(free: Span, cursor: Span, screenTop: number): number {
  const height = cursor.bottom - cursor.top;
  const room = Math.floor((free.bottom - free.top) / height);
  if (room < 1) {
    return 0;
  }
  const above = Math.min(ROWS_ABOVE, room - 1, Math.floor((cursor.top - screenTop) / height));
  const most = free.bottom - cursor.bottom;
  return Math.round(Math.min(Math.max(0, free.top - (cursor.top - above * height)), most));
}

/**
 * Keeps the cursor's row of a terminal in view while a question lies over its pane: the picture moves, and nothing else.
 * Neither the size nor what is scrolled to changes, so that the program is told nothing.
 */
export class CoveredCursor implements Disposable {
  readonly #terminal: Terminal;
  readonly #host: HTMLElement;
  readonly #pane: HTMLElement | null;
  readonly #boxes: ResizeObserver;
  readonly #comings: MutationObserver;
  readonly #subscription: Disposable;
  #covers: readonly HTMLElement[] = [];
  #isCovered = false;
  #shift = 0;

  /** The terminal must be open in its host. */
  constructor(terminal: Terminal, host: HTMLElement) {
    this.#terminal = terminal;
    this.#host = host;
    this.#pane = host.closest<HTMLElement>('.pane');
    this.#boxes = new ResizeObserver(() => this.#place());
    this.#comings = new MutationObserver(() => this.#lookAround());
    for (const parent of this.#parents) {
      this.#comings.observe(parent, { childList: true });
    }
    this.#lookAround();
    this.#subscription = terminal.onRender(() => {
      // Asked of no layout here, which each frame of a flood would wait for.
      if (this.#isCovered) {
        this.#place();
      }
    });
  }

  dispose(): void {
    this.#boxes.disconnect();
    this.#comings.disconnect();
    this.#subscription.dispose();
    this.#moveTo(0);
  }

  get #parents(): readonly Element[] {
    const [all, own] = [this.#host.closest('.panes'), this.#host.closest('.panel')];
    return [all, own].filter((parent) => parent !== null);
  }

  #lookAround(): void {
    this.#covers = [OVER_ALL, OVER_PANE].flatMap((selector) =>
      this.#parents.flatMap((parent) => [...parent.querySelectorAll<HTMLElement>(selector)]),
    );
    this.#boxes.disconnect();
    for (const box of this.#pane === null ? [] : [this.#pane, ...this.#covers]) {
      this.#boxes.observe(box);
    }
  }

  /** Where questions lie now. Those that are empty are laid out as well, without a height. */
  get #spans(): readonly Span[] {
    return this.#covers.filter(({ offsetHeight }) => offsetHeight > 0).map((cover) => cover.getBoundingClientRect());
  }

  #place(): void {
    const screen = this.#host.querySelector('.xterm-screen')?.getBoundingClientRect();
    if (this.#pane === null || screen === undefined || screen.height === 0) {
      return;
    }
    const { rows, buffer } = this.#terminal;
    const { baseY, cursorY, viewportY } = buffer.active;
    const row = baseY + cursorY - viewportY;
    const spans = this.#spans;
    this.#isCovered = spans.length > 0;
    // Who reads further up, or scrolls the pane, sees what she scrolled to.
    const isScrolled = row >= rows || this.#pane.scrollHeight - this.#pane.clientHeight > Math.abs(this.#shift);
    if (!this.#isCovered || isScrolled) {
      this.#moveTo(0);
      return;
    }
    const height = screen.height / rows;
    const screenTop = screen.top - this.#shift;
    const top = screenTop + row * height;
    this.#moveTo(
      shiftInto(freeSpan(this.#pane.getBoundingClientRect(), spans), { top, bottom: top + height }, screenTop),
    );
  }

  #moveTo(shift: number): void {
    if (shift === this.#shift) {
      return;
    }
    this.#shift = shift;
    this.#host.style.translate = shift === 0 ? '' : `0 ${shift}px`;
    this.#pane?.toggleAttribute('data-moved', shift !== 0);
  }
}
