import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, it, vi } from 'vitest';
import { WINDOW_COMMAND_NAMES, WINDOW_COMMANDS } from '../shared/window-commands.ts';
import { FIELD_ACTS, menuTemplate, type MenuActs } from './menu-template.ts';

/** Electron's own keys of the roles that bring one on macOS, as its documentation tells them. */
const ROLE_KEYS: Readonly<Record<string, string>> = {
  undo: 'Cmd+Z',
  redo: 'Cmd+Shift+Z',
  cut: 'Cmd+X',
  paste: 'Cmd+V',
  hide: 'Cmd+H',
  hideOthers: 'Cmd+Alt+H',
  quit: 'Cmd+Q',
  minimize: 'Cmd+M',
  togglefullscreen: 'Cmd+Ctrl+F',
};

function fakeActs() {
  return {
    command: vi.fn<MenuActs['command']>(),
    text: vi.fn<MenuActs['text']>(),
    minimize: vi.fn<MenuActs['minimize']>(),
    maximize: vi.fn<MenuActs['maximize']>(),
    quit: vi.fn<MenuActs['quit']>(),
  };
}

const itemsOf = ({ submenu }: MenuItemConstructorOptions): MenuItemConstructorOptions[] =>
  Array.isArray(submenu) ? submenu : [];
const nameOf = ({ label, role, type }: MenuItemConstructorOptions): string =>
  type === 'separator' ? '-' : (label ?? role ?? '');

/** The names of a menu's items. */
function itemNames(platform: NodeJS.Platform, menu: string): string[] {
  const found = menuTemplate(platform, fakeActs()).find((one) => nameOf(one) === menu);
  return found === undefined ? [] : itemsOf(found).map(nameOf);
}

function click(platform: NodeJS.Platform, acts: MenuActs, label: string): void {
  const item = menuTemplate(platform, acts)
    .flatMap(itemsOf)
    .find((one) => one.label === label);
  (item?.click as (() => void) | undefined)?.();
}

describe('the application menu', () => {
  it('has what a Mac app has: its own menu, roles for text and windows, and a menu for help', () => {
    expect(menuTemplate('darwin', fakeActs()).map(nameOf)).toEqual([
      'Shellscope',
      'Shell',
      'Edit',
      'Session',
      'Panes',
      'View',
      'window',
      'Help',
    ]);
    expect(itemNames('darwin', 'Shellscope')).toEqual([
      'about',
      '-',
      'Settings…',
      '-',
      'services',
      '-',
      'hide',
      'hideOthers',
      'unhide',
      '-',
      'quit',
    ]);
    expect(itemNames('darwin', 'Edit')).toEqual([
      'undo',
      'redo',
      '-',
      'cut',
      'Copy',
      'paste',
      'Select All',
      '-',
      'Find in This Pane',
    ]);
    expect(itemNames('darwin', 'window')).toEqual(['minimize', 'zoom', '-', 'front']);
    expect(itemNames('darwin', 'Help')).toEqual(['Keyboard Shortcuts']);
  });

  it.each(['linux', 'win32'] as const)('has the same on %s without any key that belongs to the shell', (platform) => {
    const template = menuTemplate(platform, fakeActs());
    expect(template.map(nameOf)).toEqual(['Shell', 'Edit', 'Session', 'Panes', 'View', 'Window', 'Help']);
    expect(itemNames(platform, 'Edit')).toEqual([
      'Undo',
      'Redo',
      '-',
      'Cut',
      'Copy',
      'Paste',
      'Select All',
      '-',
      'Find in This Pane',
    ]);
    expect(itemNames(platform, 'Window')).toEqual(['Minimize', 'Maximize']);
    expect(itemNames(platform, 'Help')).toEqual(['Keyboard Shortcuts', '-', 'about']);
    const items = template.flatMap(itemsOf);
    // A role brings its key along: those that have one with Ctrl alone are not used here.
    expect(items.flatMap(({ role }) => role ?? [])).toEqual(['togglefullscreen', 'reload', 'toggleDevTools', 'about']);
    const keys = items.flatMap(({ accelerator }) => accelerator ?? []);
    expect(keys.filter((key) => /^Ctrl\+[A-Z]$/.test(key))).toEqual([]);
    expect(keys).toHaveLength(new Set(keys).size);
  });

  it('gives each key to one item on macOS, with those that roles bring along', () => {
    const keys = menuTemplate('darwin', fakeActs())
      .flatMap(itemsOf)
      .flatMap(({ accelerator, role }) => accelerator ?? ROLE_KEYS[role ?? ''] ?? []);
    expect(keys).toHaveLength(new Set(keys).size);
    expect(keys).toEqual(expect.arrayContaining(['Cmd+C', 'Cmd+V', 'Cmd+X', 'Cmd+Z', 'Cmd+A']));
  });

  it.each(['darwin', 'linux', 'win32'] as const)(
    'can find every command on %s by its name, to disable it',
    (platform) => {
      const ids = menuTemplate(platform, fakeActs())
        .flatMap(itemsOf)
        .flatMap(({ id }) => id ?? []);
      expect(ids.toSorted()).toEqual([...WINDOW_COMMAND_NAMES, ...FIELD_ACTS, 'paste'].toSorted());
    },
  );

  it('does what its items say', () => {
    const acts = fakeActs();
    click('linux', acts, WINDOW_COMMANDS['split-right'].label);
    click('linux', acts, 'Undo');
    click('linux', acts, 'Cut');
    click('linux', acts, 'Paste');
    click('linux', acts, 'Minimize');
    click('linux', acts, 'Maximize');
    click('linux', acts, 'Quit');
    expect(acts.command.mock.calls).toEqual([['split-right']]);
    expect(acts.text.mock.calls).toEqual([['undo'], ['cut'], ['paste']]);
    expect([acts.minimize, acts.maximize, acts.quit].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1]);
  });
});
