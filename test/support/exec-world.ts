import { test as base } from 'vitest';
import { createEngine, type Engine, type EngineOptions } from '../../src/engine/engine.ts';
import { listenExecServer, type ExecServer } from '../../src/protocol/exec-server/exec-server-listener.ts';
import { silentLogger } from '../../src/shared/logger.ts';
import { ExecClient } from './exec-client.ts';
import { withoutLeftovers } from './leftovers.ts';

export const TOKEN = 'token-of-the-test';

const TOKEN_OF_ANOTHER = 'token-of-another';

/** What the server takes for the environment of its host. */
const HOST_ENVIRONMENT = { API_TOKEN: 'from-the-host', EMPTY: '', SHELLSCOPE_TOKEN: 'never-to-leave' };

/** A server on a free port, and clients that are dropped after the test. */
export interface ExecWorld {
  readonly engine: Engine;
  readonly server: ExecServer;
  /** A client that has shaken hands. */
  client(resumeSessionId?: string): Promise<ExecClient>;
  /** One that has a token of its own. */
  clientWithToken(): Promise<ExecClient>;
}

export const test = base.extend<{ engineOptions: Partial<EngineOptions>; world: ExecWorld }>({
  engineOptions: {},
  world: async ({ engineOptions }, use) => {
    await withoutLeftovers(() => inWorld(engineOptions, use));
  },
});

async function inWorld(engineOptions: Partial<EngineOptions>, use: (world: ExecWorld) => Promise<void>): Promise<void> {
  const engine = createEngine({ hostEnvironment: process.env, ...engineOptions });
  const server = await listenExecServer({
    engine,
    log: silentLogger,
    address: { host: '127.0.0.1', port: 0 },
    token: TOKEN,
    shellPath: '/bin/bash',
    version: '0.0.0-test',
    hostEnvironment: HOST_ENVIRONMENT,
    clients: { nameOf: (token) => (token === TOKEN_OF_ANOTHER ? 'another' : null) },
  });
  const clients: ExecClient[] = [];
  const connected = async (token: string, resumeSessionId: string | null) => {
    const client = await ExecClient.ready(server.url, token, resumeSessionId);
    clients.push(client);
    return client;
  };
  try {
    await use({
      engine,
      server,
      client: (resumeSessionId) => connected(TOKEN, resumeSessionId ?? null),
      clientWithToken: () => connected(TOKEN_OF_ANOTHER, null),
    });
  } finally {
    for (const client of clients) {
      client.drop();
    }
    await server.close();
    await engine.dispose();
  }
}
