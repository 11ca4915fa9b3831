import fc from 'fast-check';
import { expect, it } from 'vitest';
import { QuestionFilter } from './question-filter.ts';

function shown(...parts: readonly Uint8Array[]): string {
  const filter = new QuestionFilter();
  return Buffer.concat([...parts.map((part) => filter.push(part)), filter.end()]).toString('latin1');
}

const ofText = (text: string) => shown(Buffer.from(text, 'latin1'));

it.each([
  '\u001B[c',
  '\u001B[0c',
  '\u001B[>c',
  '\u001B[=c',
  '\u001B[5n',
  '\u001B[6n',
  '\u001B[?6n',
  '\u001B[?996n',
  '\u001B[4$p',
  '\u001B[?2026$p',
  '\u001B[>q',
  '\u001B[>0q',
  '\u001B[?u',
  '\u001B[14t',
  '\u001B[18t',
  '\u001BP$qm\u001B\\',
  '\u001BP+q544e\u001B\\',
  '\u001B]4;1;?\u0007',
  '\u001B]10;?\u001B\\',
  '\u001B]11;?\u0007',
  '\u001B]52;c;?\u0007',
  '\u001BZ',
  '\u0005',
])('the question %j is taken out', (question) => {
  expect(ofText(`a${question}b`)).toBe('ab');
});

it.each([
  '\u001B[31m',
  '\u001B[?1049h',
  '\u001B[2J',
  '\u001B[22;0t',
  '\u001B[8;24;80t',
  '\u001B[>4;2m',
  '\u001B[>1u',
  '\u001B[2 q',
  '\u001B]0;is it?\u0007',
  '\u001B]11;#ffffff\u001B\\',
  '\u001B]52;c;aGk=\u0007',
  '\u001BPq#0\u001B\\',
  '\u001BM',
  '\u001B',
  '\u001B[1',
  '\u001B[1\u001B[2J',
  '\u001B]0;\u0018x',
])('%j passes as it is', (output) => {
  expect(ofText(`a${output}`)).toBe(`a${output}`);
});

it('a sequence that is too long to be a question passes, however long', () => {
  const long = `\u001B]0;${'x'.repeat(10_000)}\u0007`;
  expect(ofText(long)).toBe(long);
});

it('shows the same however the output is cut', () => {
  const pieces = fc.constantFrom(
    'a',
    '\u001B',
    '[',
    ']',
    '?',
    '6',
    'n',
    ';',
    'c',
    '\u0007',
    '\\',
    '1',
    'P',
    '$',
    'q',
    '\u0018',
    '\u0005',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (words) => {
      const bytes = Buffer.from(words.join(''), 'latin1');
      expect(shown(...[...bytes].map((byte) => Uint8Array.of(byte)))).toBe(shown(bytes));
    }),
  );
});
