import { describe, expect, test } from 'vitest';
import { LimitAction } from './limit-action.ts';

const CHILD = { pid: 7, startTime: '1' };
const OTHER = { pid: 8, startTime: '1' };

describe('what was sent for a limit', () => {
  test.each([
    [['SIGSTOP', 'SIGKILL'], { exitCode: null, signal: 'SIGKILL' }, true],
    [['SIGTERM', 'SIGCONT'], { exitCode: null, signal: 'SIGTERM' }, true],
    [['SIGTERM', 'SIGCONT'], { exitCode: 3, signal: null }, true],
    [['SIGSTOP'], { exitCode: null, signal: null }, true],
    [['SIGSTOP', 'SIGKILL'], { exitCode: 0, signal: null }, false],
    [['SIGSTOP', 'SIGKILL'], { exitCode: null, signal: 'SIGSEGV' }, false],
    [[], { exitCode: null, signal: 'SIGKILL' }, false],
    [[], { exitCode: null, signal: null }, false],
  ] as const)('%j and the exit %j: ended by it %s', (signals, exit, isByLimit) => {
    const action = new LimitAction(CHILD.pid);
    action.onSignal(OTHER, 'SIGTERM');
    for (const signal of signals) {
      action.onSignal(CHILD, signal);
    }
    expect(action.explains(exit)).toBe(isByLimit);
  });

  test('has reached others than the child, or not', () => {
    const action = new LimitAction(CHILD.pid);
    action.onSignal(CHILD, 'SIGKILL');
    expect(action.hasReachedOthers).toBe(false);
    action.onSignal(OTHER, 'SIGKILL');
    expect(action.hasReachedOthers).toBe(true);
  });
});
