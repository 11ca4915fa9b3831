import { BrowserWindow, nativeTheme, session, type Rectangle, type WebContents } from 'electron';
import { TEST_SWITCH } from '../shared/ipc-names.ts';
import type { Logger } from '../shared/logger.ts';
import { APP_ORIGIN } from './app-scheme.ts';

/** Colours of the empty window, so that it does not flash before the page is there. */
const BACKGROUND = { light: '#ffffff', dark: '#101214' } as const;

/** Times that a page which ends by itself is loaded again within the window of time, in milliseconds. */
const MAX_RELOADS = 3;
const CRASH_WINDOW_MS = 60_000;

export interface WindowOptions {
  readonly preload: string;
  /** Passed on to the page, which then offers its read-only bridge for tests. */
  readonly startedForTests: boolean;
  readonly log: Logger;
  /** Where it stands; null: where the system puts it, in the usual size. */
  readonly bounds: Rectangle | null;
  readonly isMaximized: boolean;
  /** It comes up without the keyboard. */
  readonly isBehind?: boolean;
}

/** Refuses every permission: copying goes through our own contract. Call once, when the app is ready. */
export function restrictPermissions(): void {
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, decide) => decide(false));
  session.defaultSession.setPermissionCheckHandler(() => false);
}

/** Opens the window: sandboxed, isolated, and bound to our own page. */
export function openWindow({
  preload,
  startedForTests,
  log,
  bounds,
  isMaximized,
  isBehind = false,
}: WindowOptions): BrowserWindow {
  const window = new BrowserWindow({
    ...(bounds ?? { width: 1_280, height: 800 }),
    minWidth: 480,
    minHeight: 320,
    title: 'Shellscope',
    show: false,
    backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
      additionalArguments: startedForTests ? [TEST_SWITCH] : [],
    },
  });
  // The menu's keys work without its bar, and Alt belongs to the shell.
  window.setMenuBarVisibility(false);
  window.once('ready-to-show', () => {
    if (isMaximized) {
      window.maximize();
    }
    if (isBehind) {
      window.showInactive();
    } else {
      window.show();
    }
  });
  keepAtHome(window.webContents, log);
  reloadAfterCrash(window.webContents, log);
  void window.loadURL(`${APP_ORIGIN}/`);
  return window;
}

/** Sessions live in this process: a new page gets them back from here. One that ends again and again is left alone. */
function reloadAfterCrash(contents: WebContents, log: Logger): void {
  let recentMs: number[] = [];
  contents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') {
      return;
    }
    const now = performance.now();
    recentMs = [...recentMs.filter((atMs) => now - atMs < CRASH_WINDOW_MS), now];
    if (recentMs.length > MAX_RELOADS) {
      log.error('the page keeps ending; choose Reload in the menu to try again. Sessions run on', { reason });
      return;
    }
    log.error('the page ended unexpectedly and is loaded again', { reason });
    contents.reload();
  });
}

/** No navigation away from our page, no new windows, no embedded pages: output is untrusted and may hold links. */
function keepAtHome(contents: WebContents, log: Logger): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  const refuse = (event: { preventDefault(): void }, url: string) => {
    if (!url.startsWith(`${APP_ORIGIN}/`)) {
      log.warn('a navigation was refused', { scheme: url.split(':')[0] ?? '' });
      event.preventDefault();
    }
  };
  contents.on('will-navigate', (event) => refuse(event, event.url));
  contents.on('will-frame-navigate', (event) => refuse(event, event.url));
  contents.on('will-redirect', (event) => refuse(event, event.url));
}
