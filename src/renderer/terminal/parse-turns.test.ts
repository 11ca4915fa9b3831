import { describe, expect, it, vi } from 'vitest';
import { ParseTurns, type Droppable, type ParseHaste } from './parse-turns.ts';

const LARGE = 'x'.repeat(2_048);

/** Terminals that parse what they have when they are told to, and frames that come when they are asked for. */
function startWindow() {
  const frames: (() => void)[] = [];
  const turns = new ParseTurns((onFrame) => void frames.push(onFrame));
  const given: { readonly data: string; readonly onParsed: () => void }[] = [];
  const open = (name: string, haste: ParseHaste) => {
    const pane = { haste };
    const writes = turns.open(
      (data, onParsed) => given.push({ data: `${name}${String(data).length}`, onParsed }),
      () => pane.haste,
    );
    return Object.assign(pane, {
      write: (data: string, onParsed?: () => void, droppable?: Droppable) => writes.write(data, onParsed, droppable),
      drop: () => writes.drop(),
      dispose: () => writes.dispose(),
    });
  };
  /** Parses all that terminals have, each piece in so many milliseconds, and answers what it was. */
  const parse = (pieceMs: number): string[] => {
    const pieces: string[] = [];
    for (let next = given.shift(); next !== undefined; next = given.shift()) {
      now += pieceMs;
      pieces.push(next.data);
      next.onParsed();
    }
    return pieces;
  };
  const frame = (): number => {
    const due = frames.splice(0);
    for (const onFrame of due) {
      onFrame();
    }
    return due.length;
  };
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  return { open, parse, frame, interrupted: () => turns.interrupted() };
}

describe('turns of a frame', () => {
  it('end when their time is over, and the next frame goes on', () => {
    const { open, parse, frame } = startWindow();
    const pane = open('a', 'in-turn');
    for (let piece = 0; piece < 10; piece += 1) {
      pane.write(LARGE);
    }
    expect(parse(2)).toEqual(['a2048', 'a2048', 'a2048']);
    expect(parse(2)).toEqual([]);
    frame();
    expect(parse(2)).toHaveLength(3);
    frame();
    expect(parse(2)).toEqual([]);
    frame();
    expect(parse(2)).toHaveLength(3);
  });

  it('are in every other frame for panes that flood, one by one, and in each frame for what is small', () => {
    const { open, parse, frame } = startWindow();
    const [first, second, third] = [open('a', 'in-turn'), open('b', 'in-turn'), open('c', 'in-turn')];
    for (let piece = 0; piece < 20; piece += 1) {
      first.write(LARGE);
      second.write(LARGE);
    }
    const drawn: string[][] = [];
    for (let step = 0; step < 6; step += 1) {
      drawn.push([...new Set(parse(3))]);
      third.write('small');
      frame();
    }
    // The very first write found nobody waiting.
    expect(drawn).toEqual([['a2048'], ['a2048', 'c5'], ['c5'], ['b2048', 'c5'], ['c5'], ['a2048', 'c5']]);
  });

  it('come to the pane with the keyboard in each frame, and what is small is parsed at once', () => {
    const { open, parse, frame } = startWindow();
    const [flood, typed] = [open('flood', 'in-turn'), open('typed', 'first')];
    flood.write(LARGE);
    flood.write(LARGE);
    flood.write(LARGE);
    flood.write(LARGE);
    parse(6);
    typed.write('echo');
    expect(parse(0)).toEqual(['typed4']);
    for (let piece = 0; piece < 9; piece += 1) {
      typed.write(LARGE);
    }
    frame();
    expect(new Set(parse(1))).toEqual(new Set(['flood2048', 'typed2048']));
  });

  it('do not hold back a replay, nor change the order of what is written before and after it', () => {
    const { open, parse } = startWindow();
    const pane = open('a', 'in-turn');
    for (const length of [5_000, 5_001, 5_002]) {
      pane.write('x'.repeat(length));
    }
    expect(parse(7)).toEqual(['a5000']);
    pane.haste = 'whole';
    pane.write('y');
    expect(parse(7)).toEqual(['a5001', 'a5002', 'a1']);
  });

  it('are without an end in a pane whose program was interrupted, and floods in the others wait for a moment', () => {
    const { open, parse, frame, interrupted } = startWindow();
    const [flood, other] = [open('a', 'first'), open('b', 'in-turn')];
    for (let piece = 0; piece < 9; piece += 1) {
      flood.write('x'.repeat(5_000));
      other.write('x'.repeat(5_000));
    }
    expect(parse(6)).toEqual(['a5000']);
    interrupted();
    flood.haste = 'interrupted';
    flood.write('$ ');
    frame();
    expect(parse(8)).toEqual([...Array.from({ length: 8 }, () => 'a5000'), 'a2']);
    frame();
    expect(parse(0)).toEqual([]);
    flood.write('x'.repeat(24));
    expect(parse(40)).toEqual(['a24']);
    frame();
    expect(parse(6)).toEqual(['b5000']);
  });

  it('drop what waits and may be dropped: it counts, and is called back for in order', () => {
    const { open, parse } = startWindow();
    const pane = open('a', 'in-turn');
    const told: string[] = [];
    const droppable = (name: string): Droppable => ({ bytes: 2_000, onDropped: () => told.push(`no ${name}`) });
    pane.write(LARGE, () => told.push('one'), droppable('one'));
    pane.write('size', () => told.push('size'));
    pane.write(LARGE, () => told.push('two'), droppable('two'));
    pane.write(LARGE, () => told.push('three'), droppable('three'));
    expect(pane.drop()).toBe(4_000);
    expect(pane.drop()).toBe(0);
    pane.write('line', () => told.push('line'));
    expect(parse(0)).toEqual(['a2048', 'a4', 'a0', 'a0', 'a4']);
    expect(told).toEqual(['one', 'size', 'no two', 'no three', 'line']);
  });

  it('begin at once when nobody had one lately', () => {
    const { open, parse, frame } = startWindow();
    const pane = open('a', 'in-turn');
    pane.write('one');
    expect(parse(0)).toEqual(['a3']);
    expect(frame()).toBe(1);
    expect(frame()).toBe(0);
    pane.write('four');
    expect(parse(0)).toEqual(['a4']);
  });

  it('are given up with the pane', () => {
    const { open, parse, frame } = startWindow();
    const pane = open('a', 'in-turn');
    const onParsed = vi.fn();
    pane.write(LARGE);
    pane.write(LARGE, onParsed);
    pane.dispose();
    expect(parse(9)).toEqual(['a2048']);
    frame();
    expect(parse(9)).toEqual([]);
    expect(onParsed).not.toHaveBeenCalled();
  });
});
