import type { MenuItemConstructorOptions } from 'electron';
import {
  commandKey,
  WINDOW_COMMAND_NAMES,
  WINDOW_COMMANDS,
  type CommandMenu,
  type WindowCommand,
} from '../shared/window-commands.ts';

/** What a page does by itself with the text that has the keyboard; a terminal's is not among it, but for the paste. */
export type TextAct = 'undo' | 'redo' | 'cut' | 'paste';

/** Of those what only a text field can do: a terminal has nothing to cut, and its programs undo by keys of their own. */
export const FIELD_ACTS = ['undo', 'redo', 'cut'] as const satisfies readonly TextAct[];

/** What the menu's items do. */
export interface MenuActs {
  readonly command: (name: WindowCommand) => void;
  readonly text: (act: TextAct) => void;
  readonly minimize: () => void;
  /** As large as the screen, or as large as before. */
  readonly maximize: () => void;
  readonly quit: () => void;
}

const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' };

/**
 * The application menu. On Linux and Windows its keys have Ctrl+Shift, since Ctrl belongs to the shell; that also
 * rules out the accelerators of Electron's roles for undo, cut, copy, paste, close, minimize and reload: there such items
 * have acts, and no keys. Zoom is a setting, and no role: it is kept, and the same in all windows. Its keys are those of
 * other terminals on Linux; Ctrl+Shift+- is not among them, since it is Ctrl+_, readline's undo. On macOS the roles bring
 * the keys to the page's text fields; copy and select all are commands there, too, since a terminal draws its own selection.
 *
 * An item that can be impossible has an id: its command's name, or its act of `FIELD_ACTS`.
 */
export function menuTemplate(platform: NodeJS.Platform, acts: MenuActs): MenuItemConstructorOptions[] {
  const mac = platform === 'darwin';
  const commandItem = (name: WindowCommand): MenuItemConstructorOptions => ({
    id: name,
    label: WINDOW_COMMANDS[name].label,
    accelerator: commandKey(name, mac ? 'darwin' : 'linux'),
    click: () => acts.command(name),
  });
  const commandsOf = (menu: CommandMenu): MenuItemConstructorOptions[] =>
    WINDOW_COMMAND_NAMES.filter((name) => WINDOW_COMMANDS[name].menu === menu && !(mac && name === 'settings')).map(
      commandItem,
    );
  const textItem = (act: TextAct, label: string): MenuItemConstructorOptions =>
    mac ? { id: act, role: act } : { id: act, label, click: () => acts.text(act) };
  return [
    ...(mac ? [{ label: 'Shellscope', submenu: macAppMenu(commandItem('settings')) }] : []),
    {
      label: 'Shell',
      submenu: [
        ...commandsOf('Shell'),
        SEPARATOR,
        // Without a key: the usual one belongs to the shell, and what it would end is more than a slip should.
        mac ? { role: 'close', accelerator: 'Cmd+Shift+W' } : { label: 'Quit', click: acts.quit },
      ],
    },
    {
      label: 'Edit',
      submenu: [
        textItem('undo', 'Undo'),
        textItem('redo', 'Redo'),
        SEPARATOR,
        textItem('cut', 'Cut'),
        commandItem('copy'),
        // The page's own paste event: the pane cleans the text before the shell gets it.
        { ...textItem('paste', 'Paste'), ...(mac ? {} : { accelerator: 'Ctrl+Shift+V' }) },
        commandItem('select-all'),
        SEPARATOR,
        commandItem('find'),
      ],
    },
    { label: 'Session', submenu: commandsOf('Session') },
    { label: 'Panes', submenu: commandsOf('Panes') },
    {
      label: 'View',
      submenu: [
        ...commandsOf('View'),
        SEPARATOR,
        { role: 'togglefullscreen' },
        { role: 'reload', accelerator: mac ? 'Cmd+R' : 'Ctrl+Shift+R' },
        { role: 'toggleDevTools', accelerator: mac ? 'Alt+Cmd+I' : 'Ctrl+Shift+I' },
      ],
    },
    mac
      ? { role: 'window', submenu: [{ role: 'minimize' }, { role: 'zoom' }, SEPARATOR, { role: 'front' }] }
      : {
          label: 'Window',
          submenu: [
            { label: 'Minimize', click: acts.minimize },
            { label: 'Maximize', click: acts.maximize },
          ],
        },
    {
      role: 'help',
      label: 'Help',
      submenu: [...commandsOf('Help'), ...(mac ? [] : [SEPARATOR, { role: 'about' as const }])],
    },
  ];
}

/** On macOS the settings stand in the app's own menu. */
function macAppMenu(settings: MenuItemConstructorOptions): MenuItemConstructorOptions[] {
  return [
    { role: 'about' },
    SEPARATOR,
    { ...settings, label: 'Settings…' },
    SEPARATOR,
    { role: 'services' },
    SEPARATOR,
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    SEPARATOR,
    { role: 'quit' },
  ];
}
