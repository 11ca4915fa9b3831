import { app, BrowserWindow, powerMonitor } from 'electron';
import type { QuitQuestion, WindowEvents } from '../shared/ipc.ts';
import type { Logger } from '../shared/logger.ts';
import type { AppWindows } from './app-windows.ts';
import type { EngineHost } from './engine-host.ts';
import type { Handlers } from './ipc-router.ts';
import { quitLosses, type QuitLosses } from './quit-losses.ts';

/** A page that has not shown the question after this time does not keep the app from ending, in milliseconds. */
const SHOW_WITHIN_MS = 2_000;

/** The same for a page that is being loaded. */
const LOAD_WITHIN_MS = 10_000;

/** The system ends the session within this time or not at all, in milliseconds. */
const SYSTEM_END_MS = 60_000;

export interface QuitGuardOptions {
  readonly host: Pick<EngineHost, 'engine' | 'shellPath'>;
  readonly windows: AppWindows;
  readonly log: Logger;
  /** False: the app ends without a question. */
  readonly asks: boolean;
}

interface Asked {
  readonly window: BrowserWindow;
  readonly question: QuitQuestion;
  /** Ends the app unless the page shows the question before. */
  readonly deadline: NodeJS.Timeout;
}

/**
 * Holds the end of the app, by its menu, its key or its last window, while something runs, and has the window in use ask
 * the person. Neither a signal, nor the end of the system's session, nor a page that does not answer waits for her.
 */
export class QuitGuard {
  readonly #options: QuitGuardOptions;
  #passes: boolean;
  #isLooking = false;
  #asked: Asked | null = null;

  constructor(options: QuitGuardOptions) {
    this.#options = options;
    this.#passes = !options.asks;
    // Before the others, which see by the event whether the app ends.
    app.prependListener('before-quit', (event: Electron.Event) => {
      if (this.#holds()) {
        event.preventDefault();
      }
    });
    // On macOS the app goes on without a window.
    options.windows.holdLast(() => process.platform !== 'darwin' && this.#holds());
    powerMonitor.on('shutdown', () => this.#systemEnds());
    BrowserWindow.getAllWindows().forEach((window) => this.#follow(window));
    app.on('browser-window-created', (_event, window) => this.#follow(window));
  }

  /** Ends the app without a question, also while one is shown. */
  quitUnasked(): void {
    this.#passes = true;
    this.#withdraw();
    app.quit();
  }

  /** What pages ask and tell about the question. */
  requests(): Pick<Handlers, 'quit/read' | 'quit/shown' | 'quit/answer'> {
    const askedOf = (id: number): Asked | null =>
      this.#asked !== null && !this.#asked.window.isDestroyed() && this.#asked.window.webContents.id === id
        ? this.#asked
        : null;
    return {
      'quit/read': async (sender) => askedOf(sender.id)?.question ?? null,
      'quit/shown': async (sender) => {
        clearTimeout(askedOf(sender.id)?.deadline);
        return null;
      },
      'quit/answer': async (sender, answer) => {
        if (askedOf(sender.id) === null) {
          return null;
        }
        if (answer === 'end') {
          // Not before this request is answered: its page goes with the app.
          setImmediate(() => this.quitUnasked());
        } else {
          this.#withdraw();
        }
        return null;
      },
    };
  }

  #follow(window: BrowserWindow): void {
    window.on('query-session-end', () => this.#systemEnds());
    window.on('session-end', () => this.#systemEnds());
    window.on('closed', () => {
      if (this.#asked?.window === window) {
        this.#withdraw();
      }
    });
  }

  /** Answers at once; the look at what runs takes longer, and the app is told to quit again when nothing does. */
  #holds(): boolean {
    if (this.#passes) {
      return false;
    }
    if (!this.#isLooking) {
      this.#isLooking = true;
      void this.#consider().finally(() => {
        this.#isLooking = false;
      });
    }
    return true;
  }

  async #consider(): Promise<void> {
    const losses = await this.#look();
    if (this.#passes) {
      return;
    }
    if (losses?.lost.length === 0) {
      this.quitUnasked();
    } else {
      this.#ask({ idle: losses?.idle ?? [] });
    }
  }

  /** Null when it cannot be told what runs. */
  async #look(): Promise<QuitLosses | null> {
    const { host, log } = this.#options;
    try {
      const usage = await host.engine.usage();
      return quitLosses(await host.engine.list(), usage, host.shellPath);
    } catch (error) {
      log.error('what runs could not be looked at, so that all of it is asked about', { why: String(error) });
      return null;
    }
  }

  /** Also when it is asked already: a page that hangs since does not keep the app from ending. */
  #ask(question: QuitQuestion): void {
    const { windows, log } = this.#options;
    const window = windows.bring(null);
    if (window === null) {
      return;
    }
    const { webContents } = window;
    if (window !== this.#asked?.window) {
      this.#withdraw();
    }
    clearTimeout(this.#asked?.deadline);
    if (webContents.isCrashed()) {
      log.warn('the app ends without a question, since its page has ended');
      this.quitUnasked();
      return;
    }
    const deadline = setTimeout(
      () => {
        log.warn('the app ends without a question, since its page does not show one');
        this.quitUnasked();
      },
      webContents.isLoading() ? LOAD_WITHIN_MS : SHOW_WITHIN_MS,
    );
    this.#asked = { window, question, deadline };
    tell(window, question);
  }

  #withdraw(): void {
    const asked = this.#asked;
    this.#asked = null;
    if (asked !== null) {
      clearTimeout(asked.deadline);
      tell(asked.window, null);
    }
  }

  /** It may still be called off, by another program. */
  #systemEnds(): void {
    if (this.#passes) {
      return;
    }
    this.#passes = true;
    this.#withdraw();
    setTimeout(() => {
      this.#passes = false;
    }, SYSTEM_END_MS).unref();
  }
}

function tell(window: BrowserWindow, question: WindowEvents['quit/question']): void {
  if (!window.isDestroyed()) {
    window.webContents.send('quit/question' satisfies keyof WindowEvents, question);
  }
}
