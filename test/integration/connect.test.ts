import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test as base, vi } from 'vitest';
import { ClientTokens, createEngine } from '../../src/engine/engine.ts';
import { listenControl } from '../../src/protocol/control/control-listener.ts';
import { listenExecServer } from '../../src/protocol/exec-server/exec-server-listener.ts';
import { silentLogger } from '../../src/shared/logger.ts';
import { ExecClient } from '../support/exec-client.ts';

const CLI = resolve('out/cli/main.js');

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const test = base.extend<{ folder: string; run: (...args: readonly string[]) => Promise<Ran> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names a fixture uses from this pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'shellscope-connect-'));
    await use(folder);
    await rm(folder, { recursive: true });
  },
  run: async ({ folder }, use) => {
    await use((...args) =>
      promisify(execFile)(process.execPath, [CLI, 'connect', ...args], {
        env: { ...process.env, SHELLSCOPE_STATE_DIR: folder },
      }).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        (error: unknown) => error as Ran,
      ),
    );
  },
});

describe('shellscope connect', () => {
  test('gives a client a token of its own, lists it and takes it back', async ({ run, folder }) => {
    const made = await run('codex');
    expect(made.stdout).toMatch(/^# Token of 'codex', shown once\..*\ndefault = "shellscope"\n/s);
    const token = /auth_bearer_token = "([\w-]{43})"/.exec(made.stdout)?.[1] ?? '';
    const [file] = await readdir(join(folder, 'clients'));
    expect(await readFile(join(folder, 'clients', file ?? ''), 'utf8')).not.toContain(token);
    expect(JSON.parse((await run('--list', '--json')).stdout)).toEqual([
      { name: 'codex', createdAtMs: expect.any(Number) },
    ]);
    expect(await run('codex')).toMatchObject({ code: 1, stderr: expect.stringContaining('revoke it first') });
    expect((await run('--revoke', 'codex')).code).toBe(0);
    expect((await run('--list')).stdout).toBe('');
    expect(await run('--revoke', 'codex')).toMatchObject({ code: 1, stderr: expect.stringContaining('--list') });
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('say the name of the client') });
  });

  test('names the port of the host that runs, and says that it may be another one after its next start', async ({
    run,
    folder,
  }) => {
    const engine = createEngine({ hostEnvironment: process.env });
    const control = await listenControl({
      folder: join(folder, 'run'),
      engine,
      log: silentLogger,
      kind: 'serve',
      version: '0',
      execServerUrl: () => 'ws://127.0.0.1:40123',
    });
    try {
      const { stdout } = await run('codex');
      expect(stdout).toContain('\nurl = "ws://127.0.0.1:40123"\n');
      expect(stdout).toContain('shellscope serve --listen ws://127.0.0.1:47811');
      expect(JSON.parse((await run('other', '--json')).stdout)).toMatchObject({
        execServerUrl: 'ws://127.0.0.1:40123',
      });
    } finally {
      await control.close();
      await engine.dispose();
    }
    const without = (await run('third')).stdout;
    expect(without).toContain('\nurl = "ws://127.0.0.1:47811"\n');
    expect(without).not.toContain('next start');
  });

  test('prints what each client needs to start `shellscope mcp`, and makes no token for that', async ({
    run,
    folder,
  }) => {
    // This host is not in its usual place.
    const place = `SHELLSCOPE_STATE_DIR=${folder}`;
    const mcp = { command: '/usr/bin/env', args: [place, process.execPath, CLI, 'mcp'] };
    const jsonOf = (text: string) => JSON.parse(text.slice(text.indexOf('{'))) as unknown;
    const claude = (await run('--for', 'claude')).stdout;
    expect(claude).toContain(
      `\nclaude mcp add --scope user shellscope -- /usr/bin/env ${place} ${process.execPath} ${CLI} mcp\n`,
    );
    expect(jsonOf(claude)).toEqual({ mcpServers: { shellscope: mcp } });
    expect(jsonOf((await run('--for', 'vscode')).stdout)).toEqual({
      servers: { shellscope: { type: 'stdio', ...mcp } },
    });
    expect(jsonOf((await run('--for', 'mcp')).stdout)).toEqual({ mcpServers: { shellscope: mcp } });
    expect(JSON.parse((await run('--for', 'mcp', '--json')).stdout)).toEqual({ mcp });
    await expect(readdir(join(folder, 'clients'))).rejects.toThrow('ENOENT');

    const all = (await run('agent', '--for', 'all')).stdout;
    expect(all).toContain('default = "shellscope"');
    expect(all).toContain(`[mcp_servers.shellscope]\ncommand = "/usr/bin/env"\n`);
    expect(all).toContain('claude mcp add');
    expect(all).toContain('"servers"');
    expect(await readdir(join(folder, 'clients'))).toHaveLength(1);
  });

  test('S16: a client gets in by its own token until that is revoked, under its name, and to its own sessions only', async ({
    folder,
  }) => {
    const tokens = new ClientTokens(join(folder, 'clients'));
    const [one, two] = [await tokens.create('one'), await tokens.create('two')];
    const engine = createEngine({ hostEnvironment: process.env });
    const server = await listenExecServer({
      engine,
      log: silentLogger,
      address: { host: '127.0.0.1', port: 0 },
      token: 'of-the-host',
      clients: tokens,
      shellPath: '/bin/sh',
      version: '0',
    });
    try {
      const first = await ExecClient.ready(server.url, one);
      const unnamed = await ExecClient.connect(server.url, { headers: { authorization: 'Bearer of-the-host' } });
      const other = await ExecClient.ready(server.url, 'of-the-host', null, 'codex-environment');
      expect(server.clientNames).toEqual(['one', null, 'codex-environment']);
      for (const client of [unnamed, other]) {
        client.drop();
        await client.disconnected();
      }
      await first.start('p1', ['/bin/sleep', '300']);
      expect((await engine.list())[0]?.origin).toMatchObject({ kind: 'agent', client: 'one' });
      first.drop();
      await first.disconnected();
      // The server hears of it a moment later.
      await vi.waitFor(() => expect(server.clientNames).toEqual([]));
      await expect(ExecClient.ready(server.url, two, first.sessionId)).rejects.toThrow('unknown session id');
      await expect(ExecClient.ready(server.url, 'of-the-host', first.sessionId)).rejects.toThrow('unknown session id');
      const back = await ExecClient.ready(server.url, one, first.sessionId);
      back.drop();
      await tokens.revoke('one');
      await expect(ExecClient.ready(server.url, one)).rejects.toThrow('HTTP 401: wrong websocket bearer token');
      (await ExecClient.ready(server.url, two)).drop();
    } finally {
      await server.close();
      await engine.dispose();
    }
  });
});
