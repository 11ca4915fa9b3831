import { describe, expect, test } from 'vitest';
import { isJobControlStatus, parseStat, type ProcessEntry } from './process-table.ts';
import { processTree } from './process-tree.ts';

const entry = (pid: number, parentPid: number, sessionId: number, more: Partial<ProcessEntry> = {}): ProcessEntry => ({
  pid,
  parentPid,
  sessionId,
  foregroundGroup: null,
  startTime: `start of ${pid}`,
  zombie: false,
  ...more,
});

const LEADER = { pid: 10, startTime: 'start of 10' };

describe('the tree of a child', () => {
  test('holds its session and all descendants, leaves first, and nobody else', () => {
    const table = [
      entry(1, 0, 1),
      entry(10, 1, 10),
      entry(11, 10, 10),
      entry(12, 11, 12),
      entry(13, 12, 12),
      entry(20, 1, 20),
      // Re-parented, but still of the session.
      entry(14, 1, 10),
    ];
    expect(processTree(LEADER, table).map(({ pid }) => pid)).toEqual([13, 12, 11, 10, 14]);
  });

  test('what was known stays in it after it was re-parented, and a reused pid does not', () => {
    const known = [entry(12, 10, 12), entry(30, 10, 30)];
    const table = [
      entry(1, 0, 1),
      entry(12, 1, 12),
      entry(15, 12, 12),
      entry(30, 1, 30, { startTime: 'another time' }),
    ];
    expect(processTree(LEADER, table, known).map(({ pid }) => pid)).toEqual([15, 12]);
  });

  test("a process that got the leader's number later is not touched, nor is its session", () => {
    const table = [entry(10, 1, 10, { startTime: 'later' }), entry(16, 10, 10), entry(17, 1, 10)];
    expect(processTree(LEADER, table)).toEqual([]);
    expect(processTree(LEADER, [...table, entry(12, 1, 12)], [entry(12, 10, 12)]).map(({ pid }) => pid)).toEqual([12]);
  });

  test('zombies are not in it: they have ended', () => {
    expect(processTree(LEADER, [entry(10, 1, 10, { zombie: true }), entry(11, 10, 10)]).map(({ pid }) => pid)).toEqual([
      11,
    ]);
  });
});

describe('a line of /proc/PID/stat', () => {
  test('is read by the last bracket: a program may have any name', () => {
    const stat = '42 (a) b (c) S 7 42 41 34816 99 4194304 1 0 0 0 0 0 0 0 20 0 1 0 12345 1000 10';
    expect(parseStat(stat)).toEqual({
      pid: 42,
      parentPid: 7,
      sessionId: 41,
      foregroundGroup: 99,
      startTime: '12345',
      zombie: false,
    });
  });
});

describe('an interactive shell', () => {
  const status = (ignored: string, caught: string) =>
    `Name:\tx\nSigBlk:\t0000000000000000\nSigIgn:\t${ignored}\nSigCgt:\t${caught}\n`;

  test('is told by what it does with SIGTERM and SIGTTOU', () => {
    // bash -i; a program that cleans up at SIGTERM; bash -c.
    expect(isJobControlStatus(status('0000000000384004', '000000004b817efb'))).toBe(true);
    expect(isJobControlStatus(status('0000000000000000', '0000000000004002'))).toBe(false);
    expect(isJobControlStatus(status('0000000000000000', '0000000000010000'))).toBe(false);
  });
});
