import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import {
  likelyDenied,
  workspaceWrite,
  type EngineOptions,
  type FencePolicy,
  type SandboxPolicy,
} from '../../src/engine/engine.ts';
import type { SessionInfo } from '../../src/shared/session.ts';
import { pythonProgram } from '../support/python-program.ts';
import { NO_SANDBOX } from '../support/sandbox-here.ts';
import { test as base, type SandboxWorld } from '../support/sandbox-world.ts';

/** A sandbox, a server outside of it on this machine's loopback, and a name that leads there. */
interface NetworkWorld extends SandboxWorld {
  readonly port: number;
  /** What the server was asked. */
  readonly asked: readonly IncomingMessage[];
  /** Names that were looked up. */
  readonly lookedUp: readonly string[];
  /** Where the sandboxes' sockets are. */
  readonly networkFolder: string;
  allow(...hosts: readonly string[]): Promise<void>;
  settings(network: object): Promise<void>;
  audit(): Promise<readonly Record<string, unknown>[]>;
  /** Runs it by the way of all agents' commands to its end. */
  run(
    argv: readonly string[],
    policy?: SandboxPolicy,
  ): Promise<{ readonly session: SessionInfo; readonly output: string }>;
}

/** Where names lead in these tests. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'app.test': ['127.0.0.1'],
  'other.test': ['127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:127.0.0.1'],
};

const test = base.extend<{
  folder: string;
  lookedUp: string[];
  engineOptions: Partial<EngineOptions>;
  network: NetworkWorld;
}>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names a fixture uses from this pattern
  folder: async ({}, use) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'shellscope-network-test-')));
    await use(folder);
    await rm(folder, { recursive: true });
  },
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names a fixture uses from this pattern
  lookedUp: async ({}, use) => use([]),
  engineOptions: async ({ folder, lookedUp }, use) => {
    await use({
      safety: {
        settingsFile: join(folder, 'settings.json'),
        auditFile: join(folder, 'audit.jsonl'),
        networkFolder: join(folder, 'network'),
        hidden: [folder],
        resolve: async (name) => {
          lookedUp.push(name);
          return ADDRESSES[name] ?? Promise.reject(new Error('no such name'));
        },
      },
    });
  },
  network: async ({ sandbox, folder, lookedUp }, use) => {
    const asked: IncomingMessage[] = [];
    const server: Server = createServer((request, response) => {
      asked.push(request);
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        response.setHeader('x-seen', 'yes');
        response.end(request.url === '/large' ? 'x'.repeat(3_000_000) : `${request.method} ${request.url} ${body}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const settings = (network: object) => writeFile(join(folder, 'settings.json'), JSON.stringify({ network }));
    await use({
      ...sandbox,
      port,
      asked,
      lookedUp,
      networkFolder: join(folder, 'network'),
      settings,
      allow: (...allowed) => settings({ allowed }),
      audit: async () =>
        (await readFile(join(folder, 'audit.jsonl'), 'utf8'))
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Record<string, unknown>),
      run: async (argv, policy = workspaceWrite(sandbox.workspace)) => {
        const { session } = await sandbox.engine.startSafely(
          {
            argv,
            cwd: sandbox.workspace,
            backend: { kind: 'pipe', stdin: false },
            environment: { kind: 'exact', variables: { PATH: process.env['PATH'] ?? '', HOME: '/' } },
            origin: { kind: 'agent', client: 'codex', processId: 'p', threadId: null, callId: null },
          },
          { sandbox: policy },
        );
        return { session: await sandbox.closed(session.id), output: await sandbox.text(session.id) };
      },
    });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  },
});

/** Python's text, which also knows `PORT`. */
const python = (text: string, port: number) => [pythonProgram(), '-c', text.replaceAll('PORT', String(port))];

const get = (url: string, port: number) =>
  python(`import urllib.request; print(urllib.request.urlopen("${url}", timeout=10).read().decode())`, port);

/** What the proxy answers to a request that is sent as it is; the proxy is found by its variable. */
const raw = (request: string, port: number) =>
  python(
    `
import os, socket
host, port = os.environ["HTTP_PROXY"].removeprefix("http://").split(":")
s = socket.create_connection((host, int(port)), 10)
s.sendall(${JSON.stringify(request)}.encode("latin1"))
while chunk := s.recv(65536): print(chunk.decode("latin1"), end="")`,
    port,
  );

