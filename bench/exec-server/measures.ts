import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { floodCommand, FloodCheck } from './flood-text.ts';
import type { RunningServer } from './server-process.ts';

/** From the request until the exit of a program that does nothing is told, in milliseconds. */
export async function startToExited({ client }: RunningServer, tty: boolean): Promise<number> {
  const startedAt = performance.now();
  const child = await client.start(['/bin/true'], tty, () => {});
  const exitedAt = await child.exited;
  await child.closed;
  return exitedAt - startedAt;
}

/** Types into one child that answers each key. */
export interface Typist {
  /** From a key until the notification with its echo, in milliseconds. */
  type(): Promise<number>;
  end(): Promise<void>;
}

/** Starts cat on a terminal that is raw: its own echo would answer before the child. */
export async function typist({ client }: RunningServer): Promise<Typist> {
  let heard = () => {};
  const output = () =>
    new Promise<void>((resolve) => {
      heard = resolve;
    });
  const ready = output();
  const child = await client.start(['/bin/sh', '-c', 'stty raw -echo; printf r; exec cat'], true, () => heard());
  await ready;
  return {
    type: async () => {
      const startedAt = performance.now();
      const echoed = output().then(() => performance.now());
      const accepted = child.write('k');
      const echoedAt = await echoed;
      await accepted;
      return echoedAt - startedAt;
    },
    end: () => child.end(),
  };
}

/** See bare-terminal.c. */
const BARE_TERMINAL = join(import.meta.dirname, '../../out/native/bare-terminal');

/** What came of a flood. */
export interface Flood {
  /** 10^6 bytes of the child's output per second, from the request until `closed`. */
  readonly megabytesPerSecond: number;
  readonly lostBytes: number;
  readonly wrongPieces: number;
}

/** A child that prints the file so many times as fast as it is read. */
export async function flood(
  { client }: RunningServer,
  { file, repetitions, tty }: { readonly file: string; readonly repetitions: number; readonly tty: boolean },
): Promise<Flood> {
  const check = new FloodCheck(repetitions, tty);
  const argv = floodCommand(file, repetitions);
  const startedAt = performance.now();
  const child = await client.start(argv, tty, (bytes) => check.take(bytes));
  await child.closed;
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    megabytesPerSecond: check.bytes / 1e6 / seconds,
    lostBytes: check.lostBytes,
    wrongPieces: check.wrongPieces,
  };
}

/**
 * The same child on a terminal that is read by a small program, which throws all of it away: what the kernel allows. Answers
 * 10^6 bytes per second, or null where that program was not built.
 */
export async function bareFlood({
  file,
  repetitions,
}: {
  readonly file: string;
  readonly repetitions: number;
}): Promise<number | null> {
  if (!existsSync(BARE_TERMINAL)) {
    return null;
  }
  const { stdout } = await promisify(execFile)(BARE_TERMINAL, [...floodCommand(file, repetitions)]);
  const [bytes = 0, seconds = 0] = stdout.split(' ').map(Number);
  return bytes / 1e6 / seconds;
}

/**
 * Writes a file of so many bytes and removes it: what is written next takes the same pages of memory. A page that a virtual
 * machine has not used yet is first made by its host, which takes 11 µs each on the machine of our figures, more than all
 * else that is done with 4 KiB; and only a server that keeps its output on the disk would pay for that.
 */
export async function warmPages(file: string, bytes: number): Promise<void> {
  await writeFile(file, Buffer.alloc(bytes));
  await rm(file);
}

/** Starts interactive shells on terminals; resolves when each has shown its prompt. */
export async function startIdleShells({ client }: RunningServer, count: number): Promise<void> {
  for (let started = 0; started < count; started += 1) {
    let prompted = () => {};
    const prompt = new Promise<void>((resolve) => {
      prompted = resolve;
    });
    await client.start(['/bin/bash', '--norc', '--noprofile', '-i'], true, () => prompted());
    await prompt;
  }
}
