import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Disposable } from '../../shared/disposable.ts';
import type { SearchRequest } from '../../shared/ipc.ts';
import type { FindQuery, OutputHit, OutputSearchStep } from '../../shared/output-search.ts';
import type { SessionId } from '../../shared/session.ts';
import { failureText } from '../host-client.ts';

/** Hits kept of one search, some 400 bytes each; more nobody steps through. One request tells a thousand at most. */
const MAX_HITS = 10_000;

/** What is known of a text in all that is kept of a session's output. */
export interface EarlierSearchState {
  /** The newest first, also those that the pane shows. */
  readonly hits: readonly OutputHit[];
  /** Share of the output that was looked at, from 0 to 1; null when the search has ended. */
  readonly progress: number | null;
  /** There are older ones that were not looked for. */
  readonly isCut: boolean;
  /** Bytes that are kept no more. */
  readonly goneBytes: number;
  /** Why it could not look; null when it could. */
  readonly problem: string | null;
}

const NOTHING_FOUND: EarlierSearchState = {
  hits: [],
  progress: null,
  isCut: false,
  goneBytes: 0,
  problem: null,
};

export interface EarlierSearchOptions {
  readonly search: (id: SessionId, request: SearchRequest) => Promise<OutputSearchStep>;
}

/** Looks for one text at a time in everything that is kept of a session; the next search ends the one before. */
export class EarlierSearch implements Disposable {
  readonly store: StoreApi<EarlierSearchState> = createStore<EarlierSearchState>(() => NOTHING_FOUND);
  readonly #options: EarlierSearchOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The search that runs, told from the ones before it. */
  #turn = 0;
  #sought: { readonly id: SessionId; readonly query: FindQuery } | null = null;
  /** Everything before this offset was looked at, or is about to be. */
  #searchedTo = 0;

  constructor(options: EarlierSearchOptions) {
    this.#options = options;
  }

  /** Begins in so many milliseconds; until then what was found before is forgotten already. */
  start(id: SessionId, query: FindQuery, delayMs: number): void {
    this.end();
    this.#sought = { id, query };
    this.store.setState({ ...NOTHING_FOUND, progress: 0 }, true);
    const turn = this.#turn;
    this.#timer = setTimeout(() => void this.#run(turn, id, query, 0), delayMs);
  }

  /** Looks at what was printed since, unless it still looks. */
  catchUp(): void {
    const { progress, isCut } = this.store.getState();
    if (this.#sought !== null && progress === null && !isCut) {
      void this.#run(this.#turn, this.#sought.id, this.#sought.query, this.#searchedTo);
    }
  }

  /** Nothing is looked for any more, and nothing is found. */
  end(): void {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.#sought = null;
    this.store.setState(NOTHING_FOUND, true);
  }

  dispose(): void {
    this.end();
  }

  async #run(turn: number, id: SessionId, query: FindQuery, from: number): Promise<void> {
    const known = this.store.getState().hits;
    let found: readonly OutputHit[] = [];
    let { goneBytes } = this.store.getState();
    let isFirst = true;
    for (let before: number | null = null; isFirst || before !== null;) {
      let step: OutputSearchStep;
      try {
        step = await this.#options.search(id, { query, before, from });
      } catch (error) {
        if (turn === this.#turn) {
          this.store.setState({ progress: null, problem: failureText(error) });
        }
        return;
      }
      if (turn !== this.#turn) {
        return;
      }
      if (isFirst) {
        this.#searchedTo = step.endOffset;
      }
      isFirst = false;
      found = [...found, ...step.hits];
      goneBytes += step.goneBytes;
      const hits = [...found, ...known];
      // Where one request had more hits than it tells, the next one goes on before the oldest of them.
      const next: number | null = step.isCut ? (step.hits.at(-1)?.offset ?? null) : step.nextBefore;
      const isCut = hits.length > MAX_HITS || (hits.length === MAX_HITS && next !== null);
      before = isCut ? null : next;
      const wanted = this.#searchedTo - Math.max(from, step.keptFrom);
      const progress = before === null ? null : wanted <= 0 ? 1 : (this.#searchedTo - before) / wanted;
      this.store.setState({ hits: hits.slice(0, MAX_HITS), progress, isCut, goneBytes, problem: null }, true);
    }
  }
}
