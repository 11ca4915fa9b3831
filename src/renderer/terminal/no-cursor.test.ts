// @vitest-environment happy-dom
import { Terminal } from '@xterm/xterm';
import { describe, expect, it } from 'vitest';
import { hideCursor } from './no-cursor.ts';

/** What a terminal says of its cursor (DECRQM): 1 shown, 2 hidden. */
async function cursorAfter(outputs: readonly string[], isPipe = true): Promise<string> {
  const terminal = new Terminal({ allowProposedApi: true });
  if (isPipe) {
    hideCursor(terminal);
  }
  let told = '';
  terminal.onData((data) => (told += data));
  for (const output of outputs) {
    await new Promise<void>((done) => terminal.write(output, done));
  }
  await new Promise<void>((done) => terminal.write('\u001B[?25$p\u001B[?7$p', done));
  terminal.dispose();
  return told;
}

describe('a terminal without a cursor', () => {
  it.each([
    ['nothing', []],
    ['a program that shows it', ['a\u001B[?25l\u001B[?25hb']],
    ['one that shows it among other modes', ['\u001B[?7l\u001B[?7;25h']],
    ['a soft reset', ['\u001B[!p', 'more']],
    ['a full reset', ['\u001Bc', 'more']],
  ])('has none after %s, and other modes are as they were chosen', async (_what, outputs) => {
    expect(await cursorAfter(outputs)).toBe('\u001B[?25;2$y\u001B[?7;1$y');
  });

  it('would have one else', async () => {
    expect(await cursorAfter(['\u001B[?25l\u001B[?25h'], false)).toBe('\u001B[?25;1$y\u001B[?7;1$y');
  });
});
