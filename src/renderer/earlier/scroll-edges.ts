import type { Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';
import type { ReadingDirection } from './earlier-outputs.ts';

/** Screens before an edge at which more is loaded, so that who reads on does not come to it. */
const SCREENS_AHEAD = 3;

export interface ScrollEdgesOptions {
  readonly terminal: Pick<Terminal, 'rows' | 'buffer' | 'onScroll'>;
  readonly host: HTMLElement;
  /** The terminal is drawn anew: where it scrolls to is nobody's act. */
  readonly isDrawing: () => boolean;
  /** A wheel turned by so many pixels while it is drawn anew. */
  readonly onWheelMeanwhile: (pixels: number) => void;
  /** The person has scrolled close to an edge; `isPushed`: was at it, and tried to go on. */
  readonly onEdge: (direction: ReadingDirection, isPushed: boolean) => void;
}

/** Tells when a person scrolls to the begin or the end of a terminal: by wheel, scroll bar, keys, or a screen reader's focus. */
export class ScrollEdges implements Disposable {
  readonly #options: ScrollEdgesOptions;
  readonly #subscription: Disposable;
  readonly #gone = new AbortController();
  #top = 0;

  constructor(options: ScrollEdgesOptions) {
    this.#options = options;
    this.#subscription = options.terminal.onScroll(() => this.#scrolled());
    const { signal } = this.#gone;
    options.host.addEventListener('wheel', (event) => this.#turned(event), { capture: true, passive: false, signal });
    options.host.addEventListener('focusin', ({ target }) => this.#focused(target), { signal });
  }

  /** Whether nothing is beyond what is in view. */
  isAt(direction: ReadingDirection): boolean {
    const { viewportY, baseY } = this.#options.terminal.buffer.active;
    return direction === 'earlier' ? viewportY === 0 : viewportY >= baseY;
  }

  dispose(): void {
    this.#gone.abort();
    this.#subscription.dispose();
  }

  #scrolled(): void {
    const { terminal, isDrawing, onEdge } = this.#options;
    const { viewportY, baseY } = terminal.buffer.active;
    const before = this.#top;
    this.#top = viewportY;
    if (isDrawing() || viewportY === before) {
      return;
    }
    const isEarlier = viewportY < before;
    const left = isEarlier ? viewportY : baseY - viewportY;
    if (left <= SCREENS_AHEAD * terminal.rows) {
      onEdge(isEarlier ? 'earlier' : 'later', false);
    }
  }

  #turned(event: WheelEvent): void {
    if (event.deltaY === 0 || event.ctrlKey) {
      return;
    }
    if (this.#options.isDrawing()) {
      event.preventDefault();
      event.stopPropagation();
      this.#options.onWheelMeanwhile(event.deltaY);
      return;
    }
    const direction = event.deltaY < 0 ? 'earlier' : 'later';
    if (this.isAt(direction)) {
      this.#options.onEdge(direction, true);
    }
  }

  /** A screen reader goes from row to row by their focus; the first and the last of all say so. */
  #focused(target: EventTarget | null): void {
    if (!(target instanceof HTMLElement) || this.#options.isDrawing()) {
      return;
    }
    const place = target.getAttribute('aria-posinset');
    if (place === '1') {
      this.#options.onEdge('earlier', true);
    } else if (place !== null && place === target.getAttribute('aria-setsize')) {
      this.#options.onEdge('later', true);
    }
  }
}
