import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect } from 'vitest';
import type { ExecClient } from '../support/exec-client.ts';
import { base64, fromBase64, test as base } from '../support/file-world.ts';

/** A request as the server on the other side saw it. */
interface Seen {
  readonly method: string;
  readonly url: string;
  /** Lower-case names and values in their order, without `host` and `connection`. */
  readonly headers: readonly string[];
  readonly body: string;
}

interface HttpWorld {
  /** e.g. `http://127.0.0.1:47811` */
  readonly origin: string;
  /** The same server by another name: another origin. */
  readonly otherOrigin: string;
  readonly seen: readonly Seen[];
  /** Paths whose response was cut off by the other side. */
  readonly cutOff: readonly string[];
  /** Bytes of `/endless` that the client's side has taken. */
  readonly endlessBytes: number;
  /** Resolves when a path of `cutOff` is there. */
  untilCutOff(path: string): Promise<void>;
}

const REDIRECT = /^\/(30[12378])$/;

const test = base.extend<{ web: HttpWorld }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names a fixture uses from this pattern
  web: async ({}, use) => {
    const seen: Seen[] = [];
    const cutOff: string[] = [];
    const state = { endlessBytes: 0 };
    const changed = new EventEmitter();
    const server = createServer((request, response) => {
      void answer(request, response, { seen, state, origins: () => originsOf(server) });
      response.on('close', () => {
        if (!response.writableFinished) {
          cutOff.push(request.url ?? '');
          changed.emit('cut');
        }
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const [origin, otherOrigin] = originsOf(server);
    try {
      await use({
        origin,
        otherOrigin,
        seen,
        cutOff,
        get endlessBytes() {
          return state.endlessBytes;
        },
        untilCutOff: async (path) => {
          while (!cutOff.includes(path)) {
            await once(changed, 'cut');
          }
        },
      });
    } finally {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  },
});

function originsOf(server: Server): [string, string] {
  const { port } = server.address() as AddressInfo;
  return [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  world: { seen: Seen[]; state: { endlessBytes: number }; origins: () => [string, string] },
): Promise<void> {
  const body: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) {
    body.push(piece);
  }
  const url = request.url ?? '';
  const headers: string[] = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at]?.toLowerCase() ?? '';
    if (name !== 'host' && name !== 'connection') {
      headers.push(`${name}: ${Buffer.from(request.rawHeaders[at + 1] ?? '', 'latin1').toString('utf8')}`);
    }
  }
  world.seen.push({ method: request.method ?? '', url, headers, body: Buffer.concat(body).toString() });
  const redirect = REDIRECT.exec(url)?.[1];
  response.sendDate = false;
  if (redirect !== undefined) {
    response.writeHead(Number(redirect), { location: '/ok' }).end('moved');
  } else if (url === '/elsewhere') {
    response.writeHead(302, { location: `${world.origins()[1]}/ok` }).end();
  } else if (url === '/loop') {
    response.writeHead(302, { location: '/loop' }).end();
  } else if (url === '/to-ftp') {
    response.writeHead(302, { location: 'ftp://x/y' }).end();
  } else if (url === '/headers') {
    response.writeHead(418, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Bytes', '\u00e9', 'X-Text', 'Ã©']).end('tea');
  } else if (url === '/half') {
    response.writeHead(200, { 'content-length': '100' }).write('half');
  } else if (url === '/cut') {
    response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy());
  } else if (url.startsWith('/bytes/')) {
    response.end(pattern(Number(url.slice('/bytes/'.length))));
  } else if (url === '/endless') {
    const piece = Buffer.alloc(65_536, 'x');
    const write = () => {
      while (!response.destroyed) {
        world.state.endlessBytes += piece.length;
        if (!response.write(piece)) {
          response.once('drain', write);
          return;
        }
      }
    };
    write();
  } else if (url !== '/never') {
    response.end(`body of ${url}`);
  }
}

/** Bytes that show where they belong. */
function pattern(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) {
    bytes.writeUInt32LE(at, at);
  }
  return bytes;
}

interface Delta {
  readonly requestId: string;
  readonly seq: number;
  readonly deltaBase64: string;
  readonly done: boolean;
  readonly error: string | null;
}

