import { brokenRules } from './broken-rules.ts';
import { expect, test } from './fixtures.ts';
import { runHundredSessions } from './hundred-sessions.ts';

test('one of a hundred tabs is found in the list of all by the keyboard alone', async ({ shellscope, agent }) => {
  const { page } = shellscope;
  await runHundredSessions(shellscope, agent);
  await shellscope.tabs.first().focus();

  await page.keyboard.press('Control+Alt+Shift+T');
  const list = page.getByRole('dialog', { name: 'All tabs' });
  const rows = list.getByRole('option');
  await expect(rows.first()).toHaveAttribute('aria-setsize', '100');
  // Only those in view are in the page.
  expect(await rows.count()).toBeLessThan(50);
  expect(await brokenRules(page)).toEqual([]);

  // To the end of the list and back around it, the marked one always in view.
  await page.keyboard.press('ArrowUp');
  const marked = list.getByRole('option', { selected: true });
  await expect(marked).toHaveAttribute('aria-posinset', '100');
  await expect(marked).toBeInViewport();

  await page.keyboard.type('57; exited');
  await expect(rows).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(list).toHaveCount(0);
  const found = page.getByRole('tab', { selected: true });
  await expect(found).toHaveAccessibleName(/echo job 57;/);
  await expect(found).toBeInViewport({ ratio: 0.9 });
  await shellscope.expectScreen(found, 'job 57');

  // A narrower window does not take it out of view.
  await page.getByRole('tablist').first().hover();
  await page.mouse.wheel(-100_000, 0);
  await expect(found).not.toBeInViewport();
  await shellscope.setContentSize(700, 500);
  await expect(found).toBeInViewport({ ratio: 0.9 });

  // A list that is left changes nothing, and what matches nothing says so.
  await page.keyboard.press('Control+Alt+Shift+T');
  await page.keyboard.type('no such tab');
  await expect(list.getByRole('status')).toHaveText('No tab matches.');
  await page.keyboard.press('Escape');
  await expect(found).toHaveAccessibleName(/echo job 57;/);
});

test('tabs that come beside the one in view do not cover it with the edge that tells of them', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await shellscope.setContentSize(700, 500);
  for (let count = 0; count < 7; count += 1) {
    await shellscope.openShell();
  }
  const own = page.getByRole('tab', { selected: true });
  await runHundredSessions(shellscope, agent);
  const clear = () =>
    own.evaluate((tab) => {
      const strip = tab.closest('.strip-scroller');
      return (strip?.getBoundingClientRect().right ?? 0) - tab.getBoundingClientRect().right;
    });
  await expect.poll(clear).toBeGreaterThanOrEqual(32);
  // Nor is it pushed beneath that edge by its own words when they grow.
  await shellscope.type('read -rsp "Password: " word\n');
  await expect(own).toHaveText(/waits: password$/);
  await expect.poll(clear).toBeGreaterThanOrEqual(32);
});
