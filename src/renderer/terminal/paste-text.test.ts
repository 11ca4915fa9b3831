import fc from 'fast-check';
import { expect, it } from 'vitest';
import { linesOf, pasteText } from './paste-text.ts';

it('takes the end mark of a bracketed paste out of the clipboard, in both of its forms', () => {
  expect(pasteText('ls\u001B[201~\nrm -rf /')).toBe('ls[201~\nrm -rf /');
  expect(pasteText('ls\u009B201~\nrm -rf /')).toBe('ls201~\nrm -rf /');
});

it('keeps lines, tabs and every other alphabet', () => {
  expect(pasteText('a\tb\r\nc\n漢字 é 👩‍💻 \u00A0')).toBe('a\tb\r\nc\n漢字 é 👩‍💻 \u00A0');
});

it('lets no control character through but tab, line feed and carriage return', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(pasteText(text).replaceAll(/[\t\n\r]/g, '')).not.toMatch(/\p{Cc}/u);
    }),
  );
});

it.each([
  ['one', 1],
  ['one\n', 1],
  ['one\r\ntwo', 2],
  ['one\rtwo\r', 2],
  ['one\n\n', 2],
  ['', 0],
])('%j has so many lines: %d', (text, count) => {
  expect(linesOf(text)).toHaveLength(count);
});
