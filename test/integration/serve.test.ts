import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import { test as base, describe, expect } from 'vitest';
import { ExecClient } from '../support/exec-client.ts';
import { isRunning } from '../support/is-running.ts';

/** What `npm run build` leaves; the command line is tested as it is shipped. */
const CLI = resolve('out/cli/main.js');

interface Served {
  readonly process: ChildProcessByStdio<null, Readable, Readable>;
  /** The first lines of stdout, as many as were asked for. */
  readonly lines: readonly string[];
}

interface Fixtures {
  readonly folder: string;
  /** Starts `shellscope serve` and waits for its first lines. Ended after the test. */
  readonly serve: (args: readonly string[], lineCount: number) => Promise<Served>;
}

const test = base.extend<Fixtures>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names a fixture uses from this pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'shellscope-serve-'));
    await use(folder);
    await rm(folder, { recursive: true });
  },
  serve: async ({ folder }, use) => {
    const started: Served['process'][] = [];
    await use(async (args, lineCount) => {
      const child = spawn(process.execPath, [CLI, 'serve', ...args], {
        env: { ...process.env, SHELLSCOPE_STATE_DIR: folder },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      started.push(child);
      const lines: string[] = [];
      for await (const line of createInterface(child.stdout)) {
        lines.push(line);
        if (lines.length === lineCount) {
          break;
        }
      }
      return { process: child, lines };
    });
    for (const child of started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
      child.kill();
      await once(child, 'exit');
    }
  },
});

async function endOf(child: Served['process']): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const parts: string[] = [];
  child.stderr.on('data', (part: Buffer) => parts.push(part.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr: parts.join('') };
}

