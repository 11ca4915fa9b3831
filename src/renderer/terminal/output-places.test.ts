import { Terminal } from '@xterm/headless';
import { afterEach, describe, expect, it } from 'vitest';
import { OutputPlaces } from './output-places.ts';

const open: Terminal[] = [];

function startTerminal(scrollback = 100) {
  const terminal = new Terminal({ cols: 20, rows: 5, scrollback, allowProposedApi: true });
  open.push(terminal);
  const places = new OutputPlaces(terminal);
  let offset = 0;
  places.note(offset);
  /** Answers the offset at which the text begins. */
  const print = async (text: string): Promise<number> => {
    const from = offset;
    offset += text.length;
    await new Promise<void>((resolve) => terminal.write(text, resolve));
    places.note(offset);
    return from;
  };
  const at = (place: number): string | null => {
    const line = places.lineOf(place);
    return line === null ? null : (terminal.buffer.active.getLine(line)?.translateToString(true) ?? null);
  };
  return { terminal, places, print, at };
}

afterEach(() => {
  for (const terminal of open.splice(0)) {
    terminal.dispose();
  }
});

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index}\r\n`).join('');

describe('the place of a byte', () => {
  it('is the line on which it was printed, also after that has scrolled', async () => {
    const { print, at } = startTerminal();
    const first = await print('first\r\n');
    const second = await print('second\r\n');
    await print(lines(30));
    expect([at(first), at(second), at(second + 3)]).toEqual(['first', 'second', 'second']);
  });

  it('is gone with the line that left the scrollback, and no other is taken for it', async () => {
    const { print, at } = startTerminal(10);
    const first = await print('first\r\n');
    await print(lines(8));
    const late = await print('late\r\n');
    await print(lines(8));
    expect([at(first), at(late)]).toEqual([null, 'late']);
    await print(lines(200));
    expect(at(late)).toBeNull();
    const again = await print('again\r\n');
    expect(at(again)).toBe('again');
  });

  it('before the first byte that the terminal was given is none', () => {
    const terminal = new Terminal({ cols: 20, rows: 5, allowProposedApi: true });
    open.push(terminal);
    const places = new OutputPlaces(terminal);
    places.note(1_000);
    expect([places.lineOf(999), places.lineOf(1_000)]).toEqual([null, 0]);
  });

  it('stays when the lines are wrapped anew, narrower and wider', async () => {
    const { terminal, places, print, at } = startTerminal();
    await print('a line of more than twenty columns\r\n');
    const here = await print('here\r\n');
    await print('another line of more than twenty columns\r\n');
    const there = await print('there\r\n');
    await print(lines(3));
    for (const cols of [7, 60, 20]) {
      places.whileResizing(() => terminal.resize(cols, 5));
      expect([at(here), at(there)]).toEqual(['here', 'there']);
    }
    const later = await print('later\r\n');
    expect([at(here), at(later)]).toEqual(['here', 'later']);
  });

  it('is none on the other screen, and there again when the program has left it', async () => {
    const { terminal, print, at } = startTerminal();
    const first = await print('first\r\n');
    const inside = await print('\u001B[?1049hfull screen');
    expect([terminal.buffer.active.type, at(first), at(inside)]).toEqual(['alternate', null, null]);
    await print('\u001B[?1049l');
    expect(at(first)).toBe('first');
  });

  it('stays when the lines are wrapped anew behind a full-screen program', async () => {
    const { terminal, places, print, at } = startTerminal();
    await print('a line of more than twenty columns\r\n');
    const here = await print('here\r\n');
    const start = await print('$ vim of more than twenty columns\r\n\u001B[?1049h\u001B[3;5Hfull screen');
    for (const cols of [7, 60, 20]) {
      places.whileResizing(() => terminal.resize(cols, 5));
      expect(at(here)).toBeNull();
    }
    const left = await print('\u001B[?1049l$ ');
    const later = await print('later\r\n');
    // On the other screen there is no place, but the one before it.
    const command = '$ vim of more than t';
    expect([at(here), at(start), at(left), at(later)]).toEqual(['here', command, command, '$ later']);
  });

  it('stays above a screen that is erased, and is none for what stood on it', async () => {
    const { print, at } = startTerminal();
    const above = await print('above\r\n');
    await print(lines(8));
    const erased = await print('erased\r\n');
    const cleared = await print('\u001B[H\u001B[2J');
    const prompt = await print('$ prompt\r\n');
    await print(lines(2));
    expect([at(above), at(erased), at(cleared), at(prompt)]).toEqual(['above', null, null, '$ prompt']);
    await print('\u001B[H\u001B[J');
    const again = await print('again\r\n');
    await print(lines(20));
    expect([at(above), at(again)]).toEqual(['above', 'again']);
  });

  it('stays for lines above a part that a program draws again and again', async () => {
    const { terminal, print, at } = startTerminal();
    const command = await print('$ install\r\n');
    await print('one\r\ntwo\r\n');
    const markers: number[] = [];
    for (let frame = 0; frame < 300; frame += 1) {
      await print(`\u001B[2A\u001B[Jone ${frame}\r\ntwo ${frame}\r\n`);
      markers.push(terminal.markers.length);
    }
    const done = await print('done\r\n');
    expect([at(command), at(done)]).toEqual(['$ install', 'done']);
    expect(Math.max(...markers)).toBe(1);
  });
});
