import { expect, it } from 'vitest';
import { DetachKey } from './detach-key.ts';

function typed(keys: string, ...parts: readonly string[]): { readonly sent: string; readonly detached: boolean } {
  const detach = new DetachKey(Buffer.from(keys));
  let sent = '';
  for (const part of parts) {
    const { bytes, detached } = detach.push(Buffer.from(part));
    sent += Buffer.from(bytes).toString();
    if (detached) {
      return { sent, detached };
    }
  }
  return { sent: sent + Buffer.from(detach.giveUp()).toString(), detached: false };
}

it.each([
  ['\\\\', ['ab'], { sent: 'ab', detached: false }],
  ['\\\\', ['a\\\\b'], { sent: 'a', detached: true }],
  ['\\\\', ['a\\', '\\'], { sent: 'a', detached: true }],
  ['\\\\', ['a\\', 'b\\'], { sent: 'a\\b\\', detached: false }],
  ['\u0001d', ['x\u0001', '\u0001d'], { sent: 'x\u0001', detached: true }],
  ['\u0001d', ['\u0001x'], { sent: '\u0001x', detached: false }],
  ['q', ['abq'], { sent: 'ab', detached: true }],
])('of keys %j and what was typed %j', (keys, parts, expected) => {
  expect(typed(keys, ...parts)).toEqual(expected);
});
