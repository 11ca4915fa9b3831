import { unfinishedLength } from './unfinished-character.ts';

/** The release of Unicode whose widths count. */
const UNICODE_VERSION = '11';

/** Before it no character is without a width but control characters, and those are not printed. */
const FIRST_WITHOUT_WIDTH = 0x300;

interface PrintedCell {
  getChars(): string;
  getWidth(): number;
}

/** What is used of a terminal of xterm.js, of a window's or of a headless one. */
export interface CellTerminal<Addon> {
  loadAddon(addon: Addon): void;
  readonly unicode: { activeVersion: string };
  readonly buffer: {
    readonly active: {
      readonly baseY: number;
      readonly cursorX: number;
      readonly cursorY: number;
      getLine(row: number): { getCell(column: number): PrintedCell | undefined } | undefined;
    };
  };
}

/** What xterm.js 6.0.0 has and does not give out. */
interface XtermCore {
  readonly unicodeService: { wcwidth(code: number): number };
  readonly _inputHandler: {
    print(codes: Uint32Array, start: number, end: number): void;
    /** Of what was printed last: twice its width and a bit for what joined it. 0 after each sequence and control character. */
    readonly _parser: { precedingJoinState: number };
    /** Of what is written as bytes. Answers how many code points it has put into the target. */
    readonly _utf8Decoder: { decode(bytes: Uint8Array, target: Uint32Array): number };
  };
}

/**
 * Makes a terminal put what is printed into the cells that every terminal of ours has it in, with a window or without. For one
 * that has printed nothing yet: widths are baked into its cells. `addon` is a new `Unicode11Addon`.
 *
 * Two things are mended that xterm.js 6.0.0 does by itself:
 * - A sign without a width (combining mark, joiner, variation selector, zero-width space) takes no column: it joins the
 *   character to the left of the cursor, also behind a sequence, and goes where there is none. So do xterm, VTE and kitty,
 *   and programs count on it. xterm.js joins it only to what was printed just before, and else gives it a cell that has no
 *   width, so that the row is drawn a column short of where its cells are (xterm.js #2668, #5237).
 * - A character whose bytes come in two writes is one. Its decoder takes a byte 0x80 before the cut for the end of what it
 *   has, and loses the character: a dash, quotes, the full stop of Chinese.
 */
export function setUpCells<Addon>(terminal: CellTerminal<Addon>, addon: Addon): void {
  terminal.loadAddon(addon);
  terminal.unicode.activeVersion = UNICODE_VERSION;
  const core = coreOf(terminal);
  joinSigns(terminal.buffer, core);
  keepCutCharacters(core);
}

function joinSigns(
  buffer: CellTerminal<never>['buffer'],
  { unicodeService, _inputHandler: handler }: Pick<XtermCore, 'unicodeService' | '_inputHandler'>,
): void {
  const print = handler.print.bind(handler);
  handler.print = (codes, start, end) => {
    let at = start;
    while (at < end && (codes[at] ?? 0) >= FIRST_WITHOUT_WIDTH && unicodeService.wcwidth(codes[at] ?? 0) === 0) {
      at += 1;
    }
    if (at === start) {
      print(codes, start, end);
      return;
    }
    const width = widthBeforeCursor(buffer);
    if (width > 0) {
      handler._parser.precedingJoinState = width << 1;
      print(codes, start, end);
    } else if (at < end) {
      print(codes, at, end);
    }
  };
}

/** Columns of the character to the left of the cursor; 0 where there is none, and where the cursor stands within it. */
function widthBeforeCursor({ active }: CellTerminal<never>['buffer']): number {
  const { baseY, cursorX, cursorY } = active;
  const line = active.getLine(baseY + cursorY);
  const isWide = cursorX > 1 && line?.getCell(cursorX - 1)?.getWidth() === 0;
  const width = isWide ? 2 : 1;
  const cell = cursorX < width ? undefined : line?.getCell(cursorX - width);
  return cell?.getChars() !== '' && cell?.getWidth() === width ? width : 0;
}

function keepCutCharacters({ _inputHandler: { _utf8Decoder: decoder } }: Pick<XtermCore, '_inputHandler'>): void {
  const decode = decoder.decode.bind(decoder);
  let held: Uint8Array = new Uint8Array();
  decoder.decode = (written, target) => {
    const bytes = held.length === 0 ? written : joined(held, written);
    const end = bytes.length - unfinishedLength(bytes);
    held = bytes.slice(end);
    return decode(bytes.subarray(0, end), target);
  };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

function coreOf(terminal: object): XtermCore {
  const core = (terminal as { readonly _core?: Partial<XtermCore> })._core;
  if (
    typeof core?._inputHandler?.print !== 'function' ||
    typeof core._inputHandler._parser.precedingJoinState !== 'number' ||
    typeof core._inputHandler._utf8Decoder.decode !== 'function' ||
    typeof core.unicodeService?.wcwidth !== 'function'
  ) {
    throw new TypeError('xterm.js is another than 6.0.0: what is printed cannot be given its cells');
  }
  return core as XtermCore;
}
