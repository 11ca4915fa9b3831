import { request } from 'node:http';
import { describe, expect } from 'vitest';
import { test, type McpWorld } from '../support/mcp-world.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'by hand', version: '1' } },
};

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly session: string;
}

/** One request with headers that a browser's fetch would not let through. */
function post(url: string, headers: Readonly<Record<string, string>>, what: object | 'GET' | 'DELETE' = INITIALIZE) {
  const isPost = typeof what === 'object';
  return new Promise<Answer>((resolve, reject) => {
    const sent = request(url, { method: isPost ? 'POST' : what, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (body += part));
      const session = String(response.headers['mcp-session-id'] ?? '');
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, session }));
    });
    sent.on('error', reject);
    sent.end(isPost ? JSON.stringify(what) : undefined);
  });
}

const headersOf = ({ token }: McpWorld) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
});

describe('MCP over HTTP', () => {
  test('S16: lets in who has a token, from this machine, and no web page', async ({ world }) => {
    const headers = headersOf(world);
    expect(await post(world.url, headers)).toMatchObject({ status: 200, body: expect.stringContaining('shellscope') });
    const { authorization: _token, ...without } = headers;
    expect(await post(world.url, without)).toMatchObject({ status: 401, body: expect.stringContaining('missing') });
    expect(await post(world.url, { ...headers, authorization: 'Bearer wrong' })).toMatchObject({ status: 401 });
    for (const origin of ['http://evil.example', 'null', new URL(world.url).origin]) {
      expect(await post(world.url, { ...headers, origin })).toMatchObject({ status: 403 });
    }
    expect(await post(world.url, { ...headers, host: 'evil.example' })).toMatchObject({ status: 403 });
  });

  test('a client’s own token is good until it is revoked; the port still says that it is ready', async ({ world }) => {
    const token = await world.tokenOf('agent');
    expect(await post(world.url, { ...headersOf(world), authorization: `Bearer ${token}` })).toMatchObject({
      status: 200,
    });
    expect(await post(world.url.replace('/mcp', '/readyz'), {}, 'GET')).toMatchObject({ status: 200, body: '' });
  });

  test('sessions live on when a connection ends, and the next one of the same client has them', async ({ world }) => {
    const token = await world.tokenOf('agent');
    const first = await world.connect('http', 'modern', token);
    const { session_id } = await first.ok('shell_open', { command: 'exec cat' });
    await first.client.close();
    const second = await world.connect('http', 'legacy', token);
    expect(await second.ok('shell_write', { session_id, text: 'still here', submit: true })).toMatchObject({
      output: 'still here\nstill here\n',
    });
  });

  test('progress is told to who asked for it', { timeout: 30_000 }, async ({ world }) => {
    const { client } = await world.connect('http', 'modern');
    const told: unknown[] = [];
    await client.callTool(
      { name: 'shell_exec', arguments: { command: 'exec sleep 300', yield_ms: 6_000 } },
      { onprogress: (progress) => told.push(progress) },
    );
    expect(told).toMatchObject([{ progress: 1, message: '5 s, still waiting' }]);
  });

  test('a session of before 2026 is its client’s: unknown to another, and after DELETE', async ({ world }) => {
    const mine = headersOf(world);
    const { status, session } = await post(world.url, mine);
    expect([status, session]).toEqual([200, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const inSession = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' };
    const another = { ...mine, authorization: `Bearer ${await world.tokenOf('agent')}`, ...inSession };
    for (const what of [LIST, 'GET', 'DELETE'] as const) {
      expect(await post(world.url, another, what)).toMatchObject({ status: 404, session: '' });
      expect(await post(world.url, mine, what)).toMatchObject({ status: 400, session: '' });
    }
    expect(await post(world.url, { ...mine, ...inSession }, LIST)).toMatchObject({
      status: 200,
      body: expect.stringContaining('shell_exec'),
    });
    expect(await post(world.url, { ...mine, ...inSession }, 'DELETE')).toMatchObject({ status: 200 });
    expect(await post(world.url, { ...mine, ...inSession }, LIST)).toMatchObject({ status: 404 });
  });

  test('its stream for what changes may be opened anew when its connection broke', async ({ world }) => {
    const headers = headersOf(world);
    const { session } = await post(world.url, headers);
    const inSession = { ...headers, 'mcp-session-id': session };
    const open = () =>
      new Promise<{ readonly status: number | undefined; drop(): void }>((resolve, reject) => {
        const sent = request(world.url, { method: 'GET', headers: inSession }, (response) => {
          response.on('error', () => {});
          response.resume();
          resolve({ status: response.statusCode, drop: () => sent.destroy() });
        });
        sent.on('error', reject);
        sent.end();
      });
    const first = await open();
    expect(first.status).toBe(200);
    expect(await post(world.url, inSession, 'GET')).toMatchObject({ status: 409 });
    first.drop();
    await expect.poll(async () => (await open()).status).toBe(200);
  });

  test('a client of before 2026 without a token of its own is called what it calls itself', async ({ world }) => {
    const token = await world.tokenOf('agent');
    for (const agent of [
      await world.connect('http', 'legacy'),
      await world.connect('http', 'modern'),
      await world.connect('http', 'legacy', token),
    ]) {
      await agent.ok('shell_exec', { command: 'true' });
    }
    expect((await world.engine.list()).map(({ origin }) => origin)).toMatchObject(
      ['test-legacy', 'mcp', 'agent'].map((client) => ({ client })),
    );
    expect(world.listed.names()).toEqual(['test-legacy', 'mcp', 'agent']);
  });
});
