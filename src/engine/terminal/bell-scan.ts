const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const SPACE = 0x20;
const DELETE = 0x7f;
/** After ESC: what begins an OSC, which a BEL ends. */
const OSC = 0x5d;
/** After ESC: what begins a DCS, SOS, PM or APC, in which a BEL is nothing. */
const OTHER_STRINGS = new Set([0x50, 0x58, 0x5e, 0x5f]);

type State = 'text' | 'escape' | 'osc' | 'other-string';

/**
 * Finds bells in output that comes in pieces cut anywhere, and tells them from a BEL that ends a string, as that of a title.
 * ASCII alone: the one-character forms of OSC and DCS (U+0080 to U+009F) are not looked for. Looks at single bytes only beside a BEL or an ESC.
 */
export class BellScan {
  #state: State = 'text';

  /** Whether it rang in these bytes. */
  rings(bytes: Buffer): boolean {
    let rings = false;
    let from = 0;
    for (let bel = bytes.indexOf(BEL); bel !== -1; bel = bytes.indexOf(BEL, from)) {
      const state = this.#after(bytes.subarray(from, bel));
      rings ||= state === 'text' || state === 'escape';
      this.#state = state === 'osc' ? 'text' : state;
      from = bel + 1;
    }
    this.#state = this.#after(bytes.subarray(from));
    return rings;
  }

  /** What bytes without a BEL lead to: the last ESC in them decides. */
  #after(bytes: Buffer): State {
    const escape = bytes.lastIndexOf(ESC);
    let state = this.#state;
    let rest = bytes;
    if (escape !== -1) {
      state = 'escape';
      rest = bytes.subarray(escape + 1);
    }
    if (rest.includes(CAN) || rest.includes(SUB)) {
      return 'text';
    }
    return state === 'escape' ? begunBy(rest) : state;
  }
}

/** What follows an ESC; control characters between change nothing. */
function begunBy(bytes: Buffer): State {
  const kind = bytes.find((byte) => byte >= SPACE && byte !== DELETE);
  if (kind === undefined) {
    return 'escape';
  }
  if (kind === OSC) {
    return 'osc';
  }
  return OTHER_STRINGS.has(kind) ? 'other-string' : 'text';
}
