import { WINDOW_COMMAND_NAMES, WINDOW_COMMANDS } from '../src/shared/window-commands.ts';
import { expect, test, type Shellscope } from './fixtures.ts';

interface MenuEntry {
  readonly menu: string;
  readonly label: string;
  readonly key: string | null;
  readonly role: string | null;
}

const entries = (shellscope: Shellscope): Promise<readonly MenuEntry[]> =>
  shellscope.inApp(
    ({ Menu }) =>
      (Menu.getApplicationMenu()?.items ?? []).flatMap(({ label: menu, submenu }) =>
        (submenu?.items ?? [])
          .filter(({ type }) => type !== 'separator')
          .map(({ label, accelerator, role }) => ({ menu, label, key: accelerator ?? null, role: role ?? null })),
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
    ).toEqual([{ menu, label, key, role: null }]);
  }
  const commands = new Set<string>(WINDOW_COMMAND_NAMES.map((name) => WINDOW_COMMANDS[name].label));
  const others = all.filter(({ label }) => !commands.has(label));
  expect(others.map(({ menu, role, key }) => [menu, role?.toLowerCase() ?? null, key])).toEqual([
    ['Shell', null, null],
    ['Edit', null, 'Ctrl+Shift+V'],
    ['View', 'togglefullscreen', null],
    ['View', 'reload', 'Ctrl+Shift+R'],
    ['View', 'toggledevtools', 'Ctrl+Shift+I'],
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
