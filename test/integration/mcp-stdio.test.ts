import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { isRunning } from '../support/is-running.ts';

/** What `npm run build` leaves; the command line is tested as it is shipped. */
const CLI = resolve('out/cli/main.js');

const message = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;

test('shellscope mcp prints messages and nothing else, and the end of stdin ends every child', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shellscope-mcp-'));
  const child = spawn(process.execPath, [CLI, 'mcp'], {
    env: { ...process.env, HOME: folder, SHELLSCOPE_STATE_DIR: folder },
  });
  try {
    let stdout = '';
    let stderr = '';
    child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
    child.stdin.write(
      message(1, 'initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      }) + `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`,
    );
    child.stdin.write(
      message(2, 'tools/call', {
        name: 'shell_open',
        arguments: { command: 'echo $$; exec sleep 300', yield_ms: 300 },
      }),
    );
    for await (const part of child.stdout) {
      stdout += String(part);
      if (stdout.split('\n').length > 2) {
        break;
      }
    }
    const [, opened = ''] = stdout.split('\n');
    const { result } = JSON.parse(opened) as {
      readonly result: { readonly structuredContent: { readonly output: string } };
    };
    const pid = Number(result.structuredContent.output);
    expect(isRunning(pid)).toBe(true);
    child.stdin.end();
    const [code] = (await once(child, 'exit')) as [number | null];
    expect({ code, stderr, running: isRunning(pid) }).toEqual({ code: 0, stderr: '', running: false });
  } finally {
    if ((child.exitCode ?? child.signalCode) === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true });
  }
});

test('shellscope mcp joins the host that runs: its sessions are the host’s, in the agent’s directory, until it goes', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'shellscope-mcp-')));
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, SHELL: '/bin/bash', SHELLSCOPE_STATE_DIR: folder };
  const host = spawn(process.execPath, [CLI, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const client = new Client({ name: 'an-agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  try {
    await once(host.stdout, 'data');
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp'], cwd: folder, env, stderr: 'inherit' }),
    );
    const { structuredContent } = await client.callTool({
      name: 'shell_open',
      arguments: { command: 'pwd; echo "$$"; exec sleep 300', yield_ms: 400 },
    });
    const [directory, pid] = (structuredContent as { readonly output: string }).output.split('\n');
    expect(directory).toBe(folder);
    const listed = await run(env, 'ls', '--json');
    expect(JSON.parse(listed)).toMatchObject([{ id: 'session-1', origin: { kind: 'agent', client: 'an-agent' } }]);
    await client.close();
    await run(env, 'wait', '1');
    expect(isRunning(Number(pid))).toBe(false);
    expect(isRunning(host.pid ?? 0)).toBe(true);
  } finally {
    await client.close();
    host.kill('SIGTERM');
    await ended(host);
    await rm(folder, { recursive: true });
  }
});

/** What a command prints. `wait` ends with the code of what it waited for. */
async function run(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<string> {
  const command = spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const part of command.stdout) {
    output += String(part);
  }
  await ended(command);
  return output;
}

async function ended(child: ChildProcess): Promise<void> {
  if ((child.exitCode ?? child.signalCode) === null) {
    await once(child, 'exit');
  }
}
