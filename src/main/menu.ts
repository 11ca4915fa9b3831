import { app, Menu, type BrowserWindow, type MenuItemConstructorOptions } from 'electron';
import {
  commandKey,
  WINDOW_COMMAND_NAMES,
  WINDOW_COMMANDS,
  type CommandMenu,
  type WindowCommand,
} from '../shared/window-commands.ts';

/**
 * The application menu. On Linux and Windows its keys have Ctrl+Shift, since Ctrl belongs to the shell; that also
 * rules out Electron's own accelerators for copy, paste, close and reload. Zoom is a setting, and no role: it is kept, and
 * the same in all windows. Its keys are those of other terminals on Linux; Ctrl+Shift+- is not among them, since it is
 * Ctrl+_, readline's undo.
 */
export function installMenu(window: () => BrowserWindow | null, send: (command: WindowCommand) => void): void {
  const mac = process.platform === 'darwin';
  const platform = mac ? 'darwin' : 'linux';
  const key = (letter: string) => (mac ? `Cmd+${letter}` : `Ctrl+Shift+${letter}`);
  const commandItem = (name: WindowCommand): MenuItemConstructorOptions => ({
    label: WINDOW_COMMANDS[name].label,
    accelerator: commandKey(name, platform),
    click: () => send(name),
  });
  // On macOS the settings stand in the app's own menu.
  const appMenu: MenuItemConstructorOptions[] = [
    { role: 'about' },
    { type: 'separator' },
    { ...commandItem('settings'), label: 'Settings…' },
    { type: 'separator' },
    { role: 'services' },
    { type: 'separator' },
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    { type: 'separator' },
    { role: 'quit' },
  ];
  const commandsOf = (menu: CommandMenu): MenuItemConstructorOptions[] =>
    WINDOW_COMMAND_NAMES.filter((name) => WINDOW_COMMANDS[name].menu === menu && !(mac && name === 'settings')).map(
      commandItem,
    );
  const template: MenuItemConstructorOptions[] = [
    ...(mac ? [{ label: 'Shellscope', submenu: appMenu }] : []),
    {
      label: 'Shell',
      submenu: [
        ...commandsOf('Shell'),
        { type: 'separator' },
        // Without a key: the usual one belongs to the shell, and what it would end is more than a slip should.
        mac ? { role: 'close', accelerator: 'Cmd+Shift+W' } : { label: 'Quit', click: () => app.quit() },
      ],
    },
    {
      label: 'Edit',
      submenu: [
        ...commandsOf('Edit'),
        // The page's own paste event: the pane cleans the text before the shell gets it.
        { label: 'Paste', accelerator: key('V'), click: () => window()?.webContents.paste() },
      ],
    },
    { label: 'Session', submenu: commandsOf('Session') },
    { label: 'Panes', submenu: commandsOf('Panes') },
    {
      label: 'View',
      submenu: [
        ...commandsOf('View'),
        { type: 'separator' },
        { role: 'togglefullscreen' },
        { role: 'reload', accelerator: key('R') },
        { role: 'toggleDevTools', accelerator: mac ? 'Alt+Cmd+I' : 'Ctrl+Shift+I' },
      ],
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
