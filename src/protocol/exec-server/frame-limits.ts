/**
 * What one frame of a client may be, judged before anything is built of it. The figures and texts are those that
 * `codex exec-server` 0.169 showed; docs/exec-server.md lists them.
 */

/** Largest frame, in bytes of UTF-8. A longer one ends a WebSocket connection; on stdio it is passed over and answered. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/** JSON values in one frame: the message itself, every object, array, string, number and literal in it; keys are none. */
export const MAX_FRAME_VALUES = 262_144;

/** Objects and arrays that may be open at once, the message itself counted. */
export const MAX_FRAME_DEPTH = 127;

/** A frame is no message: JSON that is none, over a limit, or of another shape. The message says which, and where. */
export class MalformedFrameError extends Error {
  override readonly name = 'MalformedFrameError';
}

const WHITESPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PART_OF_A_NUMBER = /[0-9.eE+-]/y;
/** No group is repeated in it: that would overflow the stack on a chunk of some megabytes. */
const PLAIN_CHARACTERS = /[^"\\\u0000-\u001f]*/y; // oxlint-disable-line no-control-regex -- JSON forbids just these
const SIMPLE_ESCAPE = /\\["\\/bfnrt]/y;
const UNICODE_ESCAPE = /\\u([0-9a-fA-F]{4})/y;
const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

/**
 * Walks through a frame by RFC 8259 without building a value, and answers the text of the message's own `id` member as it
 * stands in the frame (a number of 64 bits does not survive `JSON.parse`); null where there is none, or where it is an
 * object or array.
 *
 * Throws a `MalformedFrameError` for text that is no JSON, and beyond the grammar: above `MAX_FRAME_VALUES` or
 * `MAX_FRAME_DEPTH`, for a key that an object has twice (readers disagree on which one counts), and for half a surrogate
 * pair (no UTF-8 can carry it to a child). Positions count characters, from line 1 and column 1. What passes is parsed by
 * `JSON.parse` without an error. Time and memory are linear in the length of the text.
 */
export function scanFrame(text: string): { readonly idText: string | null } {
  return new FrameScanner(text).scan();
}

/** An open object has the keys that it had so far; an open array has none. */
type Open = Set<string> | null;

class FrameScanner {
  readonly #text: string;
  /** Index of the next character. */
  #at = 0;
  #values = 0;
  readonly #open: Open[] = [];
  #idText: string | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): { readonly idText: string | null } {
    let isId = false;
    // Each turn takes one value, or the beginning of one, and then all that may follow it up to the next value.
    do {
      this.#skipWhitespace();
      this.#countValue();
      const start = this.#at;
      if (this.#takes('{')) {
        this.#push(new Set());
        if (!this.#endsEmpty('}', 'an object')) {
          isId = this.#key();
          continue;
        }
      } else if (this.#takes('[')) {
        this.#push(null);
        if (!this.#endsEmpty(']', 'a list')) {
          continue;
        }
      } else {
        this.#scalar();
        if (isId) {
          this.#idText = this.#text.slice(start, this.#at);
        }
      }
      isId = this.#follow();
    } while (this.#open.length > 0);
    this.#skipWhitespace();
    if (this.#at < this.#text.length) {
      this.#fail('trailing characters', this.#at + 1);
    }
    return { idText: this.#idText };
  }

  /** After a value: closes what ends here, up to the place of the next value. Answers whether that is the message's id. */
  #follow(): boolean {
    while (this.#open.length > 0) {
      const keys = this.#open.at(-1) ?? null;
      const end = keys === null ? ']' : '}';
      this.#skipWhitespace();
      if (this.#takes(end)) {
        this.#open.pop();
        continue;
      }
      if (!this.#takes(',')) {
        this.#failOrEof(`expected \`,\` or \`${end}\``, keys === null ? 'a list' : 'an object');
      }
      this.#skipWhitespace();
      if (this.#text[this.#at] === end) {
        this.#fail('trailing comma', this.#at + 1);
      }
      return keys !== null && this.#key();
    }
    return false;
  }

  #push(open: Open): void {
    this.#open.push(open);
    if (this.#open.length > MAX_FRAME_DEPTH) {
      this.#fail('recursion limit exceeded', this.#at);
    }
  }

  #endsEmpty(end: string, what: string): boolean {
    this.#skipWhitespace();
    if (this.#at === this.#text.length) {
      this.#fail(`EOF while parsing ${what}`, this.#at);
    }
    if (!this.#takes(end)) {
      return false;
    }
    this.#open.pop();
    return true;
  }

  /** A key and its colon. Answers whether it is `id` in the message itself. */
  #key(): boolean {
    if (this.#text[this.#at] !== '"') {
      this.#failOrEof('key must be a string', 'a value');
    }
    const start = this.#at;
    const plain = this.#string();
    const key = plain
      ? this.#text.slice(start + 1, this.#at - 1)
      : (JSON.parse(this.#text.slice(start, this.#at)) as string);
    const keys = this.#open.at(-1);
    if (keys?.has(key) === true) {
      this.#fail(`duplicate JSON object key \`${key}\``, this.#at);
    }
    keys?.add(key);
    this.#skipWhitespace();
    if (!this.#takes(':')) {
      this.#failOrEof('expected `:`', 'an object');
    }
    return this.#open.length === 1 && key === 'id';
  }

  #countValue(): void {
    this.#values += 1;
    if (this.#values > MAX_FRAME_VALUES) {
      this.#fail(`JSON-RPC message exceeds the limit of ${MAX_FRAME_VALUES} JSON values`, this.#at);
    }
  }

  #scalar(): void {
    const character = this.#text[this.#at];
    if (character === '"') {
      this.#string();
      return;
    }
    const literal = LITERALS[character ?? ''];
    if (literal !== undefined) {
      this.#literal(literal);
    } else if (character !== undefined && /[-0-9]/.test(character)) {
      if (!this.#matches(NUMBER) || this.#looksAt(PART_OF_A_NUMBER)) {
        this.#fail('invalid number', this.#at + 1);
      }
    } else {
      this.#failOrEof('expected value', 'a value');
    }
  }

  #literal(literal: string): void {
    for (const character of literal) {
      if (!this.#takes(character)) {
        this.#failOrEof('expected ident', 'a value');
      }
    }
  }

  /** A string with its quotes. Answers whether it stands for itself, without escapes. */
  #string(): boolean {
    this.#at += 1;
    for (let plain = true; ; plain = false) {
      this.#matches(PLAIN_CHARACTERS);
      if (this.#takes('"')) {
        return plain;
      }
      if (this.#text[this.#at] !== '\\') {
        this.#failOrEof('control character (\\u0000-\\u001F) found while parsing a string', 'a string');
      }
      if (!this.#matches(SIMPLE_ESCAPE)) {
        this.#unicodeEscape();
      }
    }
  }

  #unicodeEscape(): void {
    const first = this.#codeUnit();
    if (first >= 0xdc00 && first <= 0xdfff) {
      this.#fail('lone leading surrogate in hex escape', this.#at);
    }
    if (first >= 0xd800 && first <= 0xdbff) {
      if (this.#text[this.#at] !== '\\' || this.#text[this.#at + 1] !== 'u') {
        this.#fail('unexpected end of hex escape', this.#at + 1);
      }
      const second = this.#codeUnit();
      if (second < 0xdc00 || second > 0xdfff) {
        this.#fail('lone leading surrogate in hex escape', this.#at);
      }
    }
  }

  #codeUnit(): number {
    const start = this.#at;
    if (!this.#matches(UNICODE_ESCAPE)) {
      this.#fail('invalid escape', this.#at + 2);
    }
    return Number.parseInt(this.#text.slice(start + 2, this.#at), 16);
  }

  #skipWhitespace(): void {
    this.#matches(WHITESPACE);
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) {
      return false;
    }
    this.#at += 1;
    return true;
  }

  #matches(pattern: RegExp): boolean {
    const found = this.#looksAt(pattern);
    if (found) {
      this.#at = pattern.lastIndex;
    }
    return found;
  }

  #looksAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  #failOrEof(why: string, unfinished: string): never {
    if (this.#at >= this.#text.length) {
      this.#fail(`EOF while parsing ${unfinished}`, this.#at);
    }
    this.#fail(why, this.#at + 1);
  }

  /** `end`: how many characters of the text had been looked at. */
  #fail(why: string, end: number): never {
    const before = this.#text.slice(0, end);
    const lines = before.split('\n');
    throw new MalformedFrameError(`${why} at line ${lines.length} column ${lines.at(-1)?.length ?? 0}`);
  }
}
