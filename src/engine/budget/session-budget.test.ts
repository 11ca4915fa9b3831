import { describe, expect, test } from 'vitest';
import { BUDGET_LIMITS, checkedLimits, hitOf, hitThatEnded, kernelHit, nearness } from './session-budget.ts';

const MIB = 1024 * 1024;

describe('limits from outside', () => {
  test('are taken when each is a positive whole number; what is not given stays without a limit', () => {
    expect(checkedLimits({ memoryBytes: MIB, processes: 1, idleMs: undefined })).toEqual({
      memoryBytes: MIB,
      processes: 1,
    });
    expect(checkedLimits({})).toEqual({});
  });

  test.each([
    [{ memoryBytes: 0 }, 'limits.memoryBytes must be a positive whole number, not 0'],
    [{ processes: -1 }, 'limits.processes must be a positive whole number, not -1'],
    [{ cpuSeconds: 1.5 }, 'limits.cpuSeconds must be a positive whole number, not 1.5'],
    [{ outputBytes: Number.NaN }, 'limits.outputBytes must be a positive whole number, not NaN'],
    [{ lifetimeMs: 2 ** 53 }, 'limits.lifetimeMs must be a positive whole number, not 9007199254740992'],
    [{ idleMs: '5' }, 'limits.idleMs must be a positive whole number, not a string'],
    [{ idleMs: null }, 'limits.idleMs must be a positive whole number, not null'],
    [{ memory: 5 }, 'limits.memory is no limit; there are memoryBytes, processes'],
  ])('%o is refused by the name of the field', (limits, message) => {
    expect(() => checkedLimits(limits)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    expect(() => checkedLimits(limits)).toThrow(message);
  });
});

describe('a hit', () => {
  const limits = {
    memoryBytes: 256 * MIB,
    processes: 8,
    cpuSeconds: 60,
    outputBytes: 1_000,
    lifetimeMs: 90_000,
    idleMs: 1_000,
  };

  test.each([
    [{ memoryBytes: 256 * MIB }, null],
    [{ processes: 8 }, null],
    [{ outputBytes: 1_000 }, null],
    [{ cpuSeconds: 59.99 }, null],
    [{ lifetimeMs: 89_999 }, null],
    [{ idleMs: 999 }, null],
    [{}, null],
    [{ memoryBytes: 312.5 * MIB }, 'Over its memory limit: its processes used 327.7 MB; the limit is 268.4 MB.'],
    [
      { memoryBytes: 256 * MIB + 4_096 },
      'Over its memory limit: its processes used 268,439,552 bytes; the limit is 268,435,456.',
    ],
    [{ processes: 9 }, 'Over its process limit: 9 processes were there at once; the limit is 8.'],
    [{ cpuSeconds: 60 }, 'Over its CPU limit: it used 60 seconds of CPU time; the limit is 60 seconds.'],
    [{ outputBytes: 1_001 }, 'Over its output limit: it printed 1,001 bytes; the limit is 1,000 bytes.'],
    [{ lifetimeMs: 90_000 }, 'Over its time limit: it ran for 90 seconds; the limit is 90 seconds.'],
    [
      { idleMs: 1_000 },
      'Over its idle limit: it printed nothing and was given nothing for 1 second; the limit is 1 second.',
    ],
  ])('by %o: %s', (measure, message) => {
    expect(hitOf(limits, measure)?.message ?? null).toBe(message);
  });

  test('says which limit it was, with both figures in its unit', () => {
    expect(hitOf(limits, { cpuSeconds: 61.25 })).toEqual({
      limit: 'cpu',
      maximum: 60,
      measured: 61.25,
      enforcedBy: 'host',
      ended: null,
      message: expect.any(String),
    });
  });

  test.each([
    ['child', 'Ended by its output limit: it printed 1,001 bytes; the limit is 1,000 bytes.'],
    [
      'survivors',
      'What outlived its child was ended by its output limit: it printed 1,001 bytes; the limit is 1,000 bytes.',
    ],
    ['nothing', 'Ended before its output limit could end it: it printed 1,001 bytes; the limit is 1,000 bytes.'],
  ] as const)('says what came of it: %s', (ended, message) => {
    const hit = hitOf(limits, { outputBytes: 1_001 });
    expect(hit === null ? null : hitThatEnded(hit, ended)).toEqual({ ...hit, ended, message });
  });

  test('is told of one limit, in a fixed order; what has no limit is never hit', () => {
    const all = { memoryBytes: 1e12, processes: 1e6, cpuSeconds: 1e6, outputBytes: 1e6, lifetimeMs: 1e6, idleMs: 1e6 };
    const order: string[] = [];
    const left: Record<string, number> = { ...limits };
    for (let hit = hitOf(left, all); hit !== null; hit = hitOf(left, all)) {
      order.push(hit.limit);
      delete left[Object.keys(left)[0] ?? ''];
    }
    expect(order).toEqual(BUDGET_LIMITS);
  });

  test('by the kernel has a limit to belong to', () => {
    expect(kernelHit(limits, 'memory', null)).toEqual({
      limit: 'memory',
      maximum: 256 * MIB,
      measured: null,
      enforcedBy: 'kernel',
      ended: null,
      message: 'Over its memory limit: it needed more than 268.4 MB, and the kernel refused it that.',
    });
    expect(kernelHit({ idleMs: 1 }, 'processes', null)).toBeNull();
  });
});

test('how near a session is to its limits counts what it grows', () => {
  expect(nearness({}, { memoryBytes: 1e12 })).toBe(0);
  expect(nearness({ memoryBytes: 100, processes: 10 }, { memoryBytes: 20, processes: 4 })).toBe(0.4);
  expect(nearness({ memoryBytes: 100 }, { memoryBytes: 30 }, { memoryBytes: 5 })).toBe(0.55);
  expect(nearness({ memoryBytes: 100 }, { memoryBytes: 30 }, { memoryBytes: 90 })).toBe(0.3);
});
