import { describe, expect, it } from 'vitest';
import { TurnoverMap, TurnoverSet } from './turnover.ts';

describe('TurnoverMap', () => {
  it('holds what a Map holds, in its order, over many renewals', () => {
    const map = new TurnoverMap<number, string>();
    const plain = new Map<number, string>();
    for (let key = 0; key < 300; key += 1) {
      map.set(key % 50, `value ${key}`);
      plain.set(key % 50, `value ${key}`);
      expect(map.delete(key % 37)).toBe(plain.delete(key % 37));
    }
    expect(map.entries()).toEqual([...plain]);
    expect([map.keys(), map.values(), map.size]).toEqual([[...plain.keys()], [...plain.values()], plain.size]);
    expect(map.delete(1_000)).toBe(false);
    map.clear();
    expect([map.size, map.has(1), map.get(1)]).toEqual([0, false, undefined]);
  });

  it('walks through what was there when the walk began', () => {
    const map = new TurnoverMap(Array.from({ length: 40 }, (_, key) => [key, key] as const));
    const walked: number[] = [];
    for (const [key] of map) {
      walked.push(key);
      map.delete(key);
      map.set(key + 100, key);
    }
    expect(walked).toHaveLength(40);
    expect(map.size).toBe(40);
  });

  it('keeps the newest', () => {
    const map = new TurnoverMap(Array.from({ length: 100 }, (_, key) => [key, key] as const));
    map.keepNewest(3);
    expect(map.keys()).toEqual([97, 98, 99]);
    map.keepNewest(5);
    expect(map.size).toBe(3);
  });
});

describe('TurnoverSet', () => {
  it('holds what a Set holds, in its order', () => {
    const set = new TurnoverSet<string>();
    expect([set.add('a').add('b').add('a').size, [...set]]).toEqual([2, ['a', 'b']]);
    expect([set.delete('a'), set.delete('a'), set.has('a'), [...set]]).toEqual([true, false, false, ['b']]);
    set.add('c').keepNewest(1);
    expect([...set]).toEqual(['c']);
    set.clear();
    expect(set.size).toBe(0);
  });
});
