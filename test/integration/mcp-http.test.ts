import { request } from 'node:http';
import { describe, expect } from 'vitest';
import { test, type McpWorld } from '../support/mcp-world.ts';

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

/** One request with headers that a browser's fetch would not let through. */
function post(url: string, headers: Readonly<Record<string, string>>, method = 'POST') {
  return new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (body += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? LIST : undefined);
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
    expect(await post(world.url, headers)).toMatchObject({ status: 200, body: expect.stringContaining('shell_exec') });
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
    expect(await post(world.url.replace('/mcp', '/readyz'), {}, 'GET')).toEqual({ status: 200, body: '' });
    expect(await post(world.url, headersOf(world), 'GET')).toMatchObject({ status: 405 });
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
});