const deltas = (client: ExecClient, requestId: string) =>
  client.notifications
    .filter(({ method }) => method === 'http/request/bodyDelta')
    .map(({ params }) => params as unknown as Delta)
    .filter((delta) => delta.requestId === requestId);

async function streamed(client: ExecClient, requestId: string) {
  await client.until(() => deltas(client, requestId).some(({ done }) => done), `the body of ${requestId}`);
  const all = deltas(client, requestId);
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_delta, index) => index + 1));
  expect(all.findIndex(({ done }) => done)).toBe(all.length - 1);
  return { body: Buffer.concat(all.map(({ deltaBase64 }) => fromBase64(deltaBase64))), error: all.at(-1)?.error };
}

describe('http/request', () => {
  test('sends method, headers and body as they are, and answers status, headers and body', async ({ files, web }) => {
    const answered = await files.result('http/request', {
      method: 'POST',
      url: `${web.origin}/headers`,
      headers: [
        { name: 'X-Twice', value: '1' },
        { name: 'x-twice', value: '2' },
        { name: 'X-Text', value: 'é' },
        { name: 'Content-Length', value: '1' },
      ],
      bodyBase64: base64('hello'),
      requestId: 'r',
      redirectPolicy: 'follow',
      timeoutMs: null,
    });
    expect(web.seen).toEqual([
      {
        method: 'POST',
        url: '/headers',
        headers: ['accept: */*', 'x-twice: 1', 'x-twice: 2', 'x-text: é', 'content-length: 5'],
        body: 'hello',
      },
    ]);
    // X-Bytes is no text and cannot be said.
    expect(answered).toEqual({
      status: 418,
      headers: [
        { name: 'set-cookie', value: 'a=1' },
        { name: 'set-cookie', value: 'b=2' },
        { name: 'x-text', value: 'é' },
        { name: 'connection', value: 'close' },
        { name: 'transfer-encoding', value: 'chunked' },
      ],
      bodyBase64: base64('tea'),
    });
  });

  test('follows redirects as browsers do, or stops at the first', async ({ files, web }) => {
    const post = (status: number, redirectPolicy?: string) =>
      files.result('http/request', {
        method: 'POST',
        url: `${web.origin}/${status}`,
        headers: [{ name: 'Content-Type', value: 'text/x' }],
        bodyBase64: base64('x'),
        requestId: 'r',
        redirectPolicy,
      });
    for (const status of [301, 302, 303, 307, 308]) {
      expect(await post(status)).toMatchObject({ status: 200, bodyBase64: base64('body of /ok') });
    }
    const kept = { method: 'POST', url: '/ok', headers: expect.arrayContaining(['content-type: text/x']), body: 'x' };
    const changed = { method: 'GET', url: '/ok', headers: ['accept: */*'], body: '' };
    expect(web.seen.filter(({ url }) => url === '/ok')).toEqual([changed, changed, changed, kept, kept]);
    expect(await post(302, 'stop')).toMatchObject({ status: 302, bodyBase64: base64('moved') });
    const refusal = (path: string) =>
      files.refusal('http/request', { method: 'GET', url: `${web.origin}${path}`, requestId: 'r' });
    expect(await refusal('/loop')).toEqual([-32_603, 'http/request failed: too many redirects']);
    expect(web.seen.filter(({ url }) => url === '/loop')).toHaveLength(11);
    expect(await refusal('/to-ftp')).toEqual([
      -32_603,
      'http/request failed: redirect target uses unsupported URL scheme: ftp',
    ]);
  });

  test('a header takes a variable of the host, which never follows a redirect to elsewhere', async ({ files, web }) => {
    const get = (path: string) =>
      files.result('http/request', {
        method: 'GET',
        url: `${web.origin}${path}`,
        headers: [
          { name: 'X-Key', value: 'Bearer ', valueEnvVar: 'API_TOKEN' },
          { name: 'Authorization', value: 'own' },
          { name: 'Cookie', value: 'c=1' },
          { name: 'X-Other', value: 'stays', valueEnvVar: null },
        ],
        requestId: 'r',
      });
    await get('/302');
    await get('/elsewhere');
    const own = ['accept: */*', 'x-key: Bearer from-the-host', 'authorization: own', 'cookie: c=1', 'x-other: stays'];
    expect(web.seen.map(({ url, headers }) => [url, headers])).toEqual([
      ['/302', own],
      ['/ok', own],
      ['/elsewhere', own],
      ['/ok', ['accept: */*', 'x-other: stays']],
    ]);
    const refusal = (valueEnvVar: string) =>
      files.refusal('http/request', {
        method: 'GET',
        url: `${web.origin}/ok`,
        headers: [{ name: 'X-Key', value: '', valueEnvVar }],
        requestId: 'r',
      });
    const needs = 'http/request header X-Key requires';
    expect(await refusal('NONE')).toEqual([-32_602, `${needs} executor environment variable NONE`]);
    expect(await refusal('EMPTY')).toEqual([-32_602, `${needs} a non-empty executor environment variable EMPTY`]);
    expect(await refusal('constructor')).toEqual([-32_602, `${needs} executor environment variable constructor`]);
    expect(await refusal('SHELLSCOPE_TOKEN')).toEqual([
      -32_602,
      "http/request header X-Key may not have environment variable SHELLSCOPE_TOKEN: it is the host's own",
    ]);
    expect(web.seen).toHaveLength(4);
  });

  test('what is no request that can be made is refused with what is wrong', async ({ files, web }) => {
    const refusal = (params: object) =>
      files.refusal('http/request', { method: 'GET', url: `${web.origin}/ok`, requestId: 'r', ...params });
    const header = (name: string, value: string) => ({ headers: [{ name, value }] });
    for (const [params, message] of [
      [{ url: 'no url' }, 'http/request url is invalid: relative URL without a base'],
      [{ url: 'http://' }, 'http/request url is invalid: not a URL'],
      [{ url: 'ftp://x/' }, 'http/request only supports http and https URLs, got ftp'],
      [{ url: 'file:///etc/passwd' }, 'http/request only supports http and https URLs, got file'],
      [{ method: 'GE T' }, 'http/request method is invalid: invalid HTTP method'],
      [{ method: '' }, 'http/request method is invalid: invalid HTTP method'],
      [{ method: 'CONNECT' }, 'http/request method is invalid: CONNECT opens a tunnel'],
      [header('X E', '1'), 'http/request header name is invalid: invalid HTTP header name'],
      [header('X-E', 'a\nb'), 'http/request header value is invalid for X-E: failed to parse header value'],
      [{ bodyBase64: '**' }, 'Invalid symbol 42, offset 0. (`bodyBase64`)'],
      [{ requestId: undefined }, 'missing field `requestId`'],
      [{ url: undefined }, 'missing field `url`'],
      [{ redirectPolicy: 'x' }, expect.stringContaining('`redirectPolicy`')],
    ] as const) {
      expect(await refusal(params)).toEqual([-32_602, message]);
    }
    expect(web.seen).toEqual([]);
    expect(await refusal({ url: 'http://user:word@127.0.0.1:1/p' })).toEqual([
      -32_603,
      'http/request failed: error sending request for url (http://127.0.0.1:1/p): connect ECONNREFUSED 127.0.0.1:1',
    ]);
  });

  test('a request ends at its timeout, before the response or in the middle of it', async ({ files, web }) => {
    const get = (path: string, timeoutMs: number) =>
      files.refusal('http/request', { method: 'GET', url: `${web.origin}${path}`, requestId: 'r', timeoutMs });
    expect(await get('/never', 50)).toEqual([
      -32_603,
      `http/request failed: error sending request for url (${web.origin}/never): timed out after 50 ms`,
    ]);
    expect(await get('/half', 50)).toEqual([
      -32_603,
      'failed to read http/request response body: timed out after 50 ms',
    ]);
    expect(await get('/cut', 15_000)).toEqual([-32_603, 'failed to read http/request response body: aborted']);
    await web.untilCutOff('/never');
    await web.untilCutOff('/half');
  });

  test('a body of 32 MiB is answered, a larger one has to be streamed', async ({ files, web }) => {
    const limit = 32 * 1024 * 1024;
    const get = (bytes: number) => ({ method: 'GET', url: `${web.origin}/bytes/${bytes}`, requestId: 'r' });
    const { bodyBase64 } = await files.result('http/request', get(limit));
    expect(fromBase64(bodyBase64).equals(pattern(limit))).toBe(true);
    expect(await files.refusal('http/request', get(limit + 1))).toEqual([
      -32_603,
      `failed to read http/request response body: more than ${limit} bytes; ask for it with streamResponse`,
    ]);
    // What was answered is not counted any more.
    expect(await files.result('http/request', get(limit))).toMatchObject({ status: 200 });
  });
});

