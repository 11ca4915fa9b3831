import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test as base, describe, expect, vi } from 'vitest';
import { lookAtProcess } from '../../src/engine/backend/process-table.ts';
import { isRunning } from '../support/is-running.ts';

/** What `npm run build` leaves; the command line is tested as it is shipped. */
const CLI = resolve('out/cli/main.js');

const HANDSHAKE = '{"id":1,"method":"initialize","params":{"clientName":"test"}}\n{"method":"initialized"}\n';
const STATUS = '{"id":2,"method":"environment/status"}';
const READY = { id: 2, result: { status: 'ready' } };

/** `shellscope serve --listen stdio`, and what it says. */
class StdioServer {
  readonly process: ChildProcessWithoutNullStreams;
  stdout = '';
  stderr = '';
  readonly #waiting = new Set<() => void>();

  constructor(folder: string, args: readonly string[]) {
    this.process = spawn(process.execPath, [CLI, 'serve', ...args], {
      env: { ...process.env, SHELLSCOPE_STATE_DIR: folder },
    });
    // It may end before it took everything.
    this.process.stdin.on('error', () => {});
    this.process.stdout.on('data', (part: Buffer) => this.#hear(() => (this.stdout += part.toString())));
    this.process.stderr.on('data', (part: Buffer) => this.#hear(() => (this.stderr += part.toString())));
  }

  /** Whole lines of stdout: every one of them is a frame. */
  get frames(): readonly Readonly<Record<string, unknown>>[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  }

  write(input: string | Uint8Array): void {
    this.process.stdin.write(input);
  }

  /** Resolves with the frames when there are as many. */
  async heard(count: number): Promise<readonly unknown[]> {
    while (this.frames.length < count) {
      await new Promise<void>((heard) => this.#waiting.add(heard));
    }
    return this.frames;
  }

  /** Resolves with the exit code when it has ended and all that it printed is here. */
  async end(): Promise<number | null> {
    const [code] = (await once(this.process, 'close')) as [number | null];
    return code;
  }

  #hear(note: () => void): void {
    note();
    for (const wake of [...this.#waiting]) {
      wake();
    }
    this.#waiting.clear();
  }
}

const test = base.extend<{ serve: (...args: readonly string[]) => StdioServer }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names a fixture uses from this pattern
  serve: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'shellscope-stdio-'));
    const started: StdioServer[] = [];
    await use((...args) => {
      const server = new StdioServer(folder, args.length === 0 ? ['--listen', 'stdio'] : args);
      started.push(server);
      return server;
    });
    for (const { process: child } of started.filter(
      ({ process: { exitCode, signalCode } }) => (exitCode ?? signalCode) === null,
    )) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true });
  },
});

const sleeper = (processId: string, tty: boolean) =>
  `${JSON.stringify({
    id: processId,
    method: 'process/start',
    params: {
      processId,
      argv: ['/bin/sh', '-c', 'echo $$; exec sleep 300'],
      cwd: 'file:///tmp',
      env: { PATH: '/usr/bin:/bin' },
      tty,
    },
  })}\n`;

/** The process ids that the sleepers printed. */
const printedPids = (server: StdioServer) =>
  server.frames
    .filter(({ method }) => method === 'process/output')
    .map(({ params }) => Number(Buffer.from((params as { readonly chunk: string }).chunk, 'base64').toString()));

