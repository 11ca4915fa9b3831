import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { brokenRules } from './broken-rules.ts';
import { expect, test } from './fixtures.ts';

const PICTURES = process.env['SHELLSCOPE_PICTURES'];

/** The find of one pane. */
function findIn(pane: Locator) {
  const bar = pane.getByRole('search', { name: 'Find in this pane' });
  return {
    pane,
    box: bar.getByRole('searchbox'),
    status: bar.getByRole('status'),
    rows: pane.locator('.xterm-rows').first(),
    earlier: pane.getByRole('region', { name: 'Earlier output' }),
  };
}

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
  expect(await brokenRules(shellscope.page)).toEqual([]);
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

test('two panes have a find each, with its own words, marks and place, and one that ends leaves the other', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const script = 'for i in 1 2 3 4; do echo $WORD $i; seq 200; done; seq 20000; echo $WORD at the end';
  await writeFile(join(stateFolder, 'much.sh'), script);
  const texts = ['needle', 'thread'] as const;
  const panes: Record<(typeof texts)[number], ReturnType<typeof findIn>> = {
    needle: findIn(page.getByRole('tabpanel').first()),
    thread: findIn(page.getByRole('tabpanel').last()),
  };
  for (const text of texts) {
    if (text === 'needle') {
      await shellscope.openShell();
    } else {
      await page.keyboard.press('Control+Shift+H');
      await expect(page.getByRole('tabpanel')).toHaveCount(2);
      await expect(panes.thread.pane.locator(':focus')).toHaveCount(1);
    }
    await shellscope.type(`clear; WORD=${text}; . ~/much.sh\n`);
    await expect(panes[text].rows).toContainText(`${text} at the end`, { timeout: 20_000 });
    await page.keyboard.press('Control+Shift+G');
    await expect(panes[text].box).toBeFocused();
    await page.keyboard.type(`${text} `);
    await expect(panes[text].status).toHaveText(/^1 of 1 · \d earlier$/);
  }
  const { needle, thread } = panes;
  await expect(needle.status).toHaveText(/^1 of 1 · \d earlier$/);
  await expect(needle.box).toHaveValue('needle ');
  await expect(needle.pane.locator('.xterm-find-result-decoration')).not.toHaveCount(0);
  await expect(thread.pane.locator('.xterm-find-result-decoration')).not.toHaveCount(0);

  // Each is at its own place of what is earlier.
  await page.keyboard.press('Enter');
  await expect(thread.status).toHaveText(/^earlier: 1 of \d$/);
  await expect(thread.earlier).toContainText('thread 4');
  await expect(needle.status).toHaveText(/^1 of 1 · \d earlier$/);
  await needle.box.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect(needle.status).toHaveText(/^earlier: 2 of \d$/);
  await expect(needle.earlier).toContainText('needle 3');
  for (const { earlier } of [needle, thread]) {
    await expect(earlier.locator('.match-mark.current')).toHaveCount(1);
  }
  await expect(thread.status).toHaveText(/^earlier: 1 of \d$/);
  await expect(thread.earlier).toContainText('thread 4');
  if (PICTURES !== undefined) {
    await page.screenshot({ path: `${PICTURES}/two-finds.png` });
  }
  expect(await brokenRules(shellscope.page)).toEqual([]);

  // One that ends: back to its terminal, and then without it.
  await page.keyboard.press('Escape');
  await expect(needle.earlier).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(needle.box).toHaveCount(0);
  await expect(needle.pane.locator('.xterm-find-result-decoration')).toHaveCount(0);
  await expect(thread.status).toHaveText(/^earlier: 1 of \d$/);
  await expect(thread.box).toHaveValue('thread ');
  await thread.box.focus();
  await page.keyboard.press('Enter');
  await expect(thread.status).toHaveText(/^earlier: 2 of \d$/);
  await expect(thread.earlier).toContainText('thread 3');
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
  expect(await brokenRules(shellscope.page)).toEqual([]);
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
