import { brokenRules } from './broken-rules.ts';
import { expect, test } from './fixtures.ts';
import { runHundredSessions } from './hundred-sessions.ts';

test('the session list groups by client, filters, and is worked by keyboard alone', async ({ shellscope, agent }) => {
  const { page } = shellscope;
  await agent.start('web', ['/bin/sh', '-c', 'echo web; sleep 300']);
  await agent.start('bad', ['/bin/sh', '-c', 'echo broken; exit 3']);
  await agent.closedProcess('bad');
  await shellscope.openShell();

  // From inside the terminal; the keyboard stays there.
  await page.keyboard.press('Control+Shift+L');
  const list = page.getByRole('complementary', { name: 'Session list' });
  const items = list.getByRole('treeitem');
  await expect(items).toHaveCount(6);
  await expect(items.nth(0)).toHaveText('test-agent (1)');
  await expect(items.nth(2)).toHaveText('you (1)');
  await expect(items.nth(4)).toHaveText('ended (1)');
  await expect(items.nth(5)).toContainText('exited 3');
  await expect(items.nth(5)).toHaveAttribute('data-state', 'closed');
  // What a running one uses, there and in the status bar.
  await expect(items.nth(1)).toContainText(/running · (CPU \d+% · )?[\d.]+ [kM]B/);
  await expect(page.getByRole('list', { name: 'Session in view' })).toContainText(/CPU \d+%.*MB/);
  await shellscope.type('echo still mine\n');
  await shellscope.expectScreen(shellscope.tab(/you/), /still mine\s+still mine/);

  await page.keyboard.press('Control+F6');
  await page.keyboard.press('Shift+F6');
  await page.keyboard.press('Shift+F6');
  await list.getByRole('searchbox', { name: 'Filter sessions' }).focus();
  await page.keyboard.type('broken');
  await expect(items).toHaveCount(2);
  await page.keyboard.press('Tab');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(shellscope.tab(/exited 3/)).toHaveAttribute('aria-selected', 'true');

  expect(await brokenRules(page)).toEqual([]);

  await list.getByRole('searchbox', { name: 'Filter sessions' }).press('Escape');
  await list.getByRole('button', { name: 'Close all ended (1)' }).click();
  await expect(items).toHaveCount(4);
  await expect(shellscope.tabs).toHaveCount(2);
});

test('a hundred sessions stay usable in the list', async ({ shellscope, agent }) => {
  const { page } = shellscope;
  await runHundredSessions(shellscope, agent);
  await page.getByRole('button', { name: 'Sessions', exact: true }).click();
  const list = page.getByRole('complementary', { name: 'Session list' });
  await expect(list.getByRole('status')).toHaveText('100');
  const tree = list.getByRole('tree');
  await tree.focus();
  await page.keyboard.press('End');
  await expect(list.locator('[data-active]')).toBeInViewport();
  expect(await list.getByRole('treeitem').count()).toBeLessThan(60);
  await list.getByRole('searchbox').fill('job 57;');
  await expect(list.getByRole('treeitem')).toHaveCount(2);
  await list.getByRole('treeitem').nth(1).click();
  await shellscope.expectScreen(page.getByRole('tab', { selected: true }), 'job 57');
});

test('in a small window the list lies over the panes, and under what is opened over them', async ({ shellscope }) => {
  const { page } = shellscope;
  await shellscope.openShell();
  await shellscope.setContentSize(640, 480);
  await page.keyboard.press('Control+Shift+L');
  const row = page.getByRole('treeitem', { name: /bash/ });
  await row.click({ trial: true });
  for (const [key, title] of [
    ['Control+,', 'Settings'],
    ['Control+Shift+K', 'Connect an agent'],
    ['Control+Shift+O', 'Survivors'],
  ] as const) {
    await page.keyboard.press(key);
    const panel = page.getByRole('dialog', { name: title });
    // At its left edge, where the list is.
    await panel
      .getByRole('heading', { name: title, exact: true })
      .click({ trial: true, position: { x: 2, y: 8 }, timeout: 5_000 });
    await page.keyboard.press('Escape');
    await expect(panel).toHaveCount(0);
    await row.click({ trial: true });
  }
  // Closed by its key, a panel leaves the keyboard to the pane.
  await page.keyboard.press('Control+Shift+L');
  await page.keyboard.press('Control+Shift+K');
  await expect(page.getByRole('dialog', { name: 'Connect an agent' })).toBeVisible();
  await page.keyboard.press('Control+Shift+K');
  await expect(page.getByRole('textbox', { name: 'Terminal input' })).toBeFocused();
});
