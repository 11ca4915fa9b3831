import { constants } from 'node:os';
import { EngineError } from '../../shared/errors.ts';
import type { TerminalSize } from '../../shared/session.ts';

/** Longest time that a timer can hold, in milliseconds: some 25 days. Longer waits are as good as endless. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Largest terminal in each direction, in cells. The kernel's numbers end at 65,535 (winsize, ioctl_tty(2)). */
const MAX_CELLS = 2_000;

/** Characters of a session's title. */
const MAX_TITLE_LENGTH = 200;

/** A time in milliseconds as a timer can hold it: endless becomes the longest. Throws `invalid-argument` naming the field. */
export function checkedMs(name: string, value: number): number {
  if (!(value >= 0)) {
    throw invalid(name, 'a time in milliseconds, 0 or more', value);
  }
  return Math.min(value, MAX_TIMER_MS);
}

/** A number of bytes, or no limit (`Infinity`). Throws `invalid-argument` naming the field. */
export function checkedByteLimit(name: string, value: number): number {
  if (!(value >= 0)) {
    throw invalid(name, 'a number of bytes, 0 or more', value);
  }
  return value;
}

/** A place in a log: a whole number, 0 or more. Throws `invalid-argument` naming the field. */
export function checkedPlace(name: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw invalid(name, 'a whole number, 0 or more', value);
  }
  return value;
}

/** Throws `invalid-argument` for a terminal that no screen has. */
export function checkedSize({ cols, rows }: TerminalSize): TerminalSize {
  for (const [name, value] of [
    ['cols', cols],
    ['rows', rows],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < 1 || value > MAX_CELLS) {
      throw invalid(name, `a whole number from 1 to ${MAX_CELLS}`, value);
    }
  }
  return { cols, rows };
}

/** Throws `invalid-argument` for what this system has no signal for. */
export function checkedSignal(signal: NodeJS.Signals): NodeJS.Signals {
  if (!Object.hasOwn(constants.signals, signal)) {
    throw new EngineError('invalid-argument', `signal: there is no ${signal} here; see signal(7)`);
  }
  return signal;
}

/** Throws `invalid-argument` for a title that is empty, too long, or holds control characters. */
export function checkedTitle(title: string): string {
  const trimmed = title.trim();
  if (trimmed === '' || trimmed.length > MAX_TITLE_LENGTH || /\p{Cc}/u.test(trimmed)) {
    throw new EngineError(
      'invalid-argument',
      `title: must be 1 to ${MAX_TITLE_LENGTH} characters without control characters`,
    );
  }
  return trimmed;
}

function invalid(name: string, wanted: string, value: number): EngineError {
  return new EngineError('invalid-argument', `${name}: must be ${wanted}, not ${String(value)}`);
}
