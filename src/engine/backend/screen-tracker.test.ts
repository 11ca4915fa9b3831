import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ScreenTracker, type Screen } from './screen-tracker.ts';

function screenAfter(...chunks: readonly (string | Uint8Array)[]): Screen {
  const tracker = new ScreenTracker();
  for (const chunk of chunks) {
    tracker.feed(Buffer.from(chunk));
  }
  return tracker.screen;
}

test('a child draws on the normal screen until it takes the alternate one, and again after it gave it back', () => {
  expect(screenAfter('text')).toBe('normal');
  for (const mode of [47, 1047, 1049]) {
    expect(screenAfter(`text\x1b[?${mode}htext`)).toBe('alternate');
    expect(screenAfter(`text\x1b[?${mode}htext\x1b[?${mode}l`)).toBe('normal');
  }
});

test('the screen is also chosen among other modes, after a broken sequence, and by a full reset', () => {
  expect(screenAfter('\x1b[?1;1049;25h')).toBe('alternate');
  expect(screenAfter('\x1b[?10\x1b[?1049h')).toBe('alternate');
  expect(screenAfter('\x1b[?1049h\x1bc')).toBe('normal');
});

test('what only looks like the choice of a screen changes nothing', () => {
  for (const other of ['[?1049h', '\x1b[1049h', '\x1b[?10491h', '\x1b[?1049$p', '\x1b[?2004h', '\x1b[?h', '\x1b]c']) {
    expect(screenAfter(other)).toBe('normal');
  }
});

test('any cut of the output gives the same screen', () => {
  const bytes = Buffer.from('\x1b[31mé\x1b[?25;1049hé\x1b[?2004l\x1b[?1049l\x1b[?1047h\x1b');
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(bytes.length)), (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
      expect(screenAfter(...chunks)).toBe('alternate');
    }),
  );
});
