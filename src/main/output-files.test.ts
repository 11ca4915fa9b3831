import { expect, it } from 'vitest';
import { inLines } from './output-files.ts';

it.each([
  ['one\ntwo\n', false, 'one\ntwo\n'],
  ['10%\r20%\rdone\n', false, '10%\n20%\ndone\n'],
  ['one\n\rtwo', false, 'one\ntwo'],
  ['one\r\r\ntwo', false, 'one\ntwo'],
  ['\rnext', true, '\nnext'],
  ['\rfirst', false, 'first'],
])('%j, after a line that was begun (%s), stands in a file as %j', (text, isLineBegun, lines) => {
  expect(inLines(text, isLineBegun)).toBe(lines);
});
