import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect } from 'vitest';
import { test as base, type Era } from '../support/mcp-world.ts';

/** Folder of the package `@modelcontextprotocol/inspector`. */
const INSPECTOR = process.env['SHELLSCOPE_MCP_INSPECTOR'] ?? '';

/** What `npm run build` leaves. */
const CLI = resolve('out/cli/main.js');

/** Its second command line, which leaves a process behind that keeps connections. */
const CONNECTION_PROGRAM = 'mcpdo/build/mcp-bin.js';

const ERAS: readonly Era[] = ['legacy', 'modern'];

/** As its documents name it: a tool's answer was an error. */
const TOOL_IS_ERROR = 5;

interface Ran {
  readonly code: number | null;
  /** What it printed, which is JSON; null when it printed nothing. */
  readonly answer: unknown;
  readonly stderr: string;
}

interface Inspector {
  /** One request of a client that comes and goes: `inspector --cli`. */
  once(...args: readonly string[]): Promise<Ran>;
  /** One request on a connection that stays: `mcpdo`. */
  kept(...args: readonly string[]): Promise<Ran>;
}

/** A test with the inspector's two command lines, in a home of its own. */
const test = base.extend<{ inspector: Inspector }>({
  inspector: async ({ world: _world }, use) => {
    const home = await mkdtemp(join(tmpdir(), 'sscope-i-'));
    const environment = {
      PATH: process.env['PATH'],
      HOME: home,
      SHELL: '/bin/bash',
      SHELLSCOPE_STATE_DIR: home,
      MCP_INSPECTOR_SECRET_STORE: 'memory',
      MCP_INSPECTOR_DAEMON_DIR: join(home, 'daemon'),
      MCP_INSPECTOR_DAEMON_TOKEN: 'a-token-of-this-test-alone-0123456789',
    };
    const start = (program: string, args: readonly string[]) =>
      spawn(process.execPath, [join(INSPECTOR, 'clients', program), ...args], {
        cwd: home,
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    const run = async (program: string, args: readonly string[]): Promise<Ran> => {
      const child = start(program, args);
      const ended = once(child, 'exit') as Promise<[number | null]>;
      const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
      return { code, answer: stdout === '' ? null : (JSON.parse(stdout) as unknown), stderr };
    };
    let isKept = false;
    try {
      await use({
        once: (...args) => run('launcher/build/index.js', ['--cli', ...args]),
        kept: (...args) => {
          isKept = true;
          return run(CONNECTION_PROGRAM, ['--format', 'json', '--connection', 'ours', ...args]);
        },
      });
    } finally {
      if (isKept) {
        await once(start(CONNECTION_PROGRAM, ['daemon', 'stop']), 'exit');
      }
      await rm(home, { recursive: true, force: true });
    }
  },
});

const aTool = (name: string): unknown =>
  expect.objectContaining({
    name,
    inputSchema: expect.objectContaining({ type: 'object' }),
    outputSchema: expect.objectContaining({ type: 'object' }),
  });

describe.skipIf(INSPECTOR === '')('the MCP inspector’s command line (npm run test:mcp-inspector)', () => {
  describe.for(ERAS)('over HTTP, %s', (era) => {
    test('lists, calls, reads, and is told of errors', { timeout: 60_000 }, async ({ world, inspector }) => {
      const server = ['--protocol-era', era, '--server-url', world.url, '--transport', 'http'];
      const ask = (...args: readonly string[]) =>
        inspector.once(...server, '--header', `Authorization: Bearer ${world.token}`, '--method', ...args);
      expect(await ask('tools/list', '--strict')).toMatchObject({
        code: 0,
        answer: { tools: expect.arrayContaining(['shell_exec', 'shell_wait', 'write_stdin'].map(aTool)) },
      });
      const call = ['tools/call', '--tool-name', 'shell_exec', '--tool-arg'];
      expect(await ask(...call, 'command=echo from the inspector; exit 3')).toMatchObject({
        code: 0,
        answer: { structuredContent: { session_id: 'session-1', exit_code: 3, output: 'from the inspector\n' } },
      });
      const uri = 'shell://session/session-1/output';
      expect(await ask('resources/list')).toMatchObject({ code: 0, answer: { resources: [{ uri }] } });
      expect(await ask('resources/read', '--uri', uri)).toMatchObject({
        code: 0,
        answer: { contents: [{ uri, text: 'from the inspector\n' }] },
      });
      expect(await ask(...call, 'comand=true')).toMatchObject({
        code: TOOL_IS_ERROR,
        answer: { isError: true, content: [{ text: expect.stringContaining('comand: there is no such field') }] },
      });
      expect(await ask('resources/read', '--uri', 'shell://session/session-9/output')).toMatchObject({
        code: 1,
        answer: null,
        stderr: expect.stringContaining('unknown session session-9'),
      });
      const withoutToken = await inspector.once(...server, '--method', 'tools/list');
      expect(withoutToken.code).not.toBe(0);
      expect(withoutToken.answer).toBeNull();
    });
  });

  describe.for(ERAS)('over stdio, %s', (era) => {
    test('lists, calls, and is told of errors', { timeout: 60_000 }, async ({ inspector }) => {
      const ask = (...args: readonly string[]) =>
        inspector.once('--protocol-era', era, process.execPath, CLI, 'mcp', '--alone', '--method', ...args);
      expect(await ask('tools/list', '--strict')).toMatchObject({
        code: 0,
        answer: { tools: expect.arrayContaining(['shell_exec', 'shell_wait', 'write_stdin'].map(aTool)) },
      });
      const call = ['tools/call', '--tool-name', 'shell_exec', '--tool-arg'];
      expect(await ask(...call, 'command=echo from the inspector')).toMatchObject({
        code: 0,
        answer: { structuredContent: { exit_code: 0, output: 'from the inspector\n' } },
      });
      expect(await ask(...call, 'yield_ms=soon')).toMatchObject({ code: TOOL_IS_ERROR, answer: { isError: true } });
    });

    test('a connection that stays has its session as a resource', { timeout: 60_000 }, async ({ inspector }) => {
      const kept: Inspector['kept'] = (...args) => inspector.kept(...args);
      expect(await kept('connect', '--era', era, '--', process.execPath, CLI, 'mcp', '--alone')).toMatchObject({
        code: 0,
        answer: { protocolEra: era },
      });
      expect(await kept('tools/call', 'shell_open', 'command:=exec cat')).toMatchObject({
        code: 0,
        answer: { structuredContent: { session_id: 'session-1', state: 'running' } },
      });
      expect(
        await kept('tools/call', 'shell_write', 'session_id:=session-1', 'text:=typed', 'submit:=true'),
      ).toMatchObject({ code: 0, answer: { structuredContent: { output: 'typed\ntyped\n' } } });
      const uri = 'shell://session/session-1/output';
      expect(await kept('resources/list')).toMatchObject({ code: 0, answer: { resources: [{ uri }] } });
      expect(await kept('resources/read', uri)).toMatchObject({
        code: 0,
        answer: { contents: [{ uri, text: 'typed\ntyped\n' }] },
      });
      expect(await kept('resources/read', 'shell://session/session-9/output')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('unknown session session-9'),
      });
    });
  });
});
