import { expect, test } from 'vitest';
import { isCursorKey, keyBytes } from './named-keys.ts';

test.for([
  ['enter', '\r'],
  ['Enter', '\r'],
  ['{enter}', '\r'],
  ['escape', '\u001B'],
  ['page_down', '\u001B[6~'],
  ['PageUp', '\u001B[5~'],
  ['ctrl-c', '\u0003'],
  ['C-c', '\u0003'],
  ['^C', '\u0003'],
  ['Ctrl_D', '\u0004'],
  ['alt-F', '\u001BF'],
  ['M-b', '\u001Bb'],
  ['f5', '\u001B[15~'],
  ['q', 'q'],
  ['G', 'G'],
  ['é', 'é'],
  ['hyperspace', null],
  ['toString', null],
  ['ctrl-', null],
  ['', null],
  ['\u0003', null],
] as const)('the key %j sends %j', ([name, bytes]) => {
  expect(keyBytes(name, false)).toBe(bytes);
});

test('cursor keys have the form that the program asked for', () => {
  expect([keyBytes('up', false), keyBytes('up', true), keyBytes('Home', true)]).toEqual([
    '\u001B[A',
    '\u001BOA',
    '\u001BOH',
  ]);
  expect(['up', 'End', 'enter', 'constructor'].map(isCursorKey)).toEqual([true, true, false, false]);
});
