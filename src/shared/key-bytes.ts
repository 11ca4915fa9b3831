/** What keys with a name send, as xterm does in its normal modes (invisible-island.net/xterm/ctlseqs, "PC-Style Function Keys"). */
export const NAMED_KEYS: Readonly<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  escape: '\u001B',
  esc: '\u001B',
  space: ' ',
  backspace: '\u007F',
  delete: '\u001B[3~',
  insert: '\u001B[2~',
  up: '\u001B[A',
  down: '\u001B[B',
  right: '\u001B[C',
  left: '\u001B[D',
  end: '\u001B[F',
  home: '\u001B[H',
  pageup: '\u001B[5~',
  pagedown: '\u001B[6~',
  's-tab': '\u001B[Z',
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

/** Named in the error for a key that is not known. */
export const KEY_EXAMPLES = 'Enter, Tab, Escape, Up, PageDown, F5, C-c, M-x';

/**
 * What a key sends: a name (`Enter`, `Up`, `F5`; case does not matter), one character, `C-` and a character for Ctrl,
 * `M-` and a key for Alt. Null for what is no key.
 */
export function keyBytes(key: string): string | null {
  const name = key.toLowerCase();
  if (Object.hasOwn(NAMED_KEYS, name)) {
    return NAMED_KEYS[name] ?? null;
  }
  if (/^m-/i.test(key)) {
    const inner = keyBytes(key.slice(2));
    return inner === null ? null : `\u001B${inner}`;
  }
  if (/^c-/i.test(key)) {
    return controlByte(key.slice(2));
  }
  return /^.$/su.test(key) ? key : null;
}

/** Ctrl takes the upper bits away (ECMA-48 C0): `@` to `_` and the letters; Ctrl-Space is NUL, Ctrl-? is DEL. */
function controlByte(key: string): string | null {
  if (key.toLowerCase() === 'space') {
    return '\0';
  }
  if (key === '?') {
    return '\u007F';
  }
  return /^[@-_a-z]$/.test(key) ? String.fromCharCode(key.toUpperCase().charCodeAt(0) & 0x1f) : null;
}
