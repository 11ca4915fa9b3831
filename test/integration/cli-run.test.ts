import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect } from 'vitest';
import { endOf, test, type Command } from '../support/cli-world.ts';
import { isRunning } from '../support/is-running.ts';

/** Resolves when the command has printed the text on stdout. */
async function printed(command: Command, text: string): Promise<void> {
  for await (const line of createInterface(command.stdout)) {
    if (line.includes(text)) {
      return;
    }
  }
}

describe('shellscope run', () => {
  test('passes both outputs, stdin with its end, folder, variables and the exit code', async ({ cli }) => {
    await cli.serve();
    const script = 'cat; echo "$A $B" >&2; pwd; exit 7';
    const ran = await cli.run(['run', '-C', cli.folder, '-e', 'A=1', '-e', 'B=x=y', '--', 'sh', '-c', script], 'given');
    expect(ran).toEqual({ code: 7, stdout: `given${cli.folder}\n`, stderr: '1 x=y\n' });
    expect(await cli.sessions()).toMatchObject([
      { id: 'session-1', state: 'closed', exit: { exitCode: 7, signal: null }, origin: { kind: 'person' } },
    ]);
  });

  test('passes 10 MB each way without losing a byte', async ({ cli }) => {
    await cli.serve();
    const bytes = randomBytes(10_000_000);
    const { code, stdout, stderr } = await cli.run(['run', '--', 'cat'], bytes, 'latin1');
    expect({ code, stderr, length: stdout.length }).toEqual({ code: 0, stderr: '', length: bytes.length });
    expect(Buffer.from(stdout, 'latin1').equals(bytes)).toBe(true);
  });

  test('a reader that stands still holds the child back, and then gets everything', async ({ cli }) => {
    await cli.serve();
    // More than is retained, so that a child that was not held would lose some.
    const command = cli.start('run', '--no-stdin', '--', 'seq', '3000000');
    await once(command.stdout, 'readable');
    const session = await cli.run(['wait', '1', '--idle', '300', '--timeout', '15s']);
    expect(session.code).toBe(0);
    expect(await cli.sessions()).toMatchObject([{ state: 'running' }]);
    const { code, stdout, stderr } = await endOf(command);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n').length).toBe(3_000_000);
    expect(stdout.endsWith('\n3000000\n')).toBe(true);
  });

  test('ends like its child: by code, by signal, as a program that is missing or cannot be executed', async ({
    cli,
  }) => {
    await cli.serve();
    await writeFile(join(cli.folder, 'plain'), 'x');
    const rows = [
      [['true'], 0, ''],
      [['sh', '-c', 'kill -KILL $$'], 128 + 9, ''],
      [['no-such-program'], 127, 'no such program on PATH'],
      [[join(cli.folder, 'plain')], 126, 'plain'],
    ] as const;
    for (const [argv, code, stderr] of rows) {
      expect([argv, await cli.run(['run', '--', ...argv])]).toEqual([
        argv,
        { code, stdout: '', stderr: expect.stringContaining(stderr) },
      ]);
    }
  });

  test('a signal to it reaches the child, whose end it then shares', async ({ cli }) => {
    await cli.serve();
    const command = cli.start(
      'run',
      '--',
      'sh',
      '-c',
      "trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.05; done",
    );
    await printed(command, 'ready');
    command.kill('SIGINT');
    expect(await endOf(command)).toMatchObject({ code: 5, stdout: expect.stringContaining('caught') });

    const untrapped = cli.start('run', '--', 'sh', '-c', 'echo ready; exec sleep 300');
    await printed(untrapped, 'ready');
    untrapped.kill('SIGTERM');
    expect(await endOf(untrapped)).toMatchObject({ code: 128 + 15 });
  });

  test('a reader that goes ends the child as a broken pipe would', async ({ cli }) => {
    await cli.serve();
    const command = cli.start('run', '--', 'yes');
    await once(command.stdout, 'readable');
    command.stdout.destroy();
    expect(await endOf(command)).toMatchObject({ code: 128 + 13 });
    expect(await cli.sessions()).toMatchObject([{ exit: { exitCode: null, signal: 'SIGPIPE' } }]);
  });

  test('a host that is killed meanwhile is said to be gone, with a code of its own', async ({ cli }) => {
    const host = await cli.serve();
    const command = cli.start('run', '--', 'sh', '-c', 'echo $$; exec sleep 300');
    const [line] = (await once(createInterface(command.stdout), 'line')) as [string];
    const ended = endOf(command);
    const hostEnded = once(host, 'exit');
    host.kill('SIGKILL');
    expect(await ended).toMatchObject({
      code: 125,
      stderr: 'shellscope: the host ended, and session session-1 with it\n',
    });
    // What a killed host leaves is the next one's to find; here it is ended by hand.
    if (isRunning(Number(line))) {
      process.kill(Number(line), 'SIGKILL');
    }
    await hostEnded;
    // Its socket is left over, and the next host takes its place.
    expect(await cli.run(['ls'])).toMatchObject({ code: 3 });
    await cli.serve('--control');
    expect(await cli.run(['ls'])).toMatchObject({ code: 0, stderr: 'No sessions.\n' });
  });

  test('with --detach answers at once, and --name is the id and the title', async ({ cli }) => {
    await cli.serve();
    expect(await cli.run(['run', '--detach', '--name', 'build', '--', 'sleep', '300'])).toEqual({
      code: 0,
      stdout: 'build\n',
      stderr: '',
    });
    expect(await cli.run(['run', '--name', 'build', '--', 'true'])).toEqual({
      code: 125,
      stdout: '',
      stderr: "shellscope: exec session 'build' already exists\n",
    });
    expect(await cli.run(['kill', 'bu'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await cli.sessions()).toMatchObject([
      { id: 'build', title: 'build', endedBy: 'person', exit: { signal: 'SIGTERM' } },
    ]);
  });

  test('a start that failed keeps its name from nobody', async ({ cli }) => {
    await cli.serve();
    const named = ['run', '--detach', '--name', 'build', '--'];
    for (const _time of [1, 2]) {
      expect(await cli.run([...named, 'no-such-program'])).toMatchObject({ code: 127 });
      expect(await cli.sessions()).toMatchObject([{ id: 'build', state: 'failed' }]);
    }
    expect(await cli.run([...named, 'sleep', '300'])).toEqual({ code: 0, stdout: 'build\n', stderr: '' });
    expect(await cli.sessions()).toMatchObject([{ id: 'build', state: 'running' }]);
  });

  test('from a folder that is gone says so', async ({ cli }) => {
    await cli.serve();
    await mkdir(join(cli.folder, 'there'));
    const ran = await cli.run(['run', '-C', join(cli.folder, 'not-there'), '--', 'true']);
    expect(ran).toMatchObject({ stdout: '', stderr: expect.stringContaining('not-there') });
    expect(ran.code).toBeGreaterThanOrEqual(125);
  });
});
