import { readdir } from 'node:fs/promises';
import type { WindowApi } from '../../src/shared/ipc.ts';
import type { SessionInfo } from '../../src/shared/session.ts';
import { expect, test as base, type Shellscope } from '../fixtures.ts';
import { Codex, type CodexRun } from './codex-client.ts';
import { MockModel } from './mock-model.ts';

interface Fixtures {
  readonly model: MockModel;
  readonly codex: Codex;
}

const test = base.extend<Fixtures>({
  model: async ({}, use) => {
    const model = await MockModel.listen();
    await use(model);
    await model.close();
    expect(model.strays, 'Codex asks nobody but its model').toEqual([]);
  },

  codex: async ({ model }, use) => {
    const codex = await Codex.create(model);
    await use(codex);
    await codex.dispose();
  },
});

test.describe('by CODEX_EXEC_SERVER_URL, which can carry no token', () => {
  test.use({ appArguments: ['--no-auth'] });

  test("Codex's command runs in the app, and is a tab with its output and its exit", async ({ shellscope, codex }) => {
    const { url } = await shellscope.connection();
    await runsInTheApp(shellscope, codex, codex.start({ CODEX_EXEC_SERVER_URL: url }));
  });
});

test.describe('by the block for environments.toml that the window offers', () => {
  test("Codex's command runs in the app, and is a tab with its output and its exit", async ({ shellscope, codex }) => {
    await codex.writeEnvironments(await copiedBlock(shellscope));
    await runsInTheApp(shellscope, codex, codex.start());
  });

  test('a program that Codex talks to on a pty is shown live, from its first line to its exit code', async ({
    shellscope,
    codex,
  }) => {
    await codex.writeEnvironments(await copiedBlock(shellscope));
    const run = codex.start();
    const tab = shellscope.tab(/^python3 -i, codex/);

    // Each of Codex's questions stays open until its program has shown what it did: the pane does not wait for Codex.
    (await run.asked()).callTool('call_1', 'exec_command', { cmd: 'python3 -i', tty: true, yield_time_ms: 250 });
    await shellscope.expectScreen(tab, /^>>>$/m);
    const started = await run.asked();
    const [, sessionId] = /Process running with session ID (\d+)/.exec(started.toolOutput('call_1')) ?? [];
    const type = { session_id: Number(sessionId) };
    started.callTool('call_2', 'write_stdin', { ...type, chars: '6 * 7\n' });
    await shellscope.expectScreen(tab, /^>>> 6 \* 7\n42\n>>>$/m);
    const loop = 'print("slee" + "ping"); __import__("time").sleep(300)\n';
    (await run.asked()).callTool('call_3', 'write_stdin', { ...type, chars: loop });
    await shellscope.expectScreen(tab, /^sleeping$/m);
    await expect(tab).toHaveAttribute('data-state', 'running');
    (await run.asked()).callTool('call_4', 'write_stdin', { ...type, chars: '\u0003' });
    await shellscope.expectScreen(tab, /^KeyboardInterrupt\n>>>$/m);
    // An answer comes at the exit, or after yield_time_ms.
    const exit = { ...type, chars: 'raise SystemExit(7)\n', yield_time_ms: 30_000 };
    (await run.asked()).callTool('call_5', 'write_stdin', exit);
    await expect(tab).toHaveAttribute('data-exit-code', '7');
    await expect(tab).toHaveAccessibleName('python3 -i, codex, exited 7');

    const last = await run.asked();
    expect(last.toolOutputs()).toMatch(/42\r\n.*sleeping\r\n.*KeyboardInterrupt\r\n/s);
    expect(last.toolOutput('call_5')).toContain('Process exited with code 7');
    last.say('done');
    const { exitCode, threadId } = await run.finished();
    expect(exitCode).toBe(0);
    expect(await sessionsOf(shellscope)).toEqual([
      expect.objectContaining({ backend: 'pty', endedBy: 'child', origin: byCodex(threadId, 'call_1') }),
    ]);
  });

  test('with a wrong token Codex has no place to run a command, and runs it nowhere', async ({ shellscope, codex }) => {
    const { token } = await shellscope.connection();
    const block = await copiedBlock(shellscope);
    expect(block).toContain(token);
    await codex.writeEnvironments(block.replaceAll(token, 'a-wrong-token'));
    const run = codex.start();

    const first = await run.asked();
    expect(first.environmentContext()).toMatch(/<environment id="shellscope">.*<status>failed<.*401 Unauthorized/s);
    first.callTool('call_1', 'exec_command', { cmd: 'touch it-ran' });
    const answered = await run.asked();
    expect(answered.toolOutput('call_1')).toMatch(/^No usable execution environment is available/);
    answered.say('done');
    await run.finished();
    expect(await readdir(codex.cwd)).toEqual([]);
    expect(await sessionsOf(shellscope)).toEqual([]);
  });
});

/** Two commands: one as people know it, and one that tells whose child it is. */
async function runsInTheApp(shellscope: Shellscope, codex: Codex, run: CodexRun): Promise<void> {
  (await run.asked()).callTool('call_1', 'exec_command', { cmd: 'echo hello-from-codex; pwd' });
  const tab = shellscope.tab('echo hello-from-codex; pwd, codex, exited 0');
  await expect(tab).toHaveAttribute('data-exit-code', '0');
  await tab.click();
  await expect(shellscope.page.getByText(/exited with code 0/)).toBeVisible();
  await shellscope.expectScreen(tab, `hello-from-codex\n${codex.cwd}`);

  const second = await run.asked();
  expect(second.toolOutput('call_1')).toMatch(/Process exited with code 0\n/);
  expect(second.toolOutput('call_1')).toContain(`Output:\nhello-from-codex\n${codex.cwd}\n`);
  second.callTool('call_2', 'exec_command', { cmd: 'echo "home $HOME, parent $PPID, $CODEX_TOOL_CALL_ID"' });
  const third = await run.asked();
  const appHome = await shellscope.app.evaluate(() => process.env['HOME']);
  const appPid = shellscope.app.process().pid;
  expect(appHome).not.toBe(codex.home);
  expect(third.toolOutput('call_2')).toContain(`home ${appHome}, parent ${appPid}, call_2\n`);
  third.say('done');

  const { exitCode, threadId } = await run.finished();
  expect(exitCode).toBe(0);
  const common = { backend: 'pipe', cwd: codex.cwd, state: 'closed', exit: { exitCode: 0, signal: null } };
  expect(await sessionsOf(shellscope)).toEqual([
    expect.objectContaining({
      ...common,
      argv: ['/bin/bash', '-lc', 'echo hello-from-codex; pwd'],
      origin: byCodex(threadId, 'call_1'),
    }),
    expect.objectContaining({ ...common, origin: byCodex(threadId, 'call_2') }),
  ]);
}

function byCodex(threadId: string, callId: string): object {
  return { kind: 'agent', client: 'codex-environment', processId: expect.any(String), threadId, callId };
}

/** What a person gets who presses the button beside the block for Codex. */
async function copiedBlock({ app, page }: Shellscope): Promise<string> {
  await page.getByRole('button', { name: 'Copy the block for Codex, with the token' }).click();
  await expect(page.getByText('Copied the block for Codex, with the token')).toBeAttached();
  return app.evaluate(({ clipboard }: { readonly clipboard: { readText(): string | Promise<string> } }) =>
    clipboard.readText(),
  );
}

async function sessionsOf({ page }: Shellscope): Promise<readonly SessionInfo[]> {
  const { sessions } = await page.evaluate(() =>
    (window as unknown as { readonly shellscope: WindowApi }).shellscope.listSessions(),
  );
  return sessions;
}
