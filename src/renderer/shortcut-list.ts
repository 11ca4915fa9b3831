/** The window's keys as a person looks them up. Pure. */
import type { WindowApi } from '../shared/ipc.ts';
import { PLACE_KEYS } from '../shared/place-keys.ts';
import { WINDOW_COMMAND_NAMES, WINDOW_COMMANDS } from '../shared/window-commands.ts';
import { keyLabel } from './window/app-keys.ts';

interface ShortcutGroup {
  /** As the menu is called. */
  readonly title: string;
  readonly rows: readonly { readonly label: string; readonly keys: string }[];
}

/** All keys by menu; of a query those whose action or key has it. Groups without any are left out. */
export function shortcutGroups(platform: WindowApi['platform'], query: string): readonly ShortcutGroup[] {
  const menus = [...new Set(WINDOW_COMMAND_NAMES.map((name) => WINDOW_COMMANDS[name].menu))];
  const paste = { label: 'Paste', keys: platform === 'darwin' ? '⌘V' : 'Ctrl+Shift+V' };
  const ofMenus = menus.map((menu) => ({
    title: menu as string,
    rows: [
      ...WINDOW_COMMAND_NAMES.filter((name) => WINDOW_COMMANDS[name].menu === menu).map((name) => ({
        label: WINDOW_COMMANDS[name].label,
        keys: keyLabel(name, platform),
      })),
      ...(menu === 'Edit' ? [paste] : []),
    ],
  }));
  const wanted = query.trim().toLowerCase();
  return [...ofMenus, { title: 'Moving about', rows: PLACE_KEYS }]
    .map(({ title, rows }) => ({
      title,
      rows: rows.filter(({ label, keys }) => `${label}\n${keys}`.toLowerCase().includes(wanted)),
    }))
    .filter(({ rows }) => rows.length > 0);
}
