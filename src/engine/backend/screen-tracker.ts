/** Which of a terminal's two screens a child draws on: full-screen programs take the alternate one. */
export type Screen = 'alternate' | 'normal';

const ESC = 0x1b;

/** Private modes that choose the alternate screen (xterm, "Control Sequences", DECSET and DECRST). */
const ALTERNATE_SCREEN_MODES = ['47', '1047', '1049'];

/** Longest sequence that is kept, in bytes; a longer list of modes is ignored. */
const MAX_SEQUENCE_BYTES = 64;

/**
 * Keeps account of the screen that a child's output chooses: `CSI ? … h` and `l` with one of the modes above, and a
 * full reset (`ESC c`). Looks only at bytes after an ESC, wherever the output is cut into chunks.
 */
export class ScreenTracker {
  #screen: Screen = 'normal';
  /** What came of a sequence after its ESC; null between sequences. */
  #sequence: string | null = null;

  get screen(): Screen {
    return this.#screen;
  }

  feed(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#sequence === null) {
        const next = bytes.indexOf(ESC, at);
        if (next === -1) {
          return;
        }
        at = next;
        this.#sequence = '';
      } else {
        this.#next(this.#sequence, bytes[at] ?? 0);
      }
    }
  }

  #next(begun: string, byte: number): void {
    if (byte === ESC) {
      this.#sequence = '';
      return;
    }
    const sequence = begun + String.fromCharCode(byte);
    const goesOn = /^\[(?:\?[\d;]*)?$/.test(sequence) && sequence.length <= MAX_SEQUENCE_BYTES;
    this.#sequence = goesOn ? sequence : null;
    if (sequence === 'c') {
      this.#screen = 'normal';
    }
    const [, modes = '', final] = /^\[\?([\d;]+)([hl])$/.exec(sequence) ?? [];
    if (modes.split(';').some((mode) => ALTERNATE_SCREEN_MODES.includes(mode))) {
      this.#screen = final === 'h' ? 'alternate' : 'normal';
    }
  }
}
