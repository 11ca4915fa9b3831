import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal, type IBuffer } from '@xterm/headless';
import { setUpCells } from '../../shared/printed-cells.ts';
import type { TerminalSize } from '../../shared/session.ts';

/** Largest terminal in each direction, as in a pane. What claims to be larger must not cost gigabytes here. */
const MAX_CELLS = 2_000;

/** Text parsed in one turn of the loop, in characters; xterm looks at the clock between writes only. */
const WRITE_CHARACTERS = 32 * 1024;

export interface HeadlessOptions {
  readonly size: TerminalSize;
  /** Lines kept above the screen. */
  readonly scrollback: number;
  /** For output of pipes, whose lines end without a carriage return. */
  readonly convertEol: boolean;
}

/** A terminal without a window, of the width rules of a pane. To be disposed of. */
export function headlessTerminal({ size, scrollback, convertEol }: HeadlessOptions): Terminal {
  const terminal = new Terminal({
    cols: Math.min(size.cols, MAX_CELLS),
    rows: Math.min(size.rows, MAX_CELLS),
    allowProposedApi: true, // for `unicode`
    logLevel: 'off',
    scrollback,
    convertEol,
  });
  setUpCells(terminal, new Unicode11Addon());
  return terminal;
}

/** Resolves when all of it is parsed. */
export function feed(terminal: Terminal, text: string | Uint8Array): Promise<void> {
  for (let at = 0; at < text.length; at += WRITE_CHARACTERS) {
    terminal.write(text.slice(at, at + WRITE_CHARACTERS));
  }
  return new Promise((resolve) => {
    terminal.write('', resolve);
  });
}

/** A buffer's lines down to the cursor or the last one that is not empty, soft-wrapped ones joined. */
export function linesOf(buffer: IBuffer): readonly string[] {
  const cursorRow = buffer.baseY + buffer.cursorY;
  const lines: string[] = [];
  let end = 0;
  for (let row = 0; row < buffer.length; row += 1) {
    const line = buffer.getLine(row);
    // Trimmed are cells that were never printed to; blanks that were printed stay.
    const text = line?.translateToString(true) ?? '';
    const isWrapped = line?.isWrapped === true && lines.length > 0;
    lines.push(isWrapped ? (lines.pop() ?? '') + text : text);
    if (text !== '' || row <= cursorRow) {
      end = lines.length;
    }
  }
  return lines.slice(0, end);
}
