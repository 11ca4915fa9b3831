import { describe, expect, it } from 'vitest';
import { limitWords, usedOf } from './limit-text.ts';
import { bytesText } from './quantity-text.ts';

const LIMITS = {
  memoryBytes: 512_000_000,
  processes: 64,
  cpuSeconds: 60,
  outputBytes: 10_000_000,
  lifetimeMs: 3_600_000,
  idleMs: 300_000,
};

const USED = {
  residentBytes: 61_000_000,
  processes: 3,
  cpuMs: 2_040,
  outputBytes: 3_200_000,
  lifetimeMs: 245_000,
  idleMs: 12_000,
};

describe('the limits of a session', () => {
  it('are told each with what is used of it', () => {
    expect(limitWords(LIMITS, USED)).toEqual([
      'memory 61.0 MB of 512 MB',
      '3 of 64 processes',
      'CPU time 2.0 s of 1 min',
      'output 3.2 MB of 10 MB',
      'lifetime 4 min 5 s of 1 h',
      'idle 12.0 s of 5 min',
    ]);
  });

  it('are told also where what is used is not known', () => {
    expect(limitWords({ ...LIMITS, processes: 1 }, { outputBytes: 0 })).toEqual([
      'memory at most 512 MB',
      'at most 1 process',
      'CPU time at most 1 min',
      'output 0 B of 10 MB',
      'lifetime at most 1 h',
      'idle at most 5 min',
    ]);
  });

  it.each(Object.keys(LIMITS) as (keyof typeof LIMITS)[])('are told only where there are any: %s alone', (field) => {
    const [own, ...others] = limitWords({ [field]: LIMITS[field] }, USED);
    expect(own).toBe(limitWords(LIMITS, USED)[Object.keys(LIMITS).indexOf(field)]);
    expect(others).toEqual([]);
    expect(limitWords({}, USED)).toEqual([]);
  });

  it('say why a session that seems to be over its memory runs on', () => {
    expect(limitWords({ memoryBytes: 60_000_000 }, USED)).toEqual([
      'memory 61.0 MB of 60 MB (shared pages count in each process)',
    ]);
  });

  it('stand behind what is used, or not at all', () => {
    expect(usedOf('CPU 4% · 61.0 MB', 512_000_000, bytesText)).toBe('CPU 4% · 61.0 MB of 512 MB');
    expect(usedOf('61.0 MB', undefined, bytesText)).toBe('61.0 MB');
  });
});
