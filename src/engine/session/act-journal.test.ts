import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Act, Actor, TimelineEntry } from '../../shared/timeline.ts';
import { ActJournal } from './act-journal.ts';

const person: Actor = { kind: 'person' };
const terminal: Actor = { kind: 'terminal' };
const wrote: Act = { kind: 'wrote', times: 1, bytes: 1 };
const replied: Act = { kind: 'replied', times: 1, bytes: 9 };

function startJournal() {
  const told: TimelineEntry[] = [];
  const over: (readonly TimelineEntry[])[] = [];
  const journal = new ActJournal({ onAct: (entry) => told.push(entry), onInputs: (entries) => over.push(entries) });
  const note = (by: Actor, act: Act, offset = 0): void => journal.note({ by, act, offset, atMs: Date.now() });
  return { journal, told, over, note };
}

const counts = (entries: readonly TimelineEntry[]): unknown =>
  entries.map(({ number, act }) => [number, act.kind === 'wrote' || act.kind === 'replied' ? act.times : act.kind]);

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('an act that grows', () => {
  it('is told when it begins, and as it is in the end when it is over: not with each key', () => {
    const { told, note } = startJournal();
    for (let key = 0; key < 1_000; key += 1) {
      note(person, wrote);
      note(terminal, replied);
    }
    expect(counts(told)).toEqual([
      [1, 1],
      [2, 1],
    ]);
    vi.advanceTimersByTime(10_000);
    expect(counts(told.slice(2))).toEqual([
      [1, 1_000],
      [2, 1_000],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is told when another one begins', () => {
    const { journal, told, note } = startJournal();
    note(person, wrote);
    note(person, wrote);
    expect([journal.lastNumber, journal.noted]).toEqual([1, 2]);
    note({ kind: 'child' }, { kind: 'output-closed' });
    expect(counts(told)).toEqual([
      [1, 1],
      [1, 2],
      [2, 'output-closed'],
    ]);
  });
});

describe('a span of input', () => {
  it('is over when nothing can be joined with it any more, and told then once', () => {
    const { over, note } = startJournal();
    note(person, wrote);
    vi.advanceTimersByTime(1_500);
    note(person, wrote);
    vi.advanceTimersByTime(1_500);
    expect(over).toEqual([]);
    vi.advanceTimersByTime(4_000);
    expect(over.map(counts)).toEqual([[[1, 2]]]);
    vi.advanceTimersByTime(60_000);
    expect(over).toHaveLength(1);
  });

  it('is told at the end, which leaves no timer', () => {
    const { journal, told, over, note } = startJournal();
    note(person, wrote);
    note(person, wrote);
    note(terminal, replied);
    journal.settle();
    journal.settle();
    expect(over.map(counts)).toEqual([
      [
        [1, 2],
        [2, 1],
      ],
    ]);
    expect(counts(told.slice(-1))).toEqual([[2, 1]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is input alone: what was read and resized is not', () => {
    const { over, note } = startJournal();
    note(person, { kind: 'resized', size: { cols: 1, rows: 1 } });
    note(person, { kind: 'read', times: 1, bytes: 1 });
    vi.advanceTimersByTime(10_000);
    expect(over).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
