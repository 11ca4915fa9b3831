import { Terminal } from '@xterm/xterm';
import { expect, it } from 'vitest';
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
