import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { BenchClient } from './bench-client.ts';

/** How clients reach a server: one port, or the stdin and stdout of a process of their own. */
export type Transport = 'websocket' | 'stdio';

/** How a server is started. */
export interface ServerKind {
  readonly name: 'ours' | 'theirs';
  readonly file: string;
  readonly args: readonly string[];
  /** The variables by which it finds a folder of its own. */
  readonly folderVariables: readonly string[];
}

/** A server in a process of its own, with one client. */
export interface RunningServer {
  readonly client: BenchClient;
  /** Resident memory of the server's process, without its children, in MB (10^6 bytes). */
  residentMegabytes(): number;
  close(): Promise<void>;
}

const CLI = join(import.meta.dirname, '../cli/main.js');

/** `shellscope serve`, as it was built. */
export function ourServer(transport: Transport): ServerKind {
  const listen = ['--listen', listenUrl(transport), ...(transport === 'stdio' ? [] : ['--no-auth'])];
  return {
    name: 'ours',
    file: process.execPath,
    args: [CLI, 'serve', ...listen],
    folderVariables: ['SHELLSCOPE_STATE_DIR'],
  };
}

/** `codex exec-server`, from the executable of the Codex CLI. */
export function realServer(transport: Transport, executable: string): ServerKind {
  return {
    name: 'theirs',
    file: executable,
    args: ['exec-server', '--listen', listenUrl(transport)],
    folderVariables: ['HOME', 'CODEX_HOME'],
  };
}

/** Starts it with an empty folder, connects, and shakes hands. Rejects when it ends before it listens. */
export async function startServer(kind: ServerKind, transport: Transport): Promise<RunningServer> {
  const folder = await mkdtemp(join(tmpdir(), 'shellscope-bench-'));
  const child = spawn(kind.file, kind.args, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      SHELL: '/bin/bash',
      ...Object.fromEntries(kind.folderVariables.map((name) => [name, folder])),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const client = transport === 'stdio' ? BenchClient.onStreams(child.stdin, child.stdout) : await connected(child);
  await client.shakeHands();
  return {
    client,
    residentMegabytes: () => residentMegabytes(child.pid ?? 0),
    close: async () => {
      client.close();
      child.kill();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function connected(child: ChildProcessByStdio<Writable, Readable, null>): Promise<BenchClient> {
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${child.spawnfile} ended before it listened`);
  });
  const lines = createInterface(child.stdout);
  const [url] = (await Promise.race([once(lines, 'line'), ended])) as [string];
  ended.catch(() => {});
  return BenchClient.connect(url);
}

function listenUrl(transport: Transport): string {
  return transport === 'stdio' ? 'stdio' : 'ws://127.0.0.1:0';
}

/** ps(1) counts in KiB, on Linux and macOS alike. */
function residentMegabytes(pid: number): number {
  const kibibytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
  return (kibibytes * 1024) / 1e6;
}
