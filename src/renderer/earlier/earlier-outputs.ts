import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Disposable } from '../../shared/disposable.ts';
import type { OutputHit, OutputStretch } from '../../shared/output-search.ts';
import type { SessionId, SessionInfo } from '../../shared/session.ts';

/** A place in a session's output that is to be seen. */
export interface EarlierTarget {
  readonly offset: number;
  /** What was found there; null for a place that was gone to otherwise. */
  readonly match: OutputHit | null;
  /** Where in the view its line is to be. */
  readonly at: 'middle' | 'top' | 'bottom';
}

/** What a pane shows over its terminal. */
export interface EarlierView {
  readonly stretch: OutputStretch;
  readonly target: EarlierTarget;
}

/** What is needed of the terminal that shows it; `EarlierTerminal` is the real one. */
export interface EarlierScreen<Look> extends Disposable {
  show(view: EarlierView): void;
  focus(): void;
  setLook(look: Look): void;
  readonly selection: string;
}

/** Where in the page it is shown, and what is beneath. */
export interface EarlierPlace {
  readonly host: HTMLElement;
  readonly covered: HTMLElement;
}

/** `gone`: that place is kept nowhere any more. `late`: something else was to be seen before it came. */
export type EarlierOutcome = 'shown' | 'gone' | 'late';

export interface EarlierOutputsOptions<Look> {
  readonly load: (id: SessionId, offset: number) => Promise<OutputStretch>;
  readonly open: (session: SessionInfo, host: HTMLElement) => EarlierScreen<Look>;
}

/**
 * Output that has left its pane's terminal, shown over that: at most one place and one terminal for each pane in view. The
 * pane's own terminal goes on beneath it.
 */
export class EarlierOutputs<Look> {
  readonly store: StoreApi<ReadonlyMap<SessionId, EarlierView>> = createStore<ReadonlyMap<SessionId, EarlierView>>(
    () => new Map(),
  );
  readonly #options: EarlierOutputsOptions<Look>;
  readonly #screens = new Map<SessionId, { readonly screen: EarlierScreen<Look>; readonly covered: HTMLElement }>();
  /** What was asked for last, for each session. */
  readonly #wanted = new Map<SessionId, EarlierTarget>();

  constructor(options: EarlierOutputsOptions<Look>) {
    this.#options = options;
  }

  /** Shows the output around a place. Rejects with why it cannot be read. */
  async show(id: SessionId, target: EarlierTarget): Promise<EarlierOutcome> {
    this.#wanted.set(id, target);
    const stretch = await this.#options.load(id, target.offset);
    if (this.#wanted.get(id) !== target) {
      return 'late';
    }
    const isKept = target.offset >= stretch.keptFrom && target.offset <= stretch.outputEnd && stretch.parts.length > 0;
    if (!isKept) {
      return 'gone';
    }
    const view = { stretch, target };
    this.store.setState(new Map(this.store.getState()).set(id, view), true);
    this.#screens.get(id)?.screen.show(view);
    return 'shown';
  }

  /** The pane shows its own terminal again. Answers whether it did not. */
  back(id: SessionId): boolean {
    this.#wanted.delete(id);
    const views = new Map(this.store.getState());
    const wasShown = views.delete(id);
    if (wasShown) {
      this.#uncover(id);
      this.store.setState(views, true);
    }
    return wasShown;
  }

  /**
   * Makes the terminal for a pane in view, in an element that is laid out; what it covers takes no key meanwhile. Answers
   * what takes it away.
   */
  open(session: SessionInfo, { host, covered }: EarlierPlace): () => void {
    const screen = this.#options.open(session, host);
    this.#screens.set(session.id, { screen, covered });
    covered.inert = true;
    const view = this.store.getState().get(session.id);
    if (view !== undefined) {
      screen.show(view);
    }
    return () => {
      this.#uncover(session.id);
      this.#screens.delete(session.id);
      screen.dispose();
    };
  }

  /** Gives the view the keyboard. Answers whether there is one. */
  focus(id: SessionId): boolean {
    if (!this.store.getState().has(id) || !this.#screens.has(id)) {
      return false;
    }
    this.#screens.get(id)?.screen.focus();
    return true;
  }

  /** Selected text of the view; empty without one. */
  selection(id: SessionId): string {
    return this.#screens.get(id)?.screen.selection ?? '';
  }

  setLook(look: Look): void {
    for (const { screen } of this.#screens.values()) {
      screen.setLook(look);
    }
  }

  #uncover(id: SessionId): void {
    const covered = this.#screens.get(id)?.covered;
    if (covered !== undefined) {
      covered.inert = false;
    }
  }
}
