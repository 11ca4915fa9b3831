import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brokenRules } from './broken-rules.ts';
import { choose, keepMenus, menu } from './context-menu.ts';
import { expect, test } from './fixtures.ts';

test.beforeEach(async ({ shellscope }) => {
  await keepMenus(shellscope);
});

test('a session is renamed by a double click, F2, its key and its menu, and loses its name by an empty one', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start('job', ['/bin/cat']);
  const tab = shellscope.tabs.first();
  const box = page.getByRole('dialog', { name: /^Rename / });
  const rename = async (name: string) => {
    await expect(box.getByRole('textbox', { name: 'Name' })).toBeFocused();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Backspace');
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
    await expect(box).toHaveCount(0);
  };
  await tab.dblclick();
  expect(await brokenRules(page)).toEqual([]);
  await rename('release 1.4');
  await expect(tab).toHaveAccessibleName(/^release 1\.4, test-agent/);

  await tab.focus();
  await page.keyboard.press('F2');
  await rename('release 1.5');
  await expect(tab).toHaveAccessibleName(/^release 1\.5/);
  await expect(tab).toBeFocused();

  await page.keyboard.press('Control+Shift+Z');
  await page.keyboard.press('Escape');
  await expect(tab).toHaveAccessibleName(/^release 1\.5/);
  await page.keyboard.press('Control+Shift+Z');
  await rename('release 1.6');
  await expect(tab).toHaveAccessibleName(/^release 1\.6/);

  await tab.click({ button: 'right' });
  await expect.poll(() => menu(shellscope)).not.toBeNull();
  await choose(shellscope, 'Rename…');
  await rename('');
  await expect(tab).toHaveAccessibleName(/^cat/);
});

test('tab, row and pane have a menu of what can be done, by the pointer and by the keyboard', async ({
  shellscope,
  agent,
}) => {
  const { page, app } = shellscope;
  await agent.start('one', ['/bin/sh', '-c', 'echo first; exit 3']);
  await agent.closedProcess('one');
  await agent.start('two', ['/bin/sh', '-c', 'echo second; exec cat']);
  const [one, two] = [shellscope.tabs.nth(0), shellscope.tabs.nth(1)];
  await one.click();

  // Of a tab that is not in view, and stays so.
  await two.click({ button: 'right' });
  const ofRunning = [
    'Go to It',
    'Rename…',
    'Copy Command',
    'Copy Folder',
    'Open Full Output',
    'Fit to My Pane',
    'Close…',
  ];
  await expect.poll(() => menu(shellscope)).toEqual({ labels: ofRunning, disabled: [] });
  await choose(shellscope, 'Copy Command');
  await expect
    .poll(() => app.evaluate(({ clipboard }) => clipboard.readText()))
    .toBe('/bin/sh -c "echo second; exec cat"');
  await expect(one).toHaveAttribute('aria-selected', 'true');

  // By the keyboard, on the tab and in the list.
  await one.focus();
  await page.keyboard.press('Shift+F10');
  const ofEnded = ['Go to It', 'Rename…', 'Copy Command', 'Copy Folder', 'Open Full Output', 'Run Again', 'Close'];
  await expect.poll(() => menu(shellscope)).toEqual({ labels: ofEnded, disabled: [] });
  await choose(shellscope, 'Run Again');
  await expect(shellscope.tabs).toHaveCount(3);
  await page.keyboard.press('Control+Shift+L');
  await page.getByRole('tree', { name: 'All sessions' }).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ContextMenu');
  await expect.poll(() => menu(shellscope)).toEqual({ labels: ofRunning, disabled: [] });
  await choose(shellscope, 'Go to It');
  await expect(two).toHaveAttribute('aria-selected', 'true');

  // In the pane it pastes; with nothing selected there is nothing to copy. Shift+F10 is the program's there.
  await app.evaluate(({ clipboard }) => clipboard.writeText('from the clipboard'));
  await page.getByRole('tabpanel').locator('.xterm-screen').click({ button: 'right' });
  await expect.poll(async () => (await menu(shellscope))?.disabled).toEqual(['Copy']);
  await choose(shellscope, 'Paste');
  await shellscope.expectScreen(two, 'from the clipboard');
  await page.keyboard.press('Shift+F10');
  await shellscope.expectScreen(two, '[21;2~');
  expect(await menu(shellscope)).toBeNull();
});

test('files dropped on a pane are typed as paths that a shell reads as they are', async ({
  shellscope,
  stateFolder,
}) => {
  const { page } = shellscope;
  const names = ['plain.txt', 'two words.txt', 'it\'s $(touch x) `y` "z" & ;.txt', 'größe*.txt'];
  const folder = join(stateFolder, 'dropped');
  await mkdir(folder);
  await Promise.all(names.map((name) => writeFile(join(folder, name), '')));
  await writeFile(join(folder, 'two\nlines'), '');
  const tab = await shellscope.openShell();
  const cdp = await page.context().newCDPSession(page);
  const drop = async (files: readonly string[]) => {
    const data = { items: [], files: files.map((name) => join(folder, name)), dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await cdp.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data });
    }
  };
  await shellscope.type("clear; printf '<%s>\\n' ");
  await drop(names);
  await shellscope.expectScreen(tab, /größe\*\.txt'$/);
  await shellscope.type('\n');
  await shellscope.expectScreen(tab, names.map((name) => `<${join(folder, name)}>`).join('\n'));

  await drop(['two\nlines']);
  await expect(page.getByRole('alert').filter({ hasText: 'Nothing was typed' })).toBeVisible();
});
