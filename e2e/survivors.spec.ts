import { isRunning } from '../test/support/is-running.ts';
import { brokenRules } from './broken-rules.ts';
import { expect, test } from './fixtures.ts';

/** Each is waited for until it has left the terminal, whose end would end it too. */
const LEAVES_THREE =
  'leave() { setsid sleep "$1" >/dev/null 2>&1 & until grep -q sleep /proc/$!/comm; do :; done; echo "left $!"; }; ' +
  'leave 311; leave 322; leave 333';

test('what outlived a session is listed, and stopped or kept as the person wants', async ({ shellscope, agent }) => {
  const { page } = shellscope;
  await agent.start('job', ['/bin/bash', '-c', LEAVES_THREE]);
  await agent.closedProcess('job');
  const [one = 0, two = 0, three = 0] = [...agent.output('job').matchAll(/left (\d+)/g)].map(([, pid]) => Number(pid));
  await page.getByRole('button', { name: '1 left running' }).click();

  const panel = page.getByRole('dialog', { name: 'Survivors' });
  await expect(panel.getByRole('listitem')).toHaveCount(3);
  const sleeper = panel.getByRole('listitem').filter({ hasText: 'sleep 311' });
  await expect(sleeper).toContainText(new RegExp(`pid ${one} · for .* · [\\d.]+ [kM]B`));
  expect(await brokenRules(page)).toEqual([]);

  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Shift+O');
  await panel.getByRole('button', { name: 'Stop only: sleep 333' }).press('Enter');
  await expect(panel.getByRole('listitem')).toHaveCount(2);
  await expect.poll(() => isRunning(three)).toBe(false);
  expect(isRunning(two)).toBe(true);
  await panel.getByRole('button', { name: 'Keep running: sleep 311' }).press('Enter');
  await expect(panel.getByRole('listitem')).toHaveCount(1);
  await panel.getByRole('button', { name: /^Stop all that is left of/ }).press('Enter');
  await expect(panel).toContainText('Nothing outlived its session.');
  await expect.poll(() => isRunning(two)).toBe(false);
  expect(isRunning(one)).toBe(true);
  process.kill(one);
});
