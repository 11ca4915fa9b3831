import type { IBuffer, IBufferCell } from '@xterm/xterm';
import type { FindQuery } from '../../shared/output-search.ts';
import { findPattern } from './find-pattern.ts';

/** A piece of a match in one row of a buffer, in cells. A match that is wrapped has several. */
export interface RowMatch {
  readonly line: number;
  readonly column: number;
  readonly cells: number;
}

/** Rows of one wrapped line that are looked at beyond those wanted, on either side. */
const MOST_WRAPPED_ROWS = 200;

/** Where a text is drawn in some rows of a buffer, and in the rest of lines that are wrapped into or out of them. */
export function rowMatches(buffer: IBuffer, from: number, to: number, query: FindQuery): readonly RowMatch[] {
  if (query.text === '') {
    return [];
  }
  const pattern = findPattern(query);
  const found: RowMatch[] = [];
  for (let line = beginOfLine(buffer, Math.max(0, from)); line < Math.min(to, buffer.length);) {
    const end = endOfLine(buffer, line);
    const text = textOf(buffer, line, end);
    const matches = [...text.matchAll(pattern)];
    if (matches.length > 0) {
      const cells = cellsOf(buffer, line, end);
      for (const { index, 0: matched } of matches) {
        found.push(...piecesOf(cells.slice(index, index + matched.length)));
      }
    }
    line = end;
  }
  return found;
}

function beginOfLine(buffer: IBuffer, line: number): number {
  let begin = line;
  while (begin > 0 && line - begin < MOST_WRAPPED_ROWS && buffer.getLine(begin)?.isWrapped === true) {
    begin -= 1;
  }
  return begin;
}

function endOfLine(buffer: IBuffer, line: number): number {
  let end = line + 1;
  while (end < buffer.length && end - line < MOST_WRAPPED_ROWS && buffer.getLine(end)?.isWrapped === true) {
    end += 1;
  }
  return end;
}

function textOf(buffer: IBuffer, from: number, to: number): string {
  let text = '';
  for (let line = from; line < to; line += 1) {
    text += buffer.getLine(line)?.translateToString(line === to - 1) ?? '';
  }
  return text;
}

/** The cell of each UTF-16 unit of a line's text. */
function cellsOf(buffer: IBuffer, from: number, to: number): readonly RowMatch[] {
  const units: RowMatch[] = [];
  let cell: IBufferCell | undefined;
  for (let line = from; line < to; line += 1) {
    const row = buffer.getLine(line);
    for (let column = 0; column < (row?.length ?? 0); column += 1) {
      cell = row?.getCell(column, cell);
      const cells = cell?.getWidth() ?? 0;
      if (cells > 0) {
        const length = Math.max(1, cell?.getChars().length ?? 0);
        units.push(...Array.from({ length }, () => ({ line, column, cells })));
      }
    }
  }
  return units;
}

/** Joined within each row. */
function piecesOf(units: readonly RowMatch[]): readonly RowMatch[] {
  const pieces: RowMatch[] = [];
  for (const { line, column, cells } of units) {
    const last = pieces.at(-1);
    if (last?.line === line) {
      pieces[pieces.length - 1] = { ...last, cells: column + cells - last.column };
    } else {
      pieces.push({ line, column, cells });
    }
  }
  return pieces;
}
