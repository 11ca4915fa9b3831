import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstUnseen, oneLine, oneLineCommand, shownLines, shownText, shownWords } from './shown-text.ts';

/** What turns the direction of what follows, by Unicode's own list (UAX 9, 2). */
const TURNS = [0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];

describe('text of others', () => {
  it.each(TURNS.map((code) => [code.toString(16).padStart(4, '0'), String.fromCodePoint(code)]))(
    'tells of U+%s, which turns the direction',
    (code, character) => {
      for (const show of [shownText, shownWords, shownLines, oneLine, oneLineCommand]) {
        expect(show(`a${character}b`)).toBe(`a\\u${code}b`);
      }
    },
  );

  it.each([
    ['no width', 'a\u200Bb\u2060c\uFEFFd\u00ADe', 'a\\u200bb\\u2060c\\ufeffd\\u00ade'],
    ['a joiner between letters that join nothing', 'rm\u200D\u200C -rf', 'rm\\u200d\\u200c -rf'],
    ['a joiner at the end of a sign', '👩\u200D', '👩\\u200d'],
    ['a joiner beside a sign of a script that is unseen itself', '\u0627\u200D\u061Cb', 'ا\\u200d\\u061cb'],
    ['a joiner behind one', 'echo \u061C\u200D\u0627', 'echo \\u061c\\u200d\u0627'],
    ['a joiner between letters of two scripts', '\u0915\u200D\u0627', '\u0915\\u200d\u0627'],
    ['a joiner between signs that no font joins', '©\u200D©', '©\\u200d©'],
    ['controls', '\0\u0007\u001B[2K\u007F\u009B', '\\u0000\\u0007\\u001b[2K\\u007f\\u009b'],
    ['line ends and tabs', 'a\tb\r\nc', 'a\\tb\\r\\nc'],
    ['line ends that are none', 'a\u2028b\u2029c\u0085', 'a\\u2028b\\u2029c\\u0085'],
    ['tags', 'a\u{E0041}\u{E0020}', 'a\\u{e0041}\\u{e0020}'],
    ['letters that draw nothing', 'a\u3164\u115F\u034F\u2800', 'a\\u3164\\u115f\\u034f\\u2800'],
    ['variation selectors', 'a\uFE0F1\uFE0F\u{E0100}', 'a\\ufe0f1\\ufe0f\\u{e0100}'],
    ['halves of pairs', 'a\uD83D b\uDE00', 'a\\ud83d b\\ude00'],
    ['what is private or assigned to nothing', '\uE000\u0378', '\\ue000\\u0378'],
    ['spaces that part nothing', 'ls\u00A0-la\u3000x', 'ls\\u00a0-la\\u3000x'],
  ])('tells of %s', (_what, text, shown) => {
    expect(shownText(text)).toBe(shown);
  });

  it.each([
    'npm test -- --grep "grüße"',
    '日本語 한글 שלום مرحبا हिन्दी ไทย',
    'e\u0301 n\u0303',
    '👋 👍🏽 👩‍👩‍👧 🏳️‍🌈 ❤️ ❤︎ 1️⃣ #️⃣ 🇯🇵',
    'می‌خواهم क्‍ष',
  ])('shows %j as it is', (text) => {
    expect(shownText(text)).toBe(text);
    expect(oneLine(text)).toBe(text);
  });

  it('finds the first that is unseen, or none', () => {
    expect(firstUnseen('a\tb\n❤️\uFE0Fc\u202E')).toBe('\uFE0F');
    expect(firstUnseen('a\tb\n👩‍👩‍👧 c')).toBeNull();
    expect(firstUnseen('a\rb')).toBe('\r');
    expect(firstUnseen('a\u{E0100}')).toBe('\u{E0100}');
  });

  it('has spaces, line ends and tabs in words and lines', () => {
    expect(shownWords('a\u3000b\n\tc\u202E')).toBe('a\u3000b\n\tc\\u202e');
    expect(shownLines('a\u3000b\n\tc\r')).toBe('a\\u3000b\n\tc\\r');
    expect(oneLine(' a \n\t b\u3000c ')).toBe('a b\u3000c');
    expect(oneLineCommand(' a \n\t b\u3000c\n')).toBe('a b\\u3000c');
  });

  it('is the same when it is shown once more, also of signs that join and are joined', () => {
    const signs = fc.constantFrom(
      '\u200C',
      '\u200D',
      '\u061C',
      '\u0600',
      '\uFE0F',
      'ا',
      'क',
      '👩',
      '👧',
      '©',
      '1',
      '\u20E3',
      '🏽',
    );
    fc.assert(
      fc.property(fc.string({ unit: signs, maxLength: 8 }), (text) => {
        const shown = shownText(text);
        expect(shownText(shown)).toBe(shown);
        expect(firstUnseen(shown)).toBeNull();
        expect(shown).not.toMatch(/\u061c|(?:^|[^\p{L}\p{M}\p{Emoji}\ufe0f])[\u200c\u200d]|[\u200c\u200d]$/u);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the same when it is shown once more, and has nothing that is unseen, whatever it is', () => {
    const unseen =
      /[\p{Cc}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u00A0]/u;
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = shownText(text);
        expect(shown).not.toMatch(unseen);
        expect(firstUnseen(text) === null).toBe(shownLines(text) === text);
        expect(shownText(shown)).toBe(shown);
      }),
    );
  });
});
