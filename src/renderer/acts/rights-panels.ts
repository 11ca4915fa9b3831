import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Disposable } from '../../shared/disposable.ts';
import type { WindowApi } from '../../shared/ipc.ts';
import type { ShownEnvironment, ShownGrant } from '../../shared/session-rights.ts';
import type { SessionId } from '../../shared/session.ts';
import { failureText } from '../host-client.ts';
import { PolledFeed } from '../polled-feed.ts';
import { NOTHING_OVER, type WindowState } from '../window/window-state.ts';
import type { PanelActs } from './panel-acts.ts';

export type RightsPanel = 'grants' | 'environment';

/** What the session in view was given; `problem` where that cannot be told. */
export type EnvironmentView =
  | { readonly kind: 'loading' }
  | { readonly kind: 'known'; readonly session: SessionId; readonly environment: ShownEnvironment | null }
  | { readonly kind: 'problem'; readonly why: string };

export interface RightsPanelsOptions {
  readonly host: WindowApi;
  readonly state: StoreApi<WindowState>;
  readonly notify: (sentence: string) => void;
  readonly panels: Pick<PanelActs, 'unlessBeneath'>;
  /** Gives the keyboard back to the pane in view. */
  readonly toPane: () => void;
}

/** Two panels over the panes: what agents were allowed, and the environment of the session in view. One at a time. */
export class RightsPanels implements Disposable {
  readonly open = createStore<{ readonly panel: RightsPanel | null }>(() => ({ panel: null }));
  /** Null until it is known. */
  readonly grants: PolledFeed<readonly ShownGrant[] | null>;
  readonly environment = createStore<EnvironmentView>(() => ({ kind: 'loading' }));
  readonly #options: RightsPanelsOptions;
  readonly #stop: () => void;

  constructor(options: RightsPanelsOptions) {
    this.#options = options;
    const { host, state } = options;
    this.grants = new PolledFeed<readonly ShownGrant[] | null>({ load: () => host.listGrants(), nothing: null });
    this.#stop = state.subscribe((after, before) => {
      // Panels over the panes take each other's place.
      if (
        (after.isSurvivorsOpen && !before.isSurvivorsOpen) ||
        (after.isConnectPanelOpen && !before.isConnectPanelOpen) ||
        (after.isDetailsOpen && !before.isDetailsOpen) ||
        (after.sheet !== null && after.sheet !== before.sheet)
      ) {
        this.#set(null);
      }
      if (after.selected !== before.selected && this.open.getState().panel === 'environment') {
        if (after.selected === null) {
          // Left open without a session, it would take the keyboard as soon as an agent opens one.
          this.#set(null);
        } else {
          void this.#loadEnvironment();
        }
      }
    });
  }

  dispose(): void {
    this.#stop();
    this.grants.dispose();
  }

  toggle(panel: RightsPanel): void {
    this.#options.panels.unlessBeneath(`${panel}-panel`, () => this.#openOrClose(panel));
  }

  #openOrClose(panel: RightsPanel): void {
    if (this.open.getState().panel === panel) {
      this.close();
      return;
    }
    this.#options.state.setState(NOTHING_OVER);
    this.#set(panel);
    if (panel === 'environment') {
      void this.#loadEnvironment();
    }
  }

  close(): void {
    this.#set(null);
    this.#options.toPane();
  }

  /** Takes a grant back; what it let start runs on. */
  async revoke({ id }: ShownGrant): Promise<void> {
    const { host, notify } = this.#options;
    try {
      const { revoked } = await host.revokeGrant(id);
      if (!revoked) {
        notify('That had ended already.');
      }
    } catch (error) {
      notify(`It is still allowed. ${failureText(error)}`);
    }
    this.grants.lookNow();
  }

  #set(panel: RightsPanel | null): void {
    this.open.setState({ panel });
    this.grants.setWanted(panel === 'grants');
  }

  async #loadEnvironment(): Promise<void> {
    const { host, state } = this.#options;
    const session = state.getState().selected;
    const isStill = (): boolean => state.getState().selected === session;
    this.environment.setState({ kind: 'loading' }, true);
    if (session === null) {
      return;
    }
    try {
      const environment = await host.sessionEnvironment(session);
      if (isStill()) {
        this.environment.setState({ kind: 'known', session, environment }, true);
      }
    } catch (error) {
      if (isStill()) {
        this.environment.setState({ kind: 'problem', why: failureText(error) }, true);
      }
    }
  }
}
