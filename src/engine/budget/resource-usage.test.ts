import { describe, expect, test } from 'vitest';
import type { ProcessUsage } from '../backend/process-usage.ts';
import { indexProcesses, UsageMeter, type MoreKnown } from './resource-usage.ts';

const entry = (pid: number, parentPid: number, more: Partial<ProcessUsage> = {}): ProcessUsage => ({
  pid,
  parentPid,
  sessionId: 10,
  startTime: `start of ${pid}`,
  zombie: false,
  cpuMs: 0,
  childrenCpuMs: 0,
  residentBytes: 1_000,
  ...more,
});

/** What is on every machine, with a lot of everything. */
const others = [1, 2].map((pid) => entry(pid, 0, { sessionId: pid, cpuMs: 1e6, childrenCpuMs: 1e6 }));

/** A meter of the session that pid 10 leads, and the CPU time of each further look. */
function meterOf(...tables: readonly (readonly ProcessUsage[])[]) {
  const meter = new UsageMeter({ pid: 10, startTime: 'start of 10' });
  let atMs = 0;
  const look = (table: readonly ProcessUsage[], more?: MoreKnown) => {
    atMs += 1_000;
    return meter.update(indexProcesses([...others, ...table]), atMs, more);
  };
  return {
    look,
    pids: () => meter.members.map(({ pid }) => pid).toSorted((a, b) => a - b),
    usages: tables.map((table) => look(table)),
  };
}

describe('the usage of a session', () => {
  test('is that of its members and their descendants, and of nobody else', () => {
    const { usages, pids } = meterOf([
      entry(10, 2, { cpuMs: 10 }),
      entry(11, 10, { cpuMs: 20 }),
      // Its own session, but a descendant.
      entry(12, 11, { cpuMs: 30, sessionId: 12 }),
      // Re-parented, but of the session.
      entry(13, 1, { cpuMs: 40 }),
      entry(20, 2, { cpuMs: 50, sessionId: 20 }),
    ]);
    expect(usages).toEqual([{ sampledAtMs: 1_000, residentBytes: 4_000, processes: 4, cpuMs: 100, cpuPercent: null }]);
    expect(pids()).toEqual([10, 11, 12, 13]);
  });

  test('counts an ended process as one only while its own parent has to reap it', () => {
    const ended = { zombie: true, residentBytes: 0, cpuMs: 10 };
    const { usages } = meterOf([entry(10, 2), entry(11, 10, ended), entry(12, 1, ended)]);
    expect(usages).toMatchObject([{ processes: 2, cpuMs: 20 }]);
  });

  test('keeps what left the tree after it was seen, and takes in what it is told of', () => {
    const { look, pids } = meterOf([entry(10, 2), entry(12, 10, { sessionId: 12 })]);
    look([entry(12, 1, { sessionId: 12 }), entry(30, 1, { sessionId: 30 }), entry(31, 30, { sessionId: 30 })]);
    expect(pids()).toEqual([12]);
    look([entry(12, 1, { sessionId: 12 }), entry(30, 1, { sessionId: 30 }), entry(31, 30, { sessionId: 30 })], {
      alsoMembers: [
        { pid: 30, startTime: null },
        { pid: 2, startTime: 'another time' },
      ],
    });
    expect(pids()).toEqual([12, 30, 31]);
  });

  test("leaves out a process that got a member's or the leader's number later, and that one's session", () => {
    const { look, pids } = meterOf([entry(10, 2), entry(12, 10, { sessionId: 12 })]);
    look([entry(10, 2, { startTime: 'later' }), entry(12, 2, { startTime: 'later' }), entry(13, 10)]);
    expect(pids()).toEqual([]);
  });

  test('leaves out the session of whoever got the number of a leader that is gone, also when that one has ended', () => {
    const { look, pids } = meterOf([entry(10, 2), entry(11, 10)]);
    look([entry(11, 1)]);
    expect(pids()).toEqual([11]);
    look([]);
    look([entry(13, 1, { sessionId: 10 })]);
    expect(pids()).toEqual([]);
  });

  test('shows the CPU as a share of one core since the look before', () => {
    const { usages } = meterOf([entry(10, 2, { cpuMs: 100 })], [entry(10, 2, { cpuMs: 1_850 })]);
    expect(usages.map(({ cpuPercent }) => cpuPercent)).toEqual([null, 175]);
  });

  test('takes the CPU time of a control group for exact', () => {
    const { look } = meterOf([entry(10, 2, { cpuMs: 100 })]);
    expect(look([entry(10, 2, { cpuMs: 120 })], { exactCpuMs: 480 }).cpuMs).toBe(480);
  });
});

describe('the CPU time of processes that ended', () => {
  const cpuOf = (...tables: readonly (readonly ProcessUsage[])[]) =>
    meterOf(...tables).usages.map(({ cpuMs }) => cpuMs);

  test('counts once when their parent waited for them', () => {
    // Between the looks the child used another 200 ms.
    expect(cpuOf([entry(10, 2), entry(11, 10, { cpuMs: 500 })], [entry(10, 2, { childrenCpuMs: 700 })])).toEqual([
      500, 700,
    ]);
  });

  test('is not lost when their parent did not wait for them', () => {
    expect(cpuOf([entry(10, 2), entry(11, 10, { cpuMs: 500 })], [entry(10, 2)], [entry(10, 2)])).toEqual([
      500, 500, 500,
    ]);
  });

  test('is not lost when they had been re-parented', () => {
    expect(
      cpuOf(
        [entry(10, 2), entry(11, 10, { cpuMs: 300, childrenCpuMs: 30 }), entry(12, 1, { cpuMs: 500 })],
        [entry(10, 2, { childrenCpuMs: 330 })],
      ),
    ).toEqual([830, 830]);
  });

  test('counts once when a whole branch ended and every parent waited', () => {
    const branch = [entry(11, 10, { cpuMs: 100, childrenCpuMs: 40 }), entry(12, 11, { cpuMs: 300 })];
    expect(cpuOf([entry(10, 2, { cpuMs: 5 }), ...branch], [entry(10, 2, { cpuMs: 5, childrenCpuMs: 440 })])).toEqual([
      445, 445,
    ]);
  });

  test('is made up for as far as it is missing when only some were waited for', () => {
    const branch = [entry(11, 10, { cpuMs: 100 }), entry(12, 11, { cpuMs: 300 })];
    expect(cpuOf([entry(10, 2), ...branch], [entry(10, 2, { childrenCpuMs: 120 })])).toEqual([400, 400]);
  });

  test('is not lost with the leader, which the host reaps', () => {
    expect(
      cpuOf(
        [entry(10, 2, { cpuMs: 200, childrenCpuMs: 50 }), entry(11, 10, { cpuMs: 10 })],
        [entry(11, 1, { cpuMs: 15 })],
        [],
      ),
    ).toEqual([260, 265, 265]);
  });

  test('counts once while they wait to be reaped', () => {
    expect(
      cpuOf(
        [entry(10, 2), entry(11, 10, { cpuMs: 500 })],
        [entry(10, 2), entry(11, 10, { cpuMs: 510, zombie: true })],
        [entry(10, 2, { childrenCpuMs: 510 })],
      ),
    ).toEqual([500, 510, 510]);
  });
});
