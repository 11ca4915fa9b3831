import { expect, test } from 'vitest';
import { compare, goals, NAMES } from './comparison.ts';

test('the worst of a time is the largest, of a throughput the smallest, and the ratio is that of the medians', () => {
  const values = { ours: [1, 2, 3], theirs: [4, 4, 4] };
  expect(compare({ name: 'a', unit: 'ms', ...values })).toMatchObject({
    ours: { p50: 2, p99: 3, worst: 3 },
    ratio: 0.5,
  });
  expect(compare({ name: 'b', unit: 'MB/s', ...values })).toMatchObject({
    ours: { p50: 2, p99: 1, worst: 1 },
    count: 3,
  });
});

test('a goal is judged where its measure was taken, and a lost byte is never passed over', () => {
  const measured = [
    compare({ name: NAMES.echo, unit: 'ms', ours: [0.5, 6], theirs: [44] }),
    compare({ name: NAMES.floodPipe, unit: 'MB/s', ours: [200], theirs: [200] }),
  ];
  expect(goals(measured, 1)).toEqual([
    { goal: 'echo: p50 below 1 ms', met: true },
    { goal: 'echo: p99 below 5 ms', met: false },
    { goal: 'flood through pipes: at least theirs', met: true },
    { goal: 'nothing lost and nothing wrong in the floods', met: false },
  ]);
});
