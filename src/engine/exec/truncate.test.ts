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
