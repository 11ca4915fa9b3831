import { chmod, link, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect } from 'vitest';
import { ControlClient, type FollowMessage } from '../../src/protocol/control/control-client.ts';
import { listenControl, type ControlHost, type ControlServer } from '../../src/protocol/control/control-listener.ts';
import { silentLogger } from '../../src/shared/logger.ts';
import { test as base, type EngineWorld } from '../support/engine-world.ts';

interface Fixtures {
  readonly folder: string;
  /** Takes the control socket for the world's engine; given up after the test. */
  readonly host: (more?: Partial<ControlHost>) => Promise<ControlServer>;
  readonly client: () => Promise<ControlClient>;
  /** A plain connection: lines out, parsed lines in. */
  readonly wire: () => Promise<Wire>;
}

interface Wire {
  readonly socket: Socket;
  readonly send: (line: string) => void;
  /** The next line that comes. */
  readonly next: () => Promise<unknown>;
}

const test = base.extend<Fixtures>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names a fixture uses from this pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'sscope-'));
    await use(folder);
    await rm(folder, { recursive: true });
  },
  host: async ({ world, folder }, use) => {
    const hosts: ControlServer[] = [];
    await use(async (more = {}) => {
      const server = await listenControl({ ...hostOf(world), folder, ...more });
      hosts.push(server);
      return server;
    });
    await Promise.all(hosts.map((server) => server.close()));
  },
  client: async ({ folder }, use) => {
    const clients: ControlClient[] = [];
    await use(async () => {
      const client = await ControlClient.connect({ folder, client: 'test' });
      clients.push(client);
      return client;
    });
    for (const client of clients) {
      client.close();
    }
  },
  wire: async ({ folder }, use) => {
    const sockets: Socket[] = [];
    await use(async () => {
      const socket = connect(join(folder, 'control.sock'));
      sockets.push(socket);
      const lines = createInterface(socket)[Symbol.asyncIterator]();
      return {
        socket,
        send: (line) => void socket.write(`${line}\n`),
        next: async () => {
          const { value } = (await lines.next()) as { readonly value: string };
          return JSON.parse(value) as unknown;
        },
      };
    });
    for (const socket of sockets) {
      socket.destroy();
    }
  },
});

function hostOf({ engine }: EngineWorld): ControlHost {
  return { engine, log: silentLogger, kind: 'serve', version: '1.2.3', execServerUrl: () => null };
}

const HELLO = '{"id":0,"method":"hello","params":{"protocol":1,"client":"t"}}';

describe('the place', () => {
  test('is a socket of mode 0600 in a folder of mode 0700, and leaves nothing behind', async ({ folder, world }) => {
    const inner = join(folder, 'run');
    const server = await listenControl({ ...hostOf(world), folder: inner });
    expect((await stat(inner)).mode & 0o777).toBe(0o700);
    expect((await stat(server.path)).mode & 0o777).toBe(0o600);
    await server.close();
    await rm(inner, { recursive: false }).catch(() => {});
    await expect(stat(server.path)).rejects.toThrow('ENOENT');
  });

  test('is one host’s: a second one is told who holds it, and the first goes on', async ({ host, client }) => {
    await host({ kind: 'app' });
    await expect(host()).rejects.toThrow(
      new RegExp(`held by the Shellscope app \\(pid ${process.pid}\\) since \\d{4}-\\d\\d-\\d\\dT`),
    );
    expect((await client()).host).toMatchObject({ kind: 'app', pid: process.pid, version: '1.2.3' });
  });

  test('of ten hosts that start at once over a dead one’s socket one gets it', async ({ host, folder, client }) => {
    await leaveDeadSocket(folder);
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => host()));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await (await client()).request('who', {});
    expect(await readdir(folder)).toEqual(['control.sock']);
  });

  test('is taken also when a host was killed while it took it', async ({ host, folder, client }) => {
    await leaveDeadSocket(folder);
    await link(join(folder, 'control.sock'), join(folder, '.taking'));
    await Promise.allSettled(Array.from({ length: 3 }, () => host()));
    await (await client()).request('who', {});
    expect(await readdir(folder)).toEqual(['control.sock']);
  });

  test('that cannot be used is refused with what to do, and nothing is changed', async ({ world, folder }) => {
    const at = (place: string) => listenControl({ ...hostOf(world), folder: place });
    const open = join(folder, 'open');
    await mkdir(open);
    await chmod(open, 0o750);
    await expect(at(open)).rejects.toThrow(`${open} is open to other users: run chmod 700 ${open}`);
    expect((await stat(open)).mode & 0o777).toBe(0o750);

    const long = join(folder, 'x'.repeat(100));
    await expect(at(long)).rejects.toThrow(/path of the control socket is \d+ bytes long .* SHELLSCOPE_RUNTIME_DIR/);

    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(at(file)).rejects.toThrow('EEXIST');

    const link = join(folder, 'link');
    await symlink(tmpdir(), link);
    await expect(at(link)).rejects.toThrow(`${link} is no folder`);

    const shared = join(folder, 'shared');
    await mkdir(join(shared, 'run'), { recursive: true, mode: 0o700 });
    await chmod(shared, 0o777);
    await expect(at(join(shared, 'run'))).rejects.toThrow(`${shared} can be written by other users`);
  });

  test('without a host is said to be so, with how to start one', async ({ client, folder }) => {
    await expect(client()).rejects.toThrow('no host is running: start the app with `npm start`, or `shellscope serve`');
    await leaveDeadSocket(folder);
    await expect(client()).rejects.toThrow('no host is running');
  });
});

