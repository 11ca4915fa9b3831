import { resolve } from 'node:path';
import {
  ClientTokens,
  clientTokensFolder,
  createEngine,
  engineFiles,
  execServerTokenFile,
  logLeftOvers,
  loginShell,
  readGivenToken,
  readOrCreateToken,
  type Engine,
} from '../engine/engine.ts';
import { listenControl, type ControlServer, type StreamHandler } from '../protocol/control/control-listener.ts';
import {
  listenExecServer,
  type ExpectedToken,
  type ListenAddress,
} from '../protocol/exec-server/exec-server-listener.ts';
import { serveExecServerStdio } from '../protocol/exec-server/exec-server-stdio-listener.ts';
import { mcpHttpDoor } from '../protocol/mcp/mcp-http-listener.ts';
import { MCP_STREAM, mcpStream } from '../protocol/mcp/mcp-stdio-listener.ts';
import { lineLogger, type Logger } from '../shared/logger.ts';
import { APP_VERSION } from '../shared/version.ts';
import type { ClientAuth } from './client-auth.ts';
import { runtimeFolder } from './host.ts';

export interface ServeOptions {
  readonly address: ListenAddress;
  readonly auth: ClientAuth;
  readonly control: ControlUse;
  /** `ask`: a question about an agent's command waits for `shellscope approvals`; else it is refused at once. */
  readonly approvals: 'ask' | 'refuse';
}

/** Of the control socket: `take` or fail; `try`, and go on without when another host holds it; `leave` it alone. */
export type ControlUse = 'take' | 'try' | 'leave';

/**
 * Hosts sessions until SIGTERM or SIGINT, then ends every child. Answers the exit code: 0 after a signal, 1 when the
 * server could not start (said on stderr).
 */
export async function serve({ address, auth, control, approvals }: ServeOptions): Promise<number> {
  // Whoever reads these may be gone (a closed terminal, a pipe's other end): that must not end the host.
  process.stderr.on('error', () => {});
  process.stdout.on('error', () => {});
  const log = lineLogger((line) => process.stderr.write(line));
  const stopped = untilSignal(['SIGTERM', 'SIGINT']);
  let known: KnownToken;
  try {
    known = await tokenFor(auth);
  } catch (error) {
    process.stderr.write(`shellscope: no token: ${messageOf(error)}\n`);
    return 1;
  }
  const engine = hostEngine(log, approvals === 'ask' ? 'wait' : 'refuse');
  let execServerUrl: string | null = null;
  let controlServer: ControlServer | null = null;
  try {
    controlServer = await hostControl({ engine, log, control, execServerUrl: () => execServerUrl });
    const server = await listenExecServer({
      engine,
      log,
      address,
      token: known.token,
      hostEnvironment: process.env,
      clients: new ClientTokens(clientTokensFolder(process.env)),
      shellPath: loginShell(process.env),
      version: APP_VERSION,
      doors: [
        mcpHttpDoor({ engine, log, version: APP_VERSION, shellPath: loginShell(process.env), cwd: process.cwd() }),
      ],
    });
    execServerUrl = server.url;
    process.stdout.write(`${server.url}\n`);
    if (known.file !== null) {
      process.stdout.write(`${known.file}\n`);
    } else if (known.token === null) {
      process.stderr.write('shellscope: --no-auth: everybody who can reach the port can run commands here\n');
    }
    await stopped;
    engine.beginEnd();
    await server.close();
    return 0;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'EADDRINUSE' ? `port ${address.port} is in use; choose another with --listen` : messageOf(error);
    process.stderr.write(`shellscope: cannot listen: ${why}\n`);
    return 1;
  } finally {
    await controlServer?.close();
    await engine.dispose();
  }
}

/**
 * Hosts the sessions of the one client at stdin and stdout, until it closes stdin, breaks the protocol, or a signal comes;
 * then ends every child. Answers the exit code, which is 0.
 */
export async function serveStdio(control: ControlUse): Promise<number> {
  process.stderr.on('error', () => {});
  const log = lineLogger((line) => process.stderr.write(line));
  const stopped = untilSignal(['SIGTERM', 'SIGINT']);
  const engine = hostEngine(log);
  let controlServer: ControlServer | null = null;
  try {
    controlServer = await hostControl({ engine, log, control, execServerUrl: () => null });
    const server = serveExecServerStdio({
      engine,
      log,
      shellPath: loginShell(process.env),
      version: APP_VERSION,
      hostEnvironment: process.env,
      input: process.stdin,
      output: process.stdout,
    });
    await Promise.race([server.ended, stopped]);
    await server.close();
    return 0;
  } catch (error) {
    process.stderr.write(`shellscope: cannot serve: ${messageOf(error)}\n`);
    return 1;
  } finally {
    await controlServer?.close();
    await engine.dispose();
  }
}

/** Null when the socket was left alone. Rejects only for `take`. */
async function hostControl(options: {
  readonly engine: Engine;
  readonly log: Logger;
  readonly control: ControlUse;
  readonly execServerUrl: () => string | null;
}): Promise<ControlServer | null> {
  const { engine, log, control, execServerUrl } = options;
  if (control === 'leave') {
    return null;
  }
  try {
    return await listenControl({
      folder: runtimeFolder(),
      engine,
      log,
      kind: 'serve',
      version: APP_VERSION,
      execServerUrl,
      streams: controlStreams(engine, log),
    });
  } catch (error) {
    if (control === 'take') {
      throw error;
    }
    process.stderr.write(
      `shellscope: ${messageOf(error)}; this host serves agents all the same, and \`shellscope ls\` and its like do not reach it\n`,
    );
    return null;
  }
}

/** What a connection to the control socket can become: protocols for which a command is only a pipe to the host. */
function controlStreams(engine: Engine, log: Logger): ReadonlyMap<string, StreamHandler> {
  const options = { engine, log, version: APP_VERSION, shellPath: loginShell(process.env) };
  return new Map([[MCP_STREAM, mcpStream(options)]]);
}

/** What clients must send, and the file it is in. */
interface KnownToken {
  readonly token: ExpectedToken | null;
  readonly file: string | null;
}

async function tokenFor(auth: ClientAuth): Promise<KnownToken> {
  switch (auth.kind) {
    case 'none':
      return { token: null, file: null };
    case 'own-token': {
      const file = resolve(auth.file ?? execServerTokenFile(process.env));
      return { token: await readOrCreateToken(file), file };
    }
    case 'given-token': {
      const file = resolve(auth.file);
      return { token: await readGivenToken(file), file };
    }
    case 'token-hash':
      return { token: { sha256: auth.sha256 }, file: null };
  }
}

/** `unattended`: what becomes of a question about an agent's command; see `SafetyOptions`. */
export function hostEngine(log: Logger, unattended: 'wait' | 'refuse' = 'refuse'): Engine {
  const files = engineFiles(process.env);
  const engine = createEngine({
    hostEnvironment: process.env,
    log,
    cgroups: true,
    ...files,
    safety: { ...files.safety, unattended },
  });
  void logLeftOvers(engine, log);
  return engine;
}

/** Later signals change nothing: a terminal's Ctrl-C comes once from it and once more through npm. */
export function untilSignal(signals: readonly NodeJS.Signals[]): Promise<void> {
  return new Promise((resolvePromise) => {
    for (const signal of signals) {
      process.on(signal, () => resolvePromise());
    }
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
