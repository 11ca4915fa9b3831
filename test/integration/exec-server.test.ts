import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { describe, expect, vi } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { SessionId } from '../../src/shared/session.ts';
import { ExecClient } from '../support/exec-client.ts';
import { test, TOKEN } from '../support/exec-world.ts';
import { isRunning } from '../support/is-running.ts';
import { whileDiskIsSlow } from '../support/slow-disk.ts';

const error = (code: number, message: unknown, id: unknown = expect.anything()) => ({
  error: { code, message },
  id,
});

describe('a process over the wire', () => {
  test('C4 C9: a pty process is answered, prints, exits and closes, with seq from 1 without a gap', async ({
    world,
  }) => {
    const client = await world.client();
    expect(await client.start('p1', ['/bin/sh', '-c', 'printf one; sleep 0.05; printf two; exit 3'])).toEqual({
      id: 2,
      result: { processId: 'p1', sandboxType: 'none' },
    });
    const { output, exitCode, seqs } = await client.closedProcess('p1');
    expect({ output, exitCode }).toEqual({ output: 'onetwo', exitCode: 3 });
    expect(seqs).toEqual(seqs.map((_seq, index) => index + 1));
    expect(client.notifications.map(({ method }) => method).slice(-2)).toEqual(['process/exited', 'process/closed']);
  });

  test('C4: a pipe process keeps stdout and stderr apart and has no stdin', async ({ world }) => {
    const client = await world.client();
    await client.start('p1', ['/bin/sh', '-c', 'printf out; printf err >&2; cat'], { tty: false });
    await client.closedProcess('p1');
    const streams = client.notifications
      .filter(({ method }) => method === 'process/output')
      .map(({ params }) => params as unknown as { readonly stream: string; readonly chunk: string })
      .map(({ stream, chunk }) => `${stream}: ${Buffer.from(chunk, 'base64').toString()}`);
    expect(streams.toSorted()).toEqual(['stderr: err', 'stdout: out']);
    expect(await client.write('p1', 'x', 'w1')).toMatchObject({ result: { status: 'stdinClosed' } });
  });

  test.for([true, false])(
    'C9: a client that only reads and one that only listens see the same bytes (tty %s)',
    async (tty, { world }) => {
      const client = await world.client();
      await client.start('p1', ['/bin/sh', '-c', 'for i in 1 2 3 4 5; do echo line $i; sleep 0.02; done'], { tty });
      let read = '';
      let afterSeq = 0;
      for (let closed = false; !closed;) {
        const { result } = await client.request('process/read', { processId: 'p1', afterSeq, waitMs: 5_000 });
        const page = result as { chunks: { chunk: string }[]; nextSeq: number; closed: boolean };
        read += page.chunks.map(({ chunk }) => Buffer.from(chunk, 'base64').toString()).join('');
        afterSeq = page.nextSeq - 1;
        ({ closed } = page);
      }
      expect(read).toBe((await client.closedProcess('p1')).output);
      const newLine = tty ? '\r\n' : '\n';
      expect(read).toBe([1, 2, 3, 4, 5].map((number) => `line ${number}${newLine}`).join(''));
    },
  );

  test('C6: a read gives at least one chunk, and says where it was cut', async ({ world }) => {
    const client = await world.client();
    await client.start('p1', ['/bin/sh', '-c', 'printf first; sleep 0.05; printf second']);
    await client.closedProcess('p1');
    const { result } = await client.request('process/read', { processId: 'p1', maxBytes: 1 });
    expect(result).toEqual({
      chunks: [{ seq: 1, stream: 'pty', chunk: Buffer.from('first').toString('base64') }],
      nextSeq: 2,
      exited: true,
      exitCode: 0,
      closed: true,
      failure: null,
      sandboxDenied: false,
    });
  });

  test('C7: input reaches the child once, however often its write id is sent', async ({ world }) => {
    const client = await world.client();
    await client.start('p1', ['/bin/cat']);
    expect(await client.write('p1', 'hello\r', 'w1')).toMatchObject({ result: { status: 'accepted' } });
    expect(await client.write('p1', 'hello\r', 'w1')).toMatchObject({ result: { status: 'accepted' } });
    expect(await client.write('p1', '\u0004', 'w2')).toMatchObject({ result: { status: 'accepted' } });
    expect((await client.closedProcess('p1')).output).toBe('hello\r\nhello\r\n');
    expect(await client.write('p1', 'late', 'w3')).toEqual(error(-32_603, 'failed to write to process stdin'));
    expect(await client.write('nobody', 'x', 'w1')).toMatchObject({ result: { status: 'unknownProcess' } });
  });

  test('C8: terminate answers at once, ends the tree, and says false the second time', async ({ world }) => {
    const client = await world.client();
    await client.start('p1', ['/bin/bash', '-c', 'sleep 300 & sleep 300']);
    expect(await client.request('process/terminate', { processId: 'p1' })).toMatchObject({ result: { running: true } });
    // 128 + SIGTERM, on a pty as on pipes.
    expect((await client.closedProcess('p1')).exitCode).toBe(143);
    expect(await client.request('process/terminate', { processId: 'p1' })).toMatchObject({
      result: { running: false },
    });
    expect(await client.request('process/terminate', { processId: 'x' })).toMatchObject({ result: { running: false } });
  });

  test('C7 C8: a process that is still starting takes no input, and is not running yet', async ({ world }) => {
    const client = await world.client();
    let starting: Promise<unknown> | undefined;
    await whileDiskIsSlow(async () => {
      starting = client.start('p1', ['/bin/sleep', '300']);
      expect(await client.write('p1', 'x', 'w1')).toMatchObject({ result: { status: 'starting' } });
      expect(await client.request('process/terminate', { processId: 'p1' })).toMatchObject({
        result: { running: false },
      });
    });
    await starting;
  });

  test('a signal interrupts the foreground job of a shell, not the shell', async ({ world }) => {
    const client = await world.client();
    await client.start('p1', ['/bin/bash', '--norc', '-i']);
    await client.printed('p1', '$ ');
    const job = `sh -c 'trap "echo interr""upted; exit 7" INT; echo j""ob; while :; do sleep 0.01; done'`;
    await client.write('p1', `${job}\r`, 'w1');
    await client.printed('p1', 'job');
    expect(await client.request('process/signal', { processId: 'p1', signal: 'interrupt' })).toMatchObject({
      result: {},
    });
    await client.printed('p1', 'interrupted');
    await client.write('p1', 'exit 5\r', 'w2');
    expect((await client.closedProcess('p1')).exitCode).toBe(5);
  });

  test('a long poll and a blocked write delay no other request', async ({ world }) => {
    const client = await world.client();
    await client.start('silent', ['/bin/sleep', '300']);
    await client.start('deaf', ['/bin/sleep', '300'], { tty: false, pipeStdin: true });
    const poll = client.request('process/read', { processId: 'silent', waitMs: 60_000 });
    const megabytes = 'x'.repeat(4 * 1024 * 1024);
    const blocked = client.write('deaf', megabytes, 'w1');
    expect(await client.request('environment/status', {})).toMatchObject({ result: { status: 'ready' } });
    await client.request('process/terminate', { processId: 'silent' });
    await client.request('process/terminate', { processId: 'deaf' });
    expect(await poll).toMatchObject({ result: { exited: true } });
    expect(await blocked).toEqual(error(-32_603, 'failed to write to process stdin'));
  });

  test('C11: a client that comes back reads what was printed meanwhile, and hears of what comes then', async ({
    world,
  }) => {
    const first = await world.client();
    await first.start('p1', ['/bin/sh', '-c', 'echo before; read a; echo then $a; read b; echo after $b; exit 7']);
    await first.printed('p1', 'before');
    first.drop();
    await vi.waitFor(() => expect(world.server.clientNames).toEqual([]));
    const [session] = await world.engine.list();
    const id = session?.id ?? ('none' as SessionId);
    await world.engine.write(id, Buffer.from('meanwhile\r'));
    const missed = await readUntil(world.engine, id, 'then meanwhile');
    const second = await world.client(first.sessionId);
    const { result } = await second.request('process/read', { processId: 'p1' });
    expect(decoded(result)).toBe(missed);
    await second.write('p1', 'live\r', 'w1');
    const { output, exitCode } = await second.closedProcess('p1');
    expect({ output, exitCode }).toEqual({ output: 'live\r\nafter live\r\n', exitCode: 7 });
    expect(first.notifications.some(({ method }) => method === 'process/closed')).toBe(false);
  });

  test('a client that comes back hears of nothing before it has read what it missed', async ({ world }) => {
    const first = await world.client();
    await first.start('p1', ['/bin/sh', '-c', 'echo before; read a; echo after; exit 7'], {
      tty: false,
      pipeStdin: true,
    });
    await first.printed('p1', 'before');
    first.drop();
    await vi.waitFor(() => expect(world.server.clientNames).toEqual([]));
    const [session] = await world.engine.list();
    const id = session?.id ?? ('none' as SessionId);
    const second = await world.client(first.sessionId);
    // Answered after `initialized` was dealt with.
    await second.request('environment/status', {});
    await world.engine.write(id, Buffer.from('go\n'));
    await readUntil(world.engine, id, 'after');
    await second.request('environment/status', {});
    expect(second.notifications).toEqual([]);
    const { result } = await second.request('process/read', { processId: 'p1', afterSeq: 1 });
    expect(decoded(result)).toBe('after\n');
    // Told all the same, in order.
    expect(await second.closedProcess('p1')).toEqual({ output: 'after\n', exitCode: 7, seqs: [2, 3, 4] });
  });

  test('C7: a write that is sent again over a new connection reaches the child once', async ({ world }) => {
    const first = await world.client();
    await first.start('p1', ['/bin/sh', '-c', 'read a; echo "<$a>"; read b; echo "<$b>"']);
    await first.write('p1', 'once\r', 'w1');
    await first.printed('p1', '<once>');
    first.drop();
    await first.disconnected();
    // The server hears of it a moment later.
    await vi.waitFor(() => expect(world.server.clientNames).toEqual([]));
    const second = await world.client(first.sessionId);
    expect(await second.write('p1', 'once\r', 'w1')).toMatchObject({ result: { status: 'accepted' } });
    await second.write('p1', 'twice\r', 'w2');
    expect((await second.closedProcess('p1')).output).toBe('twice\r\n<twice>\r\n');
  });

  test('C11: of two clients that come back to one session, one gets it', async ({ world }) => {
    const first = await world.client();
    first.drop();
    await first.disconnected();
    // The server hears of it a moment later.
    await vi.waitFor(() => expect(world.server.clientNames).toEqual([]));
    const outcomes = await Promise.allSettled([world.client(first.sessionId), world.client(first.sessionId)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    expect(String(refused?.reason)).toContain('is already attached to another connection');
  });

  test('C11: closing the server ends every child', async ({ world }) => {
    const client = await world.client();
    await client.start('p1', ['/bin/sleep', '300']);
    await client.start('p2', ['/bin/sleep', '300'], { tty: false });
    const pids = (await world.engine.list()).map(({ pid }) => pid ?? 0);
    expect(pids.map(isRunning)).toEqual([true, true]);
    await world.server.close();
    expect(pids.map(isRunning)).toEqual([false, false]);
    await client.disconnected();
  });

  test('a session that the person closes in the window is exited and closed to its client', async ({ world }) => {
    const client = await world.client();
    await client.start('p1', ['/bin/sleep', '300']);
    const [session] = await world.engine.list();
    await world.engine.close(session?.id ?? ('none' as SessionId), 'person');
    expect((await client.closedProcess('p1')).exitCode).toBe(143);
    expect(await client.request('process/read', { processId: 'p1' })).toEqual(error(-32_600, 'unknown process id p1'));
    expect(await client.request('environment/status', {})).toMatchObject({ result: { status: 'ready' } });
  });

  test('one that was closed while its client was away is unknown to the client that is back', async ({ world }) => {
    const first = await world.client();
    await first.start('p1', ['/bin/sleep', '300']);
    first.drop();
    await first.disconnected();
    // The server hears of it a moment later.
    await vi.waitFor(() => expect(world.server.clientNames).toEqual([]));
    const [session] = await world.engine.list();
    await world.engine.close(session?.id ?? ('none' as SessionId), 'person');
    const second = await world.client(first.sessionId);
    expect(await second.request('process/read', { processId: 'p1' })).toEqual(error(-32_600, 'unknown process id p1'));
    expect(await second.start('p1', ['/bin/true'])).toMatchObject({ result: { processId: 'p1' } });
  });
});

describe('a request that is refused', () => {
  test('C1: a method before the handshake is told which step is missing', async ({ world }) => {
    const client = await ExecClient.connect(world.server.url, { headers: { authorization: `Bearer ${TOKEN}` } });
    const start = { processId: 'p', argv: ['true'], cwd: 'file:///', env: {}, tty: true };
    expect(await client.request('process/start', start)).toEqual(
      error(-32_600, 'client must call initialize before using exec methods'),
    );
    await client.request('initialize', { clientName: 'a' });
    expect(await client.request('environment/info', {})).toEqual(
      error(-32_600, 'client must send initialized before using environment info methods'),
    );
    expect(await client.request('initialize', { clientName: 'a' })).toEqual(
      error(-32_600, 'initialize may only be sent once per connection'),
    );
    client.drop();
  });

  test('C2: an empty argv, a taken id, a bad chunk and a foreign URI each name what is wrong', async ({ world }) => {
    const client = await world.client();
    expect(await client.start('p1', [])).toEqual(error(-32_602, 'argv must not be empty'));
    const [first, second] = await Promise.all([
      client.start('p1', ['/bin/sleep', '300']),
      client.start('p1', ['/bin/sleep', '300']),
    ]);
    expect(first).toMatchObject({ result: { processId: 'p1' } });
    expect(second).toEqual(error(-32_600, 'process p1 already exists'));
    expect(await client.start('p2', ['true'], { cwd: '/tmp' })).toEqual(
      error(-32_602, 'invalid URI: relative URL without a base (`cwd`)'),
    );
    expect(await client.start('p2', ['true'], { cwd: 'http://x/' })).toEqual(
      error(-32_602, 'unsupported path URI scheme `http` (`cwd`)'),
    );
    expect(await client.start('p2', ['true'], { cwd: 'file:///tmp?x' })).toEqual(
      error(-32_602, expect.stringContaining('write ? as %3F')),
    );
    expect(await client.request('process/write', { processId: 'p1', chunk: '*', writeId: 'w' })).toEqual(
      error(-32_602, 'Invalid symbol 42, offset 0. (`chunk`)'),
    );
    expect(await client.request('process/start', { processId: 'p2' })).toEqual(error(-32_602, 'missing field `argv`'));
    expect(await client.request('process/read', { processId: 'p9' })).toEqual(error(-32_600, 'unknown process id p9'));
  });

  test('C3: a start that fails frees its id, says why, and stays to be seen in the list', async ({ world }) => {
    const client = await world.client();
    const expectations = [
      [['no-such-program-here'], {}, /^No such file or directory \(os error 2\): cannot start `no-such-program-here`/],
      [['/tmp'], {}, /^Is a directory \(os error 21\): cannot start `\/tmp`/],
      [['/etc/passwd'], {}, /^Permission denied \(os error 13\): cannot start `\/etc\/passwd`/],
      [['true'], { cwd: 'file:///no/such/folder' }, /working directory \/no\/such\/folder does not exist$/],
      [['true'], { cwd: 'file:///etc/passwd' }, /working directory \/etc\/passwd is not a directory$/],
      [['printf', 'a\0b'], {}, /^nul byte found in provided data/],
      [['true', 'x'.repeat(200_000)], {}, /^Argument list too long \(os error 7\)/],
    ] as const;
    for (const tty of [true, false]) {
      for (const [argv, params, message] of expectations) {
        expect(await client.start('p1', argv, { ...params, tty })).toEqual(
          error(-32_603, expect.stringMatching(message)),
        );
      }
    }
    const failures = (await world.engine.list()).filter(({ state }) => state === 'failed');
    expect(failures).toHaveLength(10);
    expect(failures[0]).toMatchObject({ argv: ['no-such-program-here'], pid: null, exit: null });
    const [first] = failures;
    const acts = first === undefined ? [] : await world.engine.timeline(first.id);
    expect(acts.map(({ act }) => act)).toMatchObject([
      { kind: 'started' },
      { kind: 'not-started', why: first?.failure },
    ]);
    expect(await client.start('p1', ['/bin/true'])).toMatchObject({ result: { processId: 'p1' } });
  });

  test('what this host cannot enforce is an error, never ignored', async ({ world }) => {
    const client = await world.client();
    const answer = await client.start('p1', ['true'], { sandbox: { permissions: {} } });
    expect(answer).toEqual(error(-32_602, expect.stringMatching(/^sandbox\.permissions/)));
    expect(await world.engine.list()).toEqual([]);
  });

  test('params may be absent or null where a method needs none, and unknown members are ignored', async ({ world }) => {
    const client = await ExecClient.connect(world.server.url, { headers: { authorization: `Bearer ${TOKEN}` } });
    const initialized = client.answerTo('text id');
    client.send({
      jsonrpc: '2.0',
      id: 'text id',
      method: 'initialize',
      params: { clientName: 'a', extra: 1 },
      trace: {},
    });
    expect(await initialized).toMatchObject({ result: { environmentInfo: { shell: { name: 'bash' } } } });
    client.send({ method: 'initialized' });
    for (const frame of [
      { id: -7, method: 'environment/status' },
      { id: -8, method: 'environment/info', params: null },
    ]) {
      const answered = client.answerTo(frame.id);
      client.send(frame);
      expect(await answered).toHaveProperty('result');
    }
    client.drop();
  });

  test('malformed JSON and an unknown method are answered, and other sessions go on', async ({ world }) => {
    const client = await world.client();
    await client.start('p1', ['/bin/cat']);
    const malformed = client.answerTo(-1);
    client.sendText('not json');
    expect(await malformed).toEqual(
      error(-32_600, expect.stringMatching(/^failed to parse websocket JSON-RPC message from exec-server/), -1),
    );
    expect(await client.request('process/teleport', {})).toEqual(
      error(-32_601, 'exec-server stub does not implement `process/teleport` yet'),
    );
    await client.write('p1', 'still here\r', 'w1');
    await client.printed('p1', 'still here');
  });

  test('a client that breaks the protocol is dropped, and only that one', async ({ world }) => {
    const other = await world.client();
    for (const frame of [
      { id: 99, result: {} },
      { method: 'process/output', params: {} },
    ]) {
      const client = await world.client();
      client.send(frame);
      expect(await client.disconnected()).toBe(1006);
    }
    expect(await other.request('environment/status', {})).toMatchObject({ result: { status: 'ready' } });
  });
});

describe('who may connect', () => {
  const connect = (url: string, headers: Readonly<Record<string, string>>) => ExecClient.connect(url, { headers });

  test('S16: no token, a wrong token, an Origin, a foreign Host and a wrong path are refused', async ({ world }) => {
    const { url } = world.server;
    const authorization = `Bearer ${TOKEN}`;
    await expect(connect(url, {})).rejects.toThrow('HTTP 401: missing websocket bearer token');
    await expect(connect(url, { authorization: 'Bearer wrong' })).rejects.toThrow(
      'HTTP 401: wrong websocket bearer token',
    );
    await expect(connect(url, { authorization, origin: 'http://localhost' })).rejects.toThrow('HTTP 403');
    await expect(connect(url, { authorization, host: 'evil.example' })).rejects.toThrow('HTTP 403');
    await expect(connect(`${url}/other`, { authorization })).rejects.toThrow('HTTP 404');
    const client = await connect(url, { authorization: authorization.toLowerCase().replace(TOKEN, '') + TOKEN });
    client.drop();
  });

  test('S16: a client cannot reach the processes of another', async ({ world }) => {
    const owner = await world.client();
    const other = await world.client();
    await owner.start('p1', ['/bin/cat']);
    expect(await other.request('process/read', { processId: 'p1' })).toEqual(error(-32_600, 'unknown process id p1'));
    expect(await other.write('p1', 'x', 'w')).toMatchObject({ result: { status: 'unknownProcess' } });
    expect(await other.request('process/terminate', { processId: 'p1' })).toMatchObject({ result: { running: false } });
    await owner.write('p1', 'mine\r', 'w1');
    await owner.printed('p1', 'mine');
  });

  test('/readyz is open, everything else over plain HTTP is not', async ({ world }) => {
    const base = world.server.url.replace('ws:', 'http:');
    const statuses = await Promise.all(
      ['/readyz', '/', '/healthz'].map(async (path) => (await fetch(base + path)).status),
    );
    expect(statuses).toEqual([200, 400, 404]);
  });

  test('a refused connection that is reset, or never hung up, harms nobody', async ({ world }) => {
    const client = await world.client();
    const port = Number(new URL(world.server.url).port);
    const upgrade = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    for (let run = 0; run < 20; run += 1) {
      const reset = connectTcp({ port, host: '127.0.0.1' });
      reset.on('error', () => {});
      await once(reset, 'connect');
      reset.write(upgrade);
      reset.resetAndDestroy();
    }
    const halfOpen = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true });
    halfOpen.write(upgrade);
    const [answer] = (await once(halfOpen, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 403 /);
    await once(halfOpen, 'end');
    const silent = connectTcp({ port, host: '127.0.0.1' });
    await once(silent, 'connect');
    expect(await client.request('environment/status', {})).toMatchObject({ result: { status: 'ready' } });
    await world.server.close();
    await once(silent, 'close');
    halfOpen.destroy();
  });
});

function decoded(result: unknown): string {
  const { chunks } = result as { readonly chunks: readonly { readonly chunk: string }[] };
  return chunks.map(({ chunk }) => Buffer.from(chunk, 'base64').toString()).join('');
}

/** All that a session printed, as soon as the text is in it. */
async function readUntil(engine: Engine, id: SessionId, text: string): Promise<string> {
  let printed = '';
  let afterSeq = 0;
  while (!printed.includes(text)) {
    const { chunks, nextSeq, closed } = await engine.read(id, { afterSeq, maxBytes: 1_000_000, waitMs: 10_000 });
    printed += Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
    afterSeq = nextSeq - 1;
    if (closed) {
      break;
    }
  }
  return printed;
}
