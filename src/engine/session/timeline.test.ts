import { expect, test } from 'vitest';
import type { Act, Actor } from '../../shared/timeline.ts';
import { Timeline } from './timeline.ts';

const codex: Actor = { kind: 'agent', client: 'codex' };
const person: Actor = { kind: 'person' };
const wrote = (bytes: number | null): Act => ({ kind: 'wrote', times: 1, bytes });

test('acts of one kind that follow one another closely are one entry, of others each its own', () => {
  const timeline = new Timeline();
  timeline.note(codex, wrote(3), 0, 1_000);
  timeline.note(codex, wrote(4), 10, 2_500);
  timeline.note(person, wrote(1), 20, 2_600);
  timeline.note(codex, wrote(5), 20, 2_700);
  timeline.note(codex, { kind: 'read', times: 1, bytes: 7 }, 20, 2_800);
  timeline.note(codex, wrote(6), 20, 9_000);
  expect(timeline.entries).toEqual([
    { number: 1, atMs: 1_000, by: codex, act: { kind: 'wrote', times: 2, bytes: 7 }, offset: 0 },
    { number: 2, atMs: 2_600, by: person, act: wrote(1), offset: 20 },
    { number: 3, atMs: 2_700, by: codex, act: wrote(5), offset: 20 },
    { number: 4, atMs: 2_800, by: codex, act: { kind: 'read', times: 1, bytes: 7 }, offset: 20 },
    { number: 5, atMs: 9_000, by: codex, act: wrote(6), offset: 20 },
  ]);
  expect(timeline.lastNumber).toBe(5);
});

test('what is typed hidden is not counted, also next to what is shown', () => {
  const timeline = new Timeline();
  timeline.note(person, wrote(2), 0, 0);
  timeline.note(person, wrote(null), 0, 1);
  timeline.note(person, wrote(null), 0, 2);
  expect(timeline.entries.map(({ act }) => act)).toEqual([wrote(2), { kind: 'wrote', times: 2, bytes: null }]);
});

test('of very many acts the first and the newest stay', () => {
  const timeline = new Timeline();
  timeline.note(codex, { kind: 'started', callId: 'c1', threadId: null }, 0, 0);
  for (let count = 0; count < 3_000; count += 1) {
    timeline.note(codex, { kind: 'signalled', signal: 'SIGINT' }, 0, count);
  }
  expect(timeline.entries).toHaveLength(1_000);
  expect(timeline.entries[0]?.act.kind).toBe('started');
  expect(timeline.entries.at(-1)?.number).toBe(3_001);
});
