import type { TerminalColours } from '../../shared/terminal-colours.ts';

/** Those of xterm.js without a theme: white on black with the Tango palette. */
export const DEFAULT_COLOURS: TerminalColours = {
  foreground: '#ffffff',
  background: '#000000',
  cursor: '#ffffff',
  ansi: [
    ...['#2e3436', '#cc0000', '#4e9a06', '#c4a000', '#3465a4', '#75507b', '#06989a', '#d3d7cf'],
    ...['#555753', '#ef2929', '#8ae234', '#fce94f', '#729fcf', '#ad7fa8', '#34e2e2', '#eeeeec'],
  ],
};

/** Red, green and blue, 0 to 255 each. */
type Rgb = readonly [number, number, number];

/** OSC numbers of the three special colours, in the order in which one sequence may go through them. */
const SPECIAL_NUMBERS = [10, 11, 12] as const;

const PALETTE_SIZE = 256;

/** Intensities of the 6 × 6 × 6 colour cube of the 256-colour palette. */
const CUBE_STEPS = [0x00, 0x5f, 0x87, 0xaf, 0xd7, 0xff] as const;

/**
 * The colours of one terminal: those it was given, and what the program in it has set since. Sequences and the form of the
 * replies: OSC 4, 10, 11, 12 and 104, 110, 111, 112 in invisible-island.net/xterm/ctlseqs; colour names (`red`) are not
 * known, as in xterm.js.
 */
export class ColourTable {
  readonly #special: readonly Rgb[];
  readonly #ansi: readonly Rgb[];
  /** Set by the program: by palette index, or by 256 and up for the special ones. */
  readonly #set = new Map<number, Rgb>();

  /** Throws a `RangeError` that names the colour which is not `#rrggbb`. */
  constructor(colours: TerminalColours) {
    const { special, ansi } = givenColours(colours);
    this.#special = special;
    this.#ansi = ansi;
  }

  /** Takes the payload of an OSC 4, which sets and asks by pairs `index;colour`, and answers the replies. */
  takePalette(payload: string): string {
    const slots = payload.split(';');
    let replies = '';
    for (let at = 0; at + 1 < slots.length; at += 2) {
      const index = paletteIndex(slots[at] ?? '');
      const spec = slots[at + 1] ?? '';
      if (index !== null) {
        replies += this.#setOrAsk(index, spec, `4;${index}`);
      }
    }
    return replies;
  }

  /** Takes the payload of an OSC 10, 11 or 12; further colours in it are for the numbers that follow. */
  takeSpecial(number: 10 | 11 | 12, payload: string): string {
    let replies = '';
    let at = SPECIAL_NUMBERS.indexOf(number);
    for (const spec of payload.split(';')) {
      const named = SPECIAL_NUMBERS[at];
      if (named === undefined) {
        break;
      }
      replies += this.#setOrAsk(PALETTE_SIZE + at, spec, String(named));
      at += 1;
    }
    return replies;
  }

  /** OSC 104: takes back the listed palette entries, or all of them when none is listed. */
  resetPalette(payload: string): void {
    const indices = payload === '' ? [...this.#set.keys()] : payload.split(';').map(paletteIndex);
    for (const index of indices) {
      if (index !== null && index < PALETTE_SIZE) {
        this.#set.delete(index);
      }
    }
  }

  /** OSC 110, 111 and 112, by the number of the colour that they take back. */
  resetSpecial(number: 10 | 11 | 12): void {
    this.#set.delete(PALETTE_SIZE + SPECIAL_NUMBERS.indexOf(number));
  }

  #setOrAsk(key: number, spec: string, name: string): string {
    if (spec === '?') {
      const hex = this.#colour(key).map((part) => part.toString(16).padStart(2, '0').repeat(2));
      return `\u001B]${name};rgb:${hex.join('/')}\u001B\\`;
    }
    const colour = colourOf(spec);
    if (colour !== null) {
      this.#set.set(key, colour);
    }
    return '';
  }

  #colour(key: number): Rgb {
    const given = key < PALETTE_SIZE ? this.#ansi[key] : this.#special[key - PALETTE_SIZE];
    return this.#set.get(key) ?? given ?? fixedColour(key);
  }
}

/** Palette entries 16 to 255: the colour cube, then 24 greys. */
function fixedColour(index: number): Rgb {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const step = (weight: number) => CUBE_STEPS[Math.floor((index - 16) / weight) % 6] ?? 0;
  return [step(36), step(6), step(1)];
}

function paletteIndex(text: string): number | null {
  const index = /^\d+$/.test(text) ? Number(text) : PALETTE_SIZE;
  return index < PALETTE_SIZE ? index : null;
}

/** Read once for all terminals that are given them. */
const read = new WeakMap<TerminalColours, { readonly special: readonly Rgb[]; readonly ansi: readonly Rgb[] }>();

/** Throws as the constructor of `ColourTable` does. */
function givenColours(colours: TerminalColours): { readonly special: readonly Rgb[]; readonly ansi: readonly Rgb[] } {
  const known = read.get(colours);
  if (known !== undefined) {
    return known;
  }
  const special = (['foreground', 'background', 'cursor'] as const).map((name) => givenColour(name, colours[name]));
  const ansi = colours.ansi.map((text, index) => givenColour(`ansi[${index}]`, text));
  if (ansi.length !== 16) {
    throw new RangeError(`ansi has ${ansi.length} colours instead of 16`);
  }
  read.set(colours, { special, ansi });
  return { special, ansi };
}

function givenColour(name: string, text: string): Rgb {
  const colour = /^#[\da-f]{6}$/i.test(text) ? colourOf(text) : null;
  if (colour === null) {
    throw new RangeError(`${name} is not a colour of the form #rrggbb: ${JSON.stringify(text)}`);
  }
  return colour;
}

/** A colour as XParseColor(3) writes them: `rgb:` with one to four digits a part, or `#` with three, six, nine or twelve. */
function colourOf(spec: string): Rgb | null {
  const parts = /^rgb:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})$/i.exec(spec)?.slice(1);
  if (parts !== undefined) {
    const digits = parts[0]?.length ?? 0;
    const most = 16 ** digits - 1;
    // The parts must be of one length, which is xterm.js's rule; X11 would take them mixed.
    return parts.every((part) => part.length === digits)
      ? rgb(parts, (value) => Math.round((value / most) * 255))
      : null;
  }
  const hex = /^#((?:[\da-f]{3}){1,4})$/i.exec(spec)?.[1];
  if (hex === undefined) {
    return null;
  }
  const digits = hex.length / 3;
  // The digits of this form are the highest ones of the value: `#f00` is `#f00000`.
  return rgb([hex.slice(0, digits), hex.slice(digits, 2 * digits), hex.slice(2 * digits)], (value) =>
    Math.floor((value * 256) / 16 ** digits),
  );
}

function rgb(parts: readonly string[], scaled: (value: number) => number): Rgb {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => scaled(Number.parseInt(part, 16)));
  return [red, green, blue];
}
