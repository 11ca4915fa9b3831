import type { Shellscope } from './fixtures.ts';

/** What the desktop was asked to draw, with what a click would do. */
interface MenuOnShow {
  readonly labels: readonly string[];
  readonly disabled: readonly string[];
}

/** Stands in for the desktop: a menu is kept, not drawn, and an item of it is clicked as the desktop would. */
export async function keepMenus({ app }: Shellscope): Promise<void> {
  await app.evaluate(({ Menu }) => {
    Menu.prototype.popup = function popup(this: Electron.Menu, options = {}) {
      const kept = globalThis as unknown as { menu: Electron.Menu; closeMenu: () => void };
      kept.menu = this;
      kept.closeMenu = () => options.callback?.();
    };
  });
}

/** The menu on show; null while there is none. */
export const menu = ({ app }: Shellscope): Promise<MenuOnShow | null> =>
  app.evaluate(() => {
    const { menu: shown } = globalThis as unknown as { menu?: Electron.Menu };
    const items = shown?.items.filter(({ type }) => type !== 'separator');
    return items === undefined
      ? null
      : {
          labels: items.map(({ label }) => label),
          disabled: items.filter(({ enabled }) => !enabled).map(({ label }) => label),
        };
  });

/** Clicks an item of the menu on show, which closes first, as on some desktops. */
export const choose = ({ app }: Shellscope, label: string): Promise<void> =>
  app.evaluate((_electron, wanted) => {
    const kept = globalThis as unknown as { menu?: Electron.Menu; closeMenu: () => void };
    const item = kept.menu?.items.find((candidate) => candidate.label === wanted);
    kept.closeMenu();
    delete kept.menu;
    if (item === undefined) {
      throw new Error(`the menu has no ${wanted}`);
    }
    (item as unknown as { click(): void }).click();
  }, label);
