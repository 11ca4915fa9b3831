import { describe, expect, it } from 'vitest';
import { cellsOf, markAfter, type KeyboardMark, type SteppedText } from './selection-steps.ts';

const LINES = ['npm test', '', '  two words', 'end'];
const TEXT: SteppedText = { lines: LINES.length, columns: 12, rows: 3, textOf: (line) => LINES[line] ?? '' };

/** Keys as `Shift+End`, one after the other. */
function marked(from: KeyboardMark, ...chords: readonly string[]): KeyboardMark | null {
  return chords.reduce<KeyboardMark | null>((mark, chord) => {
    const parts = chord.split('+');
    const key = {
      key: parts.at(-1) ?? '',
      shiftKey: parts.includes('Shift'),
      ctrlKey: parts.includes('Ctrl'),
      altKey: parts.includes('Alt'),
    };
    return mark === null ? null : markAfter(mark, key, TEXT);
  }, from);
}

const at = (line: number, column: number): KeyboardMark => ({ cursor: { line, column }, anchor: null });

describe('keys in a terminal’s text', () => {
  it.each([
    [at(0, 3), 'ArrowRight', at(0, 4)],
    [at(0, 11), 'ArrowRight', at(1, 0)],
    [at(1, 0), 'ArrowLeft', at(0, 11)],
    [at(0, 0), 'ArrowLeft', at(0, 0)],
    [at(3, 11), 'ArrowRight', at(3, 11)],
    [at(0, 3), 'ArrowUp', at(0, 3)],
    [at(0, 3), 'ArrowDown', at(1, 3)],
    [at(0, 3), 'PageDown', at(2, 3)],
    [at(3, 3), 'PageDown', at(3, 3)],
    [at(2, 5), 'Home', at(2, 0)],
    [at(2, 5), 'End', at(2, 10)],
    [at(1, 5), 'End', at(1, 0)],
    [at(2, 5), 'Ctrl+Home', at(0, 0)],
    [at(0, 0), 'Ctrl+End', at(3, 2)],
    [at(0, 0), 'Ctrl+ArrowRight', at(0, 4)],
    [at(0, 4), 'Alt+ArrowRight', at(2, 2)],
    [at(2, 2), 'Ctrl+ArrowLeft', at(0, 4)],
    [at(3, 0), 'Ctrl+ArrowRight', at(3, 0)],
  ])('from %o %s leads to %o', (from, key, to) => {
    expect(marked(from, key)).toEqual(to);
  });

  it('mark with Shift from where the cursor was, in both directions', () => {
    expect(marked(at(0, 4), 'Shift+End')).toEqual({ cursor: { line: 0, column: 7 }, anchor: { line: 0, column: 4 } });
    expect(marked(at(2, 2), 'Shift+ArrowUp')).toEqual({
      cursor: { line: 1, column: 2 },
      anchor: { line: 2, column: 2 },
    });
  });

  it('mark without Shift, too, after Space, and with another Space no more', () => {
    expect(marked(at(0, 0), ' ', 'ArrowRight')).toEqual({
      cursor: { line: 0, column: 1 },
      anchor: { line: 0, column: 0 },
    });
    expect(marked(at(0, 0), ' ', 'ArrowRight', ' ')).toEqual(at(0, 1));
  });

  it('that mean something else do nothing', () => {
    expect(marked(at(0, 0), 'x')).toBeNull();
    expect(marked(at(0, 0), 'Tab')).toBeNull();
  });
});

describe('the cells of a mark', () => {
  it('are the cursor’s alone without an anchor', () => {
    expect(cellsOf(at(2, 5), 12)).toEqual({ line: 2, column: 5, length: 1 });
  });

  it('go from the first to the last of both, over lines', () => {
    const mark = { cursor: { line: 1, column: 2 }, anchor: { line: 2, column: 2 } };
    expect(cellsOf(mark, 12)).toEqual({ line: 1, column: 2, length: 13 });
  });
});
