import { Terminal } from '@xterm/xterm';
import { expect, it } from 'vitest';
import { screenState } from '../../shared/screen-state.ts';
import { screenText } from './screen-text.ts';

async function textOf(output: string, size = { cols: 20, rows: 4 }): Promise<string> {
  const terminal = new Terminal({ ...size, scrollback: 100, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const text = screenText(terminal.buffer.active);
  terminal.dispose();
  return text;
}

it('joins the rows of a wrapped line, with the blanks at the seam', async () => {
  const line = `${'a'.repeat(19)} ${'b'.repeat(25)}`;
  await expect(textOf(`${line}\r\nnext`)).resolves.toBe(`${line}\nnext`);
});

it('reads the scrollback too, trims each line on the right, and leaves out the empty rest of the screen', async () => {
  const lines = Array.from({ length: 10 }, (_, index) => `line ${index}`);
  await expect(textOf(`${lines.map((line) => `${line}   `).join('\r\n')}\r\n\r\n`)).resolves.toBe(lines.join('\n'));
});

it('keeps empty lines in between', async () => {
  await expect(textOf('one\r\n\r\ntwo')).resolves.toBe('one\n\ntwo');
});

it('is empty for a terminal that printed nothing', async () => {
  await expect(textOf('')).resolves.toBe('');
});

it('tells each stretch of a row with its look, and of what is blank only what is seen', async () => {
  const terminal = new Terminal({ cols: 12, rows: 2, allowProposedApi: true });
  const output = 'a\u001B[1;31mb c\u001B[0;42m\u001B[K\r\n\u001B[4;48;2;1;2;3m好\u001B[0m';
  await new Promise<void>((resolve) => terminal.write(`${output}\u001B[?2004h`, resolve));
  const state = screenState(terminal);
  terminal.dispose();
  expect(state).toMatchObject({
    screen: 'normal',
    rows: ['ab c', '好'],
    cursor: { row: 1, col: 2 },
    modes: { bracketedPasteMode: true },
  });
  expect(state.looks).toEqual(['a⟨bold fg 1⟩b·c⟨bg 2⟩········', '⟨underline bg #010203⟩好⟨⟩··········']);
});
