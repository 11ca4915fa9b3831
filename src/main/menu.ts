import { Menu, type BrowserWindow, type MenuItemConstructorOptions } from 'electron';
import type { WindowCommand } from '../shared/ipc.ts';

/**
 * The application menu. On Linux and Windows its keys have Ctrl+Shift, since Ctrl belongs to the shell; that also
 * rules out Electron's own accelerators for copy, paste, close and reload. Zoom has the keys of other terminals on
 * Linux; Ctrl+Shift+- is not among them, since it is Ctrl+_, readline's undo.
 */
export function installMenu(window: () => BrowserWindow | null, send: (command: WindowCommand) => void): void {
  const mac = process.platform === 'darwin';
  const key = (letter: string) => (mac ? `Cmd+${letter}` : `Ctrl+Shift+${letter}`);
  const command = (label: string, name: WindowCommand, accelerator: string): MenuItemConstructorOptions => ({
    label,
    accelerator,
    click: () => send(name),
  });
  const template: MenuItemConstructorOptions[] = [
    ...(mac ? [{ role: 'appMenu' } as const] : []),
    {
      label: 'Shell',
      submenu: [
        command('New Shell', 'new-shell', key('T')),
        command('Close Tab', 'close-tab', key('W')),
        { type: 'separator' },
        mac ? { role: 'close', accelerator: 'Cmd+Shift+W' } : { role: 'quit', accelerator: 'Ctrl+Shift+Q' },
      ],
    },
    {
      label: 'Edit',
      submenu: [
        command('Copy', 'copy', key('C')),
        // The page's own paste event: the pane cleans the text before the shell gets it.
        { label: 'Paste', accelerator: key('V'), click: () => window()?.webContents.paste() },
      ],
    },
    {
      label: 'View',
      submenu: [
        command('Next Tab', 'next-tab', mac ? 'Cmd+Shift+]' : 'Ctrl+PageDown'),
        command('Previous Tab', 'previous-tab', mac ? 'Cmd+Shift+[' : 'Ctrl+PageUp'),
        { type: 'separator' },
        { role: 'resetZoom', accelerator: 'CmdOrCtrl+0' },
        { role: 'zoomIn', accelerator: mac ? 'Cmd+Plus' : 'Ctrl+Shift+=' },
        { role: 'zoomOut', accelerator: 'CmdOrCtrl+-' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        { role: 'reload', accelerator: key('R') },
        { role: 'toggleDevTools', accelerator: mac ? 'Alt+Cmd+I' : 'Ctrl+Shift+I' },
      ],
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
