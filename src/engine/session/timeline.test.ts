import { expect, test } from 'vitest';
import type { Act, Actor } from '../../shared/timeline.ts';
import { Timeline } from './timeline.ts';

const codex: Actor = { kind: 'agent', client: 'codex' };
const person: Actor = { kind: 'person' };
const terminal: Actor = { kind: 'terminal' };
const wrote = (bytes: number | null): Act => ({ kind: 'wrote', times: 1, bytes });
const replied = (bytes: number): Act => ({ kind: 'replied', times: 1, bytes });

test('acts of one kind that follow one another closely are one entry, of others each its own', () => {
  const timeline = new Timeline();
  timeline.note({ by: codex, act: wrote(3), offset: 0, atMs: 1_000 });
  timeline.note({ by: codex, act: wrote(4), offset: 10, atMs: 2_500 });
  timeline.note({ by: person, act: wrote(1), offset: 20, atMs: 2_600 });
  timeline.note({ by: codex, act: wrote(5), offset: 20, atMs: 2_700 });
  timeline.note({ by: codex, act: { kind: 'read', times: 1, bytes: 7 }, offset: 20, atMs: 2_800 });
  timeline.note({ by: codex, act: wrote(6), offset: 20, atMs: 9_000 });
  expect(timeline.entries).toEqual([
    { number: 1, atMs: 1_000, by: codex, act: { kind: 'wrote', times: 2, bytes: 7 }, offset: 0 },
    { number: 2, atMs: 2_600, by: person, act: wrote(1), offset: 20 },
    { number: 3, atMs: 2_700, by: codex, act: wrote(5), offset: 20 },
    { number: 4, atMs: 2_800, by: codex, act: { kind: 'read', times: 1, bytes: 7 }, offset: 20 },
    { number: 5, atMs: 9_000, by: codex, act: wrote(6), offset: 20 },
  ]);
  expect(timeline.lastNumber).toBe(5);
});

test('what is typed hidden is not counted, neither its bytes nor its keys, also next to what is shown', () => {
  const timeline = new Timeline();
  timeline.note({ by: person, act: wrote(2), offset: 0, atMs: 0 });
  const first = timeline.note({ by: person, act: wrote(null), offset: 0, atMs: 1 });
  expect(timeline.note({ by: person, act: wrote(null), offset: 0, atMs: 2 })).toBe(first);
  expect(timeline.entries.map(({ act }) => act)).toEqual([wrote(2), wrote(null)]);
});

test('a program that asks its terminal at each key parts neither the keys nor the answers', () => {
  const timeline = new Timeline();
  for (let key = 0; key < 5_000; key += 1) {
    timeline.note({ by: person, act: wrote(1), offset: key, atMs: key });
    timeline.note({ by: terminal, act: replied(9), offset: key, atMs: key });
  }
  expect(timeline.entries.map(({ by, act }) => [by, act])).toEqual([
    [person, { kind: 'wrote', times: 5_000, bytes: 5_000 }],
    [terminal, { kind: 'replied', times: 5_000, bytes: 45_000 }],
  ]);
});

test('another act than input or a look at the output parts them', () => {
  const timeline = new Timeline();
  timeline.note({ by: terminal, act: replied(1), offset: 0, atMs: 0 });
  timeline.note({ by: person, act: { kind: 'resized', size: { cols: 80, rows: 24 } }, offset: 0, atMs: 1 });
  timeline.note({ by: terminal, act: replied(2), offset: 0, atMs: 2 });
  expect(timeline.entries.map(({ act }) => act.kind)).toEqual(['replied', 'resized', 'replied']);
});

test('what is typed after an ended line was answered is an entry of its own; lines sent together are one', () => {
  const timeline = new Timeline();
  const type = (bytes: number, offset: number, atMs: number, endsLine: boolean): void =>
    void timeline.note({ by: codex, act: wrote(bytes), offset, atMs, endsLine });
  type(1, 2, 0, false);
  type(2, 3, 1, true);
  type(4, 3, 2, true);
  type(8, 40, 3, false);
  type(16, 41, 4, false);
  expect(timeline.entries.map(({ act, offset }) => [act, offset])).toEqual([
    [{ kind: 'wrote', times: 3, bytes: 7 }, 2],
    [{ kind: 'wrote', times: 2, bytes: 24 }, 40],
  ]);
});

test('of very many acts the first and the newest stay', () => {
  const timeline = new Timeline();
  timeline.note({ by: codex, act: { kind: 'started', callId: 'c1', threadId: null }, offset: 0, atMs: 0 });
  for (let count = 0; count < 3_000; count += 1) {
    timeline.note({ by: codex, act: { kind: 'signalled', signal: 'SIGINT' }, offset: 0, atMs: count });
  }
  expect(timeline.entries).toHaveLength(1_000);
  expect(timeline.entries[0]?.act.kind).toBe('started');
  expect(timeline.entries.at(-1)?.number).toBe(3_001);
});
