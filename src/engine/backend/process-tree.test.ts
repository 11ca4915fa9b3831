import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { EnvironmentMarks } from './environment-marks.ts';
import {
  isJobControlStatus,
  lookAtProcess,
  lookAtProcesses,
  parseStat,
  terminalNumber,
  type ProcessEntry,
} from './process-table.ts';
import { membersOf, wholeGroups, type MembersRequest } from './process-tree.ts';

const entry = (pid: number, parentPid: number, sessionId: number, more: Partial<ProcessEntry> = {}): ProcessEntry => ({
  pid,
  parentPid,
  groupId: sessionId,
  sessionId,
  foregroundGroup: null,
  terminal: null,
  startTime: `start of ${pid}`,
  zombie: false,
  stopped: false,
  ...more,
});

const identity = (pid: number) => ({ pid, startTime: `start of ${pid}` });

const members = (table: readonly ProcessEntry[], request: Partial<MembersRequest> = {}) =>
  membersOf(
    {
      leader: identity(10),
      ownsNumber: true,
      terminal: null,
      known: [],
      adopted: [],
      isMarked: () => false,
      ...request,
    },
    table,
  ).map(({ pid }) => pid);

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
    expect(members(table)).toEqual([13, 12, 11, 10, 14]);
  });

  test('holds what carries its mark and what its terminal controls, with their descendants', () => {
    const table = [
      entry(1, 0, 1),
      entry(10, 1, 10),
      entry(21, 20, 20),
      entry(20, 1, 20),
      entry(30, 1, 30, { terminal: 34_823 }),
      entry(31, 30, 30),
      entry(40, 1, 40, { terminal: 34_824 }),
    ];
    expect(members(table, { terminal: 34_823, isMarked: ({ pid }) => pid === 20 })).toEqual([10, 31, 30, 21, 20]);
  });

  test('asks for the mark only where nothing else tells', () => {
    const asked: number[] = [];
    members([entry(1, 0, 1), entry(10, 1, 10), entry(11, 10, 10), entry(12, 11, 12), entry(20, 1, 20)], {
      isMarked: ({ pid }) => {
        asked.push(pid);
        return false;
      },
    });
    expect(asked).toEqual([1, 20]);
  });

  test('what was known stays in it after it was re-parented, and a reused pid does not', () => {
    const known = [identity(12), identity(30)];
    const table = [
      entry(1, 0, 1),
      entry(12, 1, 12),
      entry(15, 12, 12),
      entry(30, 1, 30, { startTime: 'another time' }),
    ];
    expect(members(table, { known })).toEqual([15, 12]);
  });

  test("a process that got the leader's number later is not touched, nor is its session", () => {
    const table = [entry(10, 1, 10, { startTime: 'later' }), entry(16, 10, 10), entry(17, 1, 10)];
    expect(members(table)).toEqual([]);
    expect(members(table, { leader: { pid: 10, startTime: null } })).toEqual([]);
    expect(members([...table, entry(12, 1, 12)], { known: [identity(12)] })).toEqual([12]);
  });

  test("the session of an ended leader is its tree's only while the number cannot have been given away", () => {
    const table = [entry(1, 0, 1), entry(17, 1, 10)];
    expect(members(table)).toEqual([17]);
    expect(members(table, { ownsNumber: false })).toEqual([]);
  });

  test('what a person adopted is not in it, nor what that started or leads', () => {
    const table = [
      entry(1, 0, 1),
      entry(10, 1, 10),
      entry(11, 10, 10),
      entry(12, 10, 12),
      entry(13, 12, 12),
      // Started by 13, which has ended.
      entry(14, 1, 12),
      entry(15, 10, 10),
    ];
    const adopted = [identity(12), identity(15), { pid: 11, startTime: 'another time' }];
    expect(members(table, { adopted, isMarked: () => true })).toEqual([1, 11, 10].toSorted((a, b) => b - a));
  });

  test('zombies are not in it: they have ended', () => {
    expect(members([entry(10, 1, 10, { zombie: true }), entry(11, 10, 10)])).toEqual([11]);
  });
});

