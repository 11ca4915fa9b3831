import fc from 'fast-check';
import { expect, test } from 'vitest';
import { modelScreen, modelText, type ModelTextSource } from './model-text.ts';
import { OutputRing } from './output-ring.ts';

/** A session that has printed these pieces, with nothing kept on the disk. */
function sourceOf(
  pieces: readonly (string | Uint8Array)[],
  more: Partial<ModelTextSource> = {},
  maxBytes = 10_000_000,
) {
  const ring = new OutputRing({ maxBytes, maxChunks: 100_000 });
  for (const piece of pieces) {
    ring.append('pty', Buffer.from(piece as string), 0);
  }
  return {
    epoch: 'e',
    size: { cols: 20, rows: 4 },
    closed: false,
    endOffset: ring.endOffset,
    readableFrom: (offset: number) => Math.max(offset, ring.startOffset),
    read: async (offset: number, bytes: number) => ring.read(offset, bytes),
    sizeAt: () => ({ cols: 20, rows: 4 }),
    onAlternateAt: () => false,
    replayStart: () => Promise.resolve(null),
    ...more,
  } satisfies ModelTextSource;
}

const ALL = { fromOffset: null, toOffset: null, view: 'text', grep: null } as const;

test('wherever it is cut into reads, plain text comes whole and once', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\r\n', 'é', '漢', '🙂'), maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat({ max: 200 }), { maxLength: 6 }), async (printed, cuts) => {
      const bytes = Buffer.from(printed);
      let from = 0;
      let read = '';
      for (const end of [...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length]) {
        // What is known at that moment.
        const source = sourceOf([bytes.subarray(0, end)], { closed: end === bytes.length });
        const part = await modelText(source, { ...ALL, fromOffset: from });
        read += part.parts.join('');
        from = part.nextCursor.offset;
      }
      expect(read).toBe(printed.replaceAll('\r\n', '\n'));
      expect(from).toBe(bytes.length);
    }),
    { numRuns: 300 },
  );
});

test('a read ends before an escape sequence that has not come whole', async () => {
  const open = await modelText(sourceOf(['red: \u001B[3']), ALL);
  expect(open).toMatchObject({ parts: ['red: '], nextCursor: { offset: 5 } });
  const whole = await modelText(sourceOf(['red: \u001B[3', '1mR']), { ...ALL, fromOffset: 5 });
  expect(whole).toMatchObject({ parts: ['R'], cursor: { offset: 5 }, nextCursor: { offset: 11 } });
});

test('what a line was before is known from the output before it', async () => {
  const source = sourceOf(['a\r\n 10%', '\r 20%']);
  expect((await modelText(source, { ...ALL, fromOffset: 7 })).parts).toEqual([' 20%']);
});

test('of megabytes only the two ends are looked at, and what is left out and what is gone is counted', async () => {
  const lines = Array.from({ length: 400_000 }, (_line, at) => `${at}\r\n`).join('');
  const text = await modelText(sourceOf([lines]), ALL);
  const [head, tail = ''] = text.parts;
  expect(head).toMatch(/^0\n1\n[^]*\n$/);
  expect(tail).toMatch(/^\d+\n[^]*\n399999\n$/);
  const shown = (part: string) => Buffer.byteLength(part.replaceAll('\n', '\r\n'));
  expect(shown(head) + text.skippedBytes + shown(tail)).toBe(lines.length);
  const gone = await modelText(sourceOf([lines], {}, 1_000), { ...ALL, fromOffset: 10 });
  expect(gone).toMatchObject({ goneBytes: lines.length - 1_010, cursor: { offset: lines.length - 1_000 } });
});

test('grep gives whole lines, raw gives control sequences', async () => {
  const source = sourceOf(['one\r\n\u001B[1mtwo\u001B[m\r\nthree\r\n']);
  expect((await modelText(source, { ...ALL, grep: { pattern: '^T', ignoreCase: true } })).parts).toEqual([
    'two\nthree\n',
  ]);
  expect((await modelText(source, { ...ALL, view: 'raw' })).parts).toEqual([
    'one\r\n\u001B[1mtwo\u001B[m\r\nthree\r\n',
  ]);
});

test('the screen is what a terminal of that size shows, with its cursor, title and modes', async () => {
  const source = sourceOf(['1\r\n2\r\n3\r\n4\r\n5\r\n', '\u001B]0;a title\u0007\u001B[?1h漢\u001B[2;3Hx']);
  expect(await modelScreen(source)).toEqual({
    size: { cols: 20, rows: 4 },
    rows: ['3', '4 x', '5', '漢'],
    cursor: { row: 1, col: 3 },
    title: 'a title',
    alternate: false,
    applicationCursorKeys: true,
  });
  expect(await modelScreen(sourceOf([], { onAlternateAt: () => true }))).toMatchObject({ alternate: true });
});

test.for([
  '\r',
  '\b',
  '\u001B',
  '\u001B]0;',
  '\u001B[',
  '\u001B[?1;',
  ' 10%\r',
  'a\rb\r\n',
  'x\u001B[A\u001B[By\r\n',
  '漢\b',
  'a',
])('half a megabyte of %j is made into text, and shown, without taking for ever', async (unit) => {
  const source = sourceOf([unit.repeat(Math.floor((512 * 1024) / Buffer.byteLength(unit)))]);
  const { parts } = await modelText(source, ALL);
  // oxlint-disable-next-line no-control-regex -- it is about them
  expect(parts.join('')).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
  expect((await modelScreen(source)).rows).toHaveLength(4);
});
