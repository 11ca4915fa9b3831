import { createStore, type StoreApi } from 'zustand/vanilla';
import type { FindQuery, OutputHit } from '../../shared/output-search.ts';
import type { SessionId } from '../../shared/session.ts';
import type { FindDirection } from '../terminal-search.ts';
import { failureText } from '../host-client.ts';
import type { EarlierOutputs } from './earlier-outputs.ts';
import type { EarlierSearch } from './earlier-search.ts';

/** Time after a key of the query before all that is kept is looked at, in milliseconds: typing goes on mostly. */
const TYPING_MS = 150;

/** What is known of a text beyond the pane's own terminal. */
export interface EarlierMatches {
  /** Not in the terminal. */
  readonly count: number;
  /** Which one is shown, from 0 at the newest; null while the pane shows its own terminal. */
  readonly index: number | null;
  readonly progress: number | null;
  readonly isCut: boolean;
  readonly goneBytes: number;
}

const NO_MATCHES: EarlierMatches = { count: 0, index: null, progress: null, isCut: false, goneBytes: 0 };

/** What the finder needs of the panes' terminals. */
export interface FoundInPanes {
  find(id: SessionId, query: FindQuery, direction: FindDirection): boolean;
  notShown(id: SessionId, hits: readonly OutputHit[], query: FindQuery): readonly OutputHit[];
}

export interface PaneFinderOptions {
  readonly panes: FoundInPanes;
  readonly search: EarlierSearch;
  readonly earlier: Pick<EarlierOutputs<never>, 'show' | 'back' | 'seek'>;
  readonly onProblem: (sentence: string) => void;
}

/**
 * Finds a text in one session: first in its pane's terminal, and from the oldest match there on in all that is kept of what
 * was printed before, which is shown over it.
 */
export class PaneFinder {
  readonly store: StoreApi<EarlierMatches> = createStore<EarlierMatches>(() => NO_MATCHES);
  readonly #options: PaneFinderOptions;
  /** As they were chosen last. */
  #toggles: Omit<FindQuery, 'text'> = { matchCase: false, wholeWord: false };
  #sought: { readonly id: SessionId; readonly query: FindQuery } | null = null;
  /** The hit that is shown over the pane. */
  #shown: OutputHit | null = null;
  /** The person went on to what is earlier, where nothing was found yet. */
  #waitsForOlder = false;

  constructor(options: PaneFinderOptions) {
    this.#options = options;
    options.search.store.subscribe(({ problem }) => {
      this.#tell();
      if (problem !== null) {
        options.onProblem(`Earlier output could not be searched. ${problem}`);
      }
    });
  }

  /** What the next search begins with. */
  get toggles(): Omit<FindQuery, 'text'> {
    return this.#toggles;
  }

  /** Looks for a text from the newest on; for an empty one nothing. */
  look(id: SessionId, query: FindQuery): void {
    const { panes, search } = this.#options;
    const { matchCase, wholeWord } = query;
    this.#toggles = { matchCase, wholeWord };
    this.#leaveEarlier(id);
    this.#sought = query.text === '' ? null : { id, query };
    this.#options.earlier.seek(id, this.#sought === null ? null : query);
    panes.find(id, query, 'older');
    if (this.#sought === null) {
      search.end();
    } else {
      search.start(id, query, TYPING_MS);
    }
  }

  /** What the panes' terminals show has changed. */
  panesChanged(): void {
    if (this.#sought !== null) {
      this.#tell();
    }
  }

  /** Goes to the next match of what is looked for in a session; nowhere while nothing is looked for in it. */
  step(id: SessionId, direction: FindDirection): void {
    if (this.#sought?.id !== id) {
      return;
    }
    this.#waitsForOlder = false;
    if (direction === 'older') {
      this.#stepOlder(id, this.#sought.query);
    } else {
      this.#stepNewer(id, this.#sought.query);
    }
  }

  /** The person went back to a pane's own terminal. */
  cameBack(id: SessionId): void {
    if (this.#sought?.id === id) {
      this.#showsTerminal();
    }
  }

  /** Nothing is looked for any more. What is shown of earlier output stays. */
  end(id: SessionId): void {
    this.#options.panes.find(id, { text: '', matchCase: false, wholeWord: false }, 'older');
    this.#sought = null;
    this.#shown = null;
    this.#waitsForOlder = false;
    this.#options.earlier.seek(id, null);
    this.#options.search.end();
  }

  #stepOlder(id: SessionId, query: FindQuery): void {
    const { panes, search } = this.#options;
    if (this.#shown !== null) {
      this.#showEarlier(id, (this.#index ?? -1) + 1);
      return;
    }
    if (panes.find(id, query, 'older')) {
      return;
    }
    search.catchUp();
    const isLooking = search.store.getState().progress !== null;
    if (this.#hits.length > 0 || isLooking) {
      // It has gone on from the other end of the terminal: back to where it was.
      panes.find(id, query, 'newer');
      this.#waitsForOlder = this.#hits.length === 0;
      this.#showEarlier(id, 0);
    }
  }

  #stepNewer(id: SessionId, query: FindQuery): void {
    const index = this.#index;
    if (this.#shown === null) {
      this.#options.panes.find(id, query, 'newer');
    } else if (index === null || index === 0) {
      this.#leaveEarlier(id);
    } else {
      this.#showEarlier(id, index - 1);
    }
  }

  #showEarlier(id: SessionId, index: number): void {
    const hit = this.#hits[index];
    if (hit === undefined) {
      return;
    }
    this.#shown = hit;
    this.#tell();
    const { earlier, onProblem } = this.#options;
    earlier.show(id, { offset: hit.offset, match: hit, at: 'middle' }).then(
      (outcome) => {
        if (outcome === 'gone') {
          onProblem('That place is no longer kept.');
        }
      },
      (error: unknown) => onProblem(`Earlier output could not be read. ${failureText(error)}`),
    );
  }

  #leaveEarlier(id: SessionId): void {
    if (this.#shown !== null) {
      this.#options.earlier.back(id);
    }
    this.#showsTerminal();
  }

  #showsTerminal(): void {
    this.#waitsForOlder = false;
    this.#shown = null;
    this.#tell();
  }

  /** What is not in the terminal, the newest first. */
  get #hits(): readonly OutputHit[] {
    const { panes, search } = this.#options;
    const { hits } = search.store.getState();
    return this.#sought === null ? [] : panes.notShown(this.#sought.id, hits, this.#sought.query);
  }

  get #index(): number | null {
    const shown = this.#shown;
    const index = shown === null ? -1 : this.#hits.findIndex(({ offset }) => offset === shown.offset);
    return index === -1 ? null : index;
  }

  #tell(): void {
    const { progress, isCut, goneBytes } = this.#options.search.store.getState();
    const hits = this.#hits;
    this.store.setState({ count: hits.length, index: this.#index, progress, isCut, goneBytes }, true);
    if (this.#waitsForOlder && this.#sought !== null && hits.length > 0) {
      this.#waitsForOlder = false;
      this.#showEarlier(this.#sought.id, 0);
    }
  }
}
