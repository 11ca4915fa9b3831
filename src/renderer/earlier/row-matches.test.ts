import { Terminal } from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { rowMatches } from './row-matches.ts';

/** Where a text is drawn in some rows of a terminal of 10 columns that a program printed this in. */
async function matchesIn(printed: string, text: string, { from = 0, to = 100, wholeWord = false } = {}) {
  const terminal = new Terminal({ cols: 10, rows: 4, scrollback: 100, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(printed, done));
  const found = rowMatches(terminal.buffer.active, from, to, { text, matchCase: false, wholeWord });
  terminal.dispose();
  return found.map(({ line, column, cells }) => [line, column, cells]);
}

describe('rowMatches', () => {
  it.each([
    [
      'each one of a line, whatever its case',
      'one One\r\none',
      'one',
      [
        [0, 0, 3],
        [0, 4, 3],
        [1, 0, 3],
      ],
    ],
    [
      'in pieces where it is wrapped',
      '12345678needle',
      'needle',
      [
        [0, 8, 2],
        [1, 0, 4],
      ],
    ],
    [
      'behind and of wide characters',
      '日本 日本',
      '日本',
      [
        [0, 0, 4],
        [0, 5, 4],
      ],
    ],
    ['behind characters of two units and of several', '😀e\u0301 needle', 'needle', [[0, 3, 6]]],
    ['not across lines', 'nee\r\ndle', 'needle', []],
    ['nowhere for no text', 'one', '', []],
  ])('finds %s', async (_what, printed, text, expected) => {
    expect(await matchesIn(printed, text)).toEqual(expected);
  });

  it('looks at no other rows, but for the rest of a line', async () => {
    const printed = `needle 0\r\nneedle 1\r\n12345678needle`;
    expect(await matchesIn(printed, 'needle', { from: 1, to: 2 })).toEqual([[1, 0, 6]]);
    expect(await matchesIn(printed, 'needle', { from: 3, to: 4 })).toEqual([
      [2, 8, 2],
      [3, 0, 4],
    ]);
  });

  it('finds whole words alone when they are wanted', async () => {
    expect(await matchesIn('cat cats', 'cat', { wholeWord: true })).toEqual([[0, 0, 3]]);
  });
});
