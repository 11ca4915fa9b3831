import type { Disposable } from '../../shared/disposable.ts';
import type { SessionInfo } from '../../shared/session.ts';
import type { PaneStream } from './pane-stream.ts';

export interface PaneViewOptions {
  readonly keyboard: SessionInfo['keyboard'];
  /** Whether a bell is heard, so that one out of view matters. */
  readonly isBellHeard: () => boolean;
}

/**
 * Whether a pane is in view, and whether its terminal shows what was printed. By that goes what is wanted of the host, and
 * what the program is told of mouse and focus: nothing while the modes that it has chosen may not be known yet.
 */
export class PaneView implements Disposable {
  readonly #options: PaneViewOptions;
  #stream: Pick<PaneStream, 'hold' | 'resume' | 'setReports'> | null = null;
  #keyboard: SessionInfo['keyboard'];
  #isInView = true;
  #isCaughtUp = false;
  #isOver = false;
  #waiting: ((isCaughtUp: boolean) => void)[] = [];

  constructor(options: PaneViewOptions) {
    this.#options = options;
    this.#keyboard = options.keyboard;
  }

  /** What was printed is on the screen, as far as it was told; false from the moment it is in view again. */
  get isCaughtUp(): boolean {
    return this.#isCaughtUp;
  }

  /** Resolves with true as soon as `isCaughtUp`; with false where it goes out of view before that, or no more is to come. */
  whenCaughtUp(): Promise<boolean> {
    if (this.#isCaughtUp || !this.#isInView || this.#isOver) {
      return Promise.resolve(this.#isCaughtUp);
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** No more is to come: the terminal goes, or its output cannot be had. */
  dispose(): void {
    this.#isOver = true;
    this.#endWaits(false);
  }

  /** The stream begins. */
  attached(stream: Pick<PaneStream, 'hold' | 'resume' | 'setReports'>): void {
    this.#stream = stream;
    this.#setReports();
    this.hearsBells();
  }

  setInView(isInView: boolean): void {
    if (isInView === this.#isInView) {
      return;
    }
    this.#isInView = isInView;
    if (isInView) {
      this.#isCaughtUp = false;
      this.#setReports();
      this.#stream?.resume();
    } else {
      this.hearsBells();
      this.#endWaits(false);
    }
  }

  /** Tells what is wanted out of view: nothing, or bells alone. */
  hearsBells(): void {
    if (!this.#isInView) {
      this.#stream?.hold(this.#options.isBellHeard());
    }
  }

  setKeyboard(holder: SessionInfo['keyboard']): void {
    this.#keyboard = holder;
    this.#setReports();
  }

  /** All that was printed is on the screen. Answers false when it is out of view, where more is to come. */
  caughtUp(): boolean {
    this.#isCaughtUp ||= this.#isInView;
    this.#setReports();
    if (this.#isCaughtUp) {
      this.#endWaits(true);
    }
    return this.#isInView;
  }

  #endWaits(isCaughtUp: boolean): void {
    for (const resolve of this.#waiting.splice(0)) {
      resolve(isCaughtUp);
    }
  }

  #setReports(): void {
    this.#stream?.setReports(this.#keyboard === 'person' && this.#isCaughtUp);
  }
}
