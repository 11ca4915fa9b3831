import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { test as base, describe, expect, vi } from 'vitest';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { listenExecServer } from '../../src/protocol/exec-server/exec-server-listener.ts';
import { ExecSession } from '../../src/protocol/exec-server/exec-session.ts';
import { McpClients } from '../../src/protocol/mcp/mcp-clients.ts';
import { mcpHttpDoor } from '../../src/protocol/mcp/mcp-http-listener.ts';
import { silentLogger } from '../../src/shared/logger.ts';
import { withoutLeftovers } from '../support/leftovers.ts';
import { agentOf } from '../support/mcp-agent.ts';

interface AnsweredWorld {
  readonly engine: Engine;
  readonly folder: string;
  /** What was asked; each time the answer is "for this session". */
  readonly asked: string[];
}

const test = base.extend<{ world: AnsweredWorld }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names a fixture uses from this pattern
  world: async ({}, use) => {
    await withoutLeftovers(async () => {
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'shellscope-client-session-')));
      const settingsFile = join(folder, 'settings.json');
      await writeFile(settingsFile, JSON.stringify({ approvals: { mode: 'ask-unless-known-safe' } }), { mode: 0o600 });
      const engine = createEngine({ hostEnvironment: process.env, safety: { settingsFile, unattended: 'wait' } });
      const asked: string[] = [];
      engine.onQuestion((event) => {
        if (event.type === 'asked') {
          asked.push(event.question.client);
          const { id } = event.question;
          queueMicrotask(() => void engine.answerQuestion(id, { kind: 'session', withoutSandbox: false }, 'window'));
        }
      });
      try {
        await use({ engine, folder, asked });
      } finally {
        await engine.dispose();
        await rm(folder, { recursive: true });
      }
    });
  },
});

describe('what is allowed for the session of a client', () => {
  test('of an exec-server ends with it, in each of its conversations, and with no other', async ({ world }) => {
    const { engine, folder, asked } = world;
    const options = { engine, log: silentLogger, account: null, clientName: 'test' };
    const open = () => new ExecSession({ ...options, onStarted: () => {}, ofAccount: () => [], onExpired: () => {} });
    let count = 0;
    const run = (session: ExecSession, threadId: string | null = null) => {
      count += 1;
      const how = { env: {}, tty: false, pipeStdin: false, enforceManagedNetwork: false } as const;
      const metadata = { threadId, toolCallId: null };
      return session.start({ ...how, metadata, processId: `p${count}`, argv: ['touch', 'made'], cwd: folder });
    };
    const [first, second] = [open(), open()];
    for (const _time of [1, 2]) {
      await run(first);
      await run(first, 'thread-1');
      await run(second, 'thread-1');
    }
    expect([asked.length, (await engine.grants()).length]).toEqual([3, 3]);
    await first.dispose();
    expect((await engine.grants()).map(({ scope }) => scope)).toEqual([
      { kind: 'session', client: 'test', session: second.id, conversation: 'thread-1' },
    ]);
    const third = open();
    await run(third, 'thread-1');
    expect(asked).toHaveLength(4);
    await Promise.all([second.dispose(), third.dispose()]);
    expect(await engine.grants()).toEqual([]);
  });

  test('by MCP over HTTP ends when the client has made no request for its time', async ({ world }) => {
    const { engine, folder, asked } = world;
    let onLeft = () => {};
    const left = new Promise<void>((resolve) => {
      onLeft = resolve;
    });
    const clients: McpClients = new McpClients(() => {
      if (clients.names().length === 0) {
        onLeft();
      }
    });
    const shared = { engine, log: silentLogger, version: '0.0.0', shellPath: '/bin/sh' };
    const server = await listenExecServer({
      ...shared,
      address: { host: '127.0.0.1', port: 0 },
      token: null,
      doors: [mcpHttpDoor({ ...shared, cwd: folder, clients, leftAfterMs: 1_000 })],
    });
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url.replace('ws:', 'http:')}/mcp`)));
      const agent = agentOf(client);
      const exec = { command: 'touch made', login: false };
      for (const _time of [1, 2]) {
        expect(await agent.ok('shell_exec', exec)).toMatchObject({ exit_code: 0 });
      }
      expect([asked, (await engine.grants()).length]).toEqual([['mcp'], 1]);
      await left;
      await vi.waitFor(async () => expect(await engine.grants()).toEqual([]));
      expect(await agent.ok('shell_exec', exec)).toMatchObject({ exit_code: 0 });
      expect(asked).toHaveLength(2);
    } finally {
      await client.close();
      await server.close();
    }
  });
});
