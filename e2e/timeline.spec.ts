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
