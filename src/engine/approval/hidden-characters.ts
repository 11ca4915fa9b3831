/**
 * Characters that show as nothing, as other ones, or in another order: controls but tab and newline, format characters
 * (zero-width, bidirectional), every space but the plain one, line and paragraph separators, private and unassigned ones,
 * halves of surrogate pairs.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\p{Zs}]/u;

/** Letters and signs that show as nothing: Hangul fillers, the grapheme joiner, the empty braille pattern. */
const BLANK = new Set(['\u115f', '\u1160', '\u3164', '\uffa0', '\u034f', '\u2800']);

/** Of these, the ones that a command line is made of. */
const PLAIN = new Set(['\t', '\n', ' ']);

/** The first such character of a text as `U+202E`; null when there is none. */
export function hiddenCharacter(text: string): string | null {
  for (const character of text) {
    if (BLANK.has(character) || (HIDDEN.test(character) && !PLAIN.has(character))) {
      return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    }
  }
  return null;
}
