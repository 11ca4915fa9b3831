/** What is used of a terminal of xterm.js, of a window's or of a headless one. */
export interface StateTerminal {
  readonly rows: number;
  readonly cols: number;
  readonly modes: object;
  readonly buffer: {
    readonly active: {
      readonly type: 'normal' | 'alternate';
      readonly baseY: number;
      readonly cursorX: number;
      readonly cursorY: number;
      getLine(row: number): { getCell(column: number): StateCell | undefined } | undefined;
    };
  };
}

/** A flag of a cell is 0 where it does not hold. */
interface StateCell {
  getChars(): string;
  getWidth(): number;
  isFgDefault(): boolean;
  isFgRGB(): boolean;
  getFgColor(): number;
  isBgDefault(): boolean;
  isBgRGB(): boolean;
  getBgColor(): number;
  isBold(): number;
  isDim(): number;
  isItalic(): number;
  isUnderline(): number;
  isBlink(): number;
  isInverse(): number;
  isInvisible(): number;
  isStrikethrough(): number;
  isOverline(): number;
}

/** What is seen of a terminal, and how it takes input, as plain data. */
export interface ScreenState {
  readonly screen: 'normal' | 'alternate';
  /** Of the screen, each without its trailing blanks. */
  readonly rows: readonly string[];
  /** Each of those as stretches of one look, whole: `⟨bold fg 1⟩text⟨bg #ff8700⟩···`. Blanks are `·`. */
  readonly looks: readonly string[];
  /** From 0. */
  readonly cursor: { readonly row: number; readonly col: number };
  readonly modes: Readonly<Record<string, unknown>>;
}

/** The state of a terminal's screen, for a comparison with another one's. */
export function screenState({ buffer, rows, cols, modes }: StateTerminal): ScreenState {
  const { active } = buffer;
  const lines = Array.from({ length: rows }, (_row, row) => {
    const line = active.getLine(active.baseY + row);
    return Array.from({ length: cols }, (_column, column) => line?.getCell(column)).filter(
      (cell) => cell !== undefined,
    );
  });
  return {
    screen: active.type,
    rows: lines.map((cells) =>
      cells
        .map((cell) => cell.getChars() || ' '.repeat(cell.getWidth()))
        .join('')
        .trimEnd(),
    ),
    looks: lines.map(stretches),
    cursor: { row: active.cursorY, col: active.cursorX },
    modes: { ...modes },
  };
}

function stretches(cells: readonly StateCell[]): string {
  let text = '';
  let before = '';
  // Those without a width are the second halves of wide ones.
  for (const cell of cells.filter((one) => one.getWidth() > 0)) {
    const characters = cell.getChars();
    // Where nothing was printed only the background is seen.
    const look = characters === '' ? background(cell) : lookOf(cell);
    text += look === before ? '' : `⟨${look}⟩`;
    // A blank looks like a cell that nothing was printed to.
    text += characters === '' || characters === ' ' ? '·'.repeat(cell.getWidth()) : characters;
    before = look;
  }
  return text;
}

function lookOf(cell: StateCell): string {
  const flags = {
    bold: cell.isBold(),
    dim: cell.isDim(),
    italic: cell.isItalic(),
    underline: cell.isUnderline(),
    blink: cell.isBlink(),
    inverse: cell.isInverse(),
    invisible: cell.isInvisible(),
    struck: cell.isStrikethrough(),
    overline: cell.isOverline(),
  };
  const foreground = cell.isFgDefault() ? [] : [`fg ${colourText(cell.getFgColor(), cell.isFgRGB())}`];
  const named = Object.entries(flags).flatMap(([name, flag]) => (flag === 0 ? [] : [name]));
  return [...named, ...foreground, background(cell)].filter((part) => part !== '').join(' ');
}

function background(cell: StateCell): string {
  return cell.isBgDefault() ? '' : `bg ${colourText(cell.getBgColor(), cell.isBgRGB())}`;
}

/** A colour of its own, or the number of one in the palette. */
function colourText(colour: number, isRgb: boolean): string {
  return isRgb ? `#${colour.toString(16).padStart(6, '0')}` : String(colour);
}
