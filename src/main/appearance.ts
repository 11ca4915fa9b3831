import { app, nativeTheme, type BrowserWindow } from 'electron';
import type { WindowSettings } from '../shared/settings-schema.ts';

/** What Chromium and the desktop's own parts (menus, scroll bars, dialogs) follow. */
const THEME_SOURCES = {
  system: 'system',
  light: 'light',
  dark: 'dark',
  'high-contrast': 'dark',
  'high-contrast-light': 'light',
} as const;

/** Applies to all windows what is not the page's own to do. */
export function applyAppearance(
  { theme, zoom }: WindowSettings['appearance'],
  windows: readonly BrowserWindow[],
): void {
  nativeTheme.themeSource = THEME_SOURCES[theme];
  for (const { webContents } of windows) {
    webContents.setZoomFactor(zoom / 100);
  }
}

/** A page that is loaded, the first time or again, begins with the zoom that is set. */
export function zoomNewWindows(zoomPercent: () => number): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('did-finish-load', () => contents.setZoomFactor(zoomPercent() / 100));
  });
}
