import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { createEngine } from '../../src/engine/engine.ts';
import { listenExecServer } from '../../src/protocol/exec-server/exec-server-listener.ts';
import { silentLogger } from '../../src/shared/logger.ts';

/** A server that rows are played against. */
export interface Peer {
  readonly url: string;
  close(): Promise<void>;
}

/** Ours, in this process. */
export async function startOurs(): Promise<Peer> {
  const engine = createEngine({ hostEnvironment: process.env });
  const server = await listenExecServer({
    engine,
    log: silentLogger,
    address: { host: '127.0.0.1', port: 0 },
    token: null,
    shellPath: '/bin/bash',
    version: '0.0.0-test',
  });
  return {
    url: server.url,
    close: async () => {
      await server.close();
      await engine.dispose();
    },
  };
}

/** `codex exec-server` as it is started by default, with a home of its own. */
export async function startReal(executable: string): Promise<Peer> {
  const home = await mkdtemp(join(tmpdir(), 'shellscope-conformance-'));
  const child = spawn(executable, ['exec-server', '--listen', 'ws://127.0.0.1:0'], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, CODEX_HOME: home, SHELL: '/bin/bash' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const [url] = (await Promise.race([once(lines, 'line'), exited.then(() => ['it ended before it listened'])])) as [
    string,
  ];
  return {
    url,
    close: async () => {
      lines.close();
      child.kill();
      await exited;
      await rm(home, { recursive: true });
    },
  };
}
