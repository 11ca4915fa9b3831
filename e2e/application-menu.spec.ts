import { WINDOW_COMMAND_NAMES, WINDOW_COMMANDS } from '../src/shared/window-commands.ts';
import { expect, test, type Shellscope } from './fixtures.ts';

interface MenuEntry {
  readonly menu: string;
  readonly label: string;
  readonly key: string | null;
  readonly role: string | null;
  readonly enabled: boolean;
}

const entries = (shellscope: Shellscope): Promise<readonly MenuEntry[]> =>
  shellscope.inApp(
    ({ Menu }) =>
      (Menu.getApplicationMenu()?.items ?? []).flatMap(({ label: menu, submenu }) =>
        (submenu?.items ?? [])
          .filter(({ type }) => type !== 'separator')
          .map(({ label, accelerator, role, enabled }) => ({
            menu,
            label,
            key: accelerator ?? null,
            role: role ?? null,
            enabled,
          })),
      ),
    null,
  );

/** Clicks an item as the desktop would. */
const choose = (shellscope: Shellscope, menu: string, label: string): Promise<void> =>
  shellscope.app.evaluate(
    ({ Menu }, wanted) => {
      const submenu = Menu.getApplicationMenu()?.items.find((item) => item.label === wanted.menu)?.submenu;
      const item = submenu?.items.find((candidate) => candidate.label === wanted.label);
      (item as unknown as { click(): void }).click();
    },
    { menu, label },
  );

test('every command stands in its menu with its key, beside the platform’s own items, and none takes Ctrl from the shell', async ({
  shellscope,
}) => {
  test.skip(process.platform === 'darwin', 'on macOS the menus differ: settings and quit stand in the app’s own');
  const all = await entries(shellscope);
  for (const name of WINDOW_COMMAND_NAMES) {
    const { label, menu, key } = WINDOW_COMMANDS[name];
    expect(
      all.filter((entry) => entry.label === label),
      name,
    ).toMatchObject([{ menu, label, key, role: null }]);
  }
  const commands = new Set<string>(WINDOW_COMMAND_NAMES.map((name) => WINDOW_COMMANDS[name].label));
  const others = all.filter(({ label }) => !commands.has(label));
  expect(others.map(({ menu, role, key }) => [menu, role?.toLowerCase() ?? null, key])).toEqual([
    ['Shell', null, null],
    ['Edit', null, null],
    ['Edit', null, null],
    ['Edit', null, null],
    ['Edit', null, 'Ctrl+Shift+V'],
    ['View', 'togglefullscreen', null],
    ['View', 'reload', 'Ctrl+Shift+R'],
    ['View', 'toggledevtools', 'Ctrl+Shift+I'],
    ['Window', null, null],
    ['Window', null, null],
    ['Help', 'about', null],
  ]);
  expect(all.filter(({ key }) => key !== null && /^Ctrl\+[A-Z]$/.test(key))).toEqual([]);
  const keys = all.flatMap(({ key }) => (key === null ? [] : [key]));
  expect(keys).toHaveLength(new Set(keys).size);
});

test('what is chosen in a menu is done in the window, to the session in view', async ({ shellscope }) => {
  const { page } = shellscope;
  await choose(shellscope, 'Shell', 'New Shell');
  const tab = shellscope.tabs.first();
  await shellscope.expectScreen(tab, '$');
  await choose(shellscope, 'Panes', 'Split Right');
  await expect(page.getByRole('tablist')).toHaveCount(2);
  await choose(shellscope, 'View', 'Command Palette');
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible();
  await page.keyboard.press('Escape');
  await shellscope.inApp(({ clipboard }) => clipboard.writeText('echo pas""ted'), null);
  await choose(shellscope, 'Edit', 'Paste');
  await shellscope.type('\n');
  await shellscope.expectScreen(shellscope.tabs.nth(1), /\npasted\n/);
  await choose(shellscope, 'Shell', 'Close Tab');
  await page.getByRole('button', { name: 'End and close' }).click();
  await expect(page.getByRole('tablist')).toHaveCount(1);
});

test('the menu undoes, cuts and selects in a text field; in a terminal it selects, and what cannot be done is disabled', async ({
  shellscope,
}) => {
  const { page } = shellscope;
  const disabled = async (): Promise<readonly string[]> =>
    (await entries(shellscope)).filter(({ enabled }) => !enabled).map(({ label }) => label);
  await expect.poll(disabled).toEqual(expect.arrayContaining(['Close Tab', 'Copy', 'Split Right', 'Undo', 'Cut']));
  expect(await disabled()).not.toContain('New Shell');

  const tab = await shellscope.openShell();
  await shellscope.type('echo once\n');
  await shellscope.expectScreen(tab, /\nonce\n/);
  await expect.poll(disabled).not.toContain('Close Tab');
  expect(await disabled()).toEqual(expect.arrayContaining(['Run Again', 'Undo', 'Redo', 'Cut']));
  await choose(shellscope, 'Edit', 'Select All');
  await choose(shellscope, 'Edit', 'Copy');
  await expect
    .poll(() => shellscope.inApp(({ clipboard }) => clipboard.readText(), null))
    .toMatch(/echo once\n(.*\n)?once\n/);

  await page.keyboard.press('Control+Shift+G');
  const field = page.getByRole('searchbox');
  await field.pressSequentially('words');
  await expect.poll(disabled).not.toContain('Undo');
  await choose(shellscope, 'Edit', 'Select All');
  // The command and the page's own cut come to it by two roads.
  await expect
    .poll(() => field.evaluate((box: HTMLInputElement) => [box.selectionStart, box.selectionEnd]))
    .toEqual([0, 'words'.length]);
  await choose(shellscope, 'Edit', 'Cut');
  await expect(field).toHaveValue('');
  await choose(shellscope, 'Edit', 'Undo');
  await expect(field).toHaveValue('words');
  await choose(shellscope, 'Edit', 'Redo');
  await expect(field).toHaveValue('');
});
