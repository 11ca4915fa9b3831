import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { agentOf, type McpAgent } from '../test/support/mcp-agent.ts';
import type { Connection } from './fixtures.ts';

/** Connects an agent that speaks MCP to the app under test. Its client must be closed. */
export async function connectMcp({ url, token }: Connection): Promise<McpAgent> {
  const client = new Client({ name: 'mcp-test', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url.replace('ws:', 'http:')}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  return agentOf(client);
}

/** The same over stdio, by `shellscope mcp`, which finds the app by its state's folder. Its client must be closed. */
export async function connectMcpByCommand(stateFolder: string): Promise<McpAgent> {
  const client = new Client({ name: 'mcp-test', version: '1.0.0' });
  const env = { PATH: process.env['PATH'] ?? '', HOME: stateFolder, SHELLSCOPE_STATE_DIR: stateFolder };
  const args = [join(import.meta.dirname, '../out/cli/main.js'), 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: stateFolder, env }));
  return agentOf(client);
}
