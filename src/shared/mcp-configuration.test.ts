import { expect, it } from 'vitest';
import { claudeMcpAdd, codexMcpServer, mcpServersJson, vscodeMcpJson } from './mcp-configuration.ts';

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
