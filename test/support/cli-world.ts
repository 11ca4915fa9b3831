import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import type { SessionInfo } from '../../src/shared/session.ts';
import { test as engineTest } from './engine-world.ts';

/** What `npm run build` leaves; the command line is tested as it is shipped. */
export const CLI = resolve('out/cli/main.js');

export interface Ran {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Command = ChildProcessByStdio<Writable, Readable, Readable>;

/** A host in a process of its own, and commands that find it. */
export interface CliWorld {
  /** Of the state; gone afterwards. The control socket lies in `run` in it. */
  readonly folder: string;
  /** What makes a command find this world's host. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Starts `shellscope serve`; resolves when it is ready. Ended afterwards. */
  serve(...args: readonly string[]): Promise<Command>;
  /** Starts a command, to be fed and watched. Killed afterwards if it still runs. */
  start(...args: readonly string[]): Command;
  /** Runs a command to its end, with nothing on stdin unless it is told. */
  run(args: readonly string[], stdin?: Uint8Array | string, encoding?: BufferEncoding): Promise<Ran>;
  /** What `ls --json` prints. */
  sessions(): Promise<readonly SessionInfo[]>;
}

/** With an engine of the test's own as well, whose ptys are the terminals that commands run in. */
export const test = engineTest.extend<{ cli: CliWorld }>({
  // After the engine's world, whose last look must find no command of ours.
  cli: async ({ world: _world }, use) => {
    // Its own mode is 0700, and its path is short: a socket's may have 107 bytes.
    const folder = await mkdtemp(join(tmpdir(), 'sscope-'));
    const started: Command[] = [];
    const environment = { ...process.env, SHELLSCOPE_STATE_DIR: folder, SHELLSCOPE_RUNTIME_DIR: undefined };
    const start = (...args: readonly string[]) => {
      const child = spawn(process.execPath, [CLI, ...args], { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
      // A command that ended does not read what it is given.
      child.stdin.on('error', () => {});
      started.push(child);
      return child;
    };
    const run: CliWorld['run'] = async (args, stdin = '', encoding = 'utf8') => {
      const child = start(...args);
      child.stdin.end(stdin);
      return endOf(child, encoding);
    };
    await use({
      folder,
      environment,
      start,
      run,
      serve: async (...args) => {
        const child = start('serve', '--no-auth', ...args);
        await once(createInterface(child.stdout), 'line');
        return child;
      },
      sessions: async () => JSON.parse((await run(['ls', '--json'])).stdout) as readonly SessionInfo[],
    });
    const running = started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    // All at once: with the host others may end by themselves.
    const ended = Promise.all(running.map((child) => once(child, 'exit')));
    for (const child of running) {
      child.kill('SIGTERM');
    }
    await ended;
    await rm(folder, { recursive: true });
  },
});

/** Everything that a command printed, and how it ended. `encoding`: of stdout. */
export async function endOf(child: Command, encoding: BufferEncoding = 'utf8'): Promise<Ran> {
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout.on('data', (part: Buffer) => parts.stdout.push(part));
  child.stderr.on('data', (part: Buffer) => parts.stderr.push(part));
  const [code] = (await once(child, 'close')) as [number | null];
  return {
    code,
    stdout: Buffer.concat(parts.stdout).toString(encoding),
    stderr: Buffer.concat(parts.stderr).toString('utf8'),
  };
}
