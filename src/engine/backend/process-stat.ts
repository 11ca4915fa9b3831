import { closeSync, openSync, readSync } from 'node:fs';

/** What /proc/PID/stat tells of a process (proc(5)), as far as anybody here asks. */
export interface ProcessStat {
  readonly pid: number;
  /** One letter: `R` runs, `S` sleeps, `T` is stopped by a signal, `Z` and `X` have ended. */
  readonly state: string;
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  /** As the kernel numbers it; 0 without one. */
  readonly terminal: number;
  /** -1 without a terminal. */
  readonly foregroundGroup: number;
  /** The kernel's flags of a task (include/linux/sched.h). */
  readonly flags: number;
  /** In clock ticks after the machine's start. */
  readonly startTime: number;
}

/** Room for the longest: 50 numbers of up to 20 digits, a name of up to 64 bytes. */
const STAT_BYTES = 2_048;

/** Fields between the flags (9) and the start time (22). */
const FIELDS_AFTER_FLAGS = 22 - 9;

const SPACE = 0x20;
const CLOSING_BRACKET = 0x29;
const MINUS = 0x2d;
const ZERO = 0x30;

/** One for all: it is read and parsed without a pause. */
const scratch = Buffer.allocUnsafe(STAT_BYTES);

/**
 * Reads /proc/PID/stat of one process; null when it has ended. Whole process tables are read by it: with a text and an
 * array for each line a look at 150 processes made 150 kB of garbage.
 */
export function readStat(pid: number): ProcessStat | null {
  try {
    const file = openSync(`/proc/${pid}/stat`, 'r');
    try {
      return parseStatBytes(scratch, readSync(file, scratch, 0, STAT_BYTES, null));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') {
      return null;
    }
    throw error;
  }
}

/** Reads the first `length` bytes as one /proc/PID/stat; null when they are none. */
export function parseStatBytes(stat: Uint8Array, length: number): ProcessStat | null {
  // The second field is the program's name in brackets and may hold anything.
  const nameEnd = stat.lastIndexOf(CLOSING_BRACKET, length - 1);
  if (nameEnd === -1) {
    return null;
  }
  const numbers = new NumberFields(stat, nameEnd + 4, length);
  const fields = {
    pid: new NumberFields(stat, 0, length).next(),
    state: String.fromCharCode(stat[nameEnd + 2] ?? SPACE),
    parentPid: numbers.next(),
    groupId: numbers.next(),
    sessionId: numbers.next(),
    terminal: numbers.next(),
    foregroundGroup: numbers.next(),
    flags: numbers.next(),
    startTime: numbers.skip(FIELDS_AFTER_FLAGS - 1).next(),
  };
  return Number.isNaN(fields.startTime) ? null : fields;
}

/** Whole numbers with a space between them. */
class NumberFields {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, at: number, end: number) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
  }

  /** The next one; NaN when there is none. */
  next(): number {
    const bytes = this.#bytes;
    const isNegative = bytes[this.#at] === MINUS;
    const begin = isNegative ? this.#at + 1 : this.#at;
    let at = begin;
    let value = 0;
    for (; at < this.#end; at += 1) {
      const digit = (bytes[at] ?? SPACE) - ZERO;
      if (digit < 0 || digit > 9) {
        break;
      }
      value = value * 10 + digit;
    }
    this.#at = at + 1;
    if (at === begin) {
      return Number.NaN;
    }
    return isNegative ? -value : value;
  }

  skip(count: number): this {
    for (let left = count; left > 0; left -= 1) {
      const space = this.#bytes.indexOf(SPACE, this.#at);
      this.#at = space === -1 ? this.#end : space + 1;
    }
    return this;
  }
}
