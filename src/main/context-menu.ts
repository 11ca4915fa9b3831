import { BrowserWindow, Menu, type MenuItemConstructorOptions, type WebContents } from 'electron';
import type { MenuItem, MenuItems, MenuPlace } from '../shared/menu-items.ts';
import type { Handlers } from './ipc-router.ts';

/** Time after a menu has closed in which its click may still come, in milliseconds: which comes first is the desktop's. */
const CLICK_AFTER_CLOSE_MS = 200;

/** What the page asks the desktop to draw. */
export const contextMenuRequests: Pick<Handlers, 'menu/pop-up'> = {
  'menu/pop-up': (sender, items, place) => popUp(sender, items, place),
};

/** Resolves with what was chosen; null when nothing was. Without a place it opens at the pointer. */
function popUp(sender: WebContents, items: MenuItems, place: MenuPlace | null): Promise<string | null> {
  return new Promise((resolve) => {
    const window = BrowserWindow.fromWebContents(sender);
    if (window === null) {
      resolve(null);
      return;
    }
    const choose = (item: Extract<MenuItem, { kind: 'item' }>) => {
      if (item.pastes) {
        sender.paste();
      }
      resolve(item.id);
    };
    const menu = Menu.buildFromTemplate(items.map((item) => template(item, choose)));
    const zoom = sender.getZoomFactor();
    menu.popup({
      window,
      ...(place === null ? {} : { x: Math.round(place.x * zoom), y: Math.round(place.y * zoom) }),
      callback: () => void setTimeout(() => resolve(null), CLICK_AFTER_CLOSE_MS),
    });
  });
}

function template(
  item: MenuItem,
  choose: (item: Extract<MenuItem, { kind: 'item' }>) => void,
): MenuItemConstructorOptions {
  if (item.kind === 'separator') {
    return { type: 'separator' };
  }
  const { id, label, enabled, key } = item;
  const accelerator = key === null ? {} : { accelerator: key, registerAccelerator: false };
  return { id, label, enabled, ...accelerator, click: () => choose(item) };
}
