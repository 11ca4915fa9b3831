import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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
