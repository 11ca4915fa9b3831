import type { FolderFacts } from './host-folders.ts';

/** What a client starts to speak MCP with the host, over stdin and stdout. */
export interface McpCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The variables by which a host is found that does not lie where hosts usually do. */
const PLACE_VARIABLES = ['SHELLSCOPE_RUNTIME_DIR', 'SHELLSCOPE_STATE_DIR'] as const;

/**
 * The command that reaches this host. `program`: what starts our command line, as words. An agent hands only some of its
 * variables on, so that those which say where this host is become part of the command (env(1), not on Windows).
 */
export function mcpCommand(
  program: readonly [string, ...string[]],
  { environment, platform }: Pick<FolderFacts, 'environment' | 'platform'>,
): McpCommand {
  const places = PLACE_VARIABLES.flatMap((name) => {
    const value = environment[name];
    return value === undefined || value === '' ? [] : [`${name}=${value}`];
  });
  const [command, ...args] = [...program, 'mcp'];
  return places.length === 0 || platform === 'win32'
    ? { command, args }
    : { command: '/usr/bin/env', args: [...places, command, ...args] };
}

/** Block for `~/.codex/config.toml`, for the tools of Shellscope beside Codex's own. */
export function codexMcpServer({ command, args }: McpCommand): string {
  return [
    '[mcp_servers.shellscope]',
    `command = ${tomlString(command)}`,
    `args = [${args.map(tomlString).join(', ')}]`,
    '',
  ].join('\n');
}

/** The line that adds it to Claude Code for all projects of this person. */
export function claudeMcpAdd({ command, args }: McpCommand): string {
  return ['claude mcp add --scope user shellscope --', ...[command, ...args].map(shellWord)].join(' ');
}

/** What `.mcp.json` of a project holds, and the configuration of most MCP clients. */
export function mcpServersJson({ command, args }: McpCommand): string {
  return json({ mcpServers: { shellscope: { command, args } } });
}

/** What `.vscode/mcp.json` holds. */
export function vscodeMcpJson({ command, args }: McpCommand): string {
  return json({ servers: { shellscope: { type: 'stdio', command, args } } });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A JSON string is a TOML basic string, but for DEL, which TOML wants escaped too. */
export function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007F', '\\u007F');
}

/** A word of sh(1), quoted where it needs it. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
