import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser';

/** Section, key and so on; numbers are places in lists. */
export type SettingsPath = readonly (string | number)[];

/** What a person is told of a text that is no JSON; the rest of the parser's codes say enough by their names. */
const WORDS: Readonly<Record<string, string>> = {
  CommaExpected: 'a comma is missing',
  ColonExpected: 'a colon is missing',
  ValueExpected: 'a value is missing',
  PropertyNameExpected: 'a name in quotation marks is missing',
  CloseBraceExpected: 'a closing } is missing',
  CloseBracketExpected: 'a closing ] is missing',
  EndOfFileExpected: 'something follows after the end',
  InvalidSymbol: 'there is a word that is neither true, false nor null, and has no quotation marks',
  UnexpectedEndOfString: 'a closing quotation mark is missing',
  UnexpectedEndOfComment: 'the end of a comment is missing',
};

/** A settings file that is no JSON. */
export class SettingsSyntaxError extends Error {
  override readonly name = 'SettingsSyntaxError';
  /** Counted from 1. */
  readonly line: number;
  /** What is wrong there, without the line. */
  readonly why: string;

  constructor(line: number, why: string) {
    super(`line ${line}: ${why}`);
    this.line = line;
    this.why = why;
  }
}

/**
 * The text of a settings file and what it means: JSON, in which comments and commas at the end are allowed. A change keeps
 * everything else as the person wrote it: unknown keys, order, comments and spaces.
 */
export class SettingsDocument {
  readonly text: string;
  readonly #root: Node | undefined;

  /** Throws a `SettingsSyntaxError`. An empty text means an empty object. */
  constructor(text: string) {
    this.text = text.trim() === '' ? '{}\n' : text;
    const errors: ParseError[] = [];
    this.#root = parseTree(this.text, errors, { allowTrailingComma: true });
    const [error] = errors;
    if (error !== undefined) {
      const code = printParseErrorCode(error.error);
      throw new SettingsSyntaxError(this.#lineAt(error.offset), WORDS[code] ?? code);
    }
  }

  /** What it says, as plain data that is not checked. */
  get value(): unknown {
    return this.#root === undefined ? {} : (getNodeValue(this.#root) as unknown);
  }

  /** The line of a setting, counted from 1, or of the nearest thing around it; null when it has nothing of it. */
  lineOf(path: SettingsPath): number | null {
    for (let length = path.length; length > 0; length -= 1) {
      const node = this.#at(path.slice(0, length));
      if (node !== undefined) {
        return this.#lineAt(node.offset);
      }
    }
    return null;
  }

  has(path: SettingsPath): boolean {
    return this.#at(path) !== undefined;
  }

  /** The same with one setting changed; `undefined` takes it out, with what is empty around it then. */
  with(path: SettingsPath, value: unknown): SettingsDocument {
    if (value === undefined && !this.has(path)) {
      return this;
    }
    const edits = modify(this.text, [...path], value, {
      formattingOptions: { insertSpaces: true, tabSize: 2, eol: this.text.includes('\r\n') ? '\r\n' : '\n' },
    });
    const changed = new SettingsDocument(applyEdits(this.text, edits));
    const around = path.slice(0, -1);
    const isEmptied = value === undefined && around.length > 0 && changed.#at(around)?.children?.length === 0;
    return isEmptied ? changed.with(around, undefined) : changed;
  }

  #at(path: SettingsPath): Node | undefined {
    return this.#root === undefined ? undefined : findNodeAtLocation(this.#root, [...path]);
  }

  #lineAt(offset: number): number {
    return this.text.slice(0, offset).split('\n').length;
  }
}

/** The file as it is now; an empty one when there is none. Throws a `SettingsSyntaxError`, and what the system says. */
export function readSettingsDocument(path: string): SettingsDocument {
  try {
    return new SettingsDocument(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return new SettingsDocument('');
    }
    throw error;
  }
}

/** Writes it whole or not at all, readable by its owner alone. A link stays one: what it leads to is replaced. */
export function writeSettingsDocument(path: string, document: SettingsDocument): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const target = targetOf(path);
  const draft = `${target}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, document.text, { mode: 0o600, flag: 'wx' });
  renameSync(draft, target);
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return path;
    }
    throw error;
  }
}
