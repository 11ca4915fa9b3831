import { homedir } from 'node:os';
import {
  ClientTokens,
  clientTokensFolder,
  createEngine,
  engineFiles,
  execServerTokenFile,
  logLeftOvers,
  loginShell,
  readOrCreateToken,
  runtimeFolder,
  type Engine,
} from '../engine/engine.ts';
import { listenControl, type ControlServer } from '../protocol/control/control-listener.ts';
import { listenExecServer, type ExecServer, type ListenAddress } from '../protocol/exec-server/exec-server-listener.ts';
import { MCP_STREAM, McpClients, mcpDoors, type McpDoors } from '../protocol/mcp/mcp-lazy-listener.ts';
import type { ConnectionInfo } from '../shared/ipc.ts';
import { DEFAULT_EXEC_SERVER_PORT } from '../shared/limits.ts';
import type { Logger } from '../shared/logger.ts';
import type { SessionId } from '../shared/session.ts';
import { APP_VERSION } from '../shared/version.ts';
import { doorProblem, otherPortProblem } from './door-problem.ts';
import { inheritedNiceness } from './inherited-niceness.ts';
import { mcpCommandOfApp } from './mcp-command.ts';

/** The window tells it, so that nobody mistakes such an app for one to work with. */
const NO_AUTH_PROBLEM = 'Started with --no-auth for tests: every program on this machine can run commands here.';

export interface EngineHostOptions {
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** Null: the fixed port, or a free one when that is taken. */
  readonly listen: ListenAddress | null;
  /** False lets in everybody who can reach the port, without a token: for tests alone. */
  readonly auth: boolean;
  /** See `EngineOptions`. */
  readonly retainedBytes?: number;
  readonly log: Logger;
  readonly onConnectionChanged: (connection: ConnectionInfo) => void;
  /** Shows the window, with the session's tab in view unless it is null. */
  readonly showWindow: (session: SessionId | null) => Promise<void>;
}

/** The engine and the doors by which agents reach it. */
export interface EngineHost {
  readonly engine: Engine;
  readonly shellPath: string;
  describeConnection(): ConnectionInfo;
  /** Loads what the first MCP client would wait for. Rejects when it cannot be read. */
  loadMcp(): Promise<void>;
  /** Drops all clients and ends every child. */
  dispose(): Promise<void>;
}

/** Builds the engine and opens its doors. A door that cannot be opened is told in `problem`; the window works all the same. */
export async function startEngineHost(options: EngineHostOptions): Promise<EngineHost> {
  const { environment, log, onConnectionChanged } = options;
  const files = engineFiles(environment);
  const engine = createEngine({
    hostEnvironment: environment,
    log,
    cgroups: true,
    childNiceness: inheritedNiceness(),
    ...(options.retainedBytes === undefined ? {} : { retainedBytes: options.retainedBytes }),
    ...files,
    safety: { ...files.safety, unattended: 'wait' },
  });
  void logLeftOvers(engine, log);
  const shellPath = loginShell(environment);
  const tokenFile = execServerTokenFile(environment);
  let token = '';
  let server: ExecServer | null = null;
  const mcp = mcpCommandOfApp(environment);
  const mcpClients = new McpClients(() => onConnectionChanged(describeConnection()));
  const mcpDoor = mcpDoors({ engine, log, version: APP_VERSION, shellPath, cwd: homedir(), clients: mcpClients });
  let problem = options.auth ? null : NO_AUTH_PROBLEM;

  const describeConnection = (): ConnectionInfo => ({
    execServerUrl: server?.url ?? null,
    tokenFile,
    token,
    clients: server?.clientNames ?? [],
    mcp,
    mcpClients: mcpClients.names(),
    problem,
  });

  const listen = (address: ListenAddress) =>
    listenExecServer({
      engine,
      log,
      address,
      token: options.auth ? token : null,
      hostEnvironment: environment,
      clients: new ClientTokens(clientTokensFolder(environment)),
      shellPath,
      version: APP_VERSION,
      doors: [mcpDoor.http],
      onClientsChanged: () => onConnectionChanged(describeConnection()),
    });

  try {
    if (options.auth) {
      token = await readOrCreateToken(tokenFile);
    }
    try {
      server = await listen(options.listen ?? { host: '127.0.0.1', port: DEFAULT_EXEC_SERVER_PORT });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || options.listen !== null) {
        throw error;
      }
      server = await listen({ host: '127.0.0.1', port: 0 });
      problem = otherPortProblem(server.url);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    problem = doorProblem(error, options.listen?.port ?? DEFAULT_EXEC_SERVER_PORT);
    log.error('no server for agents', { why });
  }

  const control = await hostControl(engine, options, { execServerUrl: () => server?.url ?? null, mcpDoor });

  return {
    engine,
    shellPath,
    describeConnection,
    loadMcp: async () => {
      await mcpDoor.load();
    },
    dispose: async () => {
      engine.beginEnd();
      await control?.close();
      await server?.close();
      await engine.dispose();
    },
  };
}

/** Null when another host has the control socket, or there can be none: the window and agents need no command line. */
async function hostControl(
  engine: Engine,
  { environment, log, showWindow }: EngineHostOptions,
  { execServerUrl, mcpDoor }: { readonly execServerUrl: () => string | null; readonly mcpDoor: McpDoors },
): Promise<ControlServer | null> {
  try {
    return await listenControl({
      folder: runtimeFolder(environment),
      engine,
      log,
      kind: 'app',
      version: APP_VERSION,
      execServerUrl,
      open: showWindow,
      streams: new Map([[MCP_STREAM, mcpDoor.stream]]),
    });
  } catch (error) {
    log.warn('the commands `shellscope run`, `ls` and their like do not reach this window', {
      why: error instanceof Error ? error.message : String(error),
    });
    return null;
  }
}
