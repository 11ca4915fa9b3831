import type { IFunctionIdentifier } from '@xterm/xterm';

/** What is needed of xterm, in the page or headless. */
export interface CursorTerminal {
  readonly parser: {
    registerCsiHandler(id: IFunctionIdentifier, handle: (params: readonly (number | number[])[]) => boolean): unknown;
  };
  write(data: string): void;
}

/** DECTCEM: the cursor is not drawn. */
const HIDES_CURSOR = '\u001B[?25l';

const CURSOR_MODE = 25;

/**
 * Keeps a terminal from drawing a cursor for good, whatever is written to it: behind a pipe there is none. What shows it again
 * is DECTCEM and DECSTR; a full reset (RIS, `reset()`) leaves it as it is in xterm.js 6.
 */
export function hideCursor(terminal: CursorTerminal): void {
  terminal.write(HIDES_CURSOR);
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, (modes) => {
    if (!modes.includes(CURSOR_MODE)) {
      return false;
    }
    // The other modes beside it count.
    terminal.write(HIDES_CURSOR);
    return modes.length === 1;
  });
  terminal.parser.registerCsiHandler({ intermediates: '!', final: 'p' }, () => {
    terminal.write(HIDES_CURSOR);
    return false;
  });
}