describe('a body that is streamed', () => {
  const get = (url: string, requestId: string, more: object = {}) =>
    ['http/request', { method: 'GET', url, requestId, streamResponse: true, ...more }] as const;

  test('comes after its answer, whole and in order, also to a client that reads slowly', async ({ files, web }) => {
    const { client } = files;
    const answered = client.request(...get(`${web.origin}/bytes/10000000`, 'big'));
    await readInSteps(client);
    expect(await answered).toMatchObject({ result: { status: 200, bodyBase64: '' } });
    expect(deltas(client, 'big').length).toBeGreaterThan(0);
    const { body, error } = await streamed(client, 'big');
    expect({ whole: body.equals(pattern(10_000_000)), error }).toEqual({ whole: true, error: null });
    expect(client.frames.findIndex((frame) => 'result' in frame && frame['id'] === 2)).toBeLessThan(
      client.frames.findIndex((frame) => frame['method'] === 'http/request/bodyDelta'),
    );
  });

  test('holds the sender back while its client takes nothing, and nobody else', async ({ files, web, world }) => {
    void files.client.request(...get(`${web.origin}/endless`, 'e'));
    files.client.pause();
    const other = await world.client();
    let before = -1;
    // It stands when a whole answer of another client came and went and nothing was taken meanwhile, ten times over.
    for (let still = 0; still < 10;) {
      expect(await other.request(...get(`${web.origin}/ok`, `r${web.endlessBytes}-${still}`))).toMatchObject({
        result: { status: 200 },
      });
      still = web.endlessBytes === before ? still + 1 : 0;
      before = web.endlessBytes;
    }
    expect(web.endlessBytes).toBeLessThan(64 * 1024 * 1024);
    files.client.drop();
    await web.untilCutOff('/endless');
  });

  test('ends with an empty last piece; a broken or late one with what was wrong', async ({ files, web }) => {
    const { client } = files;
    await files.result(...get(`${web.origin}/ok`, 'ok'));
    expect((await streamed(client, 'ok')).body.toString()).toBe('body of /ok');
    expect(deltas(client, 'ok').at(-1)).toEqual({ requestId: 'ok', seq: 2, deltaBase64: '', done: true, error: null });
    await files.result(...get(`${web.origin}/cut`, 'cut'));
    expect(await streamed(client, 'cut')).toEqual({
      body: Buffer.from('half'),
      error: 'error decoding response body: aborted',
    });
    await files.result(...get(`${web.origin}/half`, 'late', { timeoutMs: 200 }));
    expect(await streamed(client, 'late')).toEqual({
      body: Buffer.from('half'),
      error: 'error decoding response body: timed out after 200 ms',
    });
    await web.untilCutOff('/half');
  });

  test('an id is taken until its last piece, and free after it', async ({ files, web }) => {
    await files.result(...get(`${web.origin}/half`, 'id', { timeoutMs: 300 }));
    expect(await files.refusal(...get(`${web.origin}/ok`, 'id'))).toEqual([
      -32_602,
      'http/request streamResponse requestId `id` is already active',
    ]);
    await streamed(files.client, 'id');
    expect(await files.result(...get(`${web.origin}/ok`, 'id'))).toMatchObject({ status: 200 });
  });

  test('requests of a connection that is gone are given up, streamed or not', async ({ files, web }) => {
    void files.client.request('http/request', { method: 'GET', url: `${web.origin}/never`, requestId: 'n' });
    await files.result(...get(`${web.origin}/half`, 'h'));
    await files.client.until(() => deltas(files.client, 'h').length === 1, 'the first half');
    files.client.drop();
    await web.untilCutOff('/never');
    await web.untilCutOff('/half');
  });
});

/** Ten times: the client's socket stands while the loop goes round a hundred times, then takes what is there. */
async function readInSteps(client: ExecClient): Promise<void> {
  for (let step = 0; step < 10; step += 1) {
    client.pause();
    for (let turn = 0; turn < 100; turn += 1) {
      await new Promise(setImmediate);
    }
    client.resume();
    await new Promise(setImmediate);
  }
}
