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

/** Finds one text in rows of characters: by simple comparison, so that no text takes long. */
export class LineMatcher {
  readonly #query: FindQuery;
  readonly #wanted: Uint32Array;
  /** Lower case of the characters that came up, beyond ASCII. */
  readonly #folded = new Map<number, number>();

  constructor(query: FindQuery) {
    this.#query = query;
    this.#wanted = Uint32Array.from(Array.from(query.text, codeOf), (code) => this.#fold(code));
  }

  /** Length of what is looked for, in characters. */
  get length(): number {
    return this.#wanted.length;
  }

  /** Index of the first match at or after an index; -1 without one. */
  next(row: MatchedRow, from: number): number {
    const [first] = this.#wanted;
    const last = row.length - this.#wanted.length;
    if (first === undefined) {
      return -1;
    }
    for (let at = from; at <= last; at += 1) {
      if (this.#fold(row.codes[at] ?? 0) === first && this.#matchesAt(row, at)) {
        return at;
      }
    }
    return -1;
  }

  #matchesAt({ codes, length }: MatchedRow, at: number): boolean {
    const wanted = this.#wanted;
    for (let index = 1; index < wanted.length; index += 1) {
      if (this.#fold(codes[at + index] ?? 0) !== wanted[index]) {
        return false;
      }
    }
    const end = at + wanted.length;
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

function endsWord(isEdge: boolean, code: number | undefined): boolean {
  return isEdge || code === undefined || NON_WORD_CODES.has(code);
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
