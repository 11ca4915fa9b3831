import { expect, test } from './fixtures.ts';

test.skip(process.platform !== 'linux', 'elsewhere the system does not tell the folder of a shell');

test('a split begins in the folder of the shell in view', async ({ shellscope }) => {
  const { page } = shellscope;
  const folder = page.getByRole('list', { name: 'Session in view' }).locator('.fact-path');
  await shellscope.openShell();
  await shellscope.type('cd /usr/lib\n');
  await expect(folder).toHaveText('/usr/lib');

  await page.keyboard.press('Control+Shift+H');
  await expect(page.getByRole('tablist')).toHaveCount(2);
  const split = shellscope.tabs.nth(1);
  await shellscope.expectScreen(split, '$');
  await shellscope.type('pwd\n');
  await shellscope.expectScreen(split, /\n\/usr\/lib\n/);
});
