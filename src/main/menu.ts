import { app, BrowserWindow, Menu } from 'electron';
import type { MenuPossibilities } from '../shared/menu-items.ts';
import { WINDOW_COMMAND_NAMES, type WindowCommand } from '../shared/window-commands.ts';
import type { Handlers } from './ipc-router.ts';
import { FIELD_ACTS, menuTemplate } from './menu-template.ts';

/** Without a window there is one thing to do. */
const WITHOUT_WINDOW: MenuPossibilities = {
  impossible: WINDOW_COMMAND_NAMES.filter((name) => name !== 'new-window'),
  isTextField: false,
};

/** The application menu: it acts in the window that has the keyboard, and what cannot be done there is disabled. */
export class AppMenu {
  readonly #menu: Menu;
  /** By the id of the page. */
  readonly #possibilities = new Map<number, MenuPossibilities>();

  /** Installs it. `openWindow` opens one when there is none. */
  constructor(openWindow: () => void) {
    const focused = (): BrowserWindow | null => BrowserWindow.getFocusedWindow();
    const command = (name: WindowCommand): void => {
      if (name === 'new-window' && BrowserWindow.getAllWindows().length === 0) {
        openWindow();
      } else {
        focused()?.webContents.send('window/command', name);
      }
    };
    this.#menu = Menu.buildFromTemplate(
      menuTemplate(process.platform, {
        command,
        text: (act) => focused()?.webContents[act](),
        minimize: () => focused()?.minimize(),
        maximize: () => {
          const window = focused();
          if (window?.isMaximized() === true) {
            window.unmaximize();
          } else {
            window?.maximize();
          }
        },
        quit: () => app.quit(),
      }),
    );
    Menu.setApplicationMenu(this.#menu);
    app.on('browser-window-focus', (_event, window) => this.#apply(this.#possibilities.get(window.webContents.id)));
    app.on('browser-window-created', (_event, window) => {
      const { id } = window.webContents;
      window.on('closed', () => {
        this.#possibilities.delete(id);
        if (BrowserWindow.getAllWindows().length === 0) {
          this.#apply(WITHOUT_WINDOW);
        }
      });
    });
  }

  /** What pages tell of it. */
  requests(): Pick<Handlers, 'menu/possible'> {
    return {
      'menu/possible': async (sender, possibilities) => {
        this.#possibilities.set(sender.id, possibilities);
        if (BrowserWindow.getFocusedWindow()?.webContents.id === sender.id) {
          this.#apply(possibilities);
        }
        return null;
      },
    };
  }

  /** Of a page that has told nothing yet everything is possible. */
  #apply({ impossible, isTextField }: MenuPossibilities = { impossible: [], isTextField: true }): void {
    const disabled = new Set<string>([...impossible, ...(isTextField ? [] : FIELD_ACTS)]);
    for (const id of [...WINDOW_COMMAND_NAMES, ...FIELD_ACTS]) {
      const item = this.#menu.getMenuItemById(id);
      if (item !== null && item.enabled === disabled.has(id)) {
        item.enabled = !disabled.has(id);
      }
    }
  }
}
