import { app, BrowserWindow } from 'electron';
import type { Disposable } from '../../shared/disposable.ts';

/** What the windows are called when nothing waits. */
const TITLE = 'Shellscope';

/**
 * How much waits for a person, on the app's icon where the desktop shows a number there, else before the title of each
 * window, where its list of windows has it.
 */
export class AppBadge implements Disposable {
  #title = TITLE;
  readonly #onWindow = (_event: unknown, window: BrowserWindow): void => {
    // The page's own title would come over ours with each load.
    window.on('page-title-updated', (event) => event.preventDefault());
    window.setTitle(this.#title);
  };

  constructor() {
    app.on('browser-window-created', this.#onWindow);
    for (const window of BrowserWindow.getAllWindows()) {
      this.#onWindow(null, window);
    }
  }

  show(count: number): void {
    const isOnIcon = app.setBadgeCount(count);
    this.#title = isOnIcon || count === 0 ? TITLE : `(${count}) ${TITLE}`;
    for (const window of BrowserWindow.getAllWindows()) {
      window.setTitle(this.#title);
    }
  }

  dispose(): void {
    app.off('browser-window-created', this.#onWindow);
  }
}
