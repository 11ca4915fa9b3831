import { expect, test } from 'vitest';
import type { Actor, TimelineEntry } from '../../shared/timeline.ts';
import type { MarkedLine } from './input-marks.ts';
import { overviewMarks } from './input-overview.ts';

const codex: Actor = { kind: 'agent', client: 'codex' };

function marked(line: number, ...by: readonly Actor[]): MarkedLine {
  const entries = by.map((actor, index): TimelineEntry => ({
    number: line * 10 + index,
    atMs: 0,
    by: actor,
    offset: line,
    act: { kind: 'wrote', times: 1, bytes: 1 },
  }));
  return { line, entries };
}

test('marks of a whole buffer are where their lines are in it, from the first row to the last', () => {
  const lines = [marked(0, { kind: 'person' }), marked(500, codex), marked(999, { kind: 'terminal' })];
  expect(overviewMarks(lines, 1_000, 200)).toEqual([
    { row: 0, kinds: ['person'] },
    { row: 100, kinds: ['agent'] },
    { row: 199, kinds: ['terminal'] },
  ]);
});

test('marks that are close together are one, with each who typed there once', () => {
  const lines = [marked(10, codex), marked(11, codex, { kind: 'person' }), marked(12, { kind: 'person' })];
  expect(overviewMarks(lines, 1_000, 50)).toEqual([{ row: 0, kinds: ['agent', 'person'] }]);
});

test('a buffer that has become shorter than its marks leaves none outside', () => {
  expect(overviewMarks([marked(30, codex)], 20, 10)).toEqual([{ row: 9, kinds: ['agent'] }]);
});
