/**
 * What a line must get, and by what: `rule` a rule, `known-safe`, `unknown` (nothing is known of one of its programs),
 * or the doubt that decided.
 */
export type Expected =
  | 'allow known-safe'
  | 'allow rule'
  | 'ask rule'
  | 'forbid rule'
  | 'ask unknown'
  | `ask ${'unparsed' | 'parsers-differ' | 'hidden-characters' | 'computed-name' | 'computed-text' | 'environment' | 'redefines'}`
  | `ask ${'evaluates' | 'writes-file' | 'network' | 'odd-option' | 'other-shell'}`;

/** A command line as an agent gives it to a shell, what it must get, and why that is right. */
export type CommandRow = readonly [line: string, expected: Expected, why: string];
