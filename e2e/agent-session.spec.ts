import { ExecClient } from '../test/support/exec-client.ts';
import { expect, test } from './fixtures.ts';

test("an agent's shell is a live tab, its exit a badge, and a reload of the window loses nothing", async ({
  shellscope,
  agent,
}) => {
  await agent.start('build', ['/bin/bash', '--norc', '-i']);
  // Not by its state: at its prompt it waits for a command.
  const tab = shellscope.tab(/^bash/i);
  await expect(tab).toHaveCount(1);
  await expect(tab).toHaveAttribute('data-state', 'running');

  await agent.write('build', 'echo typed by the agent\r', 'w1');
  await shellscope.expectScreen(tab, 'typed by the agent\n');

  await agent.write('build', 'exit 3\r', 'w2');
  await agent.closedProcess('build');
  const ended = shellscope.tab(/exited 3/i);
  await expect(ended).toHaveAttribute('data-exit-code', '3');
  await expect(shellscope.page.getByText(/exited with code 3/i)).toBeVisible();
  const before = await shellscope.screenText(ended);

  await shellscope.page.reload();
  await expect(ended).toHaveAttribute('data-exit-code', '3');
  await expect.poll(() => shellscope.screenText(ended)).toBe(before);
});

test('a new session of an agent takes neither the focus nor the selection', async ({ shellscope, agent }) => {
  const own = await shellscope.openShell();
  await shellscope.type('echo mi');
  await agent.start('job', ['/bin/sh', '-c', 'echo from the agent; sleep 300']);
  await expect(shellscope.tabs).toHaveCount(2);
  await shellscope.type('ne\n');
  await shellscope.expectScreen(own, /echo mine\s+mine/);
  await expect(own).toHaveAttribute('aria-selected', 'true');
  await expect(shellscope.tabs.nth(1)).toHaveAttribute('aria-selected', 'false');
});

test('an agent’s terminal is whole in a pane that is narrower, and the pointer selects what it points at', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('wide', ['/bin/sh', '-c', 'printf "%73s edge\\n" left; exec sleep 300']);
  await shellscope.openShell();
  await page.keyboard.press('Alt+Shift+ArrowRight');
  const panel = page.getByRole('tabpanel').filter({ has: page.locator('.pane-bar') });
  const pane = panel.locator('.pane');
  const chip = panel.getByText(/^\d+×\d+ set by/);
  const overhang = (): Promise<number> => pane.evaluate((box) => box.scrollWidth - box.clientWidth);
  await shellscope.setContentSize(1_080, 700);
  await expect(chip).toHaveText(/^80×24 set by test-agent · shown at [678]\d%$/);
  await expect(chip).toBeVisible();
  expect(await overhang()).toBe(0);
  await shellscope.expectScreen(shellscope.tab(/edge/), 'left edge');
  const { x, y, width, height } = (await pane.locator('.xterm-screen').boundingBox()) ?? {
    x: 0,
    y: 0,
    width: 0,
    height: 0,
  };
  await page.mouse.dblclick(x + (76.5 / 80) * width, y + (0.5 / 24) * height);
  await page.keyboard.press('Control+Shift+C');
  await expect.poll(() => shellscope.inApp(({ clipboard }) => clipboard.readText(), null)).toBe('edge');

  const selected = pane.locator('.xterm-selection > div');
  await expect(selected).not.toHaveCount(0);
  await page.mouse.click(x + (0.5 / 80) * width, y + (0.5 / 24) * height);
  await expect(selected).toHaveCount(0);

  // Smaller than that it could not be read: the pane scrolls. Its chip is short then, and heard in full.
  await shellscope.setContentSize(700, 700);
  await expect(chip).toHaveText('80×24 set by test-agent · shown at 60%');
  expect(await overhang()).toBeGreaterThan(0);
  await expect(panel.getByText('80×24 · 60%', { exact: true })).toBeVisible();
  // What is selected no more is not drawn again with other cells.
  await expect(selected).toHaveCount(0);
  await panel.getByRole('button', { name: 'Fit to my pane' }).click();
  await expect(chip).toHaveText(/^\d+×\d+ set by you$/);
});

test('a killed session says by which signal and by whom, and one that cannot start says why', async ({
  shellscope,
  agent,
}) => {
  await agent.start('victim', ['/bin/sleep', '300']);
  await expect(shellscope.tab(/sleep.*running/i)).toBeVisible();
  await agent.request('process/terminate', { processId: 'victim' });
  await expect(shellscope.tab(/sleep.*SIGTERM/i)).toHaveAttribute('data-exit-signal', 'SIGTERM');

  await agent.start('typo', ['no-such-program']);
  const failed = shellscope.tab(/no-such-program.*failed to start/i);
  await expect(failed).toHaveAttribute('data-state', 'failed');
  await failed.click();
  const { page } = shellscope;
  await expect(page.getByText('This session could not start')).toBeVisible();
  await expect(page.getByRole('definition').filter({ hasText: /^no such program on PATH \(/ })).toBeVisible();
});

test('S16: bad clients and bad requests get a clear error, and no session is harmed', async ({ shellscope, agent }) => {
  const { url, token } = await shellscope.connection();
  await agent.start('witness', ['/bin/cat']);
  const authorization = `Bearer ${token}`;
  await expect(ExecClient.connect(url, { headers: { authorization: 'Bearer wrong' } })).rejects.toThrow('HTTP 401');
  await expect(ExecClient.connect(url, { headers: { authorization, origin: 'app://shellscope' } })).rejects.toThrow(
    'HTTP 403',
  );
  const malformed = agent.answerTo(-1);
  agent.sendText('{"id":');
  expect(await malformed).toMatchObject({ error: { code: -32_600 } });
  expect(await agent.request('no/such', {})).toMatchObject({ error: { code: -32_601 } });
  expect(await agent.start('a', [])).toMatchObject({ error: { code: -32_602, message: 'argv must not be empty' } });
  expect(await agent.start('b', ['true'], { cwd: 'file:///no/such' })).toMatchObject({ error: { code: -32_603 } });
  expect(await agent.start('c', ['no-such-program'])).toMatchObject({ error: { code: -32_603 } });
  await agent.write('witness', 'unharmed\r', 'w1');
  await shellscope.expectScreen(shellscope.tab(/cat/), /unharmed\s+unharmed/);
});

test('a program that asks its terminal gets one answer, with its tab in view or not', async ({ shellscope, agent }) => {
  const script =
    'stty raw -echo; printf "abc\\033[6n\\033]11;?\\033\\\\"; ' +
    'dd bs=1 count=31 2>/dev/null | od -An -tx1 | tr -d " \\n"; stty sane; echo; read line';
  for (const processId of ['unseen', 'seen']) {
    if (processId === 'seen') {
      await shellscope.tabs.first().click();
    }
    await agent.start(processId, ['/bin/sh', '-c', script]);
    if (processId === 'seen') {
      await shellscope.tabs.nth(1).click();
    }
    // CPR, then the background of the theme in use: one of each, in the order of the questions.
    await agent.printed(processId, '1b5b313b34521b5d31313b7267623a');
  }
  await expect(shellscope.tabs).toHaveCount(2);
});
