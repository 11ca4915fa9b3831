/** Keeps tab, line feed and carriage return; takes every other control character, C1 and DEL included. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * Makes clipboard text safe to type into a terminal. Without ESC (and its 8-bit form U+009B) no `ESC[201~` in the
 * clipboard can end a bracketed paste early and have the rest run as typed input; xterm.js 6.0.0 does not see to it.
 * The other controls go as well: a pasted Ctrl-C or Ctrl-D is never what was copied from a page.
 */
export function pasteText(clipboardText: string): string {
  return clipboardText.replaceAll(CONTROL_CHARACTERS, '');
}

/** The lines of a text. What ends the last one begins no other. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
