import type { StoreApi } from 'zustand/vanilla';
import type { Disposable } from '../../shared/disposable.ts';
import type { WindowApi } from '../../shared/ipc.ts';
import type { KeptNode, KeptPage } from '../../shared/kept-window.ts';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import { failureText } from '../host-client.ts';
import { keptLayout, restoredLayout } from '../layout/kept-layout.ts';
import type { SessionList } from '../session-store.ts';
import { withLayout, type WindowState } from './window-state.ts';

export interface WindowArrangementOptions {
  readonly host: WindowApi;
  readonly state: StoreApi<WindowState>;
  readonly sessions: StoreApi<SessionList>;
  /** Puts a session in view, with the keyboard. */
  readonly show: (id: SessionId) => void;
  /** Sessions went to other windows, or came from there. */
  readonly onElsewhere: (before: ReadonlySet<SessionId>) => void;
  readonly notify: (sentence: string) => void;
}

/** How the window is arranged, over a reload and a restart; and which sessions have their tabs in other windows. */
export class WindowArrangement implements Disposable {
  readonly #options: WindowArrangementOptions;
  readonly #subscriptions: (() => void)[] = [];
  /** What waits for the first list of sessions. */
  #root: KeptNode | null = null;
  #toShow: SessionId | null = null;
  #isRestored = false;
  #knowsElsewhere = false;

  constructor(options: WindowArrangementOptions) {
    this.#options = options;
  }

  /** Asks how the window was arranged. Call it before the list of sessions is loaded; never rejects. */
  async load(): Promise<void> {
    const { host, state, show, notify } = this.#options;
    this.#subscriptions.push(
      host.onElsewhereChanged((ids) => this.#setElsewhere(ids)),
      host.onShowSession((id) => show(id)),
      state.subscribe((after, before) => this.#keep(after, before)),
    );
    try {
      const { page, elsewhere, show: toShow } = await host.keptWindow();
      // An event that came meanwhile is newer than this answer.
      if (!this.#knowsElsewhere) {
        this.#setElsewhere(elsewhere as readonly SessionId[]);
      }
      this.#toShow = toShow as SessionId | null;
      if (page !== null) {
        this.#root = page.root;
        state.setState(panelsOf(page));
      }
    } catch (error) {
      notify(`How this window was arranged is not known. ${failureText(error)}`);
    }
  }

  /** The first list of sessions is there: the layout is what it was. */
  restore(sessions: readonly SessionInfo[], isWindowVisible: boolean): void {
    if (this.#isRestored) {
      return;
    }
    this.#isRestored = true;
    const { state, show } = this.#options;
    if (this.#root !== null) {
      const { elsewhere } = state.getState();
      const here = sessions.filter(({ id }) => !elsewhere.has(id));
      state.setState(withLayout(state.getState(), restoredLayout(this.#root, here), isWindowVisible), true);
    }
    if (this.#toShow !== null) {
      show(this.#toShow);
    }
  }

  dispose(): void {
    for (const unsubscribe of this.#subscriptions.splice(0)) {
      unsubscribe();
    }
  }

  #setElsewhere(ids: readonly SessionId[]): void {
    this.#knowsElsewhere = true;
    const { state, onElsewhere } = this.#options;
    const before = state.getState().elsewhere;
    state.setState({ elsewhere: new Set(ids) });
    onElsewhere(before);
  }

  #keep(after: WindowState, before: WindowState): void {
    const isSame =
      after.layout === before.layout &&
      after.panels === before.panels &&
      after.panelWidths === before.panelWidths &&
      after.isTimelineOfAll === before.isTimelineOfAll;
    if (isSame || !this.#isRestored) {
      return;
    }
    const { host, sessions } = this.#options;
    const page: KeptPage = {
      root: keptLayout(after.layout, sessions.getState().sessions),
      panels: {
        sessions: { isOpen: after.panels.sessions, width: after.panelWidths.sessions },
        timeline: {
          isOpen: after.panels.timeline,
          width: after.panelWidths.timeline,
          isOfAll: after.isTimelineOfAll,
        },
      },
    };
    // Where it fails the arrangement is not kept, and is tried again with the next change.
    host.keepWindow(page).catch(() => undefined);
  }
}

function panelsOf({
  panels: { sessions, timeline },
}: KeptPage): Pick<WindowState, 'panels' | 'panelWidths' | 'isTimelineOfAll'> {
  return {
    panels: { sessions: sessions.isOpen, timeline: timeline.isOpen },
    panelWidths: { sessions: sessions.width, timeline: timeline.width },
    isTimelineOfAll: timeline.isOfAll ?? false,
  };
}
