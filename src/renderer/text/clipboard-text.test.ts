import { describe, expect, it } from 'vitest';
import { shownClipboardText } from './clipboard-text.ts';

describe('a text that is to be on the clipboard', () => {
  it.each([
    ['x', { size: '1 character', lines: ['x'], moreLines: 0 }],
    ['ls -la', { size: '6 characters', lines: ['ls -la'], moreLines: 0 }],
    ['👋', { size: '1 character', lines: ['👋'], moreLines: 0 }],
    ['ls\n', { size: '3 characters, with a line break at the end', lines: ['ls'], moreLines: 0 }],
    ['a\nb', { size: '3 characters in 2 lines', lines: ['a', 'b'], moreLines: 0 }],
    ['a\r\nb\r\n', { size: '6 characters in 2 lines, with a line break at the end', lines: ['a', 'b'], moreLines: 0 }],
    ['a\nb\nc\nd', { size: '7 characters in 4 lines', lines: ['a', 'b', 'c', 'd'], moreLines: 0 }],
    ['a\nb\nc\nd\ne', { size: '9 characters in 5 lines', lines: ['a', 'b', 'c'], moreLines: 2 }],
    ['\n', { size: '1 character, with a line break at the end', lines: [''], moreLines: 0 }],
  ])('%j is shown with its size and its first lines', (text, shown) => {
    expect(shownClipboardText(text)).toEqual(shown);
  });

  it.each([
    ['an escape', 'a\u001B[31mb', 'a\\u001b[31mb'],
    ['tab and carriage return', 'a\tb\rc', 'a\\tb\\rc'],
    ['NUL, DEL and C1', '\0\u007F\u009B', '\\u0000\\u007f\\u009b'],
    ['what turns the direction', 'a\u202Eb\u2066c', 'a\\u202eb\\u2066c'],
    ['what has no width', 'a\u200Bb\u00ADc\uFEFF', 'a\\u200bb\\u00adc\\ufeff'],
    ['letters of the tags', 'a\u{E0041}', 'a\\u{e0041}'],
    ['line ends that are none here', 'a\u2028b', 'a\\u2028b'],
  ])('shows %s', (_what, text, line) => {
    expect(shownClipboardText(text).lines).toEqual([line]);
  });

  it('is cut where a line is long, between characters', () => {
    const { size, lines } = shownClipboardText('👋'.repeat(1_200));
    expect([size, lines]).toEqual(['1,200 characters', [`${'👋'.repeat(160)}…`]]);
  });
});
