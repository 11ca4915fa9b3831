import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { ExecClient } from '../test/support/exec-client.ts';
import { expect, test } from './fixtures.ts';

test('an app that was not started for tests refuses --no-auth and opens no door', async ({ stateFolder }) => {
  const { exitCode, stderr } = await startByHand(['--no-auth', '--listen=ws://127.0.0.1:0'], stateFolder);
  expect(stderr).toContain('shellscope: --no-auth is refused: ');
  expect(exitCode).toBe(1);
  // It is made before the server listens.
  await expect(access(join(stateFolder, 'exec-server-token'))).rejects.toThrow('ENOENT');
});

test('a --listen that other machines could reach ends the app with a sentence and code 1', async ({ stateFolder }) => {
  const { exitCode, stderr } = await startByHand(['--listen', 'ws://0.0.0.0:4000'], stateFolder);
  expect(stderr).toContain('shellscope: --listen ws://0.0.0.0:4000 can be reached from other machines; use ');
  expect(exitCode).toBe(1);
});

test.describe('an app that was started for tests with --no-auth', () => {
  test.use({ appArguments: ['--no-auth'] });

  test('lets an agent in without a token, and says so in its window', async ({ shellscope }) => {
    const { url, token } = await shellscope.connection();
    expect(token).toBe('');
    const agent = await ExecClient.ready(url, null);
    agent.drop();
    await expect(shellscope.page.getByRole('alert')).toContainText('--no-auth');
  });
});

/** Starts the built app without the switch for tests, as a person would, until it ends. */
function startByHand(
  appArguments: readonly string[],
  stateFolder: string,
): Promise<{ readonly exitCode: number | null; readonly stderr: string }> {
  const noSandbox = process.env['SHELLSCOPE_NO_SANDBOX'] === '1' ? ['--no-sandbox'] : [];
  return new Promise((resolve) => {
    const child = execFile(
      process.env['SHELLSCOPE_ELECTRON'] ?? '',
      [...noSandbox, '.', ...appArguments],
      // An app that is not refused stays open, and is ended by its pid.
      { env: { ...process.env, SHELLSCOPE_STATE_DIR: stateFolder, HOME: stateFolder }, timeout: 20_000 },
      (_error, _stdout, stderr) => resolve({ exitCode: child.exitCode, stderr }),
    );
  });
}
