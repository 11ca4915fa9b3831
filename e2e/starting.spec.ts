import { brokenRules } from './broken-rules.ts';
import { expect, test } from './fixtures.ts';
import { holdDisk } from './held-disk.ts';

test('a session that takes long to start is there meanwhile as starting: in words, with an icon, in its name', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  await agent.start('runs', ['/bin/sleep', '301']);
  const running = shellscope.tab(/sleep 301/);
  await expect(running).toHaveAttribute('data-state', 'running');
  await page.keyboard.press('Control+Shift+L');
  const release = await holdDisk(shellscope, stateFolder);
  let started: ReturnType<typeof agent.start>;
  const tab = shellscope.tab(/sleep 300/);
  try {
    started = agent.start('slow', ['/bin/sleep', '300']);
    await expect(tab).toHaveAccessibleName(/^sleep 300, test-agent, starting$/);
    await expect(tab).toHaveAttribute('data-state', 'starting');
    await expect(tab.getByText('starting', { exact: true })).toBeVisible();
    const icon = await tab.locator('svg.icon').first().innerHTML();
    expect(icon).not.toBe(await running.locator('svg.icon').first().innerHTML());
    const row = page.getByRole('treeitem').filter({ hasText: 'sleep 300' });
    await expect(row).toContainText('starting');
    expect(await row.locator('svg.icon').first().innerHTML()).toBe(icon);

    await tab.click();
    const panel = page.getByRole('tabpanel', { name: /sleep 300, test-agent, starting/ });
    await expect(panel).toBeVisible();
    await page.keyboard.press('Control+Alt+Shift+I');
    const details = page.getByRole('dialog', { name: 'Session details' });
    await expect(details.getByText('starting', { exact: true })).toBeVisible();
    await expect(details.getByText('Process', { exact: true })).toHaveCount(0);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await brokenRules(page)).toEqual([]);
    }
    await page.keyboard.press('Escape');
    await expect(page.locator('.notice')).toHaveCount(0);
  } finally {
    await release();
  }
  await started;
  await expect(tab).toHaveAccessibleName(/^sleep 300, test-agent, running$/);
  await shellscope.type('typed');
  await shellscope.expectScreen(tab, 'typed');
});
