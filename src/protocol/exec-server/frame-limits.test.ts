import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_FRAME_DEPTH, MAX_FRAME_VALUES, MalformedFrameError, scanFrame } from './frame-limits.ts';

/** What the scan says of a text: null when it passes. */
function problemOf(text: string): string | null {
  try {
    scanFrame(text);
    return null;
  } catch (error) {
    if (error instanceof MalformedFrameError) {
      return error.message;
    }
    throw error;
  }
}

describe('scanFrame', () => {
  test.each([
    ['', 'EOF while parsing a value at line 1 column 0'],
    ['\n', 'EOF while parsing a value at line 2 column 0'],
    ['not json', 'expected ident at line 1 column 2'],
    ['{', 'EOF while parsing an object at line 1 column 1'],
    ['[1', 'EOF while parsing a list at line 1 column 2'],
    ['{"a":1,}', 'trailing comma at line 1 column 8'],
    ['{1:2}', 'key must be a string at line 1 column 2'],
    ['{"a" 1}', 'expected `:` at line 1 column 6'],
    ['[1 2]', 'expected `,` or `]` at line 1 column 4'],
    ['01', 'invalid number at line 1 column 2'],
    ['"\\x"', 'invalid escape at line 1 column 3'],
    ['"abc', 'EOF while parsing a string at line 1 column 4'],
    ['"a\nb"', 'control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0'],
    ['{"a":1}{"b":2}', 'trailing characters at line 1 column 8'],
    ['{"id":1,"method":"m","id":2}', 'duplicate JSON object key `id` at line 1 column 25'],
    ['{"a":{"b":1,"\\u0062":2}}', 'duplicate JSON object key `b` at line 1 column 20'],
    ['"\\ud800"', 'unexpected end of hex escape at line 1 column 8'],
    ['"\\ud800\\u0041"', 'lone leading surrogate in hex escape at line 1 column 13'],
    ['\ufeff{}', 'expected value at line 1 column 1'],
  ])('refuses %j and says where', (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  test('takes objects that have the same keys, as long as no object has one twice', () => {
    expect(problemOf('{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}}')).toBeNull();
  });

  test('counts values, not keys, up to the limit and not one more', () => {
    const list = (count: number) => `[${Array.from({ length: count }, () => '0').join(',')}]`;
    expect(problemOf(list(MAX_FRAME_VALUES - 1))).toBeNull();
    expect(problemOf(list(MAX_FRAME_VALUES))).toBe(
      'JSON-RPC message exceeds the limit of 262144 JSON values at line 1 column 524287',
    );
    const members = Array.from({ length: MAX_FRAME_VALUES - 1 }, (_, index) => `"${index}":0`);
    expect(problemOf(`{${members.join(',')}}`)).toBeNull();
  });

  test('takes objects and arrays up to the depth and not one deeper, however they are mixed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { minLength: MAX_FRAME_DEPTH + 1, maxLength: MAX_FRAME_DEPTH + 1 }),
        (kinds) => {
          const nested = (levels: readonly boolean[]) =>
            levels.map((isList) => (isList ? '[' : '{"a":')).join('') +
            '0' +
            levels
              .map((isList) => (isList ? ']' : '}'))
              .toReversed()
              .join('');
          expect(problemOf(nested(kinds.slice(1)))).toBeNull();
          expect(problemOf(nested(kinds))).toMatch(/^recursion limit exceeded at line 1 column \d+$/);
        },
      ),
    );
    expect(problemOf('['.repeat(10_000_000))).toBe('recursion limit exceeded at line 1 column 128');
  });

  test('passes what JSON.stringify writes, also with spaces', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.nat({ max: 4 }), (value, spaces) => {
        expect(problemOf(JSON.stringify(value, null, spaces))).toBeNull();
      }),
    );
  });

  test('passes nothing that JSON.parse refuses', () => {
    const near = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '\\', '}', ']', ':', '-', '0', '.', '\u0001', 'e'))
      .map(([text, at, put]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + put + text.slice(place + (at % 2));
      });
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0dn1-. tfe'.split('')) })), (text) => {
        if (problemOf(text) === null) {
          JSON.parse(text);
        } else if (isJson(text)) {
          expect(problemOf(text)).toMatch(/^(duplicate JSON object key|unexpected end of hex|lone leading surrogate)/);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['{"id":9223372036854775807,"method":"m"}', '9223372036854775807'],
    ['{"params":{"id":5},"method":"m","\\u0069d": "a\\u0062"}', '"a\\u0062"'],
    ['{"params":{"id":5}}', null],
    ['[{"id":5}]', null],
    ['{"id":{"id":5}}', null],
    ['5', null],
  ])('gives the text of the id that %s has', (text, idText) => {
    expect(scanFrame(text)).toEqual({ idText });
  });

  test('takes a string of many megabytes and a million escapes', () => {
    expect(problemOf(`{"chunk":"${'A'.repeat(12_000_000)}","text":"${'\\n'.repeat(1_000_000)}"}`)).toBeNull();
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
