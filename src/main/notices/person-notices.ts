import { app, BrowserWindow } from 'electron';
import type { Engine } from '../../engine/engine.ts';
import type { ShownQuestion } from '../../shared/approval.ts';
import type { Disposable } from '../../shared/disposable.ts';
import type { SessionId } from '../../shared/session.ts';
import { AppBadge } from './app-badge.ts';
import { AppProgress } from './app-progress.ts';
import { electronNotifier } from './electron-notifier.ts';
import { ElectronProgressBar } from './electron-progress-bar.ts';
import { PersonWants, type Patience } from './person-wants.ts';
import { recordedNotifier } from './recorded-notifier.ts';
import { SystemNotices } from './system-notices.ts';

/** A person who sees a prompt needs some seconds to answer it; an agent that can go on by itself does so within a minute. */
const PATIENCE: Patience = { passwordMs: 10_000, lineMs: 60_000, failedAfterMs: 10_000 };

/** So that no test waits as long as a person would. */
const PATIENCE_OF_TESTS: Patience = { passwordMs: 300, lineMs: 600, failedAfterMs: 50 };

export interface PersonNoticesOptions {
  readonly engine: Engine;
  readonly startedForTests: boolean;
  /** Does the person want notifications of the system? */
  readonly isOn: () => boolean;
  /** Brings the window to the person, with that session in view; null: with the keyboard at the first question. */
  readonly bringWindow: (session: SessionId | null) => void;
}

/** Tells the person outside of the window what waits for her, and what she waits for: by notifications and on the app's icon. */
export class PersonNotices implements Disposable {
  readonly #badge = new AppBadge();
  readonly #progressBar = new ElectronProgressBar();
  readonly #progress = new AppProgress({ show: (progress) => this.#progressBar.show(progress) });
  readonly #notices: SystemNotices;
  readonly #wants: PersonWants;
  readonly #stop: () => void;
  readonly #onFocus = (): void => this.#notices.windowFocused();

  constructor({ engine, startedForTests, isOn, bringWindow }: PersonNoticesOptions) {
    this.#notices = new SystemNotices({
      notifier: startedForTests ? recordedNotifier() : electronNotifier,
      isFocused: () => BrowserWindow.getFocusedWindow() !== null,
      isOn,
      onClick: bringWindow,
    });
    this.#wants = new PersonWants({
      patience: startedForTests ? PATIENCE_OF_TESTS : PATIENCE,
      onChange: (all) => {
        this.#badge.show(all.reduce((sum, { wants }) => sum + wants.length, 0));
        this.#notices.update(all);
      },
      onFailed: (session, failure) => this.#notices.failed(session, failure),
    });
    this.#stop = engine.onEvent((event) => {
      if (event.type === 'changed') {
        this.#wants.sessionChanged(event.session);
        this.#progress.sessionChanged(event.session);
      } else {
        this.#wants.sessionRemoved(event.id);
        this.#progress.sessionRemoved(event.id);
      }
    });
    app.on('browser-window-focus', this.#onFocus);
  }

  /** All questions that wait now. */
  questionsChanged(questions: readonly ShownQuestion[]): void {
    this.#wants.questionsChanged(questions);
  }

  dispose(): void {
    this.#stop();
    app.off('browser-window-focus', this.#onFocus);
    this.#wants.dispose();
    this.#notices.dispose();
    this.#badge.dispose();
    this.#progressBar.dispose();
  }
}
