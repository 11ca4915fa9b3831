import { describe, expect, test } from 'vitest';
import { FloodCheck, floodText } from './flood-text.ts';

const text = floodText();

function checked(repetitions: number, tty: boolean, pieces: readonly Buffer[]) {
  const check = new FloodCheck(repetitions, tty);
  for (const piece of pieces) {
    check.take(piece);
  }
  const { bytes, lostBytes, wrongPieces } = check;
  return { bytes, lostBytes, wrongPieces };
}

describe('the check of a flood', () => {
  test('finds nothing in what was printed, however it is cut, and knows what a terminal makes of it', () => {
    const pieces = [text.subarray(0, 7), text.subarray(7), text.subarray(0, 100_000), text.subarray(100_000)];
    expect(checked(2, false, pieces)).toEqual({ bytes: 2_000_000, lostBytes: 0, wrongPieces: 0 });
    const printed = Buffer.from(text.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
    expect(checked(1, true, [printed])).toEqual({ bytes: 1_010_000, lostBytes: 0, wrongPieces: 0 });
  });

  test('finds what is missing, what came twice and what is wrong', () => {
    expect(checked(1, false, [text.subarray(0, -1)])).toMatchObject({ lostBytes: 1, wrongPieces: 0 });
    expect(checked(1, false, [text, text.subarray(0, 5)])).toMatchObject({ lostBytes: 5 });
    // One line lost and one told twice: the count is right.
    const swapped = [text.subarray(0, 200), text.subarray(100, 200), text.subarray(300)];
    expect(checked(1, false, swapped)).toMatchObject({ lostBytes: 0, wrongPieces: 1 });
  });
});
