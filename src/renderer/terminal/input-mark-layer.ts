import type { Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';
import { inputWords } from '../text/timeline-text.ts';
import type { InputMarks } from './input-marks.ts';
import { InputOverview } from './input-overview.ts';

interface DrawnMark {
  readonly element: HTMLElement;
  row: number;
  /** Of the terminal, when the row was put in its place. */
  rows: number;
  words: string;
}

/**
 * The marks beside the lines in view, in the margin at their left. Elements of its own, and not xterm's decorations: each of
 * those has a marker, which costs each line that leaves the scrollback, also while the mark is out of view.
 */
export class InputMarkLayer implements Disposable {
  readonly #terminal: Terminal;
  readonly #marks: InputMarks;
  readonly #layer: HTMLElement;
  readonly #overview: InputOverview;
  readonly #drawn: DrawnMark[] = [];
  readonly #subscription: Disposable;
  #isShown = true;
  #frame: number | null = null;

  /** The terminal must be open. */
  constructor(terminal: Terminal, marks: InputMarks) {
    this.#terminal = terminal;
    this.#marks = marks;
    const { element } = terminal;
    if (element === undefined) {
      throw new Error('The marks of a terminal need one that is open.');
    }
    this.#layer = element.ownerDocument.createElement('div');
    this.#layer.className = 'input-marks';
    element.append(this.#layer);
    this.#overview = new InputOverview(terminal, element, marks);
    this.#subscription = terminal.onRender(() => this.#draw());
  }

  setShown(isShown: boolean): void {
    if (isShown !== this.#isShown) {
      this.#isShown = isShown;
      this.#overview.setShown(isShown);
      this.drawSoon();
    }
  }

  /** With the next frame: marks have come or grown, though the terminal may have nothing new to draw. */
  drawSoon(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      this.#draw();
    });
  }

  dispose(): void {
    if (this.#frame !== null) {
      cancelAnimationFrame(this.#frame);
    }
    this.#subscription.dispose();
    this.#overview.dispose();
    this.#layer.remove();
  }

  #draw(): void {
    this.#overview.drawSoon();
    if (this.#drawn.length === 0 && (this.#marks.isEmpty || !this.#isShown)) {
      return;
    }
    const { rows, buffer } = this.#terminal;
    const top = buffer.active.viewportY;
    const lines = this.#isShown ? this.#marks.lines(top, top + rows) : [];
    // Set by xterm with each new size of its cells; to measure it would cost a layout.
    const screen = this.#layer.parentElement?.querySelector<HTMLElement>('.xterm-screen');
    this.#layer.style.height = screen?.style.height ?? '';
    for (const [index, { line, entries }] of lines.entries()) {
      const words = inputWords(entries).join('\n');
      const mark = this.#drawn[index] ?? this.#newMark();
      // Its place is a share of the height, which is another one with more or fewer rows.
      if (mark.row !== line - top || mark.rows !== rows) {
        mark.row = line - top;
        mark.rows = rows;
        mark.element.style.top = `${((line - top) / rows) * 100}%`;
        mark.element.style.height = `${100 / rows}%`;
      }
      if (mark.words !== words) {
        mark.words = words;
        mark.element.title = words;
        mark.element.setAttribute('aria-label', words.replaceAll('\n', '; '));
        const kinds = new Set(entries.map(({ by }) => by.kind));
        mark.element.replaceChildren(...[...kinds].map((kind) => this.#newSign(kind)));
      }
    }
    for (const { element } of this.#drawn.splice(lines.length)) {
      element.remove();
    }
  }

  #newMark(): DrawnMark {
    const element = this.#layer.ownerDocument.createElement('div');
    element.className = 'input-mark';
    element.setAttribute('role', 'img');
    this.#layer.append(element);
    const mark = { element, row: -1, rows: 0, words: '' };
    this.#drawn.push(mark);
    return mark;
  }

  #newSign(kind: string): HTMLElement {
    const sign = this.#layer.ownerDocument.createElement('span');
    sign.dataset['by'] = kind;
    return sign;
  }
}
