import { describe, expect, test } from 'vitest';
import { courseOfMemory } from './memory.ts';

const MIB = 1024 * 1024;

/** One sample a second, in MiB. */
const samples = (seconds: number, mibAt: (second: number) => number) =>
  Array.from({ length: seconds }, (_value, second) => ({ atMs: second * 1_000, bytes: mibAt(second) * MIB }));

describe('the course of memory', () => {
  test('is flat when it grew in the warm-up and swings afterwards', () => {
    const course = courseOfMemory(samples(600, (second) => Math.min(300, 100 + second * 4) + (second % 30)));
    expect(course).toMatchObject({ flat: true, peak: 329 });
    expect(course?.slopePerMinute).toBeCloseTo(0, 0);
  });

  test('is not flat when it grows by 5 MiB a minute all the time', () => {
    const course = courseOfMemory(samples(600, (second) => 200 + second / 12 + (second % 30)));
    expect(course?.flat).toBe(false);
    expect(course?.slopePerMinute).toBeCloseTo(5, 0);
  });

  test('falls without being taken for a growth', () => {
    expect(courseOfMemory(samples(600, (second) => 400 - second / 5))?.flat).toBe(true);
  });

  test('of a few seconds is not judged', () => {
    expect(courseOfMemory(samples(30, (second) => 100 + second * 10))?.flat).toBeNull();
    expect(courseOfMemory(samples(1, () => 100))).toBeNull();
  });
});
