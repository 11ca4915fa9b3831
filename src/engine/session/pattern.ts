import { RE2JS, RE2JSException } from 're2js';
import { EngineError } from '../../shared/errors.ts';

/** Longest pattern, in characters: one of 2,000 can take a second to compile. */
const MAX_PATTERN_CHARACTERS = 500;

/**
 * A pattern of a client, in the syntax of RE2: no back references, and so never slow. `^` and `$` match at lines. Throws
 * `invalid-argument` for one that is too long or none.
 */
export function compilePattern(pattern: string, ignoreCase: boolean): RE2JS {
  if (pattern.length > MAX_PATTERN_CHARACTERS) {
    throw new EngineError('invalid-argument', `pattern: at most ${MAX_PATTERN_CHARACTERS} characters long`);
  }
  try {
    return RE2JS.compile(pattern, ignoreCase ? RE2JS.MULTILINE | RE2JS.CASE_INSENSITIVE : RE2JS.MULTILINE);
  } catch (error) {
    if (error instanceof RE2JSException) {
      throw new EngineError('invalid-argument', `pattern: ${error.message} (RE2 syntax)`, { cause: error });
    }
    throw error;
  }
}
