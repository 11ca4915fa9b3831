import { brokenRules } from './broken-rules.ts';
import { expect, test } from './fixtures.ts';

const PICTURES = process.env['SHELLSCOPE_PICTURES'];

test('failures are marked as looked at all at once, where they are counted; what waits for a person stays', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  const own = await shellscope.openShell();
  for (const id of ['one', 'two', 'three']) {
    await agent.start(id, ['/bin/sh', '-c', 'exit 3']);
    await agent.closedProcess(id);
  }
  await agent.start('secret', ['/bin/sh', '-c', 'stty -echo; printf "Password: "; read line'], { tty: true });
  await expect(page.getByRole('button', { name: '1 needs you, 3 failed' })).toBeVisible();
  const mark = page.getByRole('button', { name: 'Mark all as looked at' });
  if (PICTURES !== undefined) {
    await page.screenshot({ path: `${PICTURES}/mark-all.png` });
  }
  expect(await brokenRules(page)).toEqual([]);
  await mark.click();
  await expect(page.getByRole('button', { name: '1 session needs you' })).toBeVisible();
  await expect(mark).toHaveCount(0);
  await expect(page.locator('[role=tab][data-unseen]')).toHaveCount(0);
  await shellscope.type('echo still mine\n');
  await shellscope.expectScreen(own, /\nstill mine\n/);
});
