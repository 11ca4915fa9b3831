const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const SPACE = 0x20;
const DELETE = 0x7f;
const BACKSLASH = 0x5c;

/** As UTF-8, characters from U+0080 to U+009F (C1) are this byte and one more: the second half of an older set of controls. */
const C1_LEAD = 0xc2;
const C1_LAST = 0x9f;
/** ST of C1, after its lead. */
const C1_END = 0x9c;

/** The first byte of a character beyond ASCII is this one or a greater one. */
const LONG_LEAD = 0xc2;

/** After ESC. */
export const CSI = 0x5b;

/** After ESC, what opens a string: OSC, DCS, and SOS, PM, APC, which no terminal of ours obeys. */
const STRINGS: ReadonlyMap<number, 'title' | 'device' | 'message'> = new Map([
  [0x5d, 'title'],
  [0x50, 'device'],
  [0x58, 'message'],
  [0x5e, 'message'],
  [0x5f, 'message'],
]);

/**
 * Looks for the end of escape sequences, one after the other, in steps: one that never ends takes all that a program ever
 * printed. Strings end as in xterm.js 6.0.0, which gives up none however long it is: beyond 10,000,000 characters it forgets what is
 * in it, and goes on to wait for its end. One that does not end in its line ends with that.
 */
export class SequenceEnd {
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;
  #to = 0;
  #kind: 'control' | 'title' | 'device' | 'message' | 'short' = 'short';

  /** Index of the first byte that has not been looked at. */
  get at(): number {
    return this.#at;
  }

  /** Begins with the sequence of the ESC at an index; the line ends before `to`. */
  begin(bytes: Uint8Array, escape: number, to: number): void {
    const opener = escape + 1 < to ? (bytes[escape + 1] ?? 0) : 0;
    this.#bytes = bytes;
    this.#to = to;
    this.#kind = opener === CSI ? 'control' : (STRINGS.get(opener) ?? 'short');
    this.#at = Math.min(to, this.#kind === 'short' ? escape + 1 : escape + 2);
  }

  /** The index after the sequence. Null when that is not before `limit`: the next call goes on from there. */
  find(limit: number): number | null {
    const stop = Math.min(this.#to, Math.ceil(limit));
    const end =
      this.#kind === 'control'
        ? this.#endOfParameters(stop, 0x3f, 0x40)
        : this.#kind === 'short'
          ? this.#endOfParameters(stop, 0x2f, 0x30)
          : this.#endOfString(stop);
    return end ?? (this.#at < this.#to ? null : this.#to);
  }

  /** Bytes from a blank on up to the last of them, and a final from the first one on; what is neither belongs to the text. */
  #endOfParameters(stop: number, last: number, firstFinal: number): number | null {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < stop && (bytes[at] ?? 0) >= SPACE && (bytes[at] ?? 0) <= last) {
      at += 1;
    }
    this.#at = at;
    if (at >= stop) {
      return null;
    }
    const byte = bytes[at] ?? 0;
    return byte >= firstFinal && byte < DELETE ? at + 1 : at;
  }

  #endOfString(stop: number): number | null {
    const [bytes, to] = [this.#bytes, this.#to];
    for (let at = this.#at; at < stop; at += 1) {
      const byte = bytes[at] ?? 0;
      if ((byte === BEL && this.#kind === 'title') || byte === CAN || byte === SUB) {
        return at + 1;
      }
      const next = at + 1 < to ? (bytes[at + 1] ?? 0) : 0;
      // Another sequence ends it, and so does each control of C1.
      if (byte === ESC) {
        return next === BACKSLASH ? at + 2 : at;
      }
      if (byte === C1_LEAD && next > DELETE && next <= C1_LAST) {
        return next === C1_END ? at + 2 : at;
      }
      if (byte >= LONG_LEAD && this.#kind === 'message') {
        return Math.min(to, at + (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2));
      }
    }
    this.#at = stop;
    return null;
  }
}
