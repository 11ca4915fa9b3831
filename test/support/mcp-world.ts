import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { test as base } from 'vitest';
import { ClientTokens, createEngine, type Engine } from '../../src/engine/engine.ts';
import { listenExecServer } from '../../src/protocol/exec-server/exec-server-listener.ts';
import { McpClients } from '../../src/protocol/mcp/mcp-clients.ts';
import { mcpHttpDoor } from '../../src/protocol/mcp/mcp-http-listener.ts';
import { silentLogger } from '../../src/shared/logger.ts';
import { withoutLeftovers } from './leftovers.ts';
import { agentOf, type McpAgent } from './mcp-agent.ts';

export type { Facts } from './mcp-agent.ts';

/** What `npm run build` leaves; the command line is tested as it is shipped. */
const CLI = resolve('out/cli/main.js');

/** The revision of 2026, and the one that today's clients speak. */
export type Era = 'modern' | 'legacy';
export type Road = 'stdio' | 'http';

export interface McpWorld {
  /** The engine behind HTTP. */
  readonly engine: Engine;
  readonly url: string;
  /** Who is connected over HTTP. */
  readonly listed: McpClients;
  readonly token: string;
  /** A client's own token. */
  tokenOf(name: string): Promise<string>;
  connect(road: Road, era: Era, token?: string): Promise<McpAgent>;
}

/** A test with a host that serves MCP; afterwards none of its children may be left. */
export const test = base.extend<{ world: McpWorld }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names a fixture uses from this pattern
  world: async ({}, use) => {
    await withoutLeftovers(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'shellscope-mcp-'));
      const tokens = new ClientTokens(join(folder, 'clients'));
      const engine = createEngine({ hostEnvironment: { ...process.env, HOME: folder } });
      const shared = { engine, log: silentLogger, version: '0.0.0', shellPath: '/bin/bash' };
      const listed = new McpClients();
      const token = 'the-token-of-the-host';
      const server = await listenExecServer({
        ...shared,
        address: { host: '127.0.0.1', port: 0 },
        token,
        clients: tokens,
        doors: [mcpHttpDoor({ ...shared, cwd: '/tmp', clients: listed })],
      });
      const url = `${server.url.replace('ws:', 'http:')}/mcp`;
      const clients: Client[] = [];
      try {
        await use({
          engine,
          url,
          listed,
          token,
          tokenOf: (name) => tokens.create(name),
          connect: async (road, era, given = token) => {
            const client = new Client(
              { name: `test-${era}`, version: '1.0.0' },
              { versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' } },
            );
            clients.push(client);
            await client.connect(
              road === 'http'
                ? new StreamableHTTPClientTransport(new URL(url), {
                    requestInit: { headers: { authorization: `Bearer ${given}` } },
                  })
                : new StdioClientTransport({
                    command: process.execPath,
                    args: [CLI, 'mcp'],
                    cwd: '/tmp',
                    env: {
                      PATH: process.env['PATH'] ?? '',
                      HOME: folder,
                      SHELL: '/bin/bash',
                      SHELLSCOPE_STATE_DIR: folder,
                    },
                    stderr: 'inherit',
                  }),
            );
            return agentOf(client);
          },
        });
      } finally {
        await Promise.allSettled(clients.map((client) => client.close()));
        await server.close();
        await engine.dispose();
        await rm(folder, { recursive: true });
      }
    });
  },
});
