/** What puts each private mode (DECSET, CSI ? Ps h) back to how a shell expects it. Others are left as they are. */
const RESTORED_BY: ReadonlyMap<number, string> = new Map([
  // Cursor keys, origin, the reversed screen; autowrap and the cursor are on.
  [1, '\u001B[?1l'],
  [5, '\u001B[?5l'],
  [6, '\u001B[?6l'],
  [7, '\u001B[?7h'],
  [25, '\u001B[?25h'],
  // Mouse reports and their encodings, focus reports.
  ...[9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016].map((mode) => [mode, `\u001B[?${mode}l`] as const),
  // The alternate screen in its three forms.
  [47, '\u001B[?47l'],
  [1047, '\u001B[?1047l'],
  [1049, '\u001B[?1049l'],
  // Bracketed paste, synchronized output.
  [2004, '\u001B[?2004l'],
  [2026, '\u001B[?2026l'],
]);

/** Modes that are on to begin with. */
const ON_AT_START = new Set([7, 25]);

/** Longest part of a sequence kept for the next piece, in bytes. */
const MAX_TAIL_BYTES = 64;

/** What comes after an ESC and is complete: a CSI up to its final byte, or anything else. */
const WHOLE = /^(?:\[[^@-~]*[@-~]|[^[])/;

/** What may set a mode, less its ESC: prefix, parameters and final byte of a CSI; or a keypad's mode, or a reset. */
const SEQUENCE = /^(?:\[([?<>=]?)([\d;]*) ?([A-Za-z])|[=>c])/;

/**
 * Keeps account of the modes that output has set in the person's terminal, so that they can be put back when she leaves.
 * Only what was changed is: to leave an alternate screen that was never entered would move the cursor.
 */
export class TerminalModes {
  readonly #changed = new Set<number>();
  #keypad = false;
  #modifyOtherKeys = false;
  #kittyDepth = 0;
  #shape = false;
  #tail = '';

  watch(bytes: Uint8Array): void {
    const text = this.#tail + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const escape = text.lastIndexOf('\u001B');
    const isOpen = escape !== -1 && text.length - escape <= MAX_TAIL_BYTES && !WHOLE.test(text.slice(escape + 1));
    this.#tail = isOpen ? text.slice(escape) : '';
    const [, ...sequences] = (isOpen ? text.slice(0, escape) : text).split('\u001B');
    for (const sequence of sequences) {
      const parts = SEQUENCE.exec(sequence);
      if (parts !== null) {
        this.#apply(parts[0], parts[1] ?? '', parts[2] ?? '', parts[3] ?? '');
      }
    }
  }

  /** What puts the terminal back. Colours and character sets always: they cost nothing. */
  restoring(): string {
    const modes = [...this.#changed].map((mode) => RESTORED_BY.get(mode) ?? '').join('');
    return [
      modes,
      this.#keypad ? '\u001B>' : '',
      this.#modifyOtherKeys ? '\u001B[>4;0m' : '',
      this.#kittyDepth > 0 ? `\u001B[<${this.#kittyDepth}u` : '',
      this.#shape ? '\u001B[0 q' : '',
      '\u001B(B\u001B[0m',
    ].join('');
  }

  #apply(sequence: string, prefix: string, params: string, final: string): void {
    if (final === '') {
      this.#keypad = sequence === '=';
      if (sequence === 'c') {
        this.#changed.clear();
      }
      return;
    }
    const numbers = params.split(';').map(Number);
    if (prefix === '?' && (final === 'h' || final === 'l')) {
      for (const mode of numbers.filter((number) => RESTORED_BY.has(number))) {
        if ((final === 'h') === ON_AT_START.has(mode)) {
          this.#changed.delete(mode);
        } else {
          this.#changed.add(mode);
        }
      }
    } else if (prefix === '>' && final === 'm') {
      this.#modifyOtherKeys = numbers[0] === 4 && (numbers[1] ?? 0) > 0;
    } else if (prefix === '>' && final === 'u') {
      this.#kittyDepth += 1;
    } else if (prefix === '<' && final === 'u') {
      this.#kittyDepth = Math.max(0, this.#kittyDepth - Math.max(1, numbers[0] ?? 1));
    } else if (sequence.endsWith(' q')) {
      this.#shape = true;
    }
  }
}
