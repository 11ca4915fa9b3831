import { basename, resolve } from 'node:path';
import { ClientTokens, clientTokensFolder } from '../engine/engine.ts';
import { codexEnvironments } from '../shared/codex-configuration.ts';
import { DEFAULT_EXEC_SERVER_PORT } from '../shared/limits.ts';
import {
  claudeMcpAdd,
  codexMcpServer,
  mcpCommand,
  mcpServersJson,
  vscodeMcpJson,
  type McpCommand,
} from '../shared/mcp-configuration.ts';
import { CliError } from './cli-error.ts';
import { withHost } from './host.ts';

/** The clients that there is a configuration for. */
export type ConnectTarget = 'codex' | 'claude' | 'vscode' | 'mcp' | 'all';

/** Where the app serves, unless another program has the port. */
const USUAL_URL = `ws://127.0.0.1:${DEFAULT_EXEC_SERVER_PORT}`;

/** What was pasted would lead nowhere after the next start. */
const URL_WARNING =
  'The host that runs now serves there. After its next start it may be another port, which `shellscope doctor` tells;\n' +
  `# one that is started by \`shellscope serve --listen ${USUAL_URL}\` keeps it.`;

export interface ConnectOptions {
  readonly name: string | null;
  readonly target: ConnectTarget;
  readonly json: boolean;
}

/**
 * Prints what to put into a client's configuration. With a name that client gets a token of its own for the exec-server;
 * MCP needs none, since its command reaches the host by the control socket. Answers 0.
 */
export async function connect({ name, target, json }: ConnectOptions): Promise<number> {
  const mcp = ofThisProgram();
  if (name === null) {
    process.stdout.write(json ? `${JSON.stringify({ mcp })}\n` : mcpText(mcp, target));
    return 0;
  }
  const execServerUrl = await servedUrl();
  const token = await created(name);
  if (json) {
    process.stdout.write(`${JSON.stringify({ name, execServerUrl, token, mcp })}\n`);
    return 0;
  }
  process.stdout.write(
    `# Token of '${name}', shown once. For Codex, put this into ~/.codex/environments.toml:\n` +
      (execServerUrl === USUAL_URL ? '' : `# ${URL_WARNING}\n`) +
      codexEnvironments({ execServerUrl, token }) +
      `\n${mcpText(mcp, target)}`,
  );
  return 0;
}

/** Where the host that runs serves agents; without one, where the app will. */
async function servedUrl(): Promise<string> {
  try {
    return (await withHost('connect', async ({ host }) => host.execServerUrl)) ?? USUAL_URL;
  } catch {
    // A token is of use without a host as well; what is wrong with one that does not answer `doctor` says.
    return USUAL_URL;
  }
}

/** Prints the clients that have a token. Answers 0. */
export async function listClients(json: boolean): Promise<number> {
  const clients = tokens().list();
  const lines = clients.map((client) => `${client.name}\t${new Date(client.createdAtMs).toISOString()}\n`);
  process.stdout.write(json ? `${JSON.stringify(clients)}\n` : lines.join(''));
  return 0;
}

/** Takes a client's token back. Rejects with `CliError` for one that has none. */
export async function revokeClient(name: string): Promise<number> {
  if (!(await tokens().revoke(name))) {
    throw new CliError(`no client is called '${name}'; --list shows those that are known`);
  }
  return 0;
}

function tokens(): ClientTokens {
  return new ClientTokens(clientTokensFolder(process.env));
}

async function created(name: string): Promise<string> {
  try {
    return await tokens().create(name);
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message : String(error));
  }
}

function mcpText(mcp: McpCommand, target: ConnectTarget): string {
  const texts = {
    codex: `# For the tools of Shellscope in Codex, put this into ~/.codex/config.toml:\n${codexMcpServer(mcp)}`,
    claude:
      `# Claude Code: run this\n${claudeMcpAdd(mcp)}\n` +
      `# or put this into .mcp.json of a project:\n${mcpServersJson(mcp)}`,
    vscode: `# VS Code: put this into .vscode/mcp.json of a project:\n${vscodeMcpJson(mcp)}`,
    mcp: `# Any MCP client that starts its servers:\n${mcpServersJson(mcp)}`,
  };
  return target === 'all' ? Object.values(texts).join('\n') : texts[target];
}

/** This program as another one starts it: by its name where it was installed under it, else by its file. */
function ofThisProgram(): McpCommand {
  const script = process.argv[1] ?? '';
  return mcpCommand(basename(script) === 'shellscope' ? ['shellscope'] : [process.execPath, resolve(script)], {
    environment: process.env,
    platform: process.platform,
  });
}
