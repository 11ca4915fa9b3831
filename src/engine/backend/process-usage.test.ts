import { describe, expect, test } from 'vitest';
import { pageBytesOf, parseProportional, parsePsUsage, parseUsage, readProcessUsage } from './process-usage.ts';

describe('a line of /proc/PID/stat', () => {
  //          1  2         3 4 5  6  7     8  9       10 11 12 13 14 15 16 17 18 19 20 21 22   23   24
  const stat = '42 (a) b (c) S 7 42 41 34816 99 4194304 1 2 3 4 5 6 700 80 20 0 1 0 12345 1000 10 0 0';

  test('gives usage in milliseconds and bytes, whatever the name of the program', () => {
    expect(parseUsage(stat, 4_096)).toEqual({
      pid: 42,
      parentPid: 7,
      sessionId: 41,
      startTime: '12345',
      zombie: false,
      cpuMs: 110,
      childrenCpuMs: 7_800,
      residentBytes: 40_960,
    });
  });

  test('that is cut short is no process', () => {
    expect(parseUsage(stat.split(' ').slice(0, 24).join(' '), 4_096)).toBeNull();
    expect(parseUsage('', 4_096)).toBeNull();
  });
});

test('the page size is the one of the auxiliary vector', () => {
  const auxv = Buffer.alloc(48);
  [16n, 0xbfebfbffn, 6n, 65_536n, 0n, 0n].forEach((value, index) => auxv.writeBigUInt64LE(value, index * 8));
  expect(pageBytesOf(auxv)).toBe(65_536);
});

test('the share of memory is the line Pss of smaps_rollup, not its parts', () => {
  const rollup = '55d0-7ffc ---p 00000000 00:00 0 [rollup]\nRss:     884 kB\nPss:     385 kB\nPss_Dirty:  68 kB\n';
  expect(parseProportional(rollup)).toBe(385 * 1024);
  expect(parseProportional('')).toBeNull();
});

test.each([
  ['0:00.03', 30],
  ['12:34.56', 754_560],
  ['1:02:03', 3_723_000],
  ['2-01:00:00', 176_400_000],
])('a line of ps with the time %s has %i ms of CPU', (time, cpuMs) => {
  expect(parsePsUsage(`   12     1      0 Ss     2048 ${time} Sat Nov 21 06:42:01 2026    `)).toEqual({
    pid: 12,
    parentPid: 1,
    sessionId: 0,
    startTime: 'Sat Nov 21 06:42:01 2026',
    zombie: false,
    cpuMs,
    childrenCpuMs: 0,
    residentBytes: 2_097_152,
  });
});

test.skipIf(process.platform !== 'linux')('this process is found with its own memory', async () => {
  const own = (await readProcessUsage())?.find(({ pid }) => pid === process.pid);
  expect(own).toMatchObject({ parentPid: process.ppid, zombie: false });
  // What Node reads is the same figure, some allocations earlier or later.
  expect((own?.residentBytes ?? 0) / process.memoryUsage.rss()).toBeCloseTo(1, 0);
  expect(own?.cpuMs).toBeGreaterThan(0);
});
