import { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SkippedModes } from './skipped-modes.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function after(...pieces: readonly string[]): SkippedModes {
  const skipped = new SkippedModes();
  for (const piece of pieces) {
    skipped.feed(bytesOf(piece));
  }
  return skipped;
}

test('the last choice of each kind counts, and what acts at once is not done again', () => {
  const { modes, rendition } = after(
    'one\u001B[?2004h\u001B[?1;1006h two\u001B[?2004l',
    '\u001B[2;20r\u001B[6 q\u001B(0\u001B=\u000E\u001B[?6h\u001B[?1048h three \u001B[4h',
    '\u001B[31mred\u001B[0m\u001B[1;32mgreen\u001B[44m\n',
  );
  expect(modes).toBe('\u001B[?1h\u001B[?1006h\u001B[?2004l\u001B[2;20r\u001B[6 q\u001B(0\u001B=\u000E\u001B[4h');
  expect(rendition).toBe('\u001B[0m\u001B[1;32m\u001B[44m');
});

test('a full reset forgets what was chosen before, and takes nothing away that is shown', () => {
  const { modes, rendition } = after('\u001B[?1000h\u001B[7m\u001Bc\u001B[?25l');
  expect(modes).toBe('\u001B[!p\u001B[?25l');
  expect(rendition).toBe('');
});

test('a program that came and went on the other screen leaves the cursor where it is', () => {
  expect(after('\u001B[?1049h vim \u001B[?1049l').modes).toBe('\u001B[?1047l');
  expect(after('\u001B[?1049l\u001B[?47h').modes).toBe('\u001B[?1049h');
});

test('plain text chooses nothing', () => {
  const { modes, rendition } = after('a line\r\n', '\u00C3\u00A9 and \u001B[2J\u001B[3;4H more');
  expect([modes, rendition]).toEqual(['', '']);
});

const sequence = fc.constantFrom(
  ...['text', '\r\n', '\u001B[?1h', '\u001B[?1l', '\u001B[?1000h', '\u001B[?1002h', '\u001B[?1000l', '\u001B[?1002l'],
  ...[
    '\u001B[?2004h',
    '\u001B[?2004l',
    '\u001B[?1004h',
    '\u001B[?1004l',
    '\u001B[4h',
    '\u001B[4l',
    '\u001B[?7l',
    '\u001B[?7h',
  ],
  ...['\u001B[31m', '\u001B[1;44m', '\u001B[0m', '\u001B[m', '\u001B[0;3m', '\u001B[39m', '\u001B=', '\u001B>'],
);

test('a terminal that is given them is in the modes of one that saw everything, however the bytes were cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sequence, { maxLength: 40 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      async (parts, cuts) => {
        const text = parts.join('');
        const skipped = new SkippedModes();
        for (let at = 0; at < text.length;) {
          const length = Number(cuts.next().value);
          skipped.feed(bytesOf(text.slice(at, at + length)));
          at += length;
        }
        expect(await stateAfter(skipped.modes + skipped.rendition)).toEqual(await stateAfter(text));
      },
    ),
    { numRuns: 200 },
  );
});

/** The modes, and how the next character is drawn. */
async function stateAfter(output: string) {
  const terminal = new Terminal({ cols: 80, rows: 24, allowProposedApi: true });
  try {
    await new Promise<void>((resolve) => terminal.write(`${output}\u001B[HX`, resolve));
    const cell = terminal.buffer.active.getLine(0)?.getCell(0);
    return {
      modes: { ...terminal.modes },
      drawn: [cell?.getFgColor(), cell?.getBgColor(), cell?.isBold(), cell?.isItalic(), cell?.isInverse()],
    };
  } finally {
    terminal.dispose();
  }
}
