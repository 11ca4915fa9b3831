import type { IDecoration, Terminal } from '@xterm/xterm';
import type { Disposable } from '../../shared/disposable.ts';
import type { FindQuery } from '../../shared/output-search.ts';
import { hexColour, type TerminalLook } from '../terminal/terminal-appearance.ts';
import { requestWindowFrame } from '../window/window-frame.ts';
import { rowMatches, type RowMatch } from './row-matches.ts';

/** Screens above and below what is in view whose matches are marked as well, so that a short scroll finds them marked. */
const SCREENS_AROUND = 1;

/**
 * Marks where a text is in a terminal: all matches in view, and the one that was gone to otherwise than the rest. However
 * many there are, no more is drawn than is around what is in view.
 */
export class MatchMarks implements Disposable {
  readonly #terminal: Terminal;
  readonly #marks: IDecoration[] = [];
  #look: TerminalLook;
  #query: FindQuery | null = null;
  #current: RowMatch | null = null;
  /** The rows that are marked; null when they are to be looked at anew. */
  #marked: { readonly from: number; readonly to: number } | null = null;
  #isAwaited = false;
  #isGone = false;

  constructor(terminal: Terminal, look: TerminalLook) {
    this.#terminal = terminal;
    this.#look = look;
  }

  setLook(look: TerminalLook): void {
    this.#look = look;
    this.changed();
  }

  /** Marks another text from now on; null for none. */
  seek(query: FindQuery | null): void {
    this.#query = query;
    this.changed();
  }

  /** Where the match that is shown begins and how long it is, as far as it is drawn. */
  setCurrent(current: RowMatch | null): void {
    this.#current = current;
    this.changed();
  }

  /** The terminal shows something else. */
  changed(): void {
    this.#marked = null;
    this.scrolled();
  }

  /** Marks what has come into view, with the next frame. */
  scrolled(): void {
    if (this.#isAwaited || this.#isGone || !this.#isDue) {
      return;
    }
    this.#isAwaited = true;
    requestWindowFrame(() => {
      this.#isAwaited = false;
      if (!this.#isGone && this.#isDue) {
        this.#mark();
      }
    });
  }

  dispose(): void {
    this.#isGone = true;
    this.#clear();
  }

  get #isDue(): boolean {
    const { viewportY } = this.#terminal.buffer.active;
    const { rows } = this.#terminal;
    return this.#marked === null || viewportY < this.#marked.from || viewportY + rows > this.#marked.to;
  }

  #mark(): void {
    this.#clear();
    const { rows, buffer } = this.#terminal;
    const { viewportY, length } = buffer.active;
    const from = Math.max(0, viewportY - SCREENS_AROUND * rows);
    const to = viewportY + (1 + SCREENS_AROUND) * rows;
    this.#marked = { from, to: to >= length ? Number.POSITIVE_INFINITY : to };
    const current = this.#current === null ? [] : this.#piecesOf(this.#current);
    for (const match of this.#query === null ? [] : rowMatches(buffer.active, from, to, this.#query)) {
      if (!current.some((piece) => overlaps(piece, match))) {
        this.#decorate(match, 'match-mark');
      }
    }
    for (const piece of current) {
      this.#decorate(piece, 'match-mark current');
    }
  }

  /** In its rows, where it is wrapped. */
  #piecesOf({ line, column, cells }: RowMatch): readonly RowMatch[] {
    const pieces: RowMatch[] = [];
    for (let at = column, left = cells, row = line; left > 0; row += 1) {
      const wide = Math.min(left, this.#terminal.cols - at);
      if (wide <= 0) {
        break;
      }
      pieces.push({ line: row, column: at, cells: wide });
      left -= wide;
      at = 0;
    }
    return pieces;
  }

  #decorate({ line, column, cells }: RowMatch, className: string): void {
    const { baseY, cursorY } = this.#terminal.buffer.active;
    const marker = this.#terminal.registerMarker(line - baseY - cursorY);
    const { theme } = this.#look;
    const isCurrent = className.includes('current');
    const backgroundColor = hexColour(isCurrent ? theme.selectionBackground : theme.selectionInactiveBackground);
    const foregroundColor = isCurrent ? hexColour(theme.selectionForeground) : null;
    const decoration = this.#terminal.registerDecoration({
      marker,
      x: column,
      width: cells,
      layer: isCurrent ? 'top' : 'bottom',
      ...(backgroundColor === null ? {} : { backgroundColor }),
      ...(foregroundColor === null ? {} : { foregroundColor }),
    });
    if (decoration === undefined) {
      marker.dispose();
      return;
    }
    decoration.onRender((element) => element.classList.add(...className.split(' ')));
    decoration.onDispose(() => marker.dispose());
    this.#marks.push(decoration);
  }

  #clear(): void {
    for (const mark of this.#marks.splice(0)) {
      mark.dispose();
    }
    this.#marked = null;
  }
}

function overlaps(one: RowMatch, other: RowMatch): boolean {
  return one.line === other.line && one.column < other.column + other.cells && other.column < one.column + one.cells;
}