/** As a host leaves it that was killed: a name that nobody listens at. */
async function leaveDeadSocket(folder: string): Promise<void> {
  const path = join(folder, 'control.sock');
  const { execFile } = await import('node:child_process');
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  await new Promise((resolve) => execFile(process.execPath, ['-e', script], resolve));
  expect((await stat(path)).isSocket()).toBe(true);
}

describe('the wire', () => {
  test('begins with hello, of the version that the host speaks', async ({ host, wire }) => {
    await host({ execServerUrl: () => 'ws://127.0.0.1:1' });
    const { send, next } = await wire();
    send('{"id":1,"method":"list"}');
    expect(await next()).toEqual({
      id: 1,
      error: { code: 'hello-first', message: 'the first request has to be hello' },
    });
    send('{"id":2,"method":"hello","params":{"protocol":99,"client":"t"}}');
    expect(await next()).toMatchObject({ id: 2, error: { code: 'unsupported-protocol' } });
    send(HELLO);
    expect(await next()).toEqual({
      id: 0,
      result: {
        protocol: 1,
        version: '1.2.3',
        pid: process.pid,
        kind: 'serve',
        sinceMs: expect.any(Number),
        streams: [],
        execServerUrl: 'ws://127.0.0.1:1',
      },
    });
  });

  test('bad requests are refused with a sentence that names the field, and no session is changed', async ({
    host,
    wire,
    world,
  }) => {
    await host();
    const { id } = await world.start(['cat']);
    // What it waits for is known from then on, and is part of what is compared.
    await world.engine.wait({ condition: { kind: 'input', session: id }, timeoutMs: 15_000 });
    const before = await world.engine.get(id);
    const { send, next } = await wire();
    send(HELLO);
    await next();
    const rows = [
      ['{', 'malformed', /one JSON object/],
      ['[]', 'malformed', /one JSON object/],
      ['"x"', 'malformed', /one JSON object/],
      ['{"id":1}', 'malformed', /method/],
      ['{"id":1,"method":"toString"}', 'unknown-method', /"toString"/],
      ['{"id":1,"method":"get"}', 'invalid-argument', /^session: /],
      ['{"id":1,"method":"get","params":{"session":7}}', 'invalid-argument', /^session: /],
      ['{"id":1,"method":"get","params":{"session":"nope"}}', 'session-not-found', /nope/],
      ['{"id":1,"method":"list","params":{"x":1}}', 'invalid-argument', /"x"/],
      ['{"id":1,"method":"start","params":{"argv":[]}}', 'invalid-argument', /^argv: /],
      [
        `{"id":1,"method":"write","params":{"session":"${id}","base64":"a"}}`,
        'invalid-argument',
        /^base64: .*RFC 4648/,
      ],
      [
        `{"id":1,"method":"resize","params":{"session":"${id}","size":{"cols":0,"rows":5}}}`,
        'invalid-argument',
        /^size\.cols: /,
      ],
      [`{"id":1,"method":"signal","params":{"session":"${id}","signal":"SIGNOPE"}}`, 'invalid-argument', /SIGNOPE/],
      [
        `{"id":1,"method":"wait","params":{"timeoutMs":1,"condition":{"kind":"pattern","session":"${id}","pattern":"("}}}`,
        'invalid-argument',
        /^pattern: /,
      ],
      [
        `{"id":1,"method":"read","params":{"session":"${id}","from":{"epoch":"x","offset":1},"form":"raw","maxBytes":9}}`,
        'invalid-argument',
        /^cursor: /,
      ],
      ['{"id":1,"method":"open","params":{"session":null}}', 'no-window', /no window/],
      ['{"id":1,"method":"stream","params":{"name":"nope"}}', 'unknown-stream', /"nope"/],
    ] as const;
    for (const [line, code, message] of rows) {
      send(line);
      expect([line, await next()]).toEqual([
        line,
        { id: code === 'malformed' ? null : 1, error: { code, message: expect.stringMatching(message) } },
      ]);
    }
    expect(await world.engine.list()).toEqual([before]);
  });

  test('a line that is too long is passed over in bounded memory, and the next one is answered', async ({
    host,
    wire,
  }) => {
    await host();
    const { socket, send, next } = await wire();
    send(HELLO);
    await next();
    const megabyte = Buffer.alloc(1024 * 1024, 'a');
    for (let sent = 0; sent < 6; sent += 1) {
      socket.write(megabyte);
    }
    send('');
    expect(await next()).toMatchObject({
      id: null,
      error: { code: 'malformed', message: expect.stringContaining('longer than') },
    });
    send('{"id":1,"method":"list"}');
    expect(await next()).toEqual({ id: 1, result: { sessions: [] } });
  });

  test('a client that goes takes its waits and follows along, and leaves its sessions', async ({
    host,
    client,
    world,
  }) => {
    await host();
    const one = await client();
    const { id } = await one.request('start', {
      argv: ['cat'],
      cwd: '/',
      environment: { kind: 'exact', variables: {} },
      backend: { kind: 'pty', size: { cols: 33, rows: 7 } },
    });
    await one.follow({ session: id, from: 'start', creditBytes: 1_000, holdsChild: true }, () => {});
    const waiting = one.request('wait', { condition: { kind: 'exit', session: id }, timeoutMs: 60_000 });
    const refused = expect(waiting).rejects.toThrow('the host ended before it answered');
    one.close();
    await refused;
    const two = await client();
    expect(await two.request('get', { session: id })).toMatchObject({ state: 'running', size: { cols: 33, rows: 7 } });
    await world.engine.terminate(id, 'person');
  });
});

