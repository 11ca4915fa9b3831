import { expect, test, vi } from 'vitest';
import { AttentionDesk } from './attention.ts';

const WISH = { kind: 'ask', message: 'sign in, please', timeoutMs: 60_000 } as const;

test('a wish stands until a person answers; whoever waits is told, and whoever comes back later too', async () => {
  const onChange = vi.fn();
  const desk = new AttentionDesk(onChange);
  const wish = desk.ask(WISH);
  expect(desk.current).toEqual(wish);
  expect(desk.ask(WISH)).toBe(wish);
  expect(await desk.outcome(wish.id, 0)).toBeNull();
  const waited = desk.outcome(wish.id, 60_000);
  expect(desk.answer(wish.id, { state: 'done', note: 'signed in' })).toBe(true);
  expect(await waited).toEqual({ state: 'done', note: 'signed in' });
  expect(await desk.outcome(wish.id, 60_000)).toEqual({ state: 'done', note: 'signed in' });
  expect(desk.answer(wish.id, { state: 'declined', note: null })).toBe(false);
  expect(desk.current).toBeNull();
  expect(onChange).toHaveBeenCalledTimes(2);
});

test('it ends at its time, with its session, and by a later wish', async () => {
  const desk = new AttentionDesk(() => {});
  const short = desk.ask({ ...WISH, timeoutMs: 1 });
  expect(await desk.outcome(short.id, 60_000)).toEqual({ state: 'timed-out', note: null });
  const first = desk.ask(WISH);
  const second = desk.ask({ ...WISH, message: 'type the password', kind: 'secret' });
  expect(await desk.outcome(first.id, 60_000)).toEqual({ state: 'replaced', note: null });
  desk.dispose();
  expect(await desk.outcome(second.id, 60_000)).toEqual({ state: 'ended', note: null });
});

test('a wait that is given up changes nothing, and what is no wish is refused with the field', async () => {
  const desk = new AttentionDesk(() => {});
  const wish = desk.ask(WISH);
  const controller = new AbortController();
  const waited = desk.outcome(wish.id, 60_000, controller.signal);
  controller.abort();
  expect(await waited).toBeNull();
  expect(desk.current).toEqual(wish);
  desk.dispose();
  expect(() => desk.ask({ ...WISH, message: ' ' })).toThrow(/^message: /);
  await expect(desk.outcome('attention-9', 0)).rejects.toThrow(/^attention: attention-9 /);
});
