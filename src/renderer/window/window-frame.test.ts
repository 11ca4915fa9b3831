import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { requestWindowFrame } from './window-frame.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('a frame is called back once, and the step of a hidden window does not follow it', () => {
  const frames: FrameRequestCallback[] = [];
  vi.stubGlobal('requestAnimationFrame', (onFrame: FrameRequestCallback) => frames.push(onFrame));
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
  const onFrame = vi.fn();
  requestWindowFrame(onFrame);
  expect(onFrame).not.toHaveBeenCalled();
  frames[0]?.(16);
  vi.advanceTimersByTime(10_000);
  expect(onFrame).toHaveBeenCalledOnce();
});

it('a window that draws no frames goes on all the same', () => {
  const cancelled: number[] = [];
  vi.stubGlobal('requestAnimationFrame', () => 7);
  vi.stubGlobal('cancelAnimationFrame', (id: number) => cancelled.push(id));
  const onFrame = vi.fn();
  requestWindowFrame(onFrame);
  vi.advanceTimersByTime(100);
  expect(onFrame).toHaveBeenCalledOnce();
  expect(cancelled).toEqual([7]);
});
