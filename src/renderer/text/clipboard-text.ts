/** How a text that a program wants on the clipboard is shown to the person who decides about it. */
import { shownText } from '../../shared/shown-text.ts';

/** Lines shown of it, or one more where that is all, and characters of each. */
const SHOWN_LINES = 3;
const SHOWN_LINE_LENGTH = 160;

export interface ShownClipboardText {
  /** `12 characters`, `1,204 characters in 3 lines`; and that it ends with a line break, since a paste may run by that. */
  readonly size: string;
  /** Its first lines, what is unseen in them as escapes. */
  readonly lines: readonly string[];
  /** Lines after those. */
  readonly moreLines: number;
}

/** What the person is shown of a text. */
export function shownClipboardText(text: string): ShownClipboardText {
  const endsWithBreak = text.endsWith('\n');
  const lines = (endsWithBreak ? text.slice(0, -1) : text).split('\n');
  const shownCount = lines.length === SHOWN_LINES + 1 ? lines.length : SHOWN_LINES;
  const characters = Array.from(text).length;
  const count = characters === 1 ? '1 character' : `${characters.toLocaleString('en')} characters`;
  const inLines = lines.length === 1 ? '' : ` in ${lines.length.toLocaleString('en')} lines`;
  return {
    size: `${count}${inLines}${endsWithBreak ? ', with a line break at the end' : ''}`,
    lines: lines.slice(0, shownCount).map(shownLine),
    moreLines: Math.max(0, lines.length - shownCount),
  };
}

function shownLine(line: string): string {
  // CR LF is a line's end like LF.
  const characters = Array.from(line.endsWith('\r') ? line.slice(0, -1) : line);
  const shown = characters.slice(0, SHOWN_LINE_LENGTH).join('');
  return characters.length > SHOWN_LINE_LENGTH ? `${shownText(shown)}…` : shownText(shown);
}
