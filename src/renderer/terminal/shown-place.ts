import type { IMarker, Terminal } from '@xterm/xterm';

/** Lines that are left above a place that is shown, for what led to it. */
const LINES_ABOVE_PLACE = 3;

/** The line of a terminal that was gone to, e.g. from the timeline: one at a time is marked. */
export class ShownPlace {
  readonly #terminal: Terminal;
  #marker: IMarker | null = null;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Scrolls to a line of the buffer and marks it. */
  show(line: number): void {
    const { baseY, cursorY } = this.#terminal.buffer.active;
    this.#marker?.dispose();
    this.#marker = this.#terminal.registerMarker(line - baseY - cursorY) ?? null;
    if (this.#marker !== null) {
      const decoration = this.#terminal.registerDecoration({ marker: this.#marker, width: this.#terminal.cols });
      decoration?.onRender((element) => element.classList.add('shown-place'));
    }
    this.#terminal.scrollToLine(Math.max(0, line - LINES_ABOVE_PLACE));
  }
}
