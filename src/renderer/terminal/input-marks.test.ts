import { Terminal } from '@xterm/headless';
import { afterEach, expect, test } from 'vitest';
import type { Actor, TimelineEntry } from '../../shared/timeline.ts';
import { InputMarks } from './input-marks.ts';
import { OutputPlaces } from './output-places.ts';

const open: Terminal[] = [];
const person: Actor = { kind: 'person' };
const codex: Actor = { kind: 'agent', client: 'codex' };

afterEach(() => {
  for (const terminal of open.splice(0)) {
    terminal.dispose();
  }
});

/** A terminal whose program prints, and to which somebody types where the output stands then. */
function startTerminal({ scrollback = 200, rows = 5 } = {}) {
  const terminal = new Terminal({ cols: 20, rows, scrollback, allowProposedApi: true });
  open.push(terminal);
  const places = new OutputPlaces(terminal);
  const marks = new InputMarks({
    lineOf: (offset) => places.lineOf(offset),
    isOnOtherScreen: () => terminal.buffer.active.type === 'alternate',
  });
  let offset = 0;
  let number = 0;
  places.note(0);
  const print = async (text: string): Promise<void> => {
    offset += text.length;
    await new Promise<void>((resolve) => terminal.write(text, resolve));
    places.note(offset);
  };
  const type = (by: Actor, bytes = 1): TimelineEntry => {
    number += 1;
    const entry: TimelineEntry = { number, atMs: number, by, act: { kind: 'wrote', times: 1, bytes }, offset };
    marks.tell([entry]);
    return entry;
  };
  /** What stands on each marked line, and the numbers of the spans. */
  const marked = (from?: number, to?: number): readonly (readonly [string | undefined, ...number[]])[] =>
    marks
      .lines(from, to)
      .map(({ line, entries }) => [
        terminal.buffer.active.getLine(line)?.translateToString(true),
        ...entries.map((entry) => entry.number),
      ]);
  return { terminal, places, marks, print, type, marked };
}

test('each span stands at the line on which the output was, and those on one line stand together', async () => {
  const { print, type, marked } = startTerminal();
  await print('$ ');
  type(codex);
  await print('make\r\nbuilt\r\n$ ');
  type(codex);
  type(person);
  await print('ls\r\n');
  expect(marked()).toEqual([
    ['$ make', 1],
    ['$ ls', 2, 3],
  ]);
  expect(marked(0, 1)).toEqual([['$ make', 1]]);
  expect(marked(1)).toEqual([['$ ls', 2, 3]]);
});

test('a span that grows stays where it began', async () => {
  const { marks, print, type } = startTerminal();
  await print('$ ');
  const typed = type(person);
  await print('long\r\n'.repeat(8));
  const grown: TimelineEntry = { ...typed, act: { kind: 'wrote', times: 4, bytes: 4 } };
  marks.tell([grown]);
  expect(marks.lines()).toEqual([{ line: 0, entries: [grown] }]);
});

test('in a full-screen program nothing is marked, and the lines from before are again when it has ended', async () => {
  const { print, type, marked, marks } = startTerminal();
  await print('$ ');
  type(person);
  await print('vim\r\n\u001B[?1049h full screen');
  const inside = type(person);
  expect(marked()).toEqual([]);
  await print('\u001B[?1049l$ ');
  // It is told once more when it has grown.
  marks.tell([{ ...inside, act: { kind: 'wrote', times: 9, bytes: 9 } }]);
  type(person);
  await print('next');
  expect(marked()).toEqual([
    ['$ vim', 1],
    ['$ next', 3],
  ]);
});

test('marks go with their lines: out of the scrollback, erased, and anew wrapped', async () => {
  const { terminal, places, print, type, marked, marks } = startTerminal({ scrollback: 20 });
  type(codex);
  await print('a command that is longer than a line\r\n');
  type(person);
  await print('second\r\n');
  places.whileResizing(() => terminal.resize(9, 5));
  expect(marked()).toEqual([
    ['a command', 1],
    ['second', 2],
  ]);
  places.whileResizing(() => terminal.resize(20, 5));
  await print('\u001B[H\u001B[2J');
  expect(marked()).toEqual([]);
  expect(marks.isEmpty).toBe(true);
  type(person);
  await print('third\r\n');
  expect(marked()).toEqual([['third', 3]]);
  await print('more\r\n'.repeat(40));
  expect(marked()).toEqual([]);
  expect(marks.isEmpty).toBe(true);
});

test('of very many the newest thousand are kept at most', async () => {
  const { print, type, marked, marks } = startTerminal({ scrollback: 20_000 });
  for (let count = 1; count <= 2_500; count += 1) {
    type(count % 2 === 0 ? codex : person);
    await print('x\r\n');
  }
  expect(marks.lines().length).toBeGreaterThan(700);
  expect(marks.lines().length).toBeLessThanOrEqual(1_000);
  expect(marked().at(-1)).toEqual(['x', 2_500]);
}, 30_000);