describe('output', () => {
  test('is followed from the start to the end, no faster than it is acknowledged', async ({ host, client, world }) => {
    await host();
    const { id } = await world.start(['seq', '200000'], { backend: { kind: 'pipe', stdin: false } });
    const one = await client();
    const parts: Buffer[] = [];
    const unacknowledged: (() => void)[] = [];
    let isPaused = true;
    await new Promise<void>((resolve, reject) => {
      one
        .follow({ session: id, from: 'start', creditBytes: 10_000, holdsChild: true }, (message: FollowMessage) => {
          if (message.kind === 'output') {
            parts.push(message.bytes);
            if (isPaused) {
              unacknowledged.push(message.done);
            } else {
              message.done();
            }
          } else if (message.kind === 'closed') {
            resolve();
          } else if (message.kind === 'gap') {
            reject(new Error('output was lost'));
          }
        })
        .then(async () => {
          // All that the credit allows is here when the host has answered something that was asked after it.
          await one.request('list', {});
          await world.closed(id);
          await one.request('list', {});
          expect(Buffer.concat(parts).length).toBeLessThan(200_000);
          isPaused = false;
          for (const acknowledge of unacknowledged) {
            acknowledge();
          }
        })
        .catch(reject);
    });
    const lines = Buffer.concat(parts).toString().trimEnd().split('\n');
    expect(lines.length).toBe(200_000);
    expect(lines.at(-1)).toBe('200000');
  });

  test('is followed from a cursor in the middle of a chunk, of an ended session and of one that never started', async ({
    host,
    client,
    world,
  }) => {
    await host();
    const one = await client();
    const { id, epoch } = await world.start(['printf', 'abcdef'], { backend: { kind: 'pipe', stdin: false } });
    await world.closed(id);
    await world.start(['/no/such/program']).catch(() => {});
    const failed = (await world.engine.list()).find(({ state }) => state === 'failed')!;
    const told = async (
      session: string,
      from: 'start' | 'now' | { epoch: string; offset: number } | { tail: number },
    ) => {
      const parts: string[] = [];
      await new Promise<void>((resolve, reject) => {
        one
          .follow({ session, from, creditBytes: 1, holdsChild: false }, (message) => {
            parts.push(message.kind === 'output' ? message.bytes.toString() : message.kind);
            if (message.kind === 'output') {
              message.done();
            }
            if (message.kind === 'closed') {
              resolve();
            }
          })
          .catch(reject);
      });
      return parts.filter((part) => part !== '' && part !== 'exited');
    };
    expect(await told(id, { epoch, offset: 4 })).toEqual(['ef', 'closed']);
    expect(await told(id, { epoch, offset: 6 })).toEqual(['closed']);
    expect(await told(id, 'now')).toEqual(['closed']);
    expect(await told(id, { tail: 100 })).toEqual(['abcdef', 'closed']);
    expect(await told(failed.id, 'start')).toEqual(['closed']);
    await expect(told(id, { epoch: 'other', offset: 0 })).rejects.toThrow('from: the cursor is not one of session');
    await expect(told(id, { epoch, offset: 7 })).rejects.toThrow('from: the cursor is not one of session');
  });

  test('unread is what this reader has not had, as text and as bytes by turns', async ({ host, client, world }) => {
    await host();
    const one = await client();
    const { id } = await world.start(['cat'], { backend: { kind: 'pipe', stdin: true } });
    const read = (form: 'raw' | 'text', reader: string) =>
      one.request('read', { session: id, from: 'unread', reader, form, maxBytes: 1_000, waitMs: 10_000 });
    await world.engine.write(id, Buffer.from('one'));
    await world.printed(id, 'one');
    expect((await read('text', 'a')).text).toBe('one');
    await world.engine.write(id, Buffer.from('two'));
    await world.printed(id, 'two');
    expect((await read('raw', 'a')).pieces).toEqual([
      { stream: 'stdout', offset: 3, base64: Buffer.from('two').toString('base64') },
    ]);
    const waited = read('text', 'a');
    await world.engine.write(id, Buffer.from('three'));
    expect((await waited).text).toBe('three');
    expect((await read('text', 'b')).text).toBe('onetwothree');
    await world.engine.terminate(id, 'person');
  });
});

