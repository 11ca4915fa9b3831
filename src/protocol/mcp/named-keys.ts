/** Keys that cursor keys share two forms with: `CSI` as usual, `SS3` when the program asked for it (DECCKM, xterm). */
const CURSOR_KEYS: Readonly<Record<string, string>> = {
  up: 'A',
  down: 'B',
  right: 'C',
  left: 'D',
  home: 'H',
  end: 'F',
};

/** What a terminal of the xterm family sends for the other keys. */
const PLAIN_KEYS: Readonly<Record<string, string>> = {
  enter: '\r',
  return: '\r',
  tab: '\t',
  'shift-tab': '\u001B[Z',
  escape: '\u001B',
  esc: '\u001B',
  space: ' ',
  backspace: '\u007F',
  delete: '\u001B[3~',
  insert: '\u001B[2~',
  pageup: '\u001B[5~',
  pagedown: '\u001B[6~',
  f1: '\u001BOP',
  f2: '\u001BOQ',
  f3: '\u001BOR',
  f4: '\u001BOS',
  f5: '\u001B[15~',
  f6: '\u001B[17~',
  f7: '\u001B[18~',
  f8: '\u001B[19~',
  f9: '\u001B[20~',
  f10: '\u001B[21~',
  f11: '\u001B[23~',
  f12: '\u001B[24~',
};

/** Whether what a key sends depends on the mode that its program set. */
export function isCursorKey(name: string): boolean {
  return Object.hasOwn(CURSOR_KEYS, normalized(name));
}

/**
 * What a named key sends: a single character itself, `enter`, `up`, `f5`, `ctrl-c` (also `C-c`, `^C`), `alt-x`; names in any case, `-` and `_`
 * alike. Null for a name that is none.
 */
export function keyBytes(name: string, applicationCursorKeys: boolean): string | null {
  if (/^[^\p{C}\p{Z}]$/u.test(name)) {
    return name;
  }
  const key = normalized(name);
  const cursor = CURSOR_KEYS[key];
  if (cursor !== undefined && Object.hasOwn(CURSOR_KEYS, key)) {
    return `\u001B${applicationCursorKeys ? 'O' : '['}${cursor}`;
  }
  if (Object.hasOwn(PLAIN_KEYS, key)) {
    return PLAIN_KEYS[key] ?? null;
  }
  const control = /^(?:ctrl-|control-|c-|\^)([a-z@[\\\]^_])$/.exec(key)?.[1];
  if (control !== undefined) {
    return String.fromCharCode(control.toUpperCase().charCodeAt(0) & 0x1f);
  }
  // The character itself keeps its case.
  const meta = /^(?:alt|meta|m)-(.)$/su.exec(
    name
      .trim()
      .replace(/^(\w+)_/, '$1-')
      .replace(/^\w+/, (word) => word.toLowerCase()),
  )?.[1];
  return meta === undefined ? null : `\u001B${meta}`;
}

/** For an error: what there is. */
export const KEY_NAMES = `${[...Object.keys(CURSOR_KEYS), ...Object.keys(PLAIN_KEYS)].join(', ')}, ctrl-a … ctrl-z, alt-x, and any single character`;

function normalized(name: string): string {
  const key = name
    .trim()
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^\{(.*)\}$/, '$1');
  return key === 'page-up' || key === 'page-down' ? key.replace('-', '') : key;
}
