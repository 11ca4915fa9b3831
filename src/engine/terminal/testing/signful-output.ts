import fc from 'fast-check';

/** Signs that take no column, of each kind. */
export const SIGNS: readonly string[] = [
  '\u0301', // combining acute accent
  '\u0489', // combining, encloses
  '\u200B', // zero-width space
  '\u200D', // zero-width joiner
  '\u202E', // turns the direction
  '\u2060', // word joiner
  '\uFE0F', // variation selector
  '\u{E0100}', // variation selector, beyond 16 bits
];

const PLACES: readonly string[] = [
  '\r',
  '\n',
  '\r\n',
  '\b',
  '\t',
  '\u001B[31m',
  '\u001B[m',
  '\u001B[2;3H',
  '\u001B[H',
  '\u001B[3C',
  '\u001B[2D',
  '\u001B[K',
  '\u001B[4h',
  '\u001B[4l',
  '\u001B[?1049h',
  '\u001B]0;title\u0007',
];

/** Letters and wide characters in several lines, with such signs at all places. */
export const signfulOutput: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...SIGNS) },
      { weight: 2, arbitrary: fc.constantFrom(...PLACES) },
      { weight: 2, arbitrary: fc.constantFrom('a', 'b', ' ', '界', '😀', 'é') },
      fc.constant('0123456789'),
    ),
    { maxLength: 30, size: 'max' },
  )
  .map((parts) => parts.join(''));

export function withoutSigns(text: string): string {
  return SIGNS.reduce((rest, sign) => rest.replaceAll(sign, ''), text);
}
