import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { PassThrough } from 'node:stream';
import { createEngine } from '../../src/engine/engine.ts';
import { listenExecServer } from '../../src/protocol/exec-server/exec-server-listener.ts';
import {
  serveExecServerStdio,
  type ExecServerStdio,
} from '../../src/protocol/exec-server/exec-server-stdio-listener.ts';
import { silentLogger, type LogFields, type Logger } from '../../src/shared/logger.ts';
import { StdioClient, WebSocketClient, type WireClient } from './wire-client.ts';

/** A server that rows are played against. */
export interface Peer {
  /** Null for stdio. */
  readonly url: string | null;
  /** What it logged as a fault of its own; of the real server nothing is known. */
  readonly faults: readonly string[];
  /** A connection on which nothing was sent yet. */
  connect(): Promise<WireClient>;
  close(): Promise<void>;
}

const HOST = { shellPath: '/bin/bash', version: '0.0.0-test' };

/** Notes what is logged as an error. */
function faultLog(): { readonly faults: readonly string[]; readonly log: Logger } {
  const faults: string[] = [];
  const error = (text: string, fields?: LogFields) => faults.push(`${text} ${JSON.stringify(fields)}`);
  return { faults, log: { ...silentLogger, error } };
}

/** Ours, in this process, by WebSocket. */
export async function startOurs(): Promise<Peer> {
  const engine = createEngine({ hostEnvironment: process.env });
  const address = { host: '127.0.0.1', port: 0 } as const;
  const { faults, log } = faultLog();
  const server = await listenExecServer({ ...HOST, log, engine, address, token: null });
  return {
    faults,
    url: server.url,
    connect: () => WebSocketClient.connect(server.url),
    close: async () => {
      await server.close();
      await engine.dispose();
    },
  };
}

/** Ours, in this process, on streams as of stdio. */
export function startOursOnStdio(): Peer {
  const engine = createEngine({ hostEnvironment: process.env });
  const servers: ExecServerStdio[] = [];
  const { faults, log } = faultLog();
  return {
    faults,
    url: null,
    connect: async () => {
      const [input, output] = [new PassThrough(), new PassThrough()];
      const server = serveExecServerStdio({ ...HOST, log, engine, input, output });
      // The end of its process, where it has one.
      void server.ended.then(() => output.destroy());
      servers.push(server);
      return new StdioClient(input, output);
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
      await engine.dispose();
    },
  };
}

/** `codex exec-server` as it is started by default, with a home of its own. */
export async function startReal(executable: string): Promise<Peer> {
  const home = await mkdtemp(join(tmpdir(), 'shellscope-conformance-'));
  const child = spawn(executable, ['exec-server', '--listen', 'ws://127.0.0.1:0'], {
    cwd: home,
    env: realEnvironment(home),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const [url] = (await Promise.race([once(lines, 'line'), exited.then(() => ['it ended before it listened'])])) as [
    string,
  ];
  return {
    url,
    faults: [],
    connect: () => WebSocketClient.connect(url),
    close: async () => {
      lines.close();
      child.kill();
      await exited;
      await rm(home, { recursive: true });
    },
  };
}

/** The same on stdio: a process for each connection. */
export async function startRealOnStdio(executable: string): Promise<Peer> {
  const home = await mkdtemp(join(tmpdir(), 'shellscope-conformance-'));
  return {
    url: null,
    faults: [],
    connect: async () => {
      const child = spawn(executable, ['exec-server', '--listen', 'stdio'], {
        cwd: home,
        env: realEnvironment(home),
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      return new StdioClient(child.stdin, child.stdout);
    },
    close: () => rm(home, { recursive: true }),
  };
}

function realEnvironment(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: home, CODEX_HOME: home, SHELL: '/bin/bash' };
}
