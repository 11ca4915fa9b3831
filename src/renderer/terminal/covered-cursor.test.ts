import { describe, expect, it } from 'vitest';
import { freeSpan, shiftInto } from './covered-cursor.ts';

const pane = { top: 100, bottom: 500 };

/** A row of 20 pixels in a screen that begins 4 pixels below the top of the pane. */
const row = (index: number) => ({ top: 104 + index * 20, bottom: 124 + index * 20 });

describe('what questions leave of a pane', () => {
  it.each([
    ['all beside none', [], pane],
    ['what is below one at the top', [{ top: 100, bottom: 300 }], { top: 300, bottom: 500 }],
    ['what is above one at the bottom', [{ top: 220, bottom: 560 }], { top: 100, bottom: 220 }],
    [
      'what is between two',
      [
        { top: 40, bottom: 150 },
        { top: 150, bottom: 200 },
        { top: 400, bottom: 500 },
      ],
      { top: 200, bottom: 400 },
    ],
    ['all of one that they do not reach', [{ top: 0, bottom: 100 }], pane],
    ['nothing where one covers it whole', [{ top: 0, bottom: 900 }], { top: 500, bottom: 500 }],
  ])('is %s', (_, covers, free) => {
    expect(freeSpan(pane, covers)).toEqual(free);
  });
});

describe('a terminal under a question', () => {
  const into = (free: typeof pane, index: number): number => shiftInto(free, row(index), 104);

  it('stays where its cursor is seen with the rows above it', () => {
    expect(into({ top: 300, bottom: 500 }, 15)).toBe(0);
    expect(into({ top: 100, bottom: 300 }, 3)).toBe(0);
  });

  it('moves down as far as shows the cursor and the rows above it, or all that there are', () => {
    expect(into({ top: 300, bottom: 500 }, 12)).toBe(300 - row(7).top);
    expect(into({ top: 300, bottom: 500 }, 0)).toBe(300 - row(0).top);
  });

  it('moves up for a cursor that would be beneath a question at the bottom, and has the cursor above all', () => {
    expect(into({ top: 100, bottom: 220 }, 8)).toBe(220 - row(8).bottom);
    expect(into({ top: 460, bottom: 500 }, 12)).toBe(460 - row(11).top);
  });

  it('stays where there is no room for a row', () => {
    expect(into({ top: 490, bottom: 500 }, 3)).toBe(0);
  });
});