describe('shellscope serve --listen stdio', () => {
  test.for(['stdio', 'stdio://'])(
    '%s: prints frames and nothing else, and ends with code 0 when stdin does',
    async (url, { serve }) => {
      const server = serve('--listen', url);
      server.write(`${HANDSHAKE}\n \t\n\r\n${STATUS}\r\n`);
      expect(await server.heard(2)).toEqual([expect.objectContaining({ id: 1, result: expect.any(Object) }), READY]);
      server.process.stdin.end();
      expect(await server.end()).toBe(0);
      expect(server.frames).toHaveLength(2);
      expect(server.stderr).toBe('');
    },
  );

  test('killed, it takes its fork server with it', async ({ serve }) => {
    const server = serve();
    server.write(HANDSHAKE + sleeper('pty', true));
    await server.heard(3);
    const [child = 0] = printedPids(server);
    const forkServer = lookAtProcess(child)?.parentPid ?? 0;
    expect(lookAtProcess(forkServer)).toMatchObject({ parentPid: server.process.pid });
    server.process.kill('SIGKILL');
    await server.end();
    await vi.waitFor(() => expect(isRunning(forkServer)).toBe(false), { timeout: 10_000 });
  });

  test('C11: the end of stdin ends every child', async ({ serve }) => {
    const server = serve();
    server.write(HANDSHAKE + sleeper('pty', true) + sleeper('pipe', false));
    // The handshake, two starts, two outputs.
    await server.heard(5);
    const pids = printedPids(server);
    expect(pids.map(isRunning)).toEqual([true, true]);
    server.process.stdin.end();
    expect(await server.end()).toBe(0);
    expect(pids.map(isRunning)).toEqual([false, false]);
  });

  test('answers what stands before the end of stdin, without a newline and with a poll that would wait', async ({
    serve,
  }) => {
    const server = serve();
    server.write(HANDSHAKE + sleeper('p', true));
    await server.heard(3);
    server.process.stdin.end(
      `{"id":"poll","method":"process/read","params":{"processId":"p","afterSeq":1,"waitMs":600000}}\n${STATUS}`,
    );
    expect(await server.end()).toBe(0);
    expect(server.frames.map(({ id }) => id)).toEqual(expect.arrayContaining([2, 'poll']));
  });

  test('a line that is malformed, no UTF-8 or too long is answered, and the next one is read', async ({ serve }) => {
    const server = serve();
    server.write(HANDSHAKE);
    server.write('not json\n');
    server.write(Buffer.from([0x7b, 0xff, 0x7d, 0x0a]));
    const long = Buffer.alloc(1024 * 1024, 'a');
    for (let megabyte = 0; megabyte < 17; megabyte += 1) {
      server.write(long);
    }
    server.write(`\n${STATUS}\n`);
    const malformed = (why: string) => ({
      error: { code: -32_600, message: `failed to parse JSON-RPC message from exec-server stdio: ${why}` },
      id: -1,
    });
    expect((await server.heard(5)).slice(1)).toEqual([
      malformed('expected ident at line 1 column 2'),
      malformed('invalid unicode code point'),
      malformed('a message is longer than 16777216 bytes'),
      READY,
    ]);
  });

  test('a breach of the protocol ends it with code 0, its children too, and what was said before is heard', async ({
    serve,
  }) => {
    const server = serve();
    server.write(HANDSHAKE + sleeper('p', true));
    await server.heard(3);
    server.write(`${STATUS}\n{"id":99,"result":{}}\n${STATUS}\n`);
    expect(await server.end()).toBe(0);
    expect(server.frames.filter(({ id }) => id === 2)).toEqual([READY]);
    expect(server.stderr).toContain('it answered what nobody asked');
    expect(printedPids(server).map(isRunning)).toEqual([false]);
  });

  test('SIGTERM ends it and its children, also while nobody reads what it has to say', async ({ serve }) => {
    const server = serve();
    server.write(HANDSHAKE + sleeper('p', false));
    await server.heard(3);
    const [pid = 0] = printedPids(server);
    server.process.stdout.pause();
    // Far more than a pipe holds, so that the server is left with the rest.
    for (let id = 0; id < 4_000; id += 1) {
      server.write(`{"id":"${'x'.repeat(100)}${id}","method":"environment/info"}\n`);
    }
    server.process.kill('SIGTERM');
    const [code] = (await once(server.process, 'exit')) as [number | null];
    expect(code).toBe(0);
    expect(isRunning(pid)).toBe(false);
  });

  test('a client that reads no more ends it', async ({ serve }) => {
    const server = serve();
    server.write(HANDSHAKE);
    await server.heard(1);
    server.process.stdout.destroy();
    server.write(`${STATUS}\n`);
    const [code] = (await once(server.process, 'exit')) as [number | null];
    expect(code).toBe(0);
  });

  test('a session cannot be resumed, and a token or another URL is refused', async ({ serve }) => {
    const server = serve();
    server.write('{"id":1,"method":"initialize","params":{"clientName":"a","resumeSessionId":"b"}}\n');
    expect(await server.heard(1)).toEqual([{ error: { code: -32_600, message: 'unknown session id b' }, id: 1 }]);
    const cases = [
      [['--listen', 'stdio', '--token-file', 'x'], /a token belongs to a WebSocket listener, not to stdio/],
      [
        ['--listen', 'unix:///tmp/x'],
        /unsupported --listen URL `unix:\/\/\/tmp\/x`; expected `ws:\/\/IP:PORT` or `stdio`/,
      ],
    ] as const;
    for (const [args, message] of cases) {
      const refused = serve(...args);
      expect(await refused.end()).toBe(2);
      expect(refused.stderr).toMatch(message);
      expect(refused.stdout).toBe('');
    }
  });
});
