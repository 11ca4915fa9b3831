import type { StoreApi } from 'zustand/vanilla';
import type { WindowApi } from '../../shared/ipc.ts';
import { failureText } from '../host-client.ts';
import type { WindowState } from '../window/window-state.ts';

export interface QuitActsOptions {
  readonly host: WindowApi;
  readonly state: StoreApi<WindowState>;
  /** Tells the person of what failed. */
  readonly notify: (sentence: string) => void;
}

/** The question before the app ends, and the person's answer. */
export class QuitActs {
  readonly #options: QuitActsOptions;

  constructor(options: QuitActsOptions) {
    this.#options = options;
  }

  /** Shows the question when the host has one, also one from before a reload. Answers the unsubscription. */
  follow(): () => void {
    const { host, state } = this.#options;
    let isTold = false;
    const stop = host.onQuitQuestion((quitting) => {
      isTold = true;
      state.setState({ quitting });
    });
    void this.#try(async () => {
      const quitting = await host.quitQuestion();
      if (!isTold) {
        state.setState({ quitting });
      }
    }, 'Whether Shellscope is about to end is not known.');
    return stop;
  }

  /** The question is in the page: the host waits for the answer. */
  shown(): void {
    void this.#try(() => this.#options.host.quitQuestionShown(), 'Shellscope may end without an answer.');
  }

  /** Ends the app and all that runs. */
  async end(): Promise<void> {
    await this.#try(() => this.#options.host.answerQuit('end'), 'Shellscope could not be quit.');
  }

  /** Nothing happens. */
  async keep(): Promise<void> {
    this.#options.state.setState({ quitting: null });
    await this.#try(() => this.#options.host.answerQuit('keep'), 'The answer did not arrive.');
  }

  async #try(act: () => Promise<unknown>, failure: string): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#options.notify(`${failure} ${failureText(error)}`);
    }
  }
}
