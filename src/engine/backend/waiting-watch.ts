import { isDeepStrictEqual } from 'node:util';
import type { WaitingFor } from '../../shared/session.ts';
import { TurnoverSet } from '../../shared/turnover.ts';

export interface WaitingWatchOptions {
  /** One look, which costs something: `whatIsWaitedFor`. Must not reject. */
  readonly look: () => Promise<WaitingFor>;
  /** Told of each answer; `changed` when it is the first or differs from the one before. */
  readonly onAnswer: (waiting: WaitingFor, changed: boolean) => void;
}

/** Silence, in milliseconds, before a look: a child that prints, or has just been given input, is not looked at. */
const LOOK_AFTER_SILENCE_MS = 100;

/**
 * Longest time between two looks at a silent child, in milliseconds. Each look is twice as late as the one before, so
 * that a script that begins to read without a word is noticed within as much time as it was silent, at most this.
 */
const LOOK_AT_LEAST_EVERY_MS = 10_000;

/** The same while somebody waits for the answer, in milliseconds: some 0.1 to 2 % of a core for each such child. */
const LOOK_FOR_WAITERS_EVERY_MS = 250;

/**
 * Keeps account of what one child waits for, without looking while it prints and hardly ever while it is silent.
 *
 * ```
 * output or input ─► 100 ms of silence ─► look ─► 100 ms ─► look ─► 200 ms ─► look … every 10 s while it is busy
 *        ▲                                                              └─► no more, once it waits for input
 *        └── anything resets it
 * ```
 *
 * A child that waits for input is looked at for some 12 seconds and then not again: it costs nothing. Should it stop
 * waiting without a byte of input or output (a time limit of its own), that is noticed when it prints next.
 */
export class WaitingWatch {
  readonly #options: WaitingWatchOptions;
  readonly #wakeWaiters = new TurnoverSet<() => void>();
  #timer: NodeJS.Timeout | null = null;
  /** When `#timer` is due, in the milliseconds of performance.now(). */
  #dueAtMs = Number.POSITIVE_INFINITY;
  #lastActivityMs = 0;
  /** Time from the next look to the one after it, in milliseconds. */
  #backOffMs = LOOK_AFTER_SILENCE_MS;
  #looking: Promise<void> | null = null;
  #current: WaitingFor | null = null;
  /** `#current` is from a look since the last activity. */
  #fresh = false;
  #closed = false;
  #attendants = 0;

  constructor(options: WaitingWatchOptions) {
    this.#options = options;
    this.activity();
  }

  /** The last answer from after the last output and input; null when there has been no look since. */
  get current(): WaitingFor | null {
    return this.#fresh ? this.#current : null;
  }

  /** The last answer, however much has happened since; null before the first. */
  get last(): WaitingFor | null {
    return this.#current;
  }

  /** The child printed, or was given input: what it waits for may have changed. Cheap enough for every chunk. */
  activity(): void {
    if (this.#closed) {
      return;
    }
    this.#lastActivityMs = performance.now();
    this.#fresh = false;
    this.#backOffMs = LOOK_AFTER_SILENCE_MS;
    if (this.#dueAtMs > this.#lastActivityMs + LOOK_AFTER_SILENCE_MS) {
      this.#lookIn(LOOK_AFTER_SILENCE_MS);
    }
  }

  /** Somebody waits for the child to wait: it is looked at more often until the answered function is called. */
  attend(): () => void {
    this.#attendants += 1;
    if (!this.#closed && this.#looking === null && this.#dueAtMs > performance.now() + LOOK_FOR_WAITERS_EVERY_MS) {
      this.#lookIn(LOOK_FOR_WAITERS_EVERY_MS);
    }
    let isOver = false;
    return () => {
      if (!isOver) {
        isOver = true;
        this.#attendants -= 1;
      }
    };
  }

  /**
   * Resolves with the first answer that is accepted and from after the last activity: at once, or as soon as a look
   * gives it. With null when the signal is aborted or the watch closed before that.
   */
  async until(accepts: (waiting: WaitingFor) => boolean, signal?: AbortSignal): Promise<WaitingFor | null> {
    while (!this.#closed && signal?.aborted !== true) {
      if (this.#fresh && this.#current !== null && accepts(this.#current)) {
        return this.#current;
      }
      await this.#nextAnswer(signal);
    }
    return null;
  }

  /** No more looks; resolves when the one under way is over, so that nothing of it is left. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopTimer();
    this.#wake();
    await this.#looking;
  }

  #nextAnswer(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#wakeWaiters.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.#wakeWaiters.add(done);
      signal?.addEventListener('abort', done);
    });
  }

  #wake(): void {
    for (const wake of this.#wakeWaiters) {
      wake();
    }
  }

  #lookIn(ms: number): void {
    this.#stopTimer();
    this.#dueAtMs = performance.now() + ms;
    this.#timer = setTimeout(() => this.#onTimer(), ms);
  }

  #stopTimer(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
    this.#dueAtMs = Number.POSITIVE_INFINITY;
  }

  #onTimer(): void {
    this.#stopTimer();
    const silentMs = performance.now() - this.#lastActivityMs;
    if (this.#looking !== null) {
      this.#lookIn(LOOK_AFTER_SILENCE_MS);
    } else if (silentMs < LOOK_AFTER_SILENCE_MS - 1) {
      // Timers may be a little early: a rest of less than a millisecond is not waited for.
      this.#lookIn(LOOK_AFTER_SILENCE_MS - silentMs);
    } else {
      this.#looking = this.#look().finally(() => {
        this.#looking = null;
      });
    }
  }

  async #look(): Promise<void> {
    const startedAtMs = performance.now();
    const answer = await this.#options.look();
    if (this.#closed || this.#lastActivityMs >= startedAtMs) {
      // Something happened meanwhile, which has set the timer for another look.
      return;
    }
    const isLast = this.#backOffMs > LOOK_AT_LEAST_EVERY_MS && answer.kind !== 'busy' && this.#attendants === 0;
    if (!isLast) {
      const mostMs = this.#attendants > 0 ? LOOK_FOR_WAITERS_EVERY_MS : LOOK_AT_LEAST_EVERY_MS;
      this.#lookIn(Math.min(this.#backOffMs, mostMs));
      this.#backOffMs *= 2;
    }
    const changed = !isDeepStrictEqual(answer, this.#current);
    this.#current = answer;
    this.#fresh = true;
    this.#options.onAnswer(answer, changed);
    this.#wake();
  }
}
