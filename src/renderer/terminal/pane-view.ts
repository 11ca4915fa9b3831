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
  #waiting: (() => void)[] = [];

  constructor(options: PaneViewOptions) {
    this.#options = options;
    this.#keyboard = options.keyboard;
  }

  /** What was printed is on the screen, as far as it was told; false from the moment it is in view again. */
  get isCaughtUp(): boolean {
    return this.#isCaughtUp;
  }

  /** Resolves as soon as `isCaughtUp`, and when the pane goes. */
  async whenCaughtUp(): Promise<void> {
    if (!this.#isCaughtUp) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  dispose(): void {
    this.#endWaits();
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
      this.#endWaits();
    }
    return this.#isInView;
  }

  #endWaits(): void {
    for (const resolve of this.#waiting.splice(0)) {
      resolve();
    }
  }

  #setReports(): void {
    this.#stream?.setReports(this.#keyboard === 'person' && this.#isCaughtUp);
  }
}
