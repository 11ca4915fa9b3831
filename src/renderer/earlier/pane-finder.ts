import { createStore, type StoreApi } from 'zustand/vanilla';
import type { FindQuery, OutputHit } from '../../shared/output-search.ts';
import type { SessionId } from '../../shared/session.ts';
import { failureText } from '../host-client.ts';
import type { FindDirection } from '../terminal/terminal-search.ts';
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

/** Nothing is looked for, or nothing was found. */
export const NO_MATCHES: EarlierMatches = { count: 0, index: null, progress: null, isCut: false, goneBytes: 0 };

/** What the finder needs of the panes' terminals. */
export interface FoundInPanes {
  find(id: SessionId, query: FindQuery, direction: FindDirection): boolean;
  notShown(id: SessionId, hits: readonly OutputHit[], query: FindQuery): readonly OutputHit[];
}

export interface PaneFinderOptions {
  readonly panes: FoundInPanes;
  /** One for each session in which something is looked for. */
  readonly newSearch: () => EarlierSearch;
  readonly earlier: Pick<EarlierOutputs<never>, 'show' | 'back' | 'seek'>;
  readonly onProblem: (sentence: string) => void;
}

/** What is looked for in one session. */
interface Find {
  query: FindQuery;
  readonly search: EarlierSearch;
  /** The hit that is shown over the pane. */
  shown: OutputHit | null;
  /** The person went on to what is earlier, where nothing was found yet. */
  waitsForOlder: boolean;
}

/**
 * Finds texts in sessions, one in each: first in its pane's terminal, and from the oldest match there on in all that is kept
 * of what was printed before, which is shown over it.
 */
export class PaneFinder {
  /** Of the sessions in which something is looked for. */
  readonly store: StoreApi<ReadonlyMap<SessionId, EarlierMatches>> = createStore<
    ReadonlyMap<SessionId, EarlierMatches>
  >(() => new Map());
  readonly #options: PaneFinderOptions;
  /** As they were chosen last. */
  #toggles: Omit<FindQuery, 'text'> = { matchCase: false, wholeWord: false };
  readonly #finds = new Map<SessionId, Find>();

  constructor(options: PaneFinderOptions) {
    this.#options = options;
  }

  /** What the next search begins with. */
  get toggles(): Omit<FindQuery, 'text'> {
    return this.#toggles;
  }

  /** Looks for a text from the newest on; for an empty one nothing. */
  look(id: SessionId, query: FindQuery): void {
    const { panes, earlier } = this.#options;
    const { matchCase, wholeWord } = query;
    this.#toggles = { matchCase, wholeWord };
    this.#leaveEarlier(id);
    if (query.text === '') {
      this.end(id);
      return;
    }
    const find = this.#finds.get(id) ?? this.#begin(id, query);
    find.query = query;
    earlier.seek(id, query);
    panes.find(id, query, 'older');
    find.search.start(id, query, TYPING_MS);
  }

  /** What these panes' terminals show has changed. */
  panesChanged(ids: readonly SessionId[]): void {
    for (const id of ids) {
      this.#tell(id);
    }
  }

  /** Goes to the next match of what is looked for in a session; nowhere while nothing is looked for in it. */
  step(id: SessionId, direction: FindDirection): void {
    const find = this.#finds.get(id);
    if (find === undefined) {
      return;
    }
    find.waitsForOlder = false;
    if (direction === 'older') {
      this.#stepOlder(id, find);
    } else {
      this.#stepNewer(id, find);
    }
  }

  /** The person went back to a pane's own terminal. */
  cameBack(id: SessionId): void {
    this.#showsTerminal(id);
  }

  /** Nothing is looked for in a session any more; in others it is as before. What is shown of earlier output stays. */
  end(id: SessionId): void {
    this.#options.panes.find(id, { text: '', matchCase: false, wholeWord: false }, 'older');
    this.#options.earlier.seek(id, null);
    const find = this.#finds.get(id);
    if (find !== undefined) {
      this.#finds.delete(id);
      find.search.dispose();
      const left = new Map(this.store.getState());
      left.delete(id);
      this.store.setState(left, true);
    }
  }

