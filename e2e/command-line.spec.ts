import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from './fixtures.ts';

const CLI = resolve('out/cli/main.js');

/** Runs `shellscope` beside the app under test. */
function shellscope(stateFolder: string, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [CLI, ...args], {
    env: { ...process.env, SHELLSCOPE_STATE_DIR: stateFolder },
  });
}

test('a command that `shellscope run` started is a tab, and both show how it ended', async ({
  shellscope: app,
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
  const tab = app.tab(/from the command/);
  await expect(tab).toHaveAttribute('data-state', 'running');
  await app.expectScreen(tab, /^from the command\s*$/);
  await shellscope(stateFolder, 'send', '1', '--submit');
  expect(await ended).toEqual([4, null]);
  await expect(tab).toHaveAttribute('data-exit-code', '4');
});

test('the commands reach the app: ls tells of its shells, and open puts one in view', async ({
  shellscope: app,
  stateFolder,
}) => {
  await app.page.getByRole('button', { name: 'New shell' }).first().click();
  await shellscope(stateFolder, 'run', '--detach', '--name', 'job', '--', 'sleep', '300');
  await expect(app.tabs).toHaveCount(2);
  await expect(app.tabs.first()).toHaveAttribute('aria-selected', 'true');
  expect((await shellscope(stateFolder, 'ls', '--quiet')).stdout.split('\n')).toEqual(['job', 'session-1', '']);

  await shellscope(stateFolder, 'open', 'job');
  await expect(app.tab(/sleep/)).toHaveAttribute('aria-selected', 'true');

  await shellscope(stateFolder, 'close', 'job');
  await expect(app.tabs).toHaveCount(1);
  await expect(shellscope(stateFolder, 'serve', '--control', '--no-auth')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/held by the Shellscope app \(pid \d+\) since/),
  });
});
