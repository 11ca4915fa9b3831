import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Disposable } from '../../shared/disposable.ts';
import type { FindQuery, OutputHit, OutputStretch } from '../../shared/output-search.ts';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import { failureText } from '../host-client.ts';

/** A place in a session's output that is to be seen. */
export interface EarlierTarget {
  readonly offset: number;
  /** What was found there; null for a place that was gone to otherwise. */
  readonly match: OutputHit | null;
  /** Where in the view its line is to be. */
  readonly at: 'middle' | 'top' | 'bottom';
}

/** Which way a person reads on. */
export type ReadingDirection = 'earlier' | 'later';

/** What a pane shows over its terminal. */
export interface EarlierView {
  readonly stretch: OutputStretch;
  readonly target: EarlierTarget;
  /** The offset around which the stretch lies: the target's, or that of what was read when more was loaded. */
  readonly around: number;
  /** What is in view stays where it is: the person went on reading. */
  readonly keepsPlace: boolean;
  /** To be told of how it came about; null when the place itself is all. */
  readonly news: EarlierNews | null;
}

/** More was loaded; there is no more; or a full-screen program drew what comes next. */
export type EarlierNews = ReadingDirection | 'oldest' | 'newest' | 'screen';

/** The person has come close to the begin or the end of what was loaded. */
export interface ReachedEdge {
  readonly direction: ReadingDirection;
  /** Of the line in view that is next to the edge; null when that is not known. */
  readonly offset: number | null;
  /** At the very edge, and tried to go on. */
  readonly isPushed: boolean;
  /** What comes after it was left out of what is drawn. */
  readonly isScreen: boolean;
}

/** What is needed of the terminal that shows it; `EarlierTerminal` is the real one. */
export interface EarlierScreen<Look> extends Disposable {
  /** Shows another view; one with another stretch is drawn anew. */
  show(view: EarlierView): void;
  /** Marks where a text is from now on; null for none. */
  seek(query: FindQuery | null): void;
  focus(): void;
  setLook(look: Look): void;
  /** Has keys select text of it. */
  selectText(): void;
  readonly selection: string;
  selectAll(): void;
  /** Addresses of the links in view. */
  readonly links: readonly string[];
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
  readonly open: (request: OpenEarlierRequest) => EarlierScreen<Look>;
  /** Offset after the newest byte of a session's output, as far as the window knows. */
  readonly outputEnd: (id: SessionId) => number;
  readonly onProblem: (sentence: string) => void;
}

export interface OpenEarlierRequest {
  readonly session: SessionInfo;
  readonly host: HTMLElement;
  readonly onEdge: (edge: ReachedEdge) => void;
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
  readonly #sought = new Map<SessionId, FindQuery>();
  /** What was asked for last, for each session. */
  readonly #wanted = new Map<SessionId, EarlierTarget>();
  /** Beyond whose edges more is being loaded, or could not be: there the person's next step is one of the buttons'. */
  readonly #goingOn = new WeakSet<EarlierView>();

  constructor(options: EarlierOutputsOptions<Look>) {
    this.#options = options;
  }

  /** Shows the output around a place. Rejects with why it cannot be read, if that is still to be seen. */
  async show(id: SessionId, target: EarlierTarget): Promise<EarlierOutcome> {
    this.#wanted.set(id, target);
    const isLate = (): boolean => this.#wanted.get(id) !== target;
    let stretch: OutputStretch;
    try {
      stretch = await this.#options.load(id, target.offset);
    } catch (error) {
      if (isLate()) {
        return 'late';
      }
      throw error;
    }
    if (isLate()) {
      return 'late';
    }
    const isKept = target.offset >= stretch.keptFrom && target.offset <= stretch.outputEnd && stretch.parts.length > 0;
    if (!isKept) {
      return 'gone';
    }
    this.#setView(id, { stretch, target, around: target.offset, keepsPlace: false, news: null });
    return 'shown';
  }

  /** A text is looked for in a session; null for none any more. */
  seek(id: SessionId, query: FindQuery | null): void {
    if (query === null) {
      this.#sought.delete(id);
    } else {
      this.#sought.set(id, query);
    }
    this.#screens.get(id)?.screen.seek(query);
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
    const screen = this.#options.open({ session, host, onEdge: (edge) => void this.#readOn(session.id, edge) });
    this.#screens.set(session.id, { screen, covered });
    covered.inert = true;
    screen.seek(this.#sought.get(session.id) ?? null);
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

  /** Has keys select text of the view. Answers whether there is one. */
  selectText(id: SessionId): boolean {
    this.#screens.get(id)?.screen.selectText();
    return this.#screens.has(id);
  }

  /** Addresses of the links in the view; null without one. */
  links(id: SessionId): readonly string[] | null {
    return this.#screens.get(id)?.screen.links ?? null;
  }

  /** Selected text of the view; empty without one. */
  selection(id: SessionId): string {
    return this.#screens.get(id)?.screen.selection ?? '';
  }

  /** Selects all that is loaded of the view. Answers whether there is one. */
  selectAll(id: SessionId): boolean {
    this.#screens.get(id)?.screen.selectAll();
    return this.#screens.has(id);
  }

  setLook(look: Look): void {
    for (const { screen } of this.#screens.values()) {
      screen.setLook(look);
    }
  }

  /** Loads what lies beyond an edge, around what is in view next to it. What was loaded on the other side goes. */
  async #readOn(id: SessionId, edge: ReachedEdge): Promise<void> {
    const view = this.store.getState().get(id);
    if (view === undefined || this.#goingOn.has(view)) {
      return;
    }
    const around = this.#placeBeyond(id, view, edge);
    if (typeof around !== 'number') {
      if (edge.isPushed && view.news !== around) {
        this.#setView(id, { ...view, news: around });
      }
      return;
    }
    this.#goingOn.add(view);
    const isSeen = (): boolean => this.store.getState().get(id) === view;
    try {
      const stretch = await this.#options.load(id, around);
      if (isSeen() && stretch.parts.length > 0) {
        this.#setView(id, { ...view, stretch, around, keepsPlace: true, news: edge.direction });
      }
    } catch (error) {
      if (isSeen()) {
        this.#options.onProblem(`Earlier output could not be read. ${failureText(error)}`);
      }
    }
  }

  /** The place around which more is to be loaded; else why there is none. */
  #placeBeyond(id: SessionId, { stretch, around }: EarlierView, edge: ReachedEdge): number | EarlierNews {
    const isEarlier = edge.direction === 'earlier';
    const { startOffset, endOffset, keptFrom, outputEnd } = stretch;
    if (isEarlier && startOffset <= keptFrom) {
      return 'oldest';
    }
    if (!isEarlier && endOffset >= Math.max(outputEnd, this.#options.outputEnd(id))) {
      return 'newest';
    }
    if (!isEarlier && edge.isScreen) {
      return 'screen';
    }
    const atEdge = isEarlier ? startOffset : endOffset;
    // Around the same place there is nothing more: a line may be longer than a stretch.
    return edge.offset === null || edge.offset === around ? atEdge : edge.offset;
  }

  #setView(id: SessionId, view: EarlierView): void {
    this.store.setState(new Map(this.store.getState()).set(id, view), true);
    this.#screens.get(id)?.screen.show(view);
  }

  #uncover(id: SessionId): void {
    const covered = this.#screens.get(id)?.covered;
    if (covered !== undefined) {
      covered.inert = false;
    }
  }
}
