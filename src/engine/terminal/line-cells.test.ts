import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { feed, headlessTerminal } from './headless-terminal.ts';
import { LineCells } from './line-cells.ts';

/** What a line shows, read in steps of so much work. */
function shownBy(line: string, work: number): string {
  const bytes = Buffer.from(line);
  const cells = new LineCells();
  let shown = '';
  cells.begin(bytes, 0, bytes.length);
  for (let progress = cells.advance(work); progress !== 'done'; progress = cells.advance(work)) {
    shown += progress === 'row' ? String.fromCodePoint(...cells.codes.subarray(0, cells.length)) : '';
  }
  return shown;
}

async function shownByTerminal(line: string): Promise<string | undefined> {
  const terminal = headlessTerminal({ size: { cols: 500, rows: 2 }, scrollback: 0, convertEol: false });
  try {
    await feed(terminal, line);
    return terminal.buffer.active.getLine(0)?.translateToString(true);
  } finally {
    terminal.dispose();
  }
}

describe('LineCells', () => {
  test.each([
    ['a title', '\u001B]0;title\u0007', ''],
    ['a title, by ST', '\u001B]0;title\u001B\\', ''],
    ['a title, by the ST of one character', '\u001B]0;title\u009C', ''],
    ['a title that is taken back', '\u001B]0;title\u0018', ''],
    ['a title into which another sequence comes', '\u001B]0;title\u001B[1m', ''],
    ['a picture with a bell in it', '\u001BPq#0\u0007~~\u001B\\', ''],
    ['a command with a bell in it', '\u001B_G\u0007AAAA\u001B\\', ''],
    ['a command with a character in it that ends it', '\u001B_Gé!', '!'],
    ['a title of 300,000 characters', `\u001B]0;${'a'.repeat(300_000)}\u0007`, ''],
    ['colours of 300,000 digits', `\u001B[${'1'.repeat(300_000)}m`, ''],
    ['an escape of 300,000 blanks', `\u001B${' '.repeat(300_000)}F`, ''],
  ])('shows before and behind %s what a terminal shows', async (_what, sequence, shown) => {
    const line = `before${sequence}behind`;
    expect(await shownByTerminal(line)).toBe(`before${shown}behind`);
    expect(shownBy(line, 1_000)).toBe(`before${shown}behind`);
  });

  test('shows of strings what a terminal shows, in steps of any size', { timeout: 30_000 }, async () => {
    const part = fc.oneof(
      fc.constantFrom('ab', 'c', ' ', 'é', '—', '😀', '\u001B[31m', '\u001B(B'),
      fc.constantFrom('\u001B]0;', '\u001B]', '\u001BPq', '\u001B_', '\u001B^', '\u001BX'),
      fc.constantFrom('\u0007', '\u001B\\', '\u0018', '\u001A', '\u009C', '\u0081'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 12 }).map((parts) => `${parts.join('')}.`),
        fc.integer({ min: 1, max: 12 }),
        async (line, work) => {
          // Both halves of a wide character are one cell here.
          expect(shownBy(line, work)).toBe(await shownByTerminal(line));
        },
      ),
      { numRuns: 300 },
    );
  });
});
