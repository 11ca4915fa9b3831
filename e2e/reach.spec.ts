import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Shellscope } from './fixtures.ts';
import { reachByKeys } from './reach.ts';

/** Nothing that can be used is out of the keyboard's reach, and it is always seen where that is. */
async function expectReached(shellscope: Shellscope, state: string): Promise<readonly string[]> {
  const { missed, unseen, order } = await reachByKeys(shellscope);
  expect.soft({ state, missed, unseen }).toEqual({ state, missed: [], unseen: [] });
  return order;
}

test('every button, link and box is reached by F6 and Tab, and shows that it has the keyboard', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  test.setTimeout(180_000);
  const { page } = shellscope;
  expect(await expectReached(shellscope, 'the empty window')).toContain('pane');

  await agent.start('job', ['/bin/sh', '-c', 'echo up; exec cat']);
  await shellscope.expectScreen(shellscope.tabs, 'up');
  await page.keyboard.press('F6');
  const held = await expectReached(shellscope, 'an agent’s session');
  expect(held).toEqual(expect.arrayContaining(['strip', 'pane-bar', 'pane', 'status']));

  await page.keyboard.press('Control+Shift+T');
  await expect(shellscope.tabs).toHaveCount(2);
  await shellscope.expectScreen(shellscope.tabs.last(), '$');
  await shellscope.type('exit 3\n');
  await expect(page.getByRole('button', { name: 'Run again' })).toBeVisible();
  await expectReached(shellscope, 'an ended session');

  await page.keyboard.press('Control+Shift+L');
  await page.keyboard.press('Control+Shift+Y');
  await expectReached(shellscope, 'the panels beside the panes');
  await page.keyboard.press('Control+Shift+H');
  await expect(page.getByRole('tablist')).toHaveCount(2);
  await expectReached(shellscope, 'two panes');
  await page.keyboard.press('Control+Alt+Shift+W');
  await page.keyboard.press('Control+Shift+L');
  await page.keyboard.press('Control+Shift+Y');

  await page.keyboard.press('Control+Shift+G');
  await shellscope.type('x');
  await expectReached(shellscope, 'the find');
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.press('Escape');

  for (const [key, state] of [
    ['Control+Shift+O', 'survivors'],
    ['Control+Shift+K', 'connect'],
    ['Control+Alt+Shift+A', 'allowed commands'],
    ['Control+Alt+Shift+E', 'environment'],
    ['Control+Alt+Shift+I', 'session details'],
    ['Control+,', 'settings'],
    ['Control+Shift+J', 'shortcuts'],
  ] as const) {
    await page.keyboard.press(key);
    await expectReached(shellscope, state);
    await page.keyboard.press(key);
  }

  await page.keyboard.press('Control+Shift+T');
  await expect(shellscope.tabs).toHaveCount(4);
  await page.keyboard.press('Control+Shift+W');
  await expect(page.getByRole('button', { name: 'Keep it running' })).toBeFocused();
  await expectReached(shellscope, 'the question before a closing');
  await page.keyboard.press('Control+Shift+W');
  await writeFile(join(stateFolder, 'settings.json'), '{ not JSON');
  await expect(page.getByRole('button', { name: 'Dismiss' }).first()).toBeVisible();
  await expectReached(shellscope, 'notices');
});

test('the key F6 leads from a pane to the question that waits first, and from there on through the window', async ({
  shellscope,
  agent,
  stateFolder,
}) => {
  const { page } = shellscope;
  await writeFile(join(stateFolder, 'settings.json'), JSON.stringify({ approvals: { mode: 'ask-unless-known-safe' } }));
  const shell = await shellscope.openShell();
  const asked = agent.start('push', ['rm', '-rf', 'no-such-folder']);
  const question = page.getByRole('article');
  await expect(question).toBeVisible();
  await page.keyboard.press('Control+F6');
  await expect(question.getByRole('button', { name: 'Refuse', exact: true })).toBeFocused();
  await page.keyboard.press('Shift+F6');
  await shellscope.type('echo back\n');
  await shellscope.expectScreen(shell, /echo back\s+back/);
  expect((await expectReached(shellscope, 'a question'))[0]).toBe('questions');
  await page.keyboard.press('Control+Shift+Q');
  await page.keyboard.press('Enter');
  await asked;
});
