import type { StoreApi } from 'zustand/vanilla';
import type { SessionId } from '../../shared/session.ts';
import type { PanelActs } from '../acts/panel-acts.ts';
import { failureText } from '../host-client.ts';
import type { FindDirection } from '../terminal/terminal-search.ts';
import type { WindowFocus } from '../window/window-focus.ts';
import type { WindowState } from '../window/window-state.ts';
import type { EarlierOutputs, EarlierTarget } from './earlier-outputs.ts';
import type { PaneFinder } from './pane-finder.ts';

export interface EarlierActsOptions {
  readonly earlier: Pick<EarlierOutputs<never>, 'show' | 'back' | 'store'>;
  readonly finder: Pick<PaneFinder, 'cameBack' | 'step'>;
  readonly state: StoreApi<WindowState>;
  readonly panels: Pick<PanelActs, 'find'>;
  readonly focus: WindowFocus;
  readonly notify: (sentence: string) => void;
}

/** The person's ways to what has left a pane's terminal, and back. */
export class EarlierActs {
  readonly #options: EarlierActsOptions;

  constructor(options: EarlierActsOptions) {
    this.#options = options;
    options.earlier.store.subscribe((views) => options.state.setState({ earlier: new Set(views.keys()) }));
  }

  /** Shows the output around a place over the pane. False when it is kept no more, or cannot be read, which is told. */
  async goTo(id: SessionId, offset: number, at: EarlierTarget['at'] = 'middle'): Promise<boolean> {
    try {
      return (await this.#options.earlier.show(id, { offset, match: null, at })) !== 'gone';
    } catch (error) {
      this.#options.notify(`Earlier output could not be read. ${failureText(error)}`);
      return false;
    }
  }

  /** The pane shows its own terminal again; a keyboard in it goes on to the find, or to the terminal. */
  back(id: SessionId): boolean {
    const { earlier, finder, focus } = this.#options;
    const isInside = focus.placeOf(id) === 'pane';
    const wasShown = earlier.back(id);
    finder.cameBack(id);
    if (wasShown && isInside) {
      this.#focusAfter(id);
    }
    return wasShown;
  }

  /** Goes to the next match from where one is shown. A key that leads back to the terminal must not be the program's next time. */
  step(id: SessionId, direction: FindDirection): void {
    const { earlier, finder } = this.#options;
    const wasShown = earlier.store.getState().has(id);
    finder.step(id, direction);
    if (wasShown && !earlier.store.getState().has(id)) {
      this.#focusAfter(id);
    }
  }

  #focusAfter(id: SessionId): void {
    const { state, panels, focus } = this.#options;
    if (state.getState().finding.has(id)) {
      panels.find(id);
    } else {
      focus.toPane(id);
    }
  }
}