describe.runIf(process.platform === 'linux')(
  `the network of a sandbox${NO_SANDBOX === null ? '' : `: not here, ${NO_SANDBOX}`}`,
  () => {
    describe.skipIf(NO_SANDBOX !== null)('reaches what the settings allow', () => {
      test('by HTTP through the proxy, and by nothing else', async ({ network }) => {
        const { port } = network;
        await network.allow(`app.test:${port}`, `127.0.0.1:${port}`);
        const { session, output } = await network.run(get('http://app.test:PORT/path?a=1', port));
        expect(output).toBe('GET /path?a=1 \n');
        expect(session).toMatchObject({
          sandbox: `workspace-write, network to app.test:${port} 127.0.0.1:${port}`,
          exit: { exitCode: 0 },
        });
        expect(network.asked.at(-1)?.headers).toMatchObject({ host: `app.test:${port}`, connection: 'close' });

        // Past the proxy there is nothing, and without the sandbox there is.
        const direct = ['bash', '-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`];
        expect((await network.run(direct)).session.exit?.exitCode).not.toBe(0);
        expect((await network.run(direct, { kind: 'none' })).session.exit?.exitCode).toBe(0);
      });

      test('with what is sent, and with much that is answered', async ({ network }) => {
        const { port } = network;
        await network.allow(`app.test:${port}`, `127.0.0.1:${port}`);
        const post = `import urllib.request as u; print(u.urlopen(u.Request("http://app.test:PORT/p", data=b"b"*100000)).read().decode())`;
        expect((await network.run(python(post, port))).output).toBe(`POST /p ${'b'.repeat(100_000)}\n`);
        const large = `import urllib.request as u; print(len(u.urlopen("http://app.test:PORT/large").read()))`;
        expect((await network.run(python(large, port))).output).toBe('3000000\n');
      });

      test('by a tunnel (CONNECT), and by SOCKS', async ({ network }) => {
        const { port } = network;
        await network.allow(`app.test:${port}`, `127.0.0.1:${port}`);
        const tunnel = `
import http.client, os
host, port = os.environ["HTTPS_PROXY"].removeprefix("http://").split(":")
c = http.client.HTTPConnection(host, int(port)); c.set_tunnel("app.test", PORT)
c.request("GET", "/tunnel"); print(c.getresponse().read().decode())`;
        expect((await network.run(python(tunnel, port))).output).toBe('GET /tunnel \n');
        const socks = `
import os, socket, struct
host, port = os.environ["ALL_PROXY"].removeprefix("http://").split(":")
s = socket.create_connection((host, int(port)), 10)
s.sendall(b"\\x05\\x01\\x00"); assert s.recv(2) == b"\\x05\\x00"
s.sendall(b"\\x05\\x01\\x00\\x03\\x08app.test" + struct.pack(">H", PORT)); assert s.recv(10)[1] == 0
s.sendall(b"GET /socks HTTP/1.1\\r\\nHost: app.test\\r\\nConnection: close\\r\\n\\r\\n")
while chunk := s.recv(65536): print(chunk.decode(), end="")`;
        expect((await network.run(python(socks, port))).output).toContain('GET /socks ');
      });

      test('from many at once, and the relay is not in the way of the command', async ({ network }) => {
        const { port } = network;
        await network.allow(`app.test:${port}`, `127.0.0.1:${port}`);
        const many = `
import concurrent.futures, os, urllib.request as u
try: os.waitpid(-1, 0)
except ChildProcessError: print("no children")
one = lambda n: len(u.urlopen("http://app.test:PORT/large").read())
with concurrent.futures.ThreadPoolExecutor(40) as pool: print(sum(pool.map(one, range(40))))`;
        expect((await network.run(python(many, port))).output).toBe('no children\n120000000\n');
      });
    });

    describe.skipIf(NO_SANDBOX !== null)('refuses, and says so', () => {
      test('a host that is not listed: to the program, in the timeline and in the audit log', async ({ network }) => {
        const { port } = network;
        await network.allow(`app.test:${port}`, `127.0.0.1:${port}`);
        const { session, output } = await network.run(get('http://other.test:PORT/', port));
        expect(session.exit?.exitCode).not.toBe(0);
        expect(output).toContain('HTTP Error 403: Refused by the sandbox');
        expect(likelyDenied(session.exit ?? { exitCode: null, signal: null }, output)).toBe('network');
        const refused = { host: 'other.test', port, why: 'not-listed', times: 1 };
        const acts = (await network.engine.timeline(session.id)).map(({ by, act }) => ({ by, act }));
        expect(acts).toContainEqual({ by: { kind: 'host' }, act: { kind: 'host-refused', ...refused } });
        expect(await network.audit()).toContainEqual({
          at: expect.any(String) as string,
          type: 'host-refused',
          client: 'codex',
          session: session.id,
          ...refused,
        });
        // A look-up would have told the name to others.
        expect(network.lookedUp).toEqual([]);
        expect(network.asked).toEqual([]);
        expect(
          (await network.run(['bash', '-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`], { kind: 'none' })).session.exit,
        ).toMatchObject({ exitCode: 0 });
      });

      test('with a body that says how to allow it', async ({ network }) => {
        const { port } = network;
        await network.allow('app.test');
        const { output } = await network.run(raw('CONNECT other.test:443 HTTP/1.1\r\n\r\n', port));
        expect(output).toMatch(/^HTTP\/1\.1 403 Refused by the sandbox\r\n/);
        expect(output).toContain(
          '\r\n\r\nshellscope: other.test:443 is not among the hosts that this sandbox may reach.\n' +
            'To allow it, add "other.test" to network.allowed in the settings.\n',
        );
      });

      test('a listed name that leads to this machine or to what a cloud tells it', async ({ network }) => {
        const { port } = network;
        await network.allow(`app.test:*`, `mapped.test:*`, 'metadata.test', '*');
        for (const [url, address] of [
          [`http://app.test:${port}/`, '127.0.0.1'],
          [`http://mapped.test:${port}/`, '::ffff:127.0.0.1'],
          ['http://metadata.test/latest/meta-data', '169.254.169.254'],
          ['http://169.254.169.254/', '169.254.169.254'],
          // Other ways to write 127.0.0.1.
          ['http://2130706433/', '127.0.0.1'],
          ['http://0x7f.1/', '127.0.0.1'],
          ['http://[::1]/', '::1'],
        ] as const) {
          const { output } = await network.run(
            raw(`GET ${url} HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n`, port),
          );
          expect(output, url).toContain(`leads to ${address}, which is no public address`);
        }
        expect(network.asked).toEqual([]);
      });

      test('what is denied, though it is allowed as well', async ({ network }) => {
        const { port } = network;
        await network.settings({ allowed: [`app.test:${port}`, `127.0.0.1:${port}`], denied: ['app.test:*'] });
        const { output } = await network.run(get('http://app.test:PORT/', port));
        expect(output).toContain('403');
        expect(network.asked).toEqual([]);
      });

      test('by SOCKS with its own word for it', async ({ network }) => {
        const { port } = network;
        await network.allow('app.test');
        const socks = `
import os, socket
host, port = os.environ["ALL_PROXY"].removeprefix("http://").split(":")
s = socket.create_connection((host, int(port)), 10)
s.sendall(b"\\x05\\x01\\x00\\x05\\x01\\x00\\x01\\x7f\\x00\\x00\\x01\\x00\\x50")
print(s.recv(2).hex(), s.recv(10).hex())`;
        expect((await network.run(python(socks, port))).output).toBe('0500 05020001000000000000\n');
      });

      test('what is no request to a proxy, and a second request in the body of the first', async ({ network }) => {
        const { port } = network;
        await network.allow(`app.test:${port}`, `127.0.0.1:${port}`);
        for (const [request, status] of [
          ['GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400],
          ['CONNECT app.test HTTP/1.1\r\n\r\n', 400],
          ['GET https://app.test/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400],
        ] as const) {
          expect((await network.run(raw(request, port))).output, request).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
        }
        const smuggled = 'GET /second HTTP/1.1\r\nHost: other.test\r\n\r\n';
        const chunked = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
        await network.run(
          raw(
            `GET http://app.test:${port}/first HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunked}`,
            port,
          ),
        );
        expect(network.asked.map(({ url }) => url)).toEqual(['/first']);
      });

      test('once for each host and not for each time, so that nothing is washed away', async ({ network }) => {
        const { port } = network;
        await network.allow('app.test');
        const flood = `
import os, socket
host, port = os.environ["HTTP_PROXY"].removeprefix("http://").split(":")
for n in range(300):
    for name in ["same.test", f"n{n}.test"]:
        s = socket.create_connection((host, int(port)), 10)
        s.sendall(f"CONNECT {name}:443 HTTP/1.1\\r\\n\\r\\n".encode()); s.recv(65536); s.close()`;
        const { session } = await network.run(python(flood, port));
        expect(session.exit).toMatchObject({ exitCode: 0 });
        const refused = (await network.audit()).filter(({ type }) => type === 'host-refused');
        expect(refused.filter(({ host }) => host === 'same.test').map(({ times }) => times)).toEqual([1, 10, 100]);
        expect(new Set(refused.map(({ host }) => host)).size).toBe(200);
      });
    });

    describe.skipIf(NO_SANDBOX !== null)('is for its sandbox alone', () => {
      test('no other sandbox finds its socket, and with its end it is gone', async ({ network }) => {
        await network.allow('app.test');
        const { session } = await network.engine.startSafely(
          {
            argv: ['bash', '-c', 'echo ready; exec sleep 1000'],
            cwd: network.workspace,
            backend: { kind: 'pty' },
            environment: { kind: 'exact', variables: { PATH: process.env['PATH'] ?? '' } },
            origin: { kind: 'agent', client: 'codex', processId: 'p', threadId: null, callId: null },
          },
          { sandbox: workspaceWrite(network.workspace) },
        );
        await network.printed(session.id, 'ready');
        const [name = ''] = await readdir(network.networkFolder);
        const socket = join(network.networkFolder, name);
        const connect = python(`import socket; socket.socket(socket.AF_UNIX).connect("${socket}")`, 0);
        const shared: Partial<FencePolicy> = { temp: 'host' };
        expect((await network.run(connect, workspaceWrite(network.workspace, shared))).session.exit?.exitCode).not.toBe(
          0,
        );
        expect((await network.run(connect, { kind: 'none' })).session.exit?.exitCode).toBe(0);

        await network.engine.terminate(session.id, 'person');
        await network.closed(session.id);
        await expect.poll(() => readdir(network.networkFolder)).toEqual([]);
      });

      test('there is none without a list', async ({ network }) => {
        const script = ['bash', '-c', 'echo "[$HTTP_PROXY]"; ls /run/shellscope'];
        const { session, output } = await network.run(script);
        expect([session.sandbox, output.split('\n')[0]]).toEqual(['workspace-write, no network', '[]']);
        expect(session.exit?.exitCode).not.toBe(0);
      });

      test('a terminal in it works as outside', async ({ network }) => {
        await network.allow('app.test');
        const { id } = await network.fencedTerminal(['bash', '--norc', '-i'], {}, { PS1: '$ ' });
        await network.printed(id, '$ ');
        await network.engine.write(id, Buffer.from('sleep 1000\r'));
        await network.engine.wait({ condition: { kind: 'idle', session: id, idleMs: 200 }, timeoutMs: 10_000 });
        await network.engine.write(id, Buffer.of(0x1a));
        await network.printed(id, 'Stopped');
        await network.engine.write(id, Buffer.from('kill %1; fg; echo all-$((1+1)) done; exit 7\r'));
        await network.printed(id, 'all-2 done');
        expect((await network.closed(id)).exit).toEqual({ exitCode: 7, signal: null });
      });
    });

    test.skipIf(NO_SANDBOX !== null)(
      'the variables that lead to the proxy are told to be ours',
      async ({ network }) => {
        await network.allow('app.test');
        const { session } = await network.run(['true']);
        const facts = await network.engine.environment(session.id);
        expect(facts?.origins).toMatchObject({ HTTP_PROXY: 'shellscope', no_proxy: 'shellscope', PATH: 'client' });
      },
    );

    test.skipIf(NO_SANDBOX !== null)('what is no host is refused before anything starts', async ({ network }) => {
      const hosts = (host: string) => workspaceWrite(network.workspace, { network: { allowed: [host], denied: [] } });
      await expect(network.run(['true'], hosts('http://app.test'))).rejects.toMatchObject({
        code: 'invalid-argument',
        message: expect.stringContaining("'http://app.test' is no host") as string,
      });
    });

    test.skipIf(NO_SANDBOX !== null)('a server that nobody is behind is told as that', async ({ network }) => {
      const silent = createTcpServer();
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const { port } = silent.address() as AddressInfo;
      await new Promise((resolve) => silent.close(resolve));
      await network.allow(`app.test:${port}`, `127.0.0.1:${port}`);
      const { output } = await network.run(raw(`CONNECT app.test:${port} HTTP/1.1\r\n\r\n`, port));
      expect(output).toContain(`app.test:${port} cannot be reached: ECONNREFUSED`);
      expect((await network.run(raw('CONNECT unknown.test:443 HTTP/1.1\r\n\r\n', port))).output).toContain('403');
    });
  },
);
