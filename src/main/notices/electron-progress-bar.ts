import { app, BrowserWindow } from 'electron';
import type { Disposable } from '../../shared/disposable.ts';
import type { ProgramProgress } from '../../shared/session.ts';

/** What `setProgressBar` takes for no bar, and for one that has no measure. */
const NO_BAR = -1;
const WITHOUT_MEASURE = 2;

/** A progress on the app's icon in the dock, the taskbar, or the launcher; where the desktop has none of them, nothing. */
export class ElectronProgressBar implements Disposable {
  #progress: ProgramProgress | null = null;
  readonly #onWindow = (_event: unknown, window: BrowserWindow): void => {
    if (this.#progress !== null) {
      showIn(window, this.#progress);
    }
  };

  constructor() {
    app.on('browser-window-created', this.#onWindow);
  }

  show(progress: ProgramProgress | null): void {
    this.#progress = progress;
    for (const window of BrowserWindow.getAllWindows()) {
      showIn(window, progress);
    }
  }

  dispose(): void {
    app.off('browser-window-created', this.#onWindow);
  }
}

function showIn(window: BrowserWindow, progress: ProgramProgress | null): void {
  if (progress === null) {
    window.setProgressBar(NO_BAR);
    return;
  }
  const { kind, percent } = progress;
  const share = percent === null ? WITHOUT_MEASURE : percent / 100;
  window.setProgressBar(share, { mode: percent === null && kind !== 'error' ? 'indeterminate' : kind });
}
