import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/session.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import { recentActs } from './recent-acts.ts';

const session = (id: string, times: readonly number[]) => {
  const acts = times.map((atMs, index): TimelineEntry => ({
    number: index + 1,
    atMs,
    by: { kind: 'person' },
    act: { kind: 'took-keyboard' },
    offset: 0,
  }));
  return { id: id as SessionId, acts, newestActs: (most: number) => (most === 0 ? [] : acts.slice(-most)) };
};

const told = (acts: ReturnType<typeof recentActs>) => acts.map(({ session: id, entry }) => `${id} ${entry.atMs}`);

describe('the newest acts on several sessions', () => {
  it('are on one clock, oldest first', () => {
    const acts = recentActs([session('a', [1, 4, 5]), session('b', []), session('c', [2, 3, 6])], 100);
    expect(told(acts)).toEqual(['a 1', 'c 2', 'c 3', 'a 4', 'a 5', 'c 6']);
  });

  it('of one moment stand in the order of their sessions', () => {
    expect(told(recentActs([session('a', [1, 2]), session('b', [2])], 100))).toEqual(['a 1', 'a 2', 'b 2']);
  });

  it('are no more than asked for, and nothing older is among them', () => {
    expect(told(recentActs([session('a', [1, 4, 5]), session('b', [2, 3, 6])], 4))).toEqual([
      'b 3',
      'a 4',
      'a 5',
      'b 6',
    ]);
    expect(recentActs([session('a', [1])], 0)).toEqual([]);
    expect(recentActs([], 5)).toEqual([]);
  });

  it('keep the order that those of each session have, whatever the clock did', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(50)), { maxLength: 5 }), fc.nat(30), (clocks, most) => {
        const sessions = clocks.map((times, index) => session(String(index), times));
        const acts = recentActs(sessions, most);
        const all = sessions.reduce((sum, one) => sum + one.acts.length, 0);
        expect(acts).toHaveLength(Math.min(most, all));
        for (const { id, acts: own } of sessions) {
          const mine = acts.filter((act) => act.session === id).map(({ entry }) => entry.number);
          expect(mine).toEqual(own.map(({ number }) => number).slice(own.length - mine.length));
        }
      }),
    );
  });
});
