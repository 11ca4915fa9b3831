import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
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
