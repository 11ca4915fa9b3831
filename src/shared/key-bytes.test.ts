import { expect, it } from 'vitest';
import { keyBytes } from './key-bytes.ts';

it.each([
  ['Enter', '\r'],
  ['enter', '\r'],
  ['Escape', '\u001B'],
  ['Up', '\u001B[A'],
  ['F5', '\u001B[15~'],
  ['C-c', '\u0003'],
  ['C-C', '\u0003'],
  ['C-\\', '\u001C'],
  ['C-Space', '\0'],
  ['C-?', '\u007F'],
  ['M-x', '\u001Bx'],
  ['M-C-a', '\u001B\u0001'],
  ['M-Up', '\u001B\u001B[A'],
  ['S-Tab', '\u001B[Z'],
  ['é', 'é'],
  ['🙂', '🙂'],
  ['-', '-'],
  ['', null],
  ['Retrun', null],
  ['C-', null],
  ['C-1', null],
  ['M-', null],
  ['constructor', null],
])('the key %j sends %j', (key, bytes) => {
  expect(keyBytes(key)).toBe(bytes);
});
