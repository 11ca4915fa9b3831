import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { TurnoverMap } from '../../shared/turnover.ts';
import type { ProcessEntry } from './process-table.ts';
import { marksInEnvironment } from './session-mark.ts';

/** Entries that may be of processes that ended, before these are looked for and let go. */
const MAX_STALE_ENTRIES = 1_000;

/** What tells whether the marks of a process are known already. */
export type MarkedProcess = Pick<ProcessEntry, 'pid' | 'startTime' | 'zombie'>;

/**
 * Which sessions' marks a process carries, by the environment it was started with. Each process is read once: to read
 * it costs some 20 µs, about as much as its line in the process table.
 *
 * What was read stays true. A process that carries a mark stays a member when it becomes another program without one
 * (`env -i`); one that carries none gets one only from a host, as the leader of a session, which is known by its pid.
 *
 * On Linux only; elsewhere nothing carries a mark that could be read.
 */
export class EnvironmentMarks {
  readonly #read: (pid: number) => string | null;
  /** By pid. */
  readonly #known = new TurnoverMap<number, { readonly startTime: string; readonly marks: readonly string[] }>();

  /** `read` answers the text of /proc/PID/environ, or null when it may not be read. */
  constructor(read: (pid: number) => string | null = readEnvironment) {
    this.#read = read;
  }

  /** The marks of a process, the outermost first; empty for another user's process and for one that has ended. */
  of(entry: MarkedProcess): readonly string[] {
    if (entry.zombie) {
      return [];
    }
    const known = this.#known.get(entry.pid);
    if (known?.startTime === entry.startTime) {
      return known.marks;
    }
    const text = this.#read(entry.pid);
    if (text === '') {
      // While exec(2) swaps its memory a process has no environment: it is asked again at the next look.
      return [];
    }
    const marks = text === null ? [] : marksInEnvironment(text);
    this.#known.set(entry.pid, { startTime: entry.startTime, marks });
    return marks;
  }

  /** Lets go of processes that are not in the table. */
  keepOnly(table: readonly Pick<ProcessEntry, 'pid'>[]): void {
    if (this.#known.size <= table.length + MAX_STALE_ENTRIES) {
      return;
    }
    const present = new Set(table.map(({ pid }) => pid));
    for (const pid of this.#known.keys()) {
      if (!present.has(pid)) {
        this.#known.delete(pid);
      }
    }
  }
}

/** One for all looks of the host, those at trees and those at what sessions use, so that each process is read once. */
export const environmentMarks = new EnvironmentMarks();

/**
 * One for all, larger than what usual environments have. Node's own buffers for a file of unknown length are memory outside
 * of the heap, which drives V8 into collections of all of it: two to four of 8 KiB for each process.
 */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

function readEnvironment(pid: number): string | null {
  if (process.platform !== 'linux') {
    return null;
  }
  try {
    return readWhole(`/proc/${pid}/environ`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') {
      return '';
    }
    if (code === 'EACCES' || code === 'EPERM') {
      return null;
    }
    throw error;
  }
}

function readWhole(path: string): string {
  const file = openSync(path, 'r');
  try {
    let length = 0;
    while (length < scratch.length) {
      const byteCount = readSync(file, scratch, length, scratch.length - length, null);
      if (byteCount === 0) {
        return scratch.toString('latin1', 0, length);
      }
      length += byteCount;
    }
  } finally {
    closeSync(file);
  }
  return readFileSync(path, 'latin1');
}
