import { expect, launch, Shellscope, test } from './fixtures.ts';

test('the timeline tells who did what, and a click goes to that place in the pane', async ({ shellscope, agent }) => {
  const { page } = shellscope;
  await agent.start('job', ['/bin/bash', '--norc', '-i'], { metadata: { toolCallId: 'call_7' } });
  const tab = shellscope.tab(/bash/);
  await shellscope.expectScreen(tab, '$');
  const timeline = page.getByRole('complementary', { name: 'Timeline' });
  await expect(timeline).toHaveCount(0);
  await tab.click();
  await page.keyboard.press('Control+Shift+Y');
  await expect(timeline.getByRole('button', { name: /test-agent ran bash/ })).toContainText(
    'test-agent ran bash call_7',
  );

  await agent.write('job', 'seq 1000 1400\r', 'w1');
  await shellscope.expectScreen(tab, '1400\n$');
  const rows = page.locator('.xterm-rows');
  await expect(rows).toContainText('1400');
  await expect(rows).not.toContainText('seq 1000');
  // The keyboard has stayed in the terminal.
  await shellscope.type('echo mine\n');
  await expect(timeline.getByRole('button', { name: 'you took the keyboard' })).toBeVisible();
  await page.keyboard.press('Control+Shift+B');
  await expect(timeline.getByRole('button', { name: 'you gave the keyboard back' })).toBeVisible();

  await timeline.getByRole('button', { name: 'test-agent typed 14 B' }).click();
  await expect(rows).toContainText('seq 1000');
  await expect(page.locator('.shown-place')).toBeVisible();
  await timeline.getByRole('button', { name: 'you took the keyboard' }).press('Enter');
  await expect(rows).toContainText('echo mine');
});

test('the timeline of all sessions tells what every agent did, and leads to the place in any pane', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  const timeline = page.getByRole('complementary', { name: 'Timeline' });
  const rows = page.locator('[role=tabpanel]:visible .xterm-rows');
  await agent.start('build', ['/bin/bash', '--norc', '-i']);
  await agent.start('lint', ['/bin/sh', '-c', 'seq 1000 1400; exit 3']);
  await agent.closedProcess('lint');
  const build = shellscope.tab(/^bash/);
  await build.click();
  await shellscope.expectScreen(build, '$');

  await page.keyboard.press('Control+Alt+Shift+H');
  await expect(timeline.getByRole('button', { name: 'All sessions' })).toHaveAttribute('aria-pressed', 'true');
  await expect(timeline.getByRole('button', { name: /test-agent ran bash/ })).toBeVisible();
  const failed = timeline.getByRole('button', { name: /the program exited with code 3 seq/ });
  await expect(failed).toBeVisible();
  // What comes is told at once, though its session is not in view.
  await agent.start('docs', ['/bin/cat']);
  await expect(timeline.getByRole('button', { name: /test-agent ran cat/ })).toBeVisible();

  // The newest is in sight in less room, too.
  for (const id of ['1', '2', '3', '4', '5', '6']) {
    await agent.start(id, ['/bin/true']);
    await agent.closedProcess(id);
  }
  await expect(timeline.getByRole('listitem').last()).toContainText('closed its output');
  await shellscope.setContentSize(900, 400);
  await expect(timeline.getByRole('listitem').first()).not.toBeInViewport();
  await expect(timeline.getByRole('listitem').last()).toBeInViewport();
  await shellscope.setContentSize(1280, 800);

  // Its terminal is made for that.
  await timeline.getByRole('button', { name: /test-agent ran seq/ }).click();
  await expect(shellscope.tab(/exited 3/)).toHaveAttribute('aria-selected', 'true');
  await expect(rows).toContainText('1000');
  await expect(page.locator('.shown-place:visible')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Back to now' })).toHaveCount(0);
  await failed.press('Enter');
  await expect(rows).toContainText('1400');

  await agent.write('build', 'echo from the agent\r', 'w1');
  await timeline.getByRole('button', { name: /test-agent typed 20 B.*bash/ }).click();
  await expect(build).toHaveAttribute('aria-selected', 'true');
  await expect(rows).toContainText('from the agent');

  await shellscope.app.close();
  const again = await launch(stateFolder);
  const next = await Shellscope.drawn(again, await again.firstWindow());
  await expect(next.page.getByRole('button', { name: 'All sessions' })).toHaveAttribute('aria-pressed', 'true');
  await again.close();
});

test('the timeline stays open over a restart of the app', async ({ shellscope, stateFolder }) => {
  await shellscope.openShell();
  await shellscope.page.getByRole('button', { name: 'Timeline' }).click();
  await expect(shellscope.page.getByRole('complementary', { name: 'Timeline' })).toBeVisible();
  await shellscope.app.close();

  const again = await launch(stateFolder);
  const next = await Shellscope.drawn(again, await again.firstWindow());
  await next.openShell();
  const { page } = next;
  await expect(page.getByRole('complementary', { name: 'Timeline' })).toBeVisible();
  await expect(page.getByRole('button', { name: /you ran bash/ })).toBeVisible();
  await again.close();
});
