import { expect, it } from 'vitest';
import { bytesText, durationText } from './quantity-text.ts';

it.each([
  [-5, '0 ms'],
  [340, '340 ms'],
  [999.6, '1.0 s'],
  [1_234, '1.2 s'],
  [59_949, '59.9 s'],
  [59_950, '1 min 0 s'],
  [125_000, '2 min 5 s'],
  [3_599_600, '1 h 0 min'],
  [11_520_000, '3 h 12 min'],
])('writes a span of %d ms as %s', (spanMs, text) => {
  expect(durationText(spanMs)).toBe(text);
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [99_949, '99.9 kB'],
  [123_456, '123 kB'],
  [999_999, '1.0 MB'],
  [3_200_000, '3.2 MB'],
  [7_000_000_000_000_000, '7000 TB'],
])('writes %d bytes as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
