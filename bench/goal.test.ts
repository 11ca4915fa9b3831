import { describe, expect, it } from 'vitest';
import { exitCodeOf, goalText, type Goal } from './goal.ts';

const goal = (figureMs: number | null): Goal => ({ of: 'key to echo, p95', figureMs, belowMs: 50 });

describe('a goal', () => {
  it.each([
    [49.94, 'met: key to echo, p95: 49.9 ms, goal below 50 ms'],
    [50, 'not met: key to echo, p95: 50.0 ms, goal below 50 ms'],
    [210, 'not met: key to echo, p95: 210.0 ms, goal below 50 ms'],
    [null, 'not met: key to echo, p95: no figure, goal below 50 ms'],
    [Number.NaN, 'not met: key to echo, p95: no figure, goal below 50 ms'],
  ])('with a figure of %s is told so', (figureMs, text) => {
    expect(goalText(goal(figureMs))).toBe(text);
  });

  it('that is not met fails the program, and so does having judged nothing', () => {
    expect([[goal(1), goal(2)], [goal(1), goal(50)], [goal(null)], []].map(exitCodeOf)).toEqual([0, 1, 1, 1]);
  });
});
