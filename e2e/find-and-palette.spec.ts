import { AxeBuilder } from '@axe-core/playwright';
import { expect, test, type Shellscope } from './fixtures.ts';

const violations = async ({ page }: Shellscope): Promise<readonly string[]> =>
  (await new AxeBuilder({ page }).setLegacyMode(true).analyze()).violations.map(
    ({ id, nodes }) => `${id}: ${nodes[0]?.html}`,
  );

test('a text is found in the pane from the newest on, with its count, by keyboard alone', async ({ shellscope }) => {
  const { page } = shellscope;
  const tab = await shellscope.openShell();
  await shellscope.type('clear; for i in 1 2 3; do echo needle $i; seq 100; done\n');
  await shellscope.expectScreen(tab, /100\n\$$/);
  const rows = page.locator('.xterm-rows');
  await expect(rows).not.toContainText('needle');

  // What was typed has left the screen; it was echoed once, or twice where the shell was not ready yet.
  await page.keyboard.press('Control+Shift+G');
  const bar = page.getByRole('search', { name: 'Find in this pane' });
  await expect(bar.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('needle ');
  await expect(bar.getByRole('status')).toHaveText(/^3 of 3 · \d earlier$/);
  await expect(rows).toContainText('needle 3');
  await page.keyboard.press('Enter');
  await expect(bar.getByRole('status')).toHaveText(/^2 of 3 · \d earlier$/);
  await expect(rows).toContainText('needle 2');
  await page.keyboard.press('Shift+Enter');
  await expect(bar.getByRole('status')).toHaveText(/^3 of 3 · \d earlier$/);
  expect(await violations(shellscope)).toEqual([]);
  await page.keyboard.type('none');
  await expect(bar.getByRole('status')).toHaveText('no match');
  await page.keyboard.press('Escape');
  await expect(bar).toHaveCount(0);
  await shellscope.type('clear; echo typed again\n');
  await shellscope.expectScreen(tab, /^typed again/);
});

test('find goes on from what is seen in a pane whose terminal had to make room', async ({ shellscope, agent }) => {
  const { page } = shellscope;
  await agent.start('job', ['/bin/sh', '-c', 'for i in 1 2 3 4 5; do echo needle $i; seq 200; done; exec cat'], {
    tty: true,
  });
  const tab = shellscope.tab(/for i in/);
  await shellscope.expectScreen(tab, /200$/);
  const bar = page.getByRole('search', { name: 'Find in this pane' });
  const status = bar.getByRole('status');
  const rows = page.getByRole('tabpanel').locator('.xterm-rows');
  const steps = async (key: string, to: number): Promise<void> => {
    await page.keyboard.press(key);
    await expect(status).toHaveText(`${to} of 5`);
    await expect(rows).toContainText(`needle ${to}`);
  };
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('needle');
  await expect(status).toHaveText('5 of 5');
  await steps('Enter', 4);
  await steps('Enter', 3);

  // As many terminals as are kept, and this one is the oldest.
  for (let count = 1; count <= 8; count += 1) {
    await shellscope.openShell();
  }
  expect(await shellscope.screenText(tab)).toBeNull();
  await tab.click();
  await expect(rows).toContainText('needle 3');
  await expect(status).toHaveText('3 of 5');
  await bar.getByRole('searchbox').focus();
  await steps('Enter', 2);
  await steps('Shift+Enter', 3);
  await steps('Shift+Enter', 4);
});

test('the palette runs any action and goes to any session, and gives the keyboard back', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('web', ['/bin/sh', '-c', 'echo serving; sleep 300']);
  const own = await shellscope.openShell();
  await page.keyboard.press('Control+Shift+P');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await expect(palette.getByRole('option', { name: 'New Shell Ctrl+Shift+T' })).toBeVisible();
  expect(await violations(shellscope)).toEqual([]);
  await page.keyboard.type('timel');
  await expect(palette.getByRole('option').first()).toHaveText(/^Timeline/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'Timeline' })).toBeVisible();
  await shellscope.type('echo back\n');
  await shellscope.expectScreen(own, /echo back\s+back/);

  await page.keyboard.press('Control+Shift+P');
  await page.keyboard.type('serving');
  await page.keyboard.press('Enter');
  await expect(shellscope.tab(/test-agent/)).toHaveAttribute('aria-selected', 'true');
});

test("any ended session is run again, an agent's too, as the person's own", async ({ shellscope, agent }) => {
  const { page } = shellscope;
  await agent.start('job', ['/bin/sh', '-c', 'pwd; tty; exit 3']);
  await agent.closedProcess('job');
  await expect(shellscope.tab(/exited 3/)).toHaveCount(1);
  await page.getByRole('button', { name: 'Run again' }).click();
  const again = shellscope.tab(/you, exited 3/);
  await expect(again).toHaveAttribute('aria-selected', 'true');
  await shellscope.expectScreen(again, /^\/tmp\n\/dev\/pts/);
  await page.keyboard.press('Control+Shift+A');
  await expect(shellscope.tab(/you, exited 3/)).toHaveCount(2);
});
