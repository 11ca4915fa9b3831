import { expect, it } from 'vitest';
import { TerminalModes } from './terminal-modes.ts';

const ALWAYS = '\u001B(B\u001B[0m';

function restoring(...output: readonly string[]): string {
  const modes = new TerminalModes();
  for (const part of output) {
    modes.watch(Buffer.from(part));
  }
  const text = modes.restoring();
  expect(text.endsWith(ALWAYS)).toBe(true);
  return text.slice(0, -ALWAYS.length);
}

it.each([
  ['plain text', ''],
  ['\u001B[?1049h', '\u001B[?1049l'],
  ['\u001B[?1049h then \u001B[?1049l', ''],
  ['\u001B[?1000;1006h', '\u001B[?1000l\u001B[?1006l'],
  ['\u001B[?25l', '\u001B[?25h'],
  ['\u001B[?25l\u001B[?25h', ''],
  ['\u001B[?2004h\u001B[?1h\u001B=', '\u001B[?2004l\u001B[?1l\u001B>'],
  ['\u001B[?1h\u001B=\u001B>', '\u001B[?1l'],
  ['\u001B[>4;2m', '\u001B[>4;0m'],
  ['\u001B[>1u\u001B[>3u', '\u001B[<2u'],
  ['\u001B[>1u\u001B[<u', ''],
  ['\u001B[5 q', '\u001B[0 q'],
  ['\u001B[?1049h\u001B[?25l\u001Bc', ''],
  ['\u001B[?12345h', ''],
  ['\u001B[4h\u001B[31m', ''],
])('after %j the terminal is put back by %j', (output, expected) => {
  expect(restoring(output)).toBe(expected);
  expect(restoring(...output.split(''))).toBe(expected);
});
