import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCursor, parseCursor } from './output-cursor.ts';

test('a cursor survives being written as text', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.nat({ max: Number.MAX_SAFE_INTEGER }), (epoch, offset) => {
      expect(parseCursor(formatCursor({ epoch, offset }))).toEqual({ epoch, offset });
    }),
  );
});

test.each(['', ':', 'a:', ':1', 'a:-1', 'a:01', 'a:1.5', 'a:1 ', 'a:1e3', 'a b:1', 'a:99999999999999999999'])(
  '%j is no cursor',
  (text) => {
    expect(parseCursor(text)).toBeNull();
  },
);