  #begin(id: SessionId, query: FindQuery): Find {
    const { newSearch, onProblem } = this.#options;
    const find: Find = { query, search: newSearch(), shown: null, waitsForOlder: false };
    this.#finds.set(id, find);
    find.search.store.subscribe(({ problem }) => {
      // Its own end is told as well.
      if (this.#finds.get(id) !== find) {
        return;
      }
      this.#tell(id);
      if (problem !== null) {
        onProblem(`Earlier output could not be searched. ${problem}`);
      }
    });
    return find;
  }

  #stepOlder(id: SessionId, find: Find): void {
    const { panes } = this.#options;
    const { search, query } = find;
    if (find.shown !== null) {
      this.#showEarlier(id, find, (this.#indexIn(id, find) ?? -1) + 1);
      return;
    }
    if (panes.find(id, query, 'older')) {
      return;
    }
    search.catchUp();
    const isLooking = search.store.getState().progress !== null;
    const hits = this.#hitsOf(id, find);
    if (hits.length > 0 || isLooking) {
      // It has gone on from the other end of the terminal: back to where it was.
      panes.find(id, query, 'newer');
      find.waitsForOlder = hits.length === 0;
      this.#showEarlier(id, find, 0);
    }
  }

  #stepNewer(id: SessionId, find: Find): void {
    const index = this.#indexIn(id, find);
    if (find.shown === null) {
      this.#options.panes.find(id, find.query, 'newer');
    } else if (index === null || index === 0) {
      this.#leaveEarlier(id);
    } else {
      this.#showEarlier(id, find, index - 1);
    }
  }

  #showEarlier(id: SessionId, find: Find, index: number): void {
    const hit = this.#hitsOf(id, find)[index];
    if (hit === undefined) {
      return;
    }
    find.shown = hit;
    this.#tell(id);
    const { earlier, onProblem } = this.#options;
    earlier.show(id, { offset: hit.offset, match: hit, at: 'middle' }).then(
      (outcome) => {
        if (outcome === 'gone') {
          onProblem('That place is no longer kept.');
          this.#lookAgain(id, find);
        }
      },
      (error: unknown) => onProblem(`Earlier output could not be read. ${failureText(error)}`),
    );
  }

  /** Hits that it had found are gone: what is told of them would be wrong. */
  #lookAgain(id: SessionId, find: Find): void {
    if (this.#finds.get(id) === find) {
      find.shown = null;
      find.search.start(id, find.query, 0);
    }
  }

  #leaveEarlier(id: SessionId): void {
    if (this.#finds.get(id)?.shown != null) {
      this.#options.earlier.back(id);
    }
    this.#showsTerminal(id);
  }

  #showsTerminal(id: SessionId): void {
    const find = this.#finds.get(id);
    if (find !== undefined) {
      find.waitsForOlder = false;
      find.shown = null;
      this.#tell(id);
    }
  }

  /** What is not in the terminal, the newest first. */
  #hitsOf(id: SessionId, { search, query }: Find): readonly OutputHit[] {
    return this.#options.panes.notShown(id, search.store.getState().hits, query);
  }

  #indexIn(id: SessionId, find: Find): number | null {
    return indexOf(find.shown, this.#hitsOf(id, find));
  }

  #tell(id: SessionId): void {
    const find = this.#finds.get(id);
    if (find === undefined) {
      return;
    }
    const { progress, isCut, goneBytes } = find.search.store.getState();
    const hits = this.#hitsOf(id, find);
    const matches = { count: hits.length, index: indexOf(find.shown, hits), progress, isCut, goneBytes };
    this.store.setState(new Map(this.store.getState()).set(id, matches), true);
    if (find.waitsForOlder && hits.length > 0) {
      find.waitsForOlder = false;
      this.#showEarlier(id, find, 0);
    }
  }
}

function indexOf(shown: OutputHit | null, hits: readonly OutputHit[]): number | null {
  const index = shown === null ? -1 : hits.findIndex(({ offset }) => offset === shown.offset);
  return index === -1 ? null : index;
}
