/** How keys move through a terminal's text and select of it. Pure. */

/** A cell of a terminal's buffer, from 0. */
export interface Cell {
  readonly line: number;
  readonly column: number;
}

/** What is marked by keys: the cells from `anchor` to `cursor`, both with it; without an anchor the cursor's alone. */
export interface KeyboardMark {
  readonly cursor: Cell;
  readonly anchor: Cell | null;
}

/** The text that is gone through. */
export interface SteppedText {
  readonly lines: number;
  readonly columns: number;
  /** Lines in view at once. */
  readonly rows: number;
  /** What stands in a line, without the blanks at its end. */
  readonly textOf: (line: number) => string;
}

export type StepKey = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'altKey'>;

/**
 * The mark after a key: arrows, Home, End and the paging keys move; with Ctrl or Alt (as macOS has it) from word to word and
 * to the ends of all. Shift extends what is marked, Space begins or drops a mark that every key extends. Null for a key that
 * does nothing here.
 */
export function markAfter(mark: KeyboardMark, key: StepKey, text: SteppedText): KeyboardMark | null {
  if (key.key === ' ') {
    return { cursor: mark.cursor, anchor: mark.anchor === null ? mark.cursor : null };
  }
  const cursor = cursorAfter(mark.cursor, key, text);
  if (cursor === null) {
    return null;
  }
  return { cursor, anchor: mark.anchor ?? (key.shiftKey ? mark.cursor : null) };
}

/** First cell of what is marked, and how many cells it has to its end in rows of that many columns. */
export function cellsOf({ cursor, anchor }: KeyboardMark, columns: number): Cell & { readonly length: number } {
  const places = [cursor, anchor ?? cursor].map(({ line, column }) => line * columns + column);
  const first = Math.min(...places);
  return { line: Math.floor(first / columns), column: first % columns, length: Math.max(...places) - first + 1 };
}

function cursorAfter(cursor: Cell, key: StepKey, text: SteppedText): Cell | null {
  const { line, column } = cursor;
  const far = key.ctrlKey || key.altKey;
  const last = text.lines - 1;
  const page = Math.max(1, text.rows - 1);
  const toLine = (wanted: number): Cell => ({ line: Math.max(0, Math.min(last, wanted)), column });
  const endOf = (of: number): Cell => ({ line: of, column: Math.max(0, lengthOf(text, of) - 1) });
  const steps: Readonly<Record<string, () => Cell>> = {
    ArrowUp: () => toLine(line - 1),
    ArrowDown: () => toLine(line + 1),
    ArrowLeft: () => (far ? wordBefore(cursor, text) : before(cursor, text)),
    ArrowRight: () => (far ? wordAfter(cursor, text) : after(cursor, text)),
    PageUp: () => toLine(line - page),
    PageDown: () => toLine(line + page),
    Home: () => (far ? { line: 0, column: 0 } : { line, column: 0 }),
    End: () => endOf(far ? last : line),
  };
  return steps[key.key]?.() ?? null;
}

function before({ line, column }: Cell, text: SteppedText): Cell {
  if (column > 0) {
    return { line, column: column - 1 };
  }
  return line > 0 ? { line: line - 1, column: text.columns - 1 } : { line, column };
}

function after({ line, column }: Cell, text: SteppedText): Cell {
  if (column < text.columns - 1) {
    return { line, column: column + 1 };
  }
  return line < text.lines - 1 ? { line: line + 1, column: 0 } : { line, column };
}

/** Begins of words, in this line and the next one that has any. */
function wordAfter(cursor: Cell, text: SteppedText): Cell {
  for (let line = cursor.line; line < text.lines; line += 1) {
    const column = wordStarts(text, line).find((start) => line > cursor.line || start > cursor.column);
    if (column !== undefined) {
      return { line, column };
    }
  }
  return cursor;
}

function wordBefore(cursor: Cell, text: SteppedText): Cell {
  for (let line = cursor.line; line >= 0; line -= 1) {
    const column = wordStarts(text, line).findLast((start) => line < cursor.line || start < cursor.column);
    if (column !== undefined) {
      return { line, column };
    }
  }
  return cursor;
}

function wordStarts(text: SteppedText, line: number): readonly number[] {
  return Array.from(text.textOf(line).matchAll(/\S+/g), ({ index }) => index).filter((start) => start < text.columns);
}

function lengthOf(text: SteppedText, line: number): number {
  return Math.min(text.columns, text.textOf(line).length);
}
