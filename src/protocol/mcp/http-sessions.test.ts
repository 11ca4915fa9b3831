import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HttpSessions } from './http-sessions.ts';

const HOUR_MS = 60 * 60_000;

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tester', version: '1' } },
};

const wait = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'wait', arguments: {} } });

const cancel = (requestId: number) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };

/** Requests as they come from a client, each answered wholly but for those that are left open. */
function world(limits: { readonly maxSessions?: number } = {}) {
  const told: string[] = [];
  const sessions = new HttpSessions({
    serve: (name) => {
      told.push(`began ${name}`);
      const server = new McpServer({ name: 'test', version: '1' });
      server.registerTool('wait', {}, ({ mcpReq: { id: call, signal } }) => {
        told.push(`call ${call}`);
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            told.push(`cancelled ${call}`);
            resolve({ content: [] });
          });
        });
      });
      return { server, entered: () => {}, left: () => {}, ended: () => told.push(`ended ${name}`) };
    },
    onError: () => {},
    maxBodyBytes: 1000,
    ...limits,
  });
  const send = (method: string, id: string | null, body?: unknown) => {
    const { promise: end, resolve: finish } = deferred<boolean>();
    const request = new Request('http://127.0.0.1/mcp', {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(id === null ? {} : { 'mcp-session-id': id }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { answer: sessions.fetch(request, end), finish };
  };
  const ask = async (method: string, id: string | null, body?: unknown) => {
    const { answer, finish } = send(method, id, body);
    const { status, headers, text } = await answer.then(async (response) => ({
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    }));
    finish(true);
    await Promise.resolve();
    return { status, text, id: headers.get('mcp-session-id') };
  };
  const open = async () => (await ask('POST', null, initialize)).id ?? '';
  return { sessions, told, send, ask, open };
}

function deferred<T>() {
  let resolve = (_value: T) => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe('sessions over HTTP', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test('begin with initialize, and end by DELETE', async () => {
    const { told, ask, open } = world();
    const id = await open();
    expect(await ask('POST', id, ping)).toMatchObject({ status: 200, text: expect.stringContaining('"result":{}') });
    expect(await ask('DELETE', id)).toMatchObject({ status: 200 });
    expect(told).toEqual(['began tester', 'ended tester']);
    expect(await ask('POST', id, ping)).toMatchObject({
      status: 404,
      text: expect.stringContaining('initialize a new'),
    });
    expect(await ask('DELETE', id)).toMatchObject({ status: 404 });
  });

  test.for([
    ['POST', ping, 400, 'Mcp-Session-Id: is needed'],
    ['GET', undefined, 400, 'Mcp-Session-Id: is needed'],
    ['DELETE', undefined, 400, 'Mcp-Session-Id: is needed'],
    ['PUT', ping, 405, 'GET, POST or DELETE'],
    ['POST', '{', 400, 'must be JSON'],
    ['POST', ' '.repeat(2000), 413, 'at most 1000 bytes'],
  ] as const)('without one, %s of %j is refused with its reason', async ([method, body, status, why]) => {
    const { told, ask } = world();
    expect(await ask(method, null, body)).toMatchObject({ status, text: expect.stringContaining(why) });
    expect(told).toEqual([]);
  });

  test('carry a cancellation to its call, whose stream ends without an answer', async () => {
    const { told, send, ask, open } = world();
    const id = await open();
    const [call, other] = [await send('POST', id, wait(7)).answer, send('POST', id, wait(8))];
    await other.answer;
    expect(await ask('POST', id, cancel(7))).toMatchObject({ status: 202 });
    expect(await call.text()).toBe('');
    expect(told.slice(1)).toEqual(['call 7', 'call 8', 'cancelled 7']);
  });

  test('answer the rest of a batch when one of its calls is cancelled, and then end its stream', async () => {
    const { send, ask, open } = world();
    const id = await open();
    const batch = await send('POST', id, [wait(7), ping]).answer;
    await ask('POST', id, cancel(7));
    expect(await batch.text()).toContain('"result":{}');
  });

  test('cancel a call whose connection broke, and no other', async () => {
    const { told, send, ask, open } = world();
    const id = await open();
    const [broken, other] = [send('POST', id, wait(7)), send('POST', id, wait(8))];
    await Promise.all([broken.answer, other.answer]);
    broken.finish(false);
    expect(await ask('POST', id, ping)).toMatchObject({ status: 200 });
    expect(told.slice(1)).toEqual(['call 7', 'call 8', 'cancelled 7']);
    await ask('DELETE', id);
    expect(told.slice(4)).toEqual(expect.arrayContaining(['cancelled 8', 'ended tester']));
  });

  test('end an hour after the last request, but not while a stream is open', async () => {
    const { told, ask, send, open } = world();
    const id = await open();
    await vi.advanceTimersByTimeAsync(HOUR_MS - 1);
    expect(await ask('POST', id, ping)).toMatchObject({ status: 200 });
    const stream = send('GET', id);
    expect((await stream.answer).status).toBe(200);
    await vi.advanceTimersByTimeAsync(5 * HOUR_MS);
    expect(told).toEqual(['began tester']);
    stream.finish(false);
    await vi.advanceTimersByTimeAsync(HOUR_MS - 1);
    expect(told).toEqual(['began tester']);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toEqual(['began tester', 'ended tester']);
    expect(await ask('POST', id, ping)).toMatchObject({ status: 404 });
  });

  test('are so many at a time: the one that was used the longest ago makes room, none that is in use', async () => {
    const { ask, send, open } = world({ maxSessions: 2 });
    const [first, second] = [await open(), await open()];
    await ask('POST', first, ping);
    const third = await open();
    expect(await ask('POST', second, ping)).toMatchObject({ status: 404 });
    await Promise.all([send('GET', first).answer, send('GET', third).answer]);
    expect(await ask('POST', null, initialize)).toMatchObject({
      status: 503,
      text: expect.stringContaining('this client has 2 sessions in use, which is the most'),
    });
    expect(await ask('POST', first, ping)).toMatchObject({ status: 200 });
  });

  test('end with the host, with their streams', async () => {
    const { sessions, told, send, ask, open } = world();
    const stream = await send('GET', await open()).answer;
    await sessions.close();
    expect(await stream.text()).toBe('');
    expect(told).toEqual(['began tester', 'ended tester']);
    expect(await ask('POST', null, initialize)).toMatchObject({ status: 503 });
  });
});