describe('a stream', () => {
  test('is the connection as raw bytes for the handler of that name, from the first byte on', async ({
    host,
    client,
    wire,
  }) => {
    const facts: unknown[] = [];
    await host({
      streams: new Map([
        [
          'echo',
          (duplex, told) => {
            facts.push(told);
            duplex.write('ready\n');
            duplex.pipe(duplex);
          },
        ],
      ]),
    });
    const one = await client();
    expect(one.host.streams).toEqual(['echo']);
    const duplex = await one.stream('echo', { a: 1 });
    const parts: Buffer[] = [];
    duplex.on('data', (part: Buffer) => parts.push(part));
    const sent = Buffer.from(Array.from({ length: 70_000 }, (_unused, at) => at % 256));
    duplex.end(sent);
    await new Promise((resolve) => duplex.once('close', resolve));
    expect(Buffer.concat(parts).equals(Buffer.concat([Buffer.from('ready\n'), sent]))).toBe(true);
    expect(facts).toEqual([{ client: 'test', params: { a: 1 } }]);

    // What was sent in the same packet as the request is the stream's.
    const { socket } = await wire();
    const raw: Buffer[] = [];
    socket.on('data', (part: Buffer) => raw.push(part));
    socket.end(`${HELLO}\n{"id":1,"method":"stream","params":{"name":"echo"}}\n{not json}\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(Buffer.concat(raw).toString().split('\n').slice(1)).toEqual([
      '{"id":1,"result":null}',
      'ready',
      '{not json}',
      '',
    ]);
  });

  test('whose handler throws is dropped, and the host goes on', async ({ host, client }) => {
    await host({
      streams: new Map([
        [
          'bad',
          () => {
            throw new Error('planted');
          },
        ],
      ]),
    });
    const duplex = await (await client()).stream('bad');
    duplex.resume();
    await new Promise((resolve) => duplex.once('close', resolve));
    await (await client()).request('list', {});
  });
});

test('a host that accepts and says nothing is named, not waited for without end', async ({ folder, client }) => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(join(folder, 'control.sock'), resolve));
  await expect(client()).rejects.toThrow('does not answer; it may be stopped or very busy');
  server.close();
});
