import { describe, expect, it } from 'vitest';
import { findWords, goneWords } from './find-words.ts';
import { NO_MATCHES } from './pane-finder.ts';

describe('the words of a find', () => {
  it('say that the oldest output is gone wherever some of it can no longer be found, and how much', () => {
    const lossy = { ...NO_MATCHES, goneBytes: 9_600_000 };
    expect([
      findWords(null, lossy),
      findWords({ index: 2, count: 12 }, { ...lossy, count: 41 }),
      findWords({ index: 2, count: 12 }, { ...lossy, count: 41, index: 0 }),
      findWords(null, { ...lossy, progress: 0.34 }),
      findWords(null, { ...lossy, progress: 0 }),
    ]).toEqual([
      'no match · oldest gone',
      '3 of 12 · 41 earlier · oldest gone',
      'earlier: 1 of 41 · oldest gone',
      'searching… 30% · oldest gone',
      'searching… · oldest gone',
    ]);
    expect(goneWords(lossy)).toBe('9.6 MB of older output is no longer kept');
  });

  it('say no more than what was found where all is kept', () => {
    expect([findWords(null, NO_MATCHES), findWords({ index: 0, count: 1 }, { ...NO_MATCHES, count: 2 })]).toEqual([
      'no match',
      '1 of 1 · 2 earlier',
    ]);
    expect(goneWords(NO_MATCHES)).toBeNull();
  });
});
