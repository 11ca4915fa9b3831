import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Contender } from './contender.ts';

/** One thing that is measured, on one contender, a number of times. */
export interface Measure {
  readonly name: string;
  readonly unit: 'ms' | 'MB/s';
  /** What no run should be above, in the unit; how many were is told. */
  readonly goal?: number;
  /** One run; answers what was measured, and how many bytes did not come. */
  run(contender: Contender): Promise<{ readonly value: number; readonly missingBytes: number }>;
}

/** Bytes printed right before an exit: what node-pty loses the end of. */
const LAST_WORDS_BYTES = 20_000;

const FLOOD_BYTES = 64 * 1024 * 1024;

/** Keys typed in one run of the echo. */
const KEYS = 50;

/** See last-words.c. */
export const LAST_WORDS = join(import.meta.dirname, '../../out/native/last-words');

/** From the call until the exit of a program that does nothing is told. */
export const startToExit: Measure = {
  name: 'start → exit told, /bin/true',
  unit: 'ms',
  run: async (contender) => {
    const startedAt = process.hrtime.bigint();
    const child = await contender.start(['/bin/true'], () => {});
    const exitedAt = await child.exited;
    await child.over;
    return { value: milliseconds(exitedAt - startedAt), missingBytes: 0 };
  },
};

/** From just before a child's exit, on its own clock, until the exit is told; and what is missing of its output then. */
export function exitToTold(folder: string): Measure {
  let run = 0;
  return {
    name: `exit → told, after ${LAST_WORDS_BYTES / 1000} kB`,
    unit: 'ms',
    goal: 5,
    run: async (contender) => {
      run += 1;
      const note = join(folder, `note-${run}`);
      let bytes = 0;
      const child = await contender.start([LAST_WORDS, String(LAST_WORDS_BYTES), note], (count) => (bytes += count));
      const toldAt = await child.exited;
      await child.over;
      const endedAt = readFileSync(note).readBigUInt64LE(0);
      rmSync(note);
      return { value: milliseconds(toldAt - endedAt), missingBytes: LAST_WORDS_BYTES - bytes };
    },
  };
}

/** From a key until it comes back from a child that answers each; the mean of some keys. */
export const echo: Measure = {
  name: 'key → echo of the child',
  unit: 'ms',
  run: async (contender) => {
    let onOutput = () => {};
    const told = () =>
      new Promise<void>((resolve) => {
        onOutput = resolve;
      });
    const ready = told();
    // A terminal's own echo would answer before the child. On pipes there is nothing to turn off.
    const child = await contender.start(['/bin/sh', '-c', 'stty raw -echo 2>/dev/null; printf r; exec cat'], () =>
      onOutput(),
    );
    await ready;
    const startedAt = process.hrtime.bigint();
    for (let key = 0; key < KEYS; key += 1) {
      const answered = told();
      child.write('k');
      await answered;
    }
    const value = milliseconds(process.hrtime.bigint() - startedAt) / KEYS;
    child.end();
    await child.over;
    return { value, missingBytes: 0 };
  },
};

/** How fast a child that prints without a pause is read to its end. */
export const flood: Measure = {
  name: `flood of ${FLOOD_BYTES / 1024 / 1024} MiB`,
  unit: 'MB/s',
  run: async (contender) => {
    let bytes = 0;
    const startedAt = process.hrtime.bigint();
    const child = await contender.start(
      ['/bin/sh', '-c', `exec head -c ${FLOOD_BYTES} /dev/zero`],
      (count) => (bytes += count),
    );
    await child.over;
    const seconds = milliseconds(process.hrtime.bigint() - startedAt) / 1_000;
    return { value: bytes / 1e6 / seconds, missingBytes: FLOOD_BYTES - bytes };
  },
};

function milliseconds(nanoseconds: bigint): number {
  return Number(nanoseconds) / 1e6;
}
