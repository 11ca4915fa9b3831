import { Terminal } from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import type { OutputStretch, StretchPart } from '../../shared/output-search.ts';
import { OutputPlaces } from '../terminal/output-places.ts';
import type { EarlierTarget } from './earlier-outputs.ts';
import { replayStretch, type DrawnPlace } from './stretch-replay.ts';

const SIZE = { cols: 20, rows: 5 };

function stretchOf(parts: readonly StretchPart[], more: Partial<OutputStretch> = {}): OutputStretch {
  const last = parts.at(-1);
  return {
    parts,
    startOffset: parts[0]?.offset ?? 0,
    endOffset: last === undefined ? 0 : last.offset + last.bytes.length,
    atMs: 0,
    modes: '',
    rendition: '',
    keptFrom: 0,
    outputEnd: 1_000_000,
    ...more,
  };
}

const part = (text: string, offset = 0, size = SIZE): StretchPart => ({
  offset,
  bytes: new TextEncoder().encode(text),
  size,
});

function targetAt(text: string, wanted: string): EarlierTarget {
  const offset = new TextEncoder().encode(text.slice(0, text.indexOf(wanted))).length;
  const endOffset = offset + new TextEncoder().encode(wanted).length;
  const match = { lineOffset: 0, offset, endOffset, line: wanted, column: 0, length: wanted.length, atMs: 0 };
  return { offset, match, at: 'middle' };
}

/** What a terminal shows after the replay, and where the place is. */
async function replayed(stretch: OutputStretch, target: EarlierTarget, stopAt: number | null = null) {
  const terminal = new Terminal({ ...SIZE, scrollback: 1_000, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write('what was shown before', done));
  const places = new OutputPlaces(terminal);
  const place = await replayStretch(terminal, { stretch, target }, { stopAt, places, isEnded: () => false });
  const lineOf = (offset: number): number | null => places.lineOf(offset);
  const drawnAt = new Map(
    stretch.parts
      .flatMap(({ offset, bytes }) => [...bytes.keys()].map((at) => offset + at))
      .map((offset) => [offset, lineOf(offset)]),
  );
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_none, at) => active.getLine(at)?.translateToString(true) ?? '');
  const { cols, rows, modes } = terminal;
  terminal.dispose();
  return { place, lines, size: { cols, rows }, modes, drawnAt };
}

const at = (line: number | null, column: number, cells: number): DrawnPlace => ({
  line,
  column,
  cells,
  isOnOtherScreen: false,
});

describe('replayStretch', () => {
  it.each([
    ['in a line', 'one\r\ntwo needle\r\n', 'needle', at(1, 4, 6)],
    ['with a colour in it', 'one\r\nnee\u001B[31mdle\r\n', 'nee\u001B[31mdle', at(1, 0, 6)],
    ['over the edge', `${'x'.repeat(17)}needle`, 'needle', at(0, 17, 6)],
    ['where the line is full', `${'x'.repeat(20)}needle`, 'needle', at(1, 0, 6)],
    ['of wide characters', 'a 日本語 b', '日本語', at(0, 2, 6)],
    ['far above the screen', `needle\r\n${'line\r\n'.repeat(100)}`, 'needle', at(0, 0, 6)],
  ])('knows where a match is drawn %s', async (_where, text, wanted, expected) => {
    expect((await replayed(stretchOf([part(text)]), targetAt(text, wanted))).place).toEqual(expected);
  });

  it('begins with the modes of what came before, at the size of that time, and goes on at each next one', async () => {
    const parts = [part('narrow\r\n', 100, { cols: 10, rows: 4 }), part('wide', 108, { cols: 30, rows: 8 })];
    const stretch = stretchOf(parts, { modes: '\u001B[?7l', rendition: '\u001B[31m' });
    const { size, lines } = await replayed(stretch, { offset: 108, match: null, at: 'top' });
    expect(size).toEqual({ cols: 30, rows: 8 });
    expect(lines.slice(0, 2)).toEqual(['narrow', 'wide']);
  });

  it('says what is kept no more between two parts', async () => {
    const { lines, place } = await replayed(stretchOf([part('one', 0), part('two', 5_003)]), {
      offset: 5_003,
      match: null,
      at: 'top',
    });
    expect(lines.join('')).toContain('5.0 kB of output no');
    expect(place).toMatchObject({ column: 0, cells: 0 });
  });

  it('draws the screen as it was at the place when it is to stop there, with the rest of its line', async () => {
    const text = '\u001B[?1049hone\r\ntwo needle here\u001B[Hover it';
    const target = targetAt(text, 'needle');
    const stopped = await replayed(stretchOf([part(text)]), target, target.match?.endOffset);
    expect(stopped.place).toEqual({ line: 1, column: 4, cells: 6, isOnOtherScreen: true });
    expect(stopped.lines.slice(0, 2)).toEqual(['one', 'two needle here']);
    const whole = await replayed(stretchOf([part(text)]), target);
    expect(whole.lines[0]).toBe('over it');
  });

  it('knows where each line of what was printed is drawn', async () => {
    const text = `one\r\n${'wrapped '.repeat(5)}\r\nthree\r\nfour`;
    const { drawnAt } = await replayed(stretchOf([part(text)]), { offset: 0, match: null, at: 'top' });
    const lineOf = (wanted: string): number | null | undefined => drawnAt.get(text.indexOf(wanted));
    expect(['one', 'wrapped', 'three', 'four'].map(lineOf)).toEqual([0, 1, 3, 4]);
  });

  it('leaves no mode behind that would take the mouse, and ends when it is told to', async () => {
    const { modes } = await replayed(stretchOf([part('\u001B[?1000h\u001B[?2004hx')]), targetAt('x', 'x'));
    expect(modes).toMatchObject({ mouseTrackingMode: 'none', bracketedPasteMode: false });
    const terminal = new Terminal({ ...SIZE, allowProposedApi: true });
    const view = { stretch: stretchOf([part('x')]), target: targetAt('x', 'x') };
    const places = new OutputPlaces(terminal);
    expect(await replayStretch(terminal, view, { stopAt: null, places, isEnded: () => true })).toBeNull();
    terminal.dispose();
  });
});
