import { NAMED_KEYS } from '../../shared/key-bytes.ts';

/** Keys that cursor keys share two forms with: `CSI` as usual, `SS3` when the program asked for it (DECCKM, xterm). */
const CURSOR_KEYS: Readonly<Record<string, string>> = {
  up: 'A',
  down: 'B',
  right: 'C',
  left: 'D',
  home: 'H',
  end: 'F',
};

/** The others, also by what models call them. */
const PLAIN_KEYS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(NAMED_KEYS).filter(([name]) => !Object.hasOwn(CURSOR_KEYS, name))),
  return: '\r',
  'shift-tab': '\u001B[Z',
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
