import type { TerminalSize } from '../../shared/session.ts';
import { feed, headlessTerminal } from './headless-terminal.ts';

/** What a terminal shows at one moment, as text. */
export interface ScreenView {
  readonly size: TerminalSize;
  /** Each row of the screen from the top, without its trailing blanks. */
  readonly rows: readonly string[];
  /** From 0, at the top left. */
  readonly cursor: { readonly row: number; readonly col: number };
  /** What the program set as its window's title; empty when nothing. */
  readonly title: string;
  /** A full-screen program has taken the screen. */
  readonly alternate: boolean;
  /** The program wants cursor keys in their application form (DECCKM). */
  readonly applicationCursorKeys: boolean;
}

/** Output with the size that it was made for. */
export interface SizedOutput {
  readonly bytes: Uint8Array;
  readonly size: TerminalSize;
}

/** What the output shows in the end, on a terminal that starts empty, or on its alternate screen. */
export async function screenView(
  output: Iterable<SizedOutput>,
  size: TerminalSize,
  onAlternate: boolean,
): Promise<ScreenView> {
  const terminal = headlessTerminal({ size, scrollback: size.rows, convertEol: false });
  let title = '';
  terminal.onTitleChange((changed) => {
    title = changed;
  });
  try {
    await feed(terminal, onAlternate ? '\u001B[?1049h' : '');
    for (const piece of output) {
      if (piece.size.cols !== terminal.cols || piece.size.rows !== terminal.rows) {
        await feed(terminal, '');
        terminal.resize(piece.size.cols, piece.size.rows);
      }
      await feed(terminal, piece.bytes);
    }
    if (size.cols !== terminal.cols || size.rows !== terminal.rows) {
      terminal.resize(size.cols, size.rows);
    }
    const { active } = terminal.buffer;
    const rows = Array.from(
      { length: terminal.rows },
      (_row, row) =>
        active
          .getLine(active.baseY + row)
          ?.translateToString(true)
          .trimEnd() ?? '',
    );
    return {
      size: { cols: terminal.cols, rows: terminal.rows },
      rows,
      cursor: { row: active.cursorY, col: active.cursorX },
      title,
      alternate: active.type === 'alternate',
      applicationCursorKeys: terminal.modes.applicationCursorKeysMode,
    };
  } finally {
    terminal.dispose();
  }
}
