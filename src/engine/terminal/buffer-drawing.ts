import type { IBuffer, IBufferCell, IBufferLine } from '@xterm/headless';

const ESC = '\u001B';

/**
 * The sequences that draw the last lines of a buffer into an empty one of the same size, whose cursor is at the top left:
 * text, renditions, coloured blanks, and which lines go on in the next one. The cursor ends anywhere, the rendition as it
 * began. What xterm.js keeps of a cell and does not tell (the shape and colour of an underline, links) is not drawn.
 */
export function drawnBuffer(
  buffer: IBuffer,
  { cols, lines }: { readonly cols: number; readonly lines: number },
): string {
  const cell = buffer.getNullCell();
  const first = Math.max(0, buffer.length - lines);
  const parts: string[] = [];
  for (let row = first; row < buffer.length; row += 1) {
    const line = buffer.getLine(row);
    if (line === undefined) {
      break;
    }
    const isLast = row === buffer.length - 1;
    const goesOn = buffer.getLine(row + 1)?.isWrapped === true;
    parts.push(drawnLine(line, cols, cell));
    if (!isLast) {
      parts.push(goesOn ? wrapAfter(line, cols, cell) : '\r\n');
    }
  }
  return parts.join('');
}

/** How the cell is drawn, from whatever was before. */
export function renditionOf(cell: IBufferCell): string {
  const numbers = [
    '0',
    ...(cell.isBold() ? ['1'] : []),
    ...(cell.isDim() ? ['2'] : []),
    ...(cell.isItalic() ? ['3'] : []),
    ...(cell.isUnderline() ? ['4'] : []),
    ...(cell.isBlink() ? ['5'] : []),
    ...(cell.isInverse() ? ['7'] : []),
    ...(cell.isInvisible() ? ['8'] : []),
    ...(cell.isStrikethrough() ? ['9'] : []),
    ...(cell.isOverline() ? ['53'] : []),
    ...colourOf(cell.getFgColor(), { isRgb: cell.isFgRGB(), isPalette: cell.isFgPalette() }, 38),
    ...colourOf(cell.getBgColor(), { isRgb: cell.isBgRGB(), isPalette: cell.isBgPalette() }, 48),
  ];
  return `${ESC}[${numbers.join(';')}m`;
}

function colourOf(
  colour: number,
  { isRgb, isPalette }: { readonly isRgb: boolean; readonly isPalette: boolean },
  kind: 38 | 48,
): readonly string[] {
  if (isRgb) {
    return [`${kind};2;${(colour >>> 16) & 0xff};${(colour >>> 8) & 0xff};${colour & 0xff}`];
  }
  return isPalette ? [`${kind};5;${colour}`] : [];
}

/** Begins at the first column with the usual rendition, and ends with it. */
function drawnLine(line: IBufferLine, cols: number, cell: IBufferCell): string {
  let text = '';
  let rendition = `${ESC}[0m`;
  let column = 0;
  while (column < cols) {
    line.getCell(column, cell);
    if (cell.getChars() === '') {
      const { drawn, next } = drawnBlanks(line, column, cols, cell);
      text += drawn;
      if (drawn !== '') {
        rendition = `${ESC}[0m`;
      }
      column = next;
      continue;
    }
    const wanted = renditionOf(cell);
    text += wanted === rendition ? cell.getChars() : `${wanted}${cell.getChars()}`;
    rendition = wanted;
    column += Math.max(1, cell.getWidth());
  }
  return rendition === `${ESC}[0m` ? text : `${text}${ESC}[0m`;
}

/** Cells that nothing was printed to, alike: erased with a colour, or left out. Nothing for the rest of a line. */
function drawnBlanks(
  line: IBufferLine,
  from: number,
  cols: number,
  cell: IBufferCell,
): { readonly drawn: string; readonly next: number } {
  const rendition = renditionOf(cell);
  let next = from;
  do {
    next += 1;
    if (next >= cols) {
      break;
    }
    line.getCell(next, cell);
  } while (cell.getChars() === '' && cell.getWidth() > 0 && renditionOf(cell) === rendition);
  const count = next - from;
  const forward = next >= cols ? '' : `${ESC}[${count}C`;
  // The rendition may be that of the text before: what is erased takes its background.
  const erased = rendition === `${ESC}[0m` ? '' : `${rendition}${ESC}[${count}X`;
  return { drawn: erased === '' && forward === '' ? '' : `${erased}${ESC}[0m${forward}`, next };
}

/** Goes to the next line so that it counts as the same one: only what is printed past the last column does that. */
function wrapAfter(line: IBufferLine, cols: number, cell: IBufferCell): string {
  const passed = ` \r${ESC}[X`;
  line.getCell(cols - 1, cell);
  // A wide character's second half has no text of its own.
  if (cell.getChars() !== '' || cell.getWidth() === 0) {
    return passed;
  }
  const background = renditionOf(cell);
  return `${ESC}[${cols}G ${passed}${ESC}[A${ESC}[${cols}G${background}${ESC}[X${ESC}[0m${ESC}[B\r`;
}