describe('shellscope serve', () => {
  test('prints its URL and the path of the token file, is ready, and SIGTERM ends every child', async ({
    serve,
    folder,
  }) => {
    const { process: server, lines } = await serve([], 2);
    const [url = '', tokenFile = ''] = lines;
    expect(url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
    expect(tokenFile).toBe(join(folder, 'exec-server-token'));
    expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
    expect((await fetch(`${url.replace('ws', 'http')}/readyz`)).status).toBe(200);
    const client = await ExecClient.ready(url, (await readFile(tokenFile, 'utf8')).trim());
    await client.start('p', ['/bin/sh', '-c', 'setsid sleep 300 & echo $! $$; wait']);
    const pids = (await client.printed('p', '\n')).trim().split(' ').map(Number);
    expect(pids).toHaveLength(2);
    server.kill('SIGTERM');
    // As npm relays a Ctrl-C that the terminal has sent already.
    server.kill('SIGINT');
    expect(await endOf(server)).toMatchObject({ code: 0 });
    expect(pids.filter(isRunning)).toEqual([]);
  });

  test('keeps its token, so that a configuration that was pasted stays valid', async ({ serve, folder }) => {
    const tokenFile = join(folder, 'own-token');
    await serve(['--token-file', tokenFile], 2);
    const token = await readFile(tokenFile, 'utf8');
    const { lines } = await serve(['--token-file', tokenFile], 2);
    expect(await readFile(tokenFile, 'utf8')).toBe(token);
    const client = await ExecClient.ready(lines[0] ?? '', token.trim());
    client.drop();
  });

  test('without --no-auth nobody gets in without the token; with it, it says so', async ({ serve }) => {
    const closed = await serve([], 1);
    await expect(ExecClient.ready(closed.lines[0] ?? '', null)).rejects.toThrow('HTTP 401');
    const open = await serve(['--no-auth'], 1);
    const client = await ExecClient.ready(open.lines[0] ?? '', null);
    client.drop();
    open.process.kill('SIGTERM');
    expect((await endOf(open.process)).stderr).toContain('--no-auth: everybody who can reach the port');
  });

  test('bad arguments and a token file that others can read are refused with what to do', async ({ serve, folder }) => {
    const { lines } = await serve(['--no-auth'], 1);
    const readable = join(folder, 'readable');
    await writeFile(readable, 'token\n');
    await chmod(readable, 0o644);
    const cases = [
      [2, ['--listen', 'ws://0.0.0.0:1'], /can be reached from other machines; use ws:\/\/127\.0\.0\.1:1/],
      [
        2,
        ['--listen', 'ws://localhost:1'],
        /invalid websocket --listen URL `ws:\/\/localhost:1`; expected `ws:\/\/IP:PORT`/,
      ],
      [1, ['--no-auth', '--listen', lines[0] ?? ''], /port \d+ is in use; choose another with --listen/],
      [1, ['--token-file', readable], /can be read by others: run chmod 600/],
      [2, ['--lisen', 'x'], /unknown option '--lisen'[^]*Did you mean --listen/],
    ] as const;
    for (const [code, args, message] of cases) {
      const refused = await serve(args, 1);
      expect(await endOf(refused.process)).toMatchObject({ code, stderr: expect.stringMatching(message) });
    }
  });

  test("takes the original's flags: a token in a file, or only its SHA-256", async ({ serve, folder }) => {
    const file = join(folder, 'given');
    await writeFile(file, 'of-the-client\n', { mode: 0o600 });
    const sha256 = createHash('sha256').update('of-the-client').digest('hex').toUpperCase();
    const byFile = await serve(['--ws-auth', 'capability-token', '--ws-token-file', file], 2);
    const byHash = await serve(['--ws-auth', 'capability-token', '--ws-token-sha256', sha256], 1);
    expect(byFile.lines[1]).toBe(file);
    for (const [url = ''] of [byFile.lines, byHash.lines]) {
      (await ExecClient.ready(url, 'of-the-client')).drop();
      await expect(ExecClient.ready(url, null)).rejects.toThrow('HTTP 401');
      await expect(ExecClient.ready(url, sha256)).rejects.toThrow('HTTP 401');
      expect((await fetch(`${url.replace('ws', 'http')}/readyz`)).status).toBe(200);
    }
    byHash.process.kill('SIGTERM');
    expect((await endOf(byHash.process)).stderr).not.toContain('--no-auth');
  });

  test('flags of the original that contradict, lack or mean nothing here are refused with what to do', async ({
    serve,
    folder,
  }) => {
    const missing = join(folder, 'missing');
    const empty = join(folder, 'empty');
    await writeFile(empty, '\n', { mode: 0o600 });
    const sha256 = 'a'.repeat(64);
    const mode = ['--ws-auth', 'capability-token'] as const;
    const cases = [
      [[...mode], /requires --ws-token-file or --ws-token-sha256/],
      [['--ws-token-sha256', sha256], /--ws-token-sha256 require `--ws-auth capability-token`/],
      [['--ws-token-file', empty], /require `--ws-auth capability-token`; ours without it is --token-file/],
      [[...mode, '--ws-token-file', empty, '--ws-token-sha256', sha256], /are mutually exclusive: leave one out/],
      [[...mode, '--ws-token-sha256', sha256.slice(1)], /must be a SHA-256 in 64 hexadecimal digits/],
      [[...mode, '--ws-token-sha256', `${sha256.slice(1)}g`], /must be a SHA-256 in 64 hexadecimal digits/],
      [[...mode, '--ws-token-file', missing], /missing does not exist: write the token/],
      [[...mode, '--ws-token-file', empty], /empty is empty: write the token/],
      [[...mode, '--ws-token-sha256', sha256, '--no-auth'], /--ws-auth and --no-auth contradict/],
      [[...mode, '--ws-token-sha256', sha256, '--token-file', empty], /--ws-auth and --token-file contradict/],
      [[...mode, '--ws-token-sha256', sha256, '--listen', 'stdio'], /a WebSocket listener, not stdio: leave --ws-auth/],
      [
        ['--ws-auth', 'signed-bearer-token'],
        /signed-bearer-token` is not served here; use .* `shellscope connect NAME`/,
      ],
      [['--ws-auth', 'signed'], /argument 'signed' is invalid\. Allowed choices are capability-token/],
    ] as const;
    for (const [args, message] of cases) {
      const refused = await serve(args, 1);
      expect(refused.lines).toEqual([]);
      // What is wrong with a file is no wrong usage.
      const code = /write the token/.test(message.source) ? 1 : 2;
      expect(await endOf(refused.process)).toMatchObject({ code, stderr: expect.stringMatching(message) });
    }
  });
});
