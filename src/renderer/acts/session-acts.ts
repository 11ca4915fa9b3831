import type { StoreApi } from 'zustand/vanilla';
import type { WindowApi } from '../../shared/ipc.ts';
import { isLive, type SessionId, type SessionInfo } from '../../shared/session.ts';
import { failureText } from '../host-client.ts';
import type { WindowState } from '../window/window-state.ts';

export interface SessionActsOptions {
  readonly host: WindowApi;
  readonly state: StoreApi<WindowState>;
  readonly session: (id: SessionId) => SessionInfo | undefined;
  /** Tells the person of what failed. */
  readonly notify: (sentence: string) => void;
  /** Something was done about what outlived sessions. */
  readonly survivorsChanged: () => void;
}

/** What the person does to a session of an agent. */
export class SessionActs {
  readonly #options: SessionActsOptions;

  constructor(options: SessionActsOptions) {
    this.#options = options;
  }

  /** The agent may type again; the terminal has the size again that the agent gave it. */
  async giveKeyboardBack(id: SessionId): Promise<void> {
    const session = this.#options.session(id);
    if (session === undefined || !canGiveBack(session)) {
      return;
    }
    try {
      await this.#options.host.handBackKeyboard(id);
    } catch (error) {
      this.#options.notify(`The keyboard was not given back. ${failureText(error)}`);
    }
  }

  /** Names a session; an empty name takes its name away. */
  async rename(id: SessionId, name: string): Promise<void> {
    try {
      await this.#options.host.renameSession(id, name.trim() === '' ? null : name);
    } catch (error) {
      this.#options.notify(`The session keeps its name. ${failureText(error)}`);
    }
  }

  /** Lets a process that outlived its session live on. */
  async keepRunning(id: SessionId, pid: number): Promise<void> {
    await this.#toSurvivor(pid, 'is not kept', async (host) => (await host.adoptSurvivor(id, pid)).adopted);
  }

  /** Ends one process that outlived its session, and what that started; the others run on. */
  async stopSurvivor(id: SessionId, pid: number): Promise<void> {
    await this.#toSurvivor(pid, 'was not stopped', async (host) => (await host.stopSurvivor(id, pid)).stopped);
  }

  /** Closes what has ended, and tells of what it left alone. */
  async closeEnded(): Promise<void> {
    try {
      const { kept } = await this.#options.host.closeEndedSessions();
      if (kept > 0) {
        this.#options.notify(
          kept === 1
            ? 'One ended session stays: what it started still runs. Survivors shows it.'
            : `${kept} ended sessions stay: what they started still runs. Survivors shows it.`,
        );
      }
    } catch (error) {
      this.#options.notify(`Not all ended sessions were closed. ${failureText(error)}`);
    }
  }

  /** The terminal gets the size of its pane, and the person its keyboard, until that is given back. */
  fitToPane(id: SessionId): void {
    const session = this.#options.session(id);
    if (session === undefined || !canFit(session)) {
      return;
    }
    const fitted = new Set(this.#options.state.getState().fitted);
    this.#options.state.setState({ fitted: fitted.add(id) });
  }

  /** `act` answers false for a process that had ended; `failed` is what is said of one to which it cannot be done. */
  async #toSurvivor(pid: number, failed: string, act: (host: WindowApi) => Promise<boolean>): Promise<void> {
    const { host, notify, survivorsChanged } = this.#options;
    try {
      if (!(await act(host))) {
        notify(`Process ${pid} had ended already.`);
      }
    } catch (error) {
      notify(`Process ${pid} ${failed}. ${failureText(error)}`);
    } finally {
      survivorsChanged();
    }
  }
}

/** True when the person holds the keyboard of an agent's running session. */
export function canGiveBack({ origin, keyboard, state }: SessionInfo): boolean {
  return origin.kind === 'agent' && keyboard === 'person' && isLive(state);
}

/** True when the terminal has a size of its agent's that a person could change. */
export function canFit({ origin, backend, state }: SessionInfo): boolean {
  return origin.kind === 'agent' && backend === 'pty' && isLive(state);
}
