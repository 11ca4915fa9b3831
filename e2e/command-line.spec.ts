import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CLI, runCli } from './command-line.ts';
import { expect, test } from './fixtures.ts';

test('a command that `shellscope run` started is a tab, and both show how it ended', async ({
  shellscope,
  stateFolder,
}) => {
  const command = spawn(
    process.execPath,
    [CLI, 'run', '--tty', '--', 'sh', '-c', 'echo from the command; read line; exit 4'],
    {
      env: { ...process.env, SHELLSCOPE_STATE_DIR: stateFolder },
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  const ended = once(command, 'exit');
  const tab = shellscope.tab(/from the command/);
  await expect(tab).toHaveAttribute('data-state', 'running');
  await shellscope.expectScreen(tab, /^from the command\s*$/);
  await runCli(stateFolder, 'send', '1', '--submit');
  expect(await ended).toEqual([4, null]);
  await expect(tab).toHaveAttribute('data-exit-code', '4');
});

test('the commands reach the app: ls tells of its shells, and open puts one in view', async ({
  shellscope,
  stateFolder,
}) => {
  await shellscope.openShell();
  await runCli(stateFolder, 'run', '--detach', '--name', 'job', '--', 'sleep', '300');
  await expect(shellscope.tabs).toHaveCount(2);
  await expect(shellscope.tabs.first()).toHaveAttribute('aria-selected', 'true');
  expect((await runCli(stateFolder, 'ls', '--quiet')).stdout.split('\n')).toEqual(['job', 'session-1', '']);

  await runCli(stateFolder, 'open', 'job');
  await expect(shellscope.tab(/job/)).toHaveAttribute('aria-selected', 'true');

  await runCli(stateFolder, 'close', 'job');
  await expect(shellscope.tabs).toHaveCount(1);
  await expect(runCli(stateFolder, 'serve', '--control', '--no-auth')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/held by the Shellscope app \(pid \d+\) since/),
  });
});
