import type { WindowApi } from '../../shared/ipc.ts';
import type { SessionId } from '../../shared/session.ts';
import { failureText } from '../host-client.ts';

export interface DesktopActsOptions {
  readonly host: WindowApi;
  /** What is selected with the mouse: in the terminal in view, else in the rest of the window. */
  readonly selectedText: () => string;
  /** Tells the person of what failed. */
  readonly notify: (sentence: string) => void;
}

/** What the person does that reaches beyond this window: the clipboard, web pages, other windows. */
export class DesktopActs {
  readonly #options: DesktopActsOptions;

  constructor(options: DesktopActsOptions) {
    this.#options = options;
  }

  /** Puts a text on the clipboard. Answers whether it is there; a failure is told to the person. */
  copy(text: string): Promise<boolean> {
    return this.#try((host) => host.writeClipboard(text), 'Nothing was copied.');
  }

  /**
   * Puts what is selected on the clipboard. Not by the page's copy command, which does nothing where the selection is the
   * terminal's own drawing.
   */
  async copySelection(): Promise<void> {
    const text = this.#options.selectedText();
    if (text !== '') {
      await this.copy(text);
    }
  }

  /** Opens a web page outside. */
  async openLink(url: string): Promise<void> {
    await this.#try((host) => host.openLink(url), `${url} could not be opened.`);
  }

  /** Opens all that is kept of a session's output in the person's program for text. */
  async openOutput(id: SessionId): Promise<void> {
    await this.#try((host) => host.openOutput(id), 'The full output could not be opened.');
  }

  /** One more window, without a tab. */
  async newWindow(): Promise<void> {
    await this.#try((host) => host.newWindow(), 'A new window could not be opened.');
  }

  /** The session's tab goes to a new window, which gets the keyboard. */
  async moveTabToNewWindow(id: SessionId): Promise<void> {
    await this.#try((host) => host.moveTabToNewWindow(id), 'The tab could not be moved.');
  }

  /** Brings the window that has the session's tab to the person. */
  async showElsewhere(id: SessionId): Promise<void> {
    await this.#try((host) => host.showElsewhere(id), 'Its window was not shown.');
  }

  async #try(act: (host: WindowApi) => Promise<unknown>, failure: string): Promise<boolean> {
    try {
      await act(this.#options.host);
      return true;
    } catch (error) {
      this.#options.notify(`${failure} ${failureText(error)}`);
      return false;
    }
  }
}
