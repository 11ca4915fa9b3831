import type { IBuffer, Terminal } from '@xterm/headless';
import { renditionOf } from '../buffer-drawing.ts';

/** What xterm.js knows and does not tell by its interface; version 6.0.0. */
interface XtermCore {
  readonly coreService: { readonly isCursorHidden: boolean; readonly decPrivateModes: object; readonly modes: object };
  readonly coreMouseService: { readonly activeProtocol: string; readonly activeEncoding: string };
  readonly _charsetService: { readonly charset: unknown; readonly glevel: number };
  readonly buffer: { readonly scrollTop: number; readonly scrollBottom: number };
}

/** All that a person sees of a terminal's screen, and all that its next bytes depend on, as plain data. */
export function shownState(terminal: Terminal) {
  const { buffer, cols, rows } = terminal;
  const core = (terminal as unknown as { readonly _core: XtermCore })._core;
  const { coreService, coreMouseService, _charsetService: charsets } = core;
  return {
    size: { cols, rows },
    screen: buffer.active.type,
    rows: rowsOf(buffer.active, rows),
    cursor: { row: buffer.active.cursorY, col: buffer.active.cursorX, isHidden: coreService.isCursorHidden },
    modes: { ...coreService.modes, ...coreService.decPrivateModes },
    mouse: { protocol: coreMouseService.activeProtocol, encoding: coreMouseService.activeEncoding },
    charset: { charset: charsets.charset ?? null, level: charsets.glevel },
    region: { top: core.buffer.scrollTop, bottom: core.buffer.scrollBottom },
  };
}

/** Each row as text with the rendition of each stretch, and whether it goes on from the one before. */
function rowsOf(buffer: IBuffer, rows: number): readonly string[] {
  const cell = buffer.getNullCell();
  return Array.from({ length: rows }, (_row, row) => {
    const line = buffer.getLine(buffer.baseY + row);
    // The first line of a screen may go on from one that has left; blank lines that came before it since tell nothing of it.
    const before =
      row === 0
        ? ''
        : buffer
            .getLine(buffer.baseY + row - 1)
            ?.translateToString(true)
            .trim();
    let text = line?.isWrapped === true && before !== '' ? '↳' : '';
    let rendition = '\u001B[0m';
    for (let column = 0; column < (line?.length ?? 0); column += 1) {
      line?.getCell(column, cell);
      const characters = cell.getChars();
      const own = characters === '' ? background(renditionOf(cell)) : renditionOf(cell);
      // A blank looks like a cell that nothing was printed to.
      const shown = characters === '' || characters === ' ' ? '·'.repeat(cell.getWidth()) : characters;
      text += own === rendition ? shown : `<${own.slice(2, -1)}>${shown}`;
      rendition = own;
    }
    return text;
  });
}

/** What is seen of a rendition where nothing was printed. */
function background(rendition: string): string {
  const [colour] = /48;(?:5;\d+|2;\d+;\d+;\d+)/.exec(rendition) ?? [];
  return colour === undefined ? '\u001B[0m' : `\u001B[0;${colour}m`;
}
