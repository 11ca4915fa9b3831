import { readdir } from 'node:fs/promises';
import type { Shellscope } from '../fixtures.ts';
import type { Codex, CodexRun } from './codex-client.ts';
import { byCodex, copiedBlock, expect, sessionsOf, test } from './codex-world.ts';

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
    (await run.asked()).callTool('call_3', 'write_stdin', { ...type, chars: 'import time\n' });
    await shellscope.expectScreen(tab, /^>>> import time\n>>>$/m);
    const slowly = 'for i in range(3): time.sleep(0.7); print("tick", i)\n\n';
    (await run.asked()).callTool('call_4', 'write_stdin', { ...type, chars: slowly });
    const ticking = await run.asked();
    expect(ticking.toolOutput('call_4')).not.toContain('tick 2');
    // No characters: a poll, which Codex answers after 5 s.
    ticking.callTool('call_5', 'write_stdin', { ...type, chars: '', yield_time_ms: 5000 });
    await shellscope.expectScreen(tab, /^tick 0\ntick 1\ntick 2\n>>>$/m);
    const polled = await run.asked();
    expect(polled.toolOutput('call_5')).toContain('tick 2\r\n>>> ');
    polled.callTool('call_6', 'write_stdin', { ...type, chars: 'print("slee" + "ping"); time.sleep(300)\n' });
    await shellscope.expectScreen(tab, /^sleeping$/m);
    await expect(tab).toHaveAttribute('data-state', 'running');
    (await run.asked()).callTool('call_7', 'write_stdin', { ...type, chars: '\u0003' });
    await shellscope.expectScreen(tab, /^KeyboardInterrupt\n>>>$/m);
    (await run.asked()).callTool('call_8', 'write_stdin', { ...type, chars: 'name = input("name? ")\n' });
    await shellscope.expectScreen(tab, /^name\?$/m);
    (await run.asked()).callTool('call_9', 'write_stdin', { ...type, chars: 'Ada\n' });
    await shellscope.expectScreen(tab, /^name\? Ada\n>>>$/m);
    (await run.asked()).callTool('call_10', 'write_stdin', { ...type, chars: 'print(name.upper())\n' });
    await shellscope.expectScreen(tab, /^ADA\n>>>$/m);
    const endless = 'print("end" + "less")\nwhile True: pass\n\n';
    (await run.asked()).callTool('call_11', 'write_stdin', { ...type, chars: endless });
    await shellscope.expectScreen(tab, /^endless\n>>> while True: pass\n\.\.\.$/m);
    (await run.asked()).callTool('call_12', 'write_stdin', { ...type, chars: '\u0003' });
    await shellscope.expectScreen(tab, /while True: pass[^]*^KeyboardInterrupt\n>>>$/m);
    // An answer comes at the exit, or after yield_time_ms.
    const exit = { ...type, chars: 'raise SystemExit(7)\n', yield_time_ms: 30_000 };
    (await run.asked()).callTool('call_13', 'write_stdin', exit);
    await expect(tab).toHaveAttribute('data-exit-code', '7');
    await expect(tab).toHaveAccessibleName('python3 -i, codex, exited 7');

    const last = await run.asked();
    expect(last.toolOutputs()).toMatch(
      /42\r\n.*tick 0\r\n.*tick 2\r\n.*sleeping\r\n.*KeyboardInterrupt\r\n.*ADA\r\n.*endless\r\n.*KeyboardInterrupt\r\n/s,
    );
    expect(last.toolOutput('call_13')).toContain('Process exited with code 7');
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

/** Two commands: one as people know it, and one that tells who has forked its fork server. */
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
  const host = '$(ps -o ppid= -p $PPID | tr -d " ")';
  second.callTool('call_2', 'exec_command', { cmd: `echo "home $HOME, host ${host}, $CODEX_TOOL_CALL_ID"` });
  const third = await run.asked();
  const appHome = await shellscope.app.evaluate(() => process.env['HOME']);
  const appPid = shellscope.app.process().pid;
  expect(appHome).not.toBe(codex.home);
  expect(third.toolOutput('call_2')).toContain(`home ${appHome}, host ${appPid}, call_2\n`);
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
