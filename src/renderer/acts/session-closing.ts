import type { StoreApi } from 'zustand/vanilla';
import type { WindowApi } from '../../shared/ipc.ts';
import { endsSomething, type SessionId, type SessionInfo } from '../../shared/session.ts';
import { failureText } from '../host-client.ts';
import type { FocusPlace, WindowFocus } from '../window/window-focus.ts';
import type { WindowState } from '../window/window-state.ts';

export interface SessionClosingOptions {
  readonly host: WindowApi;
  readonly state: StoreApi<WindowState>;
  readonly focus: WindowFocus;
  readonly session: (id: SessionId) => SessionInfo | undefined;
  /** Puts a session in view. Answers whether that is in this window. */
  readonly show: (id: SessionId) => boolean;
  /** Tells the person of what failed. */
  readonly notify: (sentence: string) => void;
  /** Something was done about what outlived sessions. */
  readonly survivorsChanged: () => void;
}

/** The end of sessions by an act of the person: what would be lost is asked about first, in the pane it is about. */
export class SessionClosing {
  readonly #options: SessionClosingOptions;
  /** Sessions that the person is closing, and where the keyboard was when she asked. */
  readonly #closing = new Map<SessionId, FocusPlace>();

  constructor(options: SessionClosingOptions) {
    this.#options = options;
  }

  /** Closes an ended session; where something runs that would end with it asks first, in its pane. */
  request(id: SessionId): void {
    const session = this.#options.session(id);
    if (session === undefined || this.#state.asking === id || this.#state.ending.has(id)) {
      return;
    }
    this.#closing.set(id, this.#options.focus.placeOf(id));
    if (!endsSomething(session)) {
      void this.#close(id);
      return;
    }
    if (this.#options.show(id)) {
      this.#options.state.setState({ asking: id });
    } else {
      this.#closing.delete(id);
    }
  }

  /** The answer to the question: nothing happens. */
  keepRunning(): void {
    const { asking } = this.#state;
    if (asking === null) {
      return;
    }
    const place = this.#closing.get(asking);
    this.#closing.delete(asking);
    this.#options.state.setState({ asking: null });
    this.#focusBack(asking, place);
  }

  /** The answer to the question: the child is ended, its output stays. */
  async endAndKeep(id: SessionId): Promise<void> {
    this.#closing.delete(id);
    this.#options.state.setState({ asking: null });
    this.#options.focus.toPane(id);
    await this.#whileEnding(id, () => this.#options.host.terminateSession(id), 'could not be ended');
  }

  /** The answer to the question: the child is ended and the session is forgotten. */
  async endAndClose(id: SessionId): Promise<void> {
    const place = this.#closing.get(id);
    this.#closing.set(id, place === 'tab' ? 'tab' : 'pane');
    this.#options.state.setState({ asking: null });
    this.#focusBack(id, place);
    await this.#close(id);
  }

  /** Ends what outlived a session; its output stays. */
  async stopSurvivors(id: SessionId): Promise<void> {
    await this.#whileEnding(
      id,
      () => this.#options.host.terminateSession(id),
      'left something that could not be ended',
    );
    this.#options.survivorsChanged();
  }

  /** What was closed last is there again, as it ended: the newest in view, with the keyboard. */
  async reopen(): Promise<void> {
    const { host, focus, show, notify } = this.#options;
    try {
      const { sessions, lost } = await host.reopenClosed();
      const last = sessions.at(-1);
      if (last !== undefined && show(last.id)) {
        focus.toPane(last.id);
      }
      if (lost > 0) {
        notify(
          lost === 1
            ? 'A closed tab cannot be opened again: what was printed there is no longer kept.'
            : `${lost} closed tabs cannot be opened again: what was printed there is no longer kept.`,
        );
      } else if (last === undefined) {
        notify('No tab was closed that could be opened again.');
      }
    } catch (error) {
      notify(`The closed tab was not opened again. ${failureText(error)}`);
    }
  }

  /** The question about a session is settled, or the session is gone. Answers where the keyboard was when it was asked. */
  settle(id: SessionId): FocusPlace | undefined {
    const place = this.#closing.get(id);
    this.#closing.delete(id);
    return place;
  }

  get #state(): WindowState {
    return this.#options.state.getState();
  }

  #focusBack(id: SessionId, place: FocusPlace | undefined): void {
    if (place === 'tab') {
      this.#options.focus.toTab(id);
    } else {
      this.#options.focus.toPane(id);
    }
  }

  async #close(id: SessionId): Promise<void> {
    const isClosed = await this.#whileEnding(id, () => this.#options.host.closeSession(id), 'could not be closed');
    if (!isClosed) {
      this.#closing.delete(id);
    }
  }

  async #whileEnding(id: SessionId, act: () => Promise<unknown>, failure: string): Promise<boolean> {
    this.#setEnding(id, true);
    try {
      await act();
      return true;
    } catch (error) {
      this.#options.notify(`The session ${failure}. ${failureText(error)}`);
      return false;
    } finally {
      this.#setEnding(id, false);
    }
  }

  #setEnding(id: SessionId, isEnding: boolean): void {
    const ending = new Set(this.#state.ending);
    if (isEnding) {
      ending.add(id);
    } else {
      ending.delete(id);
    }
    this.#options.state.setState({ ending });
  }
}
