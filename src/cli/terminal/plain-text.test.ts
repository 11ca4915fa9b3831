import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PlainText } from '../../shared/plain-text.ts';

function plain(...parts: readonly (string | Uint8Array)[]): string {
  const text = new PlainText(new TextDecoder());
  return parts.map((part) => text.push(Buffer.from(part))).join('') + text.end();
}

it.each([
  ['\u001B[1;31mred\u001B[0m', 'red'],
  ['a\r\nb\rc\r', 'a\nb\rc\r'],
  ['\u001B]0;a title\u0007x', 'x'],
  ['\u001B]8;;http://x\u001B\\link\u001B]8;;\u001B\\', 'link'],
  ['\u001BPq#0~\u001B\\after', 'after'],
  ['\u001B(Bx\u001B=y\u001B7z', 'xyz'],
  ['a\u0007\b\u0000b\tc\u007F', 'ab\tc'],
  ['\u009B31mred', 'red'],
  ['\u001B]never ended\u001B[31mred', 'red'],
  ['\u001B[31\u0018x', 'x'],
  ['é€🙂', 'é€🙂'],
  ['end\u001B[3', 'end'],
])('%j reads %j', (output, text) => {
  expect(plain(output)).toBe(text);
});

it('reads the same however the output is cut, also in the middle of a character', () => {
  const pieces = fc.constantFrom(
    'a',
    '\r',
    '\n',
    '\u001B',
    '[',
    ']',
    '0',
    ';',
    'm',
    '\u0007',
    '\\',
    'é',
    '🙂',
    '\u009B',
    'P',
    '\u0018',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), fc.array(fc.nat(80), { maxLength: 6 }), (words, cuts) => {
      const bytes = Buffer.from(words.join(''));
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
      const parts = places.slice(1).map((end, at) => bytes.subarray(places[at], end));
      expect(plain(...parts)).toBe(plain(bytes));
    }),
  );
});

it('what is left does nothing to a terminal', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(plain(bytes)).not.toMatch(/(?![\t\n\r])\p{Cc}/u);
    }),
  );
});

it('a string that never ends hides no more than a stated part', () => {
  expect(plain(`\u001B]${'x'.repeat(70_000)}`).length).toBeGreaterThan(4_000);
});
