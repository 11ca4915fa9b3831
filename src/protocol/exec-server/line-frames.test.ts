import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineFrames, type LineFrame } from './line-frames.ts';

const MAX_BYTES = 8;

/** The lines of a text that comes in these parts. */
function linesOf(parts: readonly Uint8Array[]): readonly string[] {
  const frames = new LineFrames(MAX_BYTES);
  const lines: LineFrame[] = parts.flatMap((part) => [...frames.push(part)]);
  const last = frames.end();
  return (last === null ? lines : [...lines, last]).map((line) =>
    typeof line === 'string' ? line : Buffer.from(line).toString('latin1'),
  );
}

describe('LineFrames', () => {
  test('gives each line, empty ones too, what is behind the last newline, and nothing for nothing', () => {
    expect(linesOf([Buffer.from('a\n\nbc\r\nd')])).toEqual(['a', '', 'bc\r', 'd']);
    expect(linesOf([Buffer.from('a\n')])).toEqual(['a']);
    expect(linesOf([])).toEqual([]);
  });

  test('passes over a line that is too long, and reads the next one', () => {
    expect(linesOf([Buffer.from('12345678\n123456789\nab\n1234567890')])).toEqual([
      '12345678',
      'too-long',
      'ab',
      'too-long',
    ]);
  });

  test('gives the same lines however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.constantFrom(0x61, 0x0a, 0xff), { maxLength: 12 }), { maxLength: 8 }), (cut) => {
        const parts = cut.map((bytes) => Uint8Array.from(bytes));
        const whole = Buffer.concat(parts);
        const expected = whole
          .toString('latin1')
          .split('\n')
          .map((line) => (line.length > MAX_BYTES ? 'too-long' : line));
        expect(linesOf(parts)).toEqual(expected.at(-1) === '' ? expected.slice(0, -1) : expected);
      }),
    );
  });
});
