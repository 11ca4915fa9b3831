import type { Disposable } from '../../shared/disposable.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Attention, AttentionKind } from '../../shared/session.ts';
import { TurnoverMap, TurnoverSet } from '../../shared/turnover.ts';
import { checkedMs } from './checked.ts';

/**
 * How a request for a person ended: `done` and `declined` by the person; `timed-out`, `ended` (the session did) and
 * `replaced` (by a later request of the same session) by nobody.
 */
export interface AttentionOutcome {
  readonly state: 'done' | 'declined' | 'timed-out' | 'ended' | 'replaced';
  /** What the person wrote; never a secret, which is typed into the session. */
  readonly note: string | null;
}

export interface AttentionRequest {
  readonly kind: AttentionKind;
  /** What the person shall do, for the window. */
  readonly message: string;
  /** How long it stands, in milliseconds. */
  readonly timeoutMs: number;
}

/** Outcomes remembered per session, for an agent that was away when the person answered. */
const REMEMBERED_OUTCOMES = 16;

/** Longest message and note, in characters: a window shows them. */
const MAX_TEXT = 2_000;

/** A session's wish for a person: at most one at a time, with a time limit, answered once. */
export class AttentionDesk implements Disposable {
  readonly #onChange: () => void;
  readonly #outcomes = new TurnoverMap<string, AttentionOutcome>();
  readonly #waiting = new TurnoverSet<() => void>();
  #current: Attention | null = null;
  #timer: NodeJS.Timeout | undefined;
  #lastNumber = 0;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get current(): Attention | null {
    return this.#current;
  }

  /** Asks for a person. The same wish again is the one that stands. Throws `invalid-argument` naming the field. */
  ask({ kind, message, timeoutMs }: AttentionRequest): Attention {
    if (message.trim() === '' || message.length > MAX_TEXT) {
      throw new EngineError(
        'invalid-argument',
        `message: must say in 1 to ${MAX_TEXT} characters what a person shall do`,
      );
    }
    const limitMs = checkedMs('timeoutMs', timeoutMs);
    const standing = this.#current;
    if (standing?.kind === kind && standing.message === message) {
      return standing;
    }
    this.#settle({ state: 'replaced', note: null });
    this.#lastNumber += 1;
    const askedAtMs = Date.now();
    const attention = { id: `attention-${this.#lastNumber}`, kind, message, askedAtMs, untilMs: askedAtMs + limitMs };
    this.#current = attention;
    this.#timer = setTimeout(() => this.#settle({ state: 'timed-out', note: null }), limitMs);
    this.#onChange();
    return attention;
  }

  /** The person's answer. False when nothing with that id stands any more. */
  answer(id: string, outcome: { readonly state: 'done' | 'declined'; readonly note: string | null }): boolean {
    if (this.#current?.id !== id) {
      return false;
    }
    this.#settle({ state: outcome.state, note: outcome.note?.slice(0, MAX_TEXT) ?? null });
    return true;
  }

  /** How it ended, waited for up to so many milliseconds; null while it stands. Throws `invalid-argument` for no id of ours. */
  async outcome(id: string, waitMs: number, signal?: AbortSignal): Promise<AttentionOutcome | null> {
    const limitMs = checkedMs('waitMs', waitMs);
    if (this.#current?.id === id && limitMs > 0 && signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          this.#waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, limitMs);
        signal?.addEventListener('abort', done);
        this.#waiting.add(done);
      });
    }
    const outcome = this.#outcomes.get(id) ?? null;
    if (outcome === null && this.#current?.id !== id) {
      throw new EngineError('invalid-argument', `attention: ${id} is none of this session, or long over; ask again`);
    }
    return outcome;
  }

  /** The session has ended: there is nothing left to do in it. */
  dispose(): void {
    this.#settle({ state: 'ended', note: null });
  }

  #settle(outcome: AttentionOutcome): void {
    const settled = this.#current;
    if (settled === null) {
      return;
    }
    clearTimeout(this.#timer);
    this.#current = null;
    this.#outcomes.set(settled.id, outcome);
    this.#outcomes.keepNewest(REMEMBERED_OUTCOMES);
    this.#onChange();
    for (const wake of this.#waiting) {
      wake();
    }
  }
}
