import { expect, it } from 'vitest';
import { claudeMcpAdd, codexMcpServer, mcpCommand, mcpServersJson, vscodeMcpJson } from './mcp-configuration.ts';

const COMMAND = { command: '/opt/my node', args: ["/it's/main.js", 'mcp'] };

it('makes the block that Codex reads', () => {
  expect(codexMcpServer(COMMAND)).toBe(
    '[mcp_servers.shellscope]\ncommand = "/opt/my node"\nargs = ["/it\'s/main.js", "mcp"]\n',
  );
});

it('quotes the words of the line for Claude Code as sh reads them', () => {
  expect(claudeMcpAdd(COMMAND)).toBe(
    "claude mcp add --scope user shellscope -- '/opt/my node' '/it'\\''s/main.js' mcp",
  );
});

it('names the command in the JSON of other clients', () => {
  expect(JSON.parse(mcpServersJson(COMMAND))).toEqual({ mcpServers: { shellscope: COMMAND } });
  expect(JSON.parse(vscodeMcpJson(COMMAND))).toEqual({ servers: { shellscope: { type: 'stdio', ...COMMAND } } });
});

it('says where the host is only when it is not where hosts usually are', () => {
  const inFolder = { environment: { SHELLSCOPE_STATE_DIR: '/own', SHELLSCOPE_RUNTIME_DIR: '' }, platform: 'linux' };
  expect(mcpCommand(['shellscope'], { environment: {}, platform: 'linux' })).toEqual({
    command: 'shellscope',
    args: ['mcp'],
  });
  expect(mcpCommand(['/bin/node', '/main.js'], inFolder)).toEqual({
    command: '/usr/bin/env',
    args: ['SHELLSCOPE_STATE_DIR=/own', '/bin/node', '/main.js', 'mcp'],
  });
  expect(mcpCommand(['shellscope'], { ...inFolder, platform: 'win32' }).command).toBe('shellscope');
});
