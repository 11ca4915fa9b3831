/** Which of a terminal's two screens a child draws on: full-screen programs take the alternate one. */
export type Screen = 'alternate' | 'normal';

const ESC = 0x1b;
const BRACKET = 0x5b;
const QUESTION = 0x3f;
const SEMICOLON = 0x3b;
const ZERO = 0x30;
const NINE = 0x39;
const SET = 0x68; // h
const RESET = 0x6c; // l
const FULL_RESET = 0x63; // c

/** Private modes that choose the alternate screen (xterm, "Control Sequences", DECSET and DECRST). */
const ALTERNATE_SCREEN_MODES = new Set([47, 1047, 1049]);

/** Where in `ESC [ ? 1 ; 2 h` the tracker is. */
type Place = 'text' | 'after-escape' | 'after-bracket' | 'in-modes';

/**
 * Keeps account of the screen that a child's output chooses: `CSI ? … h` and `l` with one of the modes above, and a
 * full reset (`ESC c`). Looks only at bytes after an ESC, wherever the output is cut into chunks.
 */
export class ScreenTracker {
  #screen: Screen = 'normal';
  #place: Place = 'text';
  /** The number that is being read. */
  #mode = 0;
  /** One of the modes of this sequence chooses the alternate screen. */
  #choosesAlternate = false;

  get screen(): Screen {
    return this.#screen;
  }

  /** `onSwitch` is told of the number of bytes up to and with each sequence that changes the screen. */
  feed(bytes: Uint8Array, onSwitch: (end: number) => void = () => {}): void {
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#place === 'text') {
        at = bytes.indexOf(ESC, at);
        if (at === -1) {
          return;
        }
        this.#place = 'after-escape';
      } else {
        const before = this.#screen;
        this.#next(bytes[at] ?? 0);
        if (this.#screen !== before) {
          onSwitch(at + 1);
        }
      }
    }
  }

  #next(byte: number): void {
    if (byte === ESC) {
      this.#place = 'after-escape';
      return;
    }
    switch (this.#place) {
      case 'after-escape':
        this.#place = byte === BRACKET ? 'after-bracket' : 'text';
        if (byte === FULL_RESET) {
          this.#screen = 'normal';
        }
        break;
      case 'after-bracket':
        this.#place = byte === QUESTION ? 'in-modes' : 'text';
        this.#mode = 0;
        this.#choosesAlternate = false;
        break;
      case 'in-modes':
        this.#nextInModes(byte);
        break;
      case 'text':
        break;
    }
  }

  #nextInModes(byte: number): void {
    if (byte >= ZERO && byte <= NINE) {
      // Longer numbers than any mode's stay large, and are none of ours.
      this.#mode = Math.min(this.#mode * 10 + (byte - ZERO), 1_000_000);
      return;
    }
    this.#choosesAlternate ||= ALTERNATE_SCREEN_MODES.has(this.#mode);
    this.#mode = 0;
    if (byte === SEMICOLON) {
      return;
    }
    this.#place = 'text';
    if (this.#choosesAlternate && (byte === SET || byte === RESET)) {
      this.#screen = byte === SET ? 'alternate' : 'normal';
    }
  }
}
