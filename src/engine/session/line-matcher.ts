import { NON_WORD_CHARACTERS, type FindQuery } from '../../shared/output-search.ts';

/** A row of characters, as code points up to `length`. */
export interface MatchedRow {
  readonly codes: Uint32Array;
  readonly length: number;
}

const NON_WORD_CODES = new Set(Array.from(NON_WORD_CHARACTERS, codeOf));

/** Code points below this are ASCII. */
const ASCII_END = 0x80;

/** Lower case of each ASCII character. */
const ASCII_FOLDED = Uint8Array.from({ length: ASCII_END }, (_none, code) =>
  code > 0x40 && code < 0x5b ? code + 0x20 : code,
);

/**
 * Finds one text in rows of characters, looking at each character twice at most, whatever the text and the row are: what
 * began to match is not begun anew (Knuth, Morris and Pratt).
 */
export class LineMatcher {
  readonly #query: FindQuery;
  readonly #wanted: Uint32Array;
  /** How many of the first characters of the text the first so many of it end with, all of them excepted. */
  readonly #borders: Uint32Array;
  /** Lower case of the characters that came up, beyond ASCII. */
  readonly #folded = new Map<number, number>();
  /** Characters looked at in the last call. */
  spent = 0;
  #row: MatchedRow = { codes: new Uint32Array(), length: 0 };
  #at = 0;
  #matched = 0;

  constructor(query: FindQuery) {
    this.#query = query;
    this.#wanted = Uint32Array.from(Array.from(query.text, codeOf), (code) => this.#fold(code));
    this.#borders = bordersOf(this.#wanted);
  }

  /** Length of what is looked for, in characters. */
  get length(): number {
    return this.#wanted.length;
  }

  /** Begins with a row. */
  begin(row: MatchedRow): void {
    this.#row = row;
    this.#at = 0;
    this.#matched = 0;
  }

  /** Index of the next match behind the one before; -1 without one. Null when so many characters were looked at before. */
  next(maxCharacters: number): number | null {
    const [wanted, { codes, length }] = [this.#wanted, this.#row];
    const began = this.#at;
    const limit = Math.min(length, began + maxCharacters);
    let matched = this.#matched;
    let found = -1;
    while (this.#at < limit && found === -1) {
      const code = this.#fold(codes[this.#at] ?? 0);
      while (matched > 0 && wanted[matched] !== code) {
        matched = this.#borders[matched - 1] ?? 0;
      }
      matched += wanted[matched] === code ? 1 : 0;
      this.#at += 1;
      if (matched === wanted.length) {
        const isWhole = this.#isWhole(this.#at - matched, this.#at);
        found = isWhole ? this.#at - matched : -1;
        matched = isWhole ? 0 : (this.#borders[matched - 1] ?? 0);
      }
    }
    this.#matched = matched;
    this.spent = this.#at - began;
    return found === -1 && this.#at < length ? null : found;
  }

  #isWhole(at: number, end: number): boolean {
    const { codes, length } = this.#row;
    return !this.#query.wholeWord || (endsWord(at === 0, codes[at - 1]) && endsWord(end === length, codes[end]));
  }

  #fold(code: number): number {
    if (this.#query.matchCase) {
      return code;
    }
    return code < ASCII_END ? (ASCII_FOLDED[code] ?? code) : this.#foldLong(code);
  }

  #foldLong(code: number): number {
    let folded = this.#folded.get(code);
    if (folded === undefined) {
      const [lower = '', more] = String.fromCodePoint(code).toLowerCase();
      folded = more === undefined ? codeOf(lower) : code;
      this.#folded.set(code, folded);
    }
    return folded;
  }
}

function bordersOf(wanted: Uint32Array): Uint32Array {
  const borders = new Uint32Array(wanted.length);
  let length = 0;
  for (let index = 1; index < wanted.length; index += 1) {
    while (length > 0 && wanted[length] !== wanted[index]) {
      length = borders[length - 1] ?? 0;
    }
    length += wanted[length] === wanted[index] ? 1 : 0;
    borders[index] = length;
  }
  return borders;
}

function endsWord(isEdge: boolean, code: number | undefined): boolean {
  return isEdge || code === undefined || NON_WORD_CODES.has(code);
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
