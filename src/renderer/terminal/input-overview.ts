import type { Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';
import type { InputMarks, MarkedLine } from './input-marks.ts';

/** Height of a mark and of the gap beneath it, in CSS pixels: what is closer together is one. */
const MARK_PX = 6;

/** Time from a change to its drawing, in milliseconds: in a flood every frame moves all marks. */
const DRAW_AFTER_MS = 200;

/** A mark of the ruler: the row of it, from the top, and who typed there. */
export interface OverviewMark {
  readonly row: number;
  readonly kinds: readonly string[];
}

/** The marked lines of a buffer of so many, in a ruler of so many rows. Pure. */
export function overviewMarks(lines: readonly MarkedLine[], lineCount: number, rows: number): readonly OverviewMark[] {
  const kindsByRow = new Map<number, Set<string>>();
  for (const { line, entries } of lines) {
    const row = Math.min(rows - 1, Math.floor((line / lineCount) * rows));
    const kinds = kindsByRow.get(row) ?? new Set();
    kindsByRow.set(row, kinds);
    for (const { by } of entries) {
      kinds.add(by.kind);
    }
  }
  return [...kindsByRow].map(([row, kinds]) => ({ row, kinds: [...kinds] }));
}

/**
 * Where input came in all of the output that the terminal has, beside its scroll bar: left of the lane in which xterm shows
 * the matches of what is looked for. Nothing is marked where all of it is in view. Elements of its own, as in `InputMarkLayer`.
 */
export class InputOverview implements Disposable {
  readonly #terminal: Terminal;
  readonly #marks: InputMarks;
  readonly #ruler: HTMLElement;
  #isShown = true;
  #drawn = '';
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** The terminal must be open in that element. */
  constructor(terminal: Terminal, element: HTMLElement, marks: InputMarks) {
    this.#terminal = terminal;
    this.#marks = marks;
    this.#ruler = element.ownerDocument.createElement('div');
    this.#ruler.className = 'input-overview';
    // The same is told beside the lines, and by the commands that go from input to input.
    this.#ruler.setAttribute('aria-hidden', 'true');
    element.append(this.#ruler);
  }

  setShown(isShown: boolean): void {
    this.#isShown = isShown;
    this.drawSoon();
  }

  drawSoon(): void {
    if (this.#drawn !== '' || (this.#isShown && !this.#marks.isEmpty)) {
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#draw();
      }, DRAW_AFTER_MS);
    }
  }

  dispose(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    this.#ruler.remove();
  }

  #draw(): void {
    const { rows, buffer } = this.#terminal;
    const lineCount = buffer.active.length;
    // Set by xterm with each new size of its cells; to measure it would cost a layout.
    const height = this.#ruler.parentElement?.querySelector<HTMLElement>('.xterm-screen')?.style.height ?? '';
    const marks =
      this.#isShown && lineCount > rows
        ? overviewMarks(this.#marks.lines(), lineCount, rowsOf(Number.parseFloat(height)))
        : [];
    const drawn = marks.length === 0 ? '' : `${height} ${JSON.stringify(marks)}`;
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      this.#ruler.style.height = height;
      this.#ruler.replaceChildren(...marks.map((mark) => this.#newMark(mark)));
    }
  }

  #newMark({ row, kinds }: OverviewMark): HTMLElement {
    const { ownerDocument } = this.#ruler;
    const mark = ownerDocument.createElement('div');
    mark.style.top = `${row * MARK_PX}px`;
    for (const kind of kinds) {
      const sign = ownerDocument.createElement('span');
      sign.dataset['by'] = kind;
      mark.append(sign);
    }
    return mark;
  }
}

/** Rows of marks in so many CSS pixels; one where the height is not known yet. */
function rowsOf(px: number): number {
  return Number.isFinite(px) ? Math.max(1, Math.floor(px / MARK_PX)) : 1;
}
