import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brokenRules } from './broken-rules.ts';
import { expect, launch, Shellscope, test } from './fixtures.ts';

/** Does something that opens a window, and answers that. */
async function opened(shellscope: Shellscope, deed: () => Promise<void>): Promise<Shellscope> {
  const coming = shellscope.app.waitForEvent('window');
  await deed();
  return Shellscope.drawn(shellscope.app, await coming);
}

test('a tab goes to a window of its own, its program goes on, and closing the window ends nothing', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('watched', ['/bin/cat']);
  const own = await shellscope.openShell();
  await shellscope.type('echo before; echo $$\n');
  await shellscope.expectScreen(own, /\nbefore\n\d+\n/);

  // With what it showed, and the keyboard.
  const second = await opened(shellscope, () => page.keyboard.press('Control+Alt+Shift+N'));
  await expect(shellscope.tabs).toHaveCount(1);
  await expect(second.tabs).toHaveCount(1);
  await second.expectScreen(second.tab(/you/), /\nbefore\n\d+\n/);
  await second.type('echo in the second\n');
  await second.expectScreen(second.tab(/you/), /\nin the second\n/);
  expect(await brokenRules(second.page)).toEqual([]);

  // Sessions are one list: from the first window the tab of the second is gone to where it is.
  await page.keyboard.press('Control+Shift+L');
  const list = page.getByRole('complementary', { name: 'Session list' });
  await expect(list.getByRole('treeitem')).toHaveCount(4);
  await list.getByRole('treeitem', { name: /bash/ }).click();
  await expect(shellscope.tabs).toHaveCount(1);

  await second.page.close();
  await expect(shellscope.tabs).toHaveCount(2);
  await expect(shellscope.tab(/cat/)).toHaveAttribute('aria-selected', 'true');
  await own.click();
  await shellscope.expectScreen(own, /\nin the second\n/);
  await shellscope.type('echo after it\n');
  await shellscope.expectScreen(own, /\nafter it\n/);
});

test('a new window is empty, says where the sessions are, and has the shells that are opened in it', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('watched', ['/bin/cat']);
  await expect(shellscope.tabs).toHaveCount(1);
  await shellscope.tabs.first().click();
  const second = await opened(shellscope, () => page.keyboard.press('Control+Shift+N'));
  const other = second.page.getByRole('button', { name: 'Go to the session in the other window' });
  await expect(other).toBeVisible();
  // The strip of any window: with none of its buttons a way out would be the keyboard alone.
  for (const name of ['Sessions', 'Timeline', 'Connect an agent', 'Settings']) {
    await expect(second.page.getByRole('button', { name, exact: true })).toBeVisible();
  }
  await second.page.keyboard.press('Control+Shift+P');
  for (const name of ['Sessions', 'Timeline', 'Survivors', 'Connect an Agent']) {
    await expect(second.page.getByRole('option', { name: new RegExp(`^${name} Ctrl`) })).toBeVisible();
  }
  await second.page.keyboard.press('Escape');
  // Also without a tab of its own.
  await second.page.keyboard.press('Control+Alt+Shift+H');
  await expect(second.page.getByRole('button', { name: /test-agent ran cat/ })).toBeVisible();
  await second.page.keyboard.press('Control+Shift+Y');
  await second.page.getByRole('button', { name: 'Connect an agent' }).click();
  await expect(second.page.getByRole('heading', { name: 'Connect an agent' })).toBeVisible();
  await second.page.keyboard.press('Escape');
  await other.click();
  await expect.poll(() => page.evaluate(() => document.hasFocus())).toBe(true);
  await agent.start('second', ['/bin/cat']);
  await expect(shellscope.tabs).toHaveCount(2);
  await second.page.getByRole('button', { name: 'Show the 2 sessions in other windows' }).click();
  const list = second.page.getByRole('complementary', { name: 'Session list' });
  await expect(list.getByRole('treeitem', { name: /cat/ })).toHaveCount(2);
  await second.page.keyboard.press('Control+Shift+L');
  expect(await brokenRules(second.page)).toEqual([]);
  await second.openShell();
  await second.page.keyboard.press('Control+Shift+H');
  await expect(second.page.getByRole('tablist')).toHaveCount(2);
  await expect(shellscope.tabs).toHaveCount(2);

  // Each has a layout of its own, also over a reload.
  await second.page.reload();
  await expect(second.page.getByRole('tablist')).toHaveCount(2);
  await page.reload();
  await expect(page.getByRole('tablist')).toHaveCount(1);
  await expect(shellscope.tabs).toHaveCount(2);
});

test('a reload has the panes, their sizes and the tab in view again', async ({ shellscope }) => {
  const { page } = shellscope;
  await page.keyboard.press('Control+Shift+T');
  await shellscope.expectScreen(shellscope.tabs.first(), '$');
  await page.keyboard.press('Control+Shift+T');
  await expect(shellscope.tabs).toHaveCount(2);
  await page.keyboard.press('Control+Shift+H');
  await expect(page.getByRole('tablist')).toHaveCount(2);
  const border = page.getByRole('separator');
  await border.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(border).toHaveAttribute('aria-valuenow', '45');
  await shellscope.tabs.first().click();
  const ids = (): Promise<(string | null)[]> =>
    page
      .getByRole('tab', { selected: true })
      .evaluateAll((tabs) => tabs.map((tab) => tab.getAttribute('data-session-id')));
  const shown = await ids();

  await page.reload();
  await expect(border).toHaveAttribute('aria-valuenow', '45');
  await expect(page.getByRole('tablist').first().getByRole('tab')).toHaveCount(2);
  expect(await ids()).toEqual(shown);
  await expect(page.locator('.group-strip').first()).toHaveAttribute('data-active', 'true');
});

test('a restart has the size of the window and of its panels again; shells that nobody used leave no pane', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  await page.keyboard.press('Control+Shift+T');
  await shellscope.expectScreen(shellscope.tabs.first(), '$');
  await page.keyboard.press('Control+Shift+H');
  await expect(page.getByRole('tablist')).toHaveCount(2);
  await page.keyboard.press('Control+Shift+L');
  const edge = page.getByRole('separator', { name: 'Width of the session list' });
  await edge.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(edge).toHaveAttribute('aria-valuenow', '288');
  await shellscope.setContentSize(1_000, 700);
  await expect.poll(() => page.evaluate(() => window.innerWidth)).toBe(1_000);
  await shellscope.app.close();

  const again = await launch(stateFolder);
  const next = new Shellscope(again, await again.firstWindow());
  await next.openShell();
  await expect(next.page.getByRole('tablist')).toHaveCount(1);
  await expect(next.page.getByRole('separator', { name: 'Width of the session list' })).toHaveAttribute(
    'aria-valuenow',
    '288',
  );
  expect(await next.page.evaluate(() => window.innerWidth)).toBe(1_000);
  await again.close();

  // A file that is broken costs the arrangement, and nothing else.
  await writeFile(join(stateFolder, 'electron', 'windows.json'), '{"version":1,"windows":[{"page":');
  const third = await launch(stateFolder);
  const repaired = new Shellscope(third, await third.firstWindow());
  await repaired.openShell();
  await expect(repaired.page.getByRole('complementary', { name: 'Session list' })).toHaveCount(0);
  await third.close();
});
