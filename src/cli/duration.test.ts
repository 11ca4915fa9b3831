import { expect, it } from 'vitest';
import { ageText, durationArgument } from './duration.ts';

it.each([
  ['500', 500],
  ['0', 0],
  ['250ms', 250],
  ['1.5s', 1_500],
  ['2m', 120_000],
  ['1h', 3_600_000],
])('%s is %i ms', (text, ms) => {
  expect(durationArgument(text)).toBe(ms);
});

it.each(['', 'soon', '-1', '1d', '1 s', 'Infinity', '1e3'])('%j is no time', (text) => {
  expect(() => durationArgument(text)).toThrow('It must be a time like');
});

it.each([
  [-5, '0s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [3_599_999, '59m'],
  [7_200_000, '2h'],
  [200_000_000, '2d'],
])('%i ms ago reads %s', (ms, text) => {
  expect(ageText(ms)).toBe(text);
});