describe('the process groups of a tree', () => {
  test('are those without a stranger; never 0 and 1, which kill(2) takes for more than a group', () => {
    const own = [
      entry(10, 1, 10),
      entry(11, 10, 10, { groupId: 11 }),
      entry(12, 10, 12, { groupId: 0 }),
      entry(13, 10, 13, { groupId: 1 }),
    ];
    const others = [entry(20, 1, 10, { groupId: 11 }), entry(21, 1, 10, { zombie: true })];
    expect(wholeGroups(own, [...own, ...others])).toEqual([10]);
  });
});

describe('the marks of processes', () => {
  const reader = (answers: Record<number, string | null>) => {
    const asked: number[] = [];
    const marks = new EnvironmentMarks((pid) => {
      asked.push(pid);
      return answers[pid] ?? null;
    });
    return { marks, asked };
  };

  test('are read once for each process, also when it has none; a reused pid is read anew', () => {
    const { marks, asked } = reader({ 1: 'SHELLSCOPE_SESSION=h:s\0', 2: 'HOME=/\0', 3: null });
    for (const pid of [1, 2, 3, 1, 2, 3]) {
      expect(marks.of(entry(pid, 1, pid))).toEqual(pid === 1 ? ['h:s'] : []);
    }
    expect(asked).toEqual([1, 2, 3]);
    marks.of(entry(1, 1, 1, { startTime: 'later' }));
    expect(asked).toEqual([1, 2, 3, 1]);
  });

  test('are read again of a process without an environment: it may be amid exec', () => {
    const answers = { 1: '' };
    const { marks } = reader(answers);
    expect(marks.of(entry(1, 1, 1))).toEqual([]);
    answers[1] = 'SHELLSCOPE_SESSION=h:s\0';
    expect(marks.of(entry(1, 1, 1))).toEqual(['h:s']);
  });

  test('are not looked for in zombies', () => {
    const { marks, asked } = reader({});
    marks.of(entry(2, 1, 1, { zombie: true }));
    expect(asked).toEqual([]);
  });

  test('of processes that ended are let go', () => {
    const { marks, asked } = reader({});
    const ended = Array.from({ length: 1_100 }, (_value, index) => entry(index + 2, 1, 1));
    const table = [entry(1, 0, 1)];
    for (const each of [...table, ...ended]) {
      marks.of(each);
    }
    marks.keepOnly(table);
    asked.length = 0;
    marks.of(entry(1, 0, 1));
    marks.of(entry(2, 1, 1));
    expect(asked).toEqual([2]);
  });
});

describe('a line of /proc/PID/stat', () => {
  test('is read by the last bracket: a program may have any name', () => {
    const stat = '42 (a) b (c) S 7 40 41 34816 99 4194304 1 0 0 0 0 0 0 0 20 0 1 0 12345 1000 10';
    expect(parseStat(stat)).toEqual({
      pid: 42,
      parentPid: 7,
      groupId: 40,
      sessionId: 41,
      foregroundGroup: 99,
      terminal: 34_816,
      startTime: '12345',
      zombie: false,
      stopped: false,
    });
  });

  test('tells a stopped process, and one without a terminal', () => {
    expect(parseStat('9 (x) T 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 7 0 0')).toMatchObject({
      terminal: null,
      foregroundGroup: null,
      stopped: true,
    });
  });
});

describe('the number of a terminal', () => {
  test('is the one of /proc/PID/stat', () => {
    expect(terminalNumber('/dev/pts/0')).toBe(0x88_00);
    expect(terminalNumber('/dev/pts/7')).toBe(0x88_07);
    expect(terminalNumber('/dev/pts/300')).toBe(0x89_2c);
    expect(terminalNumber('/dev/tty1')).toBeNull();
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

describe.runIf(process.platform === 'linux')('a look at all processes', () => {
  test('has this one and its child, and no thread of the kernel', async () => {
    const child = spawn('sleep', ['60']);
    try {
      const { entries } = await lookAtProcesses();
      expect(entries.find(({ pid }) => pid === process.pid)).toEqual(lookAtProcess(process.pid));
      expect(entries.find(({ pid }) => pid === child.pid)).toMatchObject({ parentPid: process.pid, zombie: false });
      // Number 2 starts all threads of the kernel; in a container nobody has it.
      expect(entries.filter(({ parentPid }) => parentPid === 2)).toEqual([]);
    } finally {
      child.kill();
    }
  });
});
