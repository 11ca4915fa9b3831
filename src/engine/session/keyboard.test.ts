import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SessionId } from '../../shared/session.ts';
import { Keyboard } from './keyboard.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function keyboard() {
  const heard: unknown[] = [];
  const board = new Keyboard({
    id: 's1' as SessionId,
    owner: 'agent',
    handBackAfterMs: 1_000,
    onTaken: () => void heard.push('taken'),
    onHandedBack: (why, size) => void heard.push([why, size]),
  });
  return { board, heard };
}

test('goes back when the person has not typed for a while, each key begins that while anew', () => {
  const { board, heard } = keyboard();
  board.taken(5);
  vi.advanceTimersByTime(900);
  board.taken(9);
  vi.advanceTimersByTime(900);
  expect(board.holder).toBe('person');
  vi.advanceTimersByTime(100);
  expect([board.holder, heard]).toEqual(['agent', ['taken', ['idle', null]]]);
  expect(board.last).toMatchObject({ fromOffset: 5 });
  expect(vi.getTimerCount()).toBe(0);
});

test('the size to restore is the one before the person’s first', () => {
  const { board, heard } = keyboard();
  board.taken(0);
  board.sizedFrom({ cols: 80, rows: 24 });
  board.sizedFrom({ cols: 100, rows: 30 });
  board.handBack();
  board.handBack();
  expect(heard).toEqual(['taken', ['asked', { cols: 80, rows: 24 }]]);
});
