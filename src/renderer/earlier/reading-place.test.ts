import { Terminal } from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import type { OutputStretch } from '../../shared/output-search.ts';
import { OutputPlaces } from '../terminal/output-places.ts';
import { readingPlace, topLineFor } from './reading-place.ts';
import { replayStretch } from './stretch-replay.ts';

const size = { cols: 20, rows: 5 };
const line = (index: number): string => `line ${index}${index % 3 === 0 ? ', which is wrapped' : ''}\r\n`;
const LINES = Array.from({ length: 300 }, (_none, index) => line(index));
const offsetOf = (index: number): number => LINES.slice(0, index).join('').length;

function stretchOf(from: number, to: number): OutputStretch {
  const [startOffset, endOffset] = [offsetOf(from), offsetOf(to)];
  const bytes = new TextEncoder().encode(LINES.slice(from, to).join(''));
  return {
    parts: [{ offset: startOffset, bytes, size }],
    ...{ startOffset, endOffset, atMs: null, modes: '', rendition: '', keptFrom: 0, outputEnd: offsetOf(300) },
  };
}

describe('what is read in a terminal', () => {
  it.each([
    ['earlier', 40, 140],
    ['later', 110, 210],
  ])('stands where it stood when more is loaded that is %s', async (_way, from, to) => {
    const terminal = new Terminal({ ...size, scrollback: 1_000, allowProposedApi: true });
    const places = new OutputPlaces(terminal);
    const draw = (stretch: OutputStretch) =>
      replayStretch(
        terminal,
        { stretch, target: { offset: stretch.startOffset, match: null, at: 'top' } },
        { stopAt: null, places, isEnded: () => false },
      );
    const inView = (): readonly (string | undefined)[] => {
      const { active } = terminal.buffer;
      return Array.from({ length: size.rows }, (_none, row) =>
        active.getLine(active.viewportY + row)?.translateToString(true),
      );
    };
    await draw(stretchOf(100, 180));
    for (const top of [30, 31, 32, 33]) {
      terminal.scrollToLine(top);
      const before = inView();
      const reading = readingPlace(terminal, places);
      await draw(stretchOf(from, to));
      terminal.scrollToLine(topLineFor(reading, places) ?? -1);
      expect(inView()).toEqual(before);
      await draw(stretchOf(100, 180));
    }
    terminal.dispose();
  });

  it('stands by its last line when its first one is drawn no more, and is unknown when neither is', async () => {
    const reading = [
      { offset: 10, below: 0, row: 0 },
      { offset: 90, below: 1, row: 4 },
    ];
    expect(topLineFor(reading, { lineOf: (offset) => (offset === 90 ? 20 : null) })).toBe(17);
    expect(topLineFor(reading, { lineOf: () => null })).toBeNull();
  });
});
