import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal as HeadlessTerminal } from '@xterm/headless';
import { Terminal } from '@xterm/xterm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { setUpCells } from '../../shared/printed-cells.ts';

const OPTIONS = { cols: 12, rows: 4, allowProposedApi: true } as const;

const PARTS = [
  ...['\u0301', '\u200B', '\u200D', '\uFE0F', '\uFEFF', '\u{E0100}'],
  ...['\r', '\n', '\r\n', '\b', '\t', '\u001B[31m', '\u001B[2;3H', '\u001B[3C', '\u001B[2D', '\u001B[2b'],
  ...['a', 'b', ' ', '界', '😀', '0123456789'],
] as const;

async function rowsOf(terminal: Terminal | HeadlessTerminal, output: string): Promise<readonly string[]> {
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const { active } = terminal.buffer;
  const rows = Array.from({ length: active.length }, (_row, row) => {
    const line = active.getLine(row);
    return Array.from({ length: OPTIONS.cols }, (_column, column) => {
      const cell = line?.getCell(column);
      return `${cell?.getChars()}/${cell?.getWidth()}`;
    }).join(' ');
  });
  terminal.dispose();
  return [...rows, `cursor ${active.cursorX} ${active.cursorY}`];
}

test(
  'a pane has the cells of a terminal without a window, also for signs without a width',
  { timeout: 30_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...PARTS), { maxLength: 30, size: 'max' }), async (parts) => {
        const [pane, headless] = [new Terminal(OPTIONS), new HeadlessTerminal(OPTIONS)];
        setUpCells(pane, new Unicode11Addon());
        setUpCells(headless, new Unicode11Addon());
        const rows = await rowsOf(pane, parts.join(''));
        expect(rows).toEqual(await rowsOf(headless, parts.join('')));
        // A cell that has something in it and no width is not drawn, and what follows would be a column too far left.
        expect(rows.join('\n')).not.toMatch(/[^\s/]\/0/);
      }),
    );
  },
);

test('a terminal of another release of the library is refused, rather than drawn wrong', () => {
  const terminal = new HeadlessTerminal(OPTIONS);
  const { unicode, buffer } = terminal;
  const loadAddon = (addon: Unicode11Addon): void => terminal.loadAddon(addon);
  expect(() => setUpCells({ loadAddon, unicode, buffer }, new Unicode11Addon())).toThrow(
    /xterm\.js is another than 6\.0\.0/,
  );
});
