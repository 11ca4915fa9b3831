import type { IBufferCell, Terminal } from '@xterm/headless';
import { drawnBuffer, renditionOf } from './buffer-drawing.ts';
import { feed } from './headless-terminal.ts';
import type { SkippedModes } from './skipped-modes.ts';

const ESC = '\u001B';

const LINES_CHARSET = '\u001B(0';
const USUAL_CHARSET = '\u000F\u001B(B';
const SHIFT_OUT = '\u000E';
const SHIFT_IN = '\u000F';

export interface TerminalStateOptions {
  /** Everything that this terminal was given has been fed to it, too. */
  readonly modes: SkippedModes;
  /** Lines above the screen that are drawn as well. */
  readonly scrollback: number;
}

/**
 * The sequences that bring a fresh terminal of the same size into the state of this one: both screens, modes, the cursor
 * and how text is drawn. Takes the terminal with nothing left to parse, and spoils it.
 */
export async function terminalState(terminal: Terminal, { modes, scrollback }: TerminalStateOptions): Promise<string> {
  const { cols, rows, buffer } = terminal;
  const { normal, active } = buffer;
  const isAlternate = active.type === 'alternate';
  const { originMode } = terminal.modes;
  const usedScreen = drawnBuffer(active, { cols, lines: isAlternate ? rows : rows + scrollback });
  const screenBehind = isAlternate ? drawnBuffer(normal, { cols, lines: rows + scrollback }) : '';
  const cursorBehind = `${modes.region('normal')}${cursorAt(normal.cursorY, normal.cursorX)}`;
  const top = originMode ? modes.regionTop : 0;
  const line = active.getLine(active.baseY + active.cursorY);
  const cursor = [
    originMode ? `${ESC}[?6h` : '',
    cursorAt(active.cursorY - top, active.cursorX),
    active.cursorX < cols ? '' : lastCharacter((column) => line?.getCell(column), cols),
  ];
  // From here on the terminal is spoilt.
  const { rendition, isDrawing } = await nextCharacter(terminal);
  const saved = await savedCursor(terminal);
  const behind: string[] = [];
  if (isAlternate) {
    await feed(terminal, `${ESC}[?1047l`);
    behind.push(screenBehind, (await savedCursor(terminal)).sequences, cursorBehind, `${ESC}[?1047h${ESC}[H`);
  }
  // Before the cursor, which a scroll region moves.
  const chosen = `${modes.modesOfBoth}${modes.region('used')}`;
  const isOther = isDrawing !== drawsLines(chosen);
  const ofScreens = [...behind, usedScreen, saved.sequences, chosen];
  if (cursor.at(-1) !== '' && (isDrawing || isOther)) {
    // What is printed once more is printed as what it is.
    const charset = isDrawing ? LINES_CHARSET : USUAL_CHARSET;
    return [...ofScreens, USUAL_CHARSET, ...cursor, modes.modesOfBoth, isOther ? charset : '', rendition].join('');
  }
  const charset = isOther ? charsetInUse(isDrawing, saved.isDrawing) : '';
  return [...ofScreens, charset, ...cursor, rendition].join('');
}

/**
 * How the next character is drawn. The terminal does not tell, and the output alone does not either (a restored cursor has
 * its rendition and its character set with it), so one is printed.
 */
async function nextCharacter(terminal: Terminal): Promise<{ readonly rendition: string; readonly isDrawing: boolean }> {
  await feed(terminal, `${ESC}[?6l${ESC}[4l${ESC}[Hq`);
  const { active } = terminal.buffer;
  const cell = active.getLine(active.baseY)?.getCell(0);
  return { rendition: cell === undefined ? '' : renditionOf(cell), isDrawing: cell?.getChars() === '\u2500' };
}

/** Saves the cursor that this terminal has saved on the screen in use (DECSC), with its rendition. */
async function savedCursor(terminal: Terminal): Promise<{ readonly sequences: string; readonly isDrawing: boolean }> {
  await feed(terminal, `${ESC}8`);
  const { cursorX, cursorY } = terminal.buffer.active;
  const { rendition, isDrawing } = await nextCharacter(terminal);
  const [drawing, usual] = isDrawing ? [`${ESC}(0`, `${ESC}(B`] : ['', ''];
  return { sequences: `${rendition}${drawing}${cursorAt(cursorY, cursorX)}${ESC}7${ESC}[0m${usual}`, isDrawing };
}

/** Whether the sets that were chosen last are line drawing characters, as far as they are in use. */
function drawsLines(chosen: string): boolean {
  const isShifted = chosen.lastIndexOf(SHIFT_OUT) > chosen.lastIndexOf(SHIFT_IN);
  const choice = isShifted ? `${ESC})` : `${ESC}(`;
  const at = chosen.lastIndexOf(choice);
  return at !== -1 && chosen[at + choice.length] === '0';
}

/** The set in use is another than what was chosen last: a cursor that was restored has brought it along. */
function charsetInUse(isDrawing: boolean, isSavedDrawing: boolean): string {
  if (!isDrawing) {
    return USUAL_CHARSET;
  }
  return isSavedDrawing ? `${ESC}8` : LINES_CHARSET;
}

/** A cursor past the last column is put on it. */
function cursorAt(row: number, col: number): string {
  return `${ESC}[${Math.max(0, row) + 1};${col + 1}H`;
}

/** Printed once more, it leaves the cursor past the last column, where the next character wraps. */
function lastCharacter(cellAt: (column: number) => IBufferCell | undefined, cols: number): string {
  const last = cellAt(cols - 1);
  const cell = last?.getWidth() === 0 ? cellAt(cols - 2) : last;
  if (cell === undefined) {
    return '';
  }
  const back = cell.getWidth() > 1 ? `${ESC}[D` : '';
  return `${back}${renditionOf(cell)}${cell.getChars() === '' ? ' ' : cell.getChars()}`;
}
