import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time after which everything else has its turn, in milliseconds. */
const TURN_MS = 3;

/**
 * Work between two looks at the clock, a tenth of a millisecond or two: so much longer than `TURN_MS` a turn may last.
 * As much as one call may do at once, too.
 */
export const STEP_WORK = 16 * 1024;

/** Work of a record or a chunk beside that of its bytes: of a program that prints single bytes there are very many. */
export const PIECE_WORK = 32;

export interface TurnsOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told of each turn's work; for tests. */
  readonly onTurn?: (work: number) => void;
  /** As `performance.now`. */
  readonly now?: () => number;
}

/**
 * Parts a long piece of work in this thread into turns. Work is counted in bytes looked at, about 10 ns each, and what is
 * done for each piece of output is counted beside them: else its cost would depend on how a program writes.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #now: () => number;
  #began: number;
  #work = 0;
  #sinceLook = 0;

  constructor(options: TurnsOptions = {}) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#began = this.#now();
  }

  get signal(): AbortSignal | undefined {
    return this.#options.signal;
  }

  /** Counts what was done. Answers whether the turn is over: then wait for `next`. */
  isOver(work: number): boolean {
    this.#work += work;
    this.#sinceLook += work;
    if (this.#sinceLook < STEP_WORK) {
      return false;
    }
    this.#sinceLook = 0;
    return this.#now() - this.#began >= TURN_MS;
  }

  /** Resolves when everything else has had its turn. Rejects with the signal's reason. */
  async next(): Promise<void> {
    this.waited();
    await nextTurn();
    this.#options.signal?.throwIfAborted();
    this.#began = this.#now();
  }

  /** Something was waited for, so that everything else has had its turn. */
  waited(): void {
    this.#options.onTurn?.(this.#work);
    this.#work = 0;
    this.#sinceLook = 0;
    this.#began = this.#now();
  }
}
