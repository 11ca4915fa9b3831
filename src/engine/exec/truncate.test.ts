import fc from 'fast-check';
import { expect, test } from 'vitest';
import { truncateMiddle } from './truncate.ts';

const marker = (leftOut: number) => `[… ${leftOut} bytes left out …]`;

test('A11: an answer over the cap is cut in the middle, head and tail kept, and says how much left', () => {
  const text = `${'h'.repeat(100)}${'m'.repeat(1_000)}${'t'.repeat(100)}`;
  const cut = truncateMiddle(text, 200, marker);
  expect(cut.text).toMatch(/^h+\[… \d+ bytes left out …\]t+$/);
  expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(200);
  expect(cut.text).toContain(marker(cut.leftOutBytes));
});

test('A11: for any text and any cap it fits, breaks no character, and what is left out is what is missing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat({ max: 400 }), (text, maxBytes) => {
      const cut = truncateMiddle(text, maxBytes, marker);
      const total = Buffer.byteLength(text);
      if (total <= maxBytes) {
        expect(cut).toEqual({ text, leftOutBytes: 0 });
        return;
      }
      expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(maxBytes);
      expect(cut.text).not.toContain('\uFFFD');
      if (cut.text !== '') {
        const [head = '', tail = ''] = cut.text.split(marker(cut.leftOutBytes));
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail) + cut.leftOutBytes).toBe(total);
      }
    }),
    { numRuns: 500 },
  );
});

test('of several markers the first is taken that leaves room for the text, and the last where there is little', () => {
  const long = (leftOut: number) => `[… ${leftOut} bytes left out; all of it is in a file …]`;
  const text = 'x'.repeat(1_000);
  expect(truncateMiddle(text, 200, long, marker).text).toContain('all of it is in a file');
  expect(truncateMiddle(text, 60, long, marker).text).toMatch(/^x+\[… \d+ bytes left out …\]x+$/);
  expect(truncateMiddle(text, 10, long, marker)).toEqual({ text: '', leftOutBytes: 1_000 });
});

test('two ends of a longer text are cut like the whole of it', () => {
  const unit = fc.string({ unit: 'grapheme', maxLength: 100 });
  fc.assert(
    fc.property(unit, unit, fc.nat({ max: 1_000_000 }), fc.nat({ max: 400 }), (head, tail, skippedBytes, maxBytes) => {
      const cut = truncateMiddle({ head, tail, skippedBytes }, maxBytes, marker);
      expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(maxBytes);
      if (cut.text !== '') {
        const [begin = '', end = ''] = cut.text.split(marker(cut.leftOutBytes));
        expect(head.startsWith(begin)).toBe(true);
        expect(tail.endsWith(end)).toBe(true);
        const total = Buffer.byteLength(head) + skippedBytes + Buffer.byteLength(tail);
        expect(Buffer.byteLength(begin) + Buffer.byteLength(end) + cut.leftOutBytes).toBe(total);
      }
    }),
    { numRuns: 500 },
  );
});
