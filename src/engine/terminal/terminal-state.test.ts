import type { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feed, headlessTerminal } from './headless-terminal.ts';
import { SkippedModes } from './skipped-modes.ts';
import { terminalState } from './terminal-state.ts';
import { shownState } from './testing/shown-state.ts';

const SIZE = { cols: 12, rows: 6 };
const SCROLLBACK = 20;

/** A terminal that is given the output, and one that is given the state of the first and then what follows. */
async function bothAfter(output: string, rest: string): Promise<readonly [Terminal, Terminal]> {
  const open = (): Terminal => headlessTerminal({ size: SIZE, scrollback: SCROLLBACK, convertEol: false });
  const seen = open();
  const spoilt = open();
  const restored = open();
  await feed(seen, output);
  await feed(spoilt, output);
  const modes = new SkippedModes();
  modes.feed(new TextEncoder().encode(output));
  await feed(restored, await terminalState(spoilt, { modes, scrollback: SCROLLBACK }));
  spoilt.dispose();
  await feed(seen, rest);
  await feed(restored, rest);
  return [seen, restored];
}

async function expectSame(output: string, rest = ''): Promise<void> {
  const [seen, restored] = await bothAfter(output, rest);
  try {
    expect(shownState(restored)).toEqual(shownState(seen));
  } finally {
    seen.dispose();
    restored.dispose();
  }
}

const CSI = '\u001B[';

describe('the state of a terminal', { timeout: 30_000 }, () => {
  it.each([
    ['nothing', ''],
    ['a cursor past the last column', 'twelve cells'],
    ['a cursor past the last column, after a wide character', 'ten cells.\u6F22'],
    ['a wrapped line', 'longer than one of the lines'],
    ['a wide character that wraps', 'eleven cell\u6F22\u5B57'],
    ['coloured blanks', `${CSI}44mab${CSI}K\r\n${CSI}0mplain${CSI}3;3H${CSI}42m${CSI}5X`],
    ['a wrapped line whose end was erased', `longer than one of${CSI}1;9H${CSI}K`],
    ['colours of every kind', `${CSI}38;5;200;48;2;1;2;3mx${CSI}91;103my${CSI}1;2;3;4;5;7;9;53mz${CSI}0;8mu`],
    ['the other screen over this one', `first${CSI}?1049h${CSI}2;3Hsecond`],
    ['a scroll region and the origin', `${CSI}2;4r${CSI}?6h${CSI}2;2Hx`],
    [
      'an invisible cursor of another shape, mouse reports, bracketed paste',
      `${CSI}?25l${CSI}3 q${CSI}?1002;1006;2004h`,
    ],
    ['line drawing characters', '\u001B(0lqqk'],
    ['a soft reset after it', `${CSI}2;4r${CSI}?25l\u001B(0${CSI}4h${CSI}!p${CSI}2;2Hx`],
    ['line drawing characters that a restored cursor brought along', `\u001B(0${CSI}?1049h\u001B(B${CSI}?1049l`],
    ['line drawing characters past the last column', `twelve cells\u001B(0`],
    ['lines above the screen', Array.from({ length: 15 }, (_line, number) => `line ${number}`).join('\r\n')],
  ])('holds %s', async (_what, output) => {
    await expectSame(output);
    await expectSame(output, 'on\r\nand on\u001B[2;2Hhere');
  });

  it('gives the screen behind the other one back, with its cursor', async () => {
    await expectSame(`first${CSI}?1049h${CSI}5;5Hsecond`, `${CSI}?1049l!`);
  });

  const piece = fc.constantFrom(
    ...['a', 'two words', 'longer than a line', '\u6F22\u5B57', 'e\u0301', '\r\n', '\n', '\r', '\b', '\t'],
    ...['31', '44', '1;7', '0', '48;5;99', '39'].map((numbers) => `${CSI}${numbers}m`),
    ...['H', '3;4H', '6;12H', 'A', '2B', '3C', '2D', 'K', '1K', 'J', '2J', 'L', 'M', '2P', '3@', '4X', 'S', 'T'].map(
      (act) => `${CSI}${act}`,
    ),
    ...['2;5r', 'r', '?25l', '?25h', '?1049h', '?1049l', '?7l', '?7h', '4h', '4l', '?2004h', '?1003h', '?1003l'].map(
      (mode) => `${CSI}${mode}`,
    ),
    ...['\u001B7', '\u001B8', '\u001BM', '\u001BD', '\u001B(0', '\u001B(B', `${CSI}!p`],
  );

  it('is the same wherever output is cut, for a terminal that saw all of it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), fc.array(piece, { maxLength: 15 }), async (before, after) =>
        expectSame(before.join(''), after.join('')),
      ),
      { numRuns: 120 },
    );
  });
});
