/**
 * One word of a command, as far as it can be known before the shell runs it:
 * - `text`: exactly this, quotes taken off;
 * - `operand`: unknown, possibly several words or none, but none that begins with a dash (a file pattern like `src/*.ts`);
 * - `unknown`: anything, also an option (`$X`, `*`, `{a,-b}`).
 */
export type JudgedWord =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'operand' }
  | { readonly kind: 'unknown' };

/** One simple command: a program or builtin with its words. */
export interface PlainCommand {
  /** The name first; never empty. */
  readonly words: readonly [JudgedWord, ...JudgedWord[]];
  /** As it was written, for a person. */
  readonly source: string;
}

/**
 * Why a command line is not as plain as its commands look. With any of them it is not known to be safe, whatever runs.
 *
 * - `unparsed` a parser found an error, or a construct that is not known here
 * - `parsers-differ` the second parser sees other commands
 * - `hidden-characters` characters that a person does not see, or sees as others
 * - `computed-name` which program runs is decided by the shell only when it runs
 * - `computed-text` a text that is run as commands is made only when it runs
 * - `environment` a variable is set that may change what a program does
 * - `redefines` a function is defined, which may shadow a program
 * - `evaluates` an expansion that can run commands by what a variable holds, or that assigns
 * - `writes-file` a redirection writes
 * - `network` a redirection opens a connection
 * - `odd-option` a program that runs others was given an option that is not known here
 * - `other-name` the program is told another name than that which it is started by
 * - `other-shell` the text is for a shell whose language this parser does not know
 */
export type DoubtCode =
  | 'unparsed'
  | 'parsers-differ'
  | 'hidden-characters'
  | 'computed-name'
  | 'computed-text'
  | 'environment'
  | 'redefines'
  | 'evaluates'
  | 'writes-file'
  | 'network'
  | 'odd-option'
  | 'other-name'
  | 'other-shell';

export interface Doubt {
  readonly code: DoubtCode;
  /** A sentence for a person. */
  readonly why: string;
}

/** What a text, or an argv, would run. */
export interface Reading {
  readonly commands: readonly PlainCommand[];
  readonly doubts: readonly Doubt[];
}

export const UNKNOWN: JudgedWord = { kind: 'unknown' };

export function textWord(value: string): JudgedWord {
  return { kind: 'text', value };
}

/** The word's text; null where only the shell will know it. */
export function textOf(word: JudgedWord | undefined): string | null {
  return word?.kind === 'text' ? word.value : null;
}

/** Folders that only an administrator writes to. A program by a path elsewhere is not the one its name says. */
const SYSTEM_FOLDERS = ['/bin/', '/usr/bin/', '/usr/local/bin/', '/sbin/', '/usr/sbin/', '/opt/homebrew/bin/'];

/** The program's bare name where it is one of the system's by that name; else null. */
export function systemProgram(word: JudgedWord | undefined): string | null {
  const name = textOf(word);
  if (name === null || name === '') {
    return null;
  }
  const folder = SYSTEM_FOLDERS.find((prefix) => name.startsWith(prefix));
  const bare = folder === undefined ? name : name.slice(folder.length);
  return bare.includes('/') ? null : bare;
}
