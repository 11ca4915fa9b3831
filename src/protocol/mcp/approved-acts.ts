import { randomUUID } from 'node:crypto';
import type { Question } from '../../engine/engine.ts';
import { EngineError } from '../../shared/errors.ts';
import { TurnoverMap } from '../../shared/turnover.ts';

/** Acts that a person was asked about and that have ended, kept for who calls again; of more the oldest are forgotten. */
const REMEMBERED = 256;

/** What an act is given, to tell of what it asks and to ask it no more. */
export interface AskingTerms {
  /** Aborts when nobody waits for the act any more: what is asked for it goes with it. */
  readonly askSignal: AbortSignal;
  readonly onWaiting: (question: Question) => void;
}

export interface ActRequest {
  /** The client's own id of the call; the same again goes on waiting for the same act. */
  readonly requestId: string | undefined;
  /** What is to be done, as a text: the same id for something else is refused. */
  readonly what: string;
  /** How long the call waits for a person, in milliseconds. */
  readonly waitMs: number;
  /** Of the call. */
  readonly signal: AbortSignal;
}

/** `pending`: a person has not answered yet; the same request id goes on waiting. */
export type ActOutcome<T> =
  | { readonly kind: 'done'; readonly value: T; readonly withdraw: () => void }
  | { readonly kind: 'pending'; readonly requestId: string; readonly question: Question };

interface Act<T> {
  readonly what: string;
  readonly asking: AbortController;
  readonly outcome: Promise<T>;
  question: Question | null;
  isSettled: boolean;
  /** Calls that wait for it. */
  callers: number;
  /** Told when a person is asked first. */
  onAsked: () => void;
  readonly asked: Promise<void>;
}

/**
 * What a client does that a person may have to allow. A call waits as long as it may and is then told that the question
 * stands; the act goes on, and calls with the same request id wait for it or are told what became of it. A call that is
 * cancelled while it waits takes the question with it.
 */
export class ApprovedActs<T> {
  readonly #acts = new TurnoverMap<string, Act<T>>();

  /** Does it, once for its request id. Rejects as `act` does, and with `invalid-argument` for the id of something else. */
  async run(request: ActRequest, begin: (terms: AskingTerms) => Promise<T>): Promise<ActOutcome<T>> {
    const { requestId = randomUUID(), what, waitMs, signal } = request;
    const act = this.#known(requestId, what) ?? this.#begin(requestId, what, begin);
    const withdraw = () => {
      if (act.callers === 1) {
        act.asking.abort();
      }
    };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, waitMs);
    });
    act.callers += 1;
    signal.addEventListener('abort', withdraw, { once: true });
    if (signal.aborted) {
      withdraw();
    }
    try {
      await Promise.race([settledOf(act.outcome), Promise.all([act.asked, late])]);
      return act.isSettled || act.question === null
        ? { kind: 'done', value: await act.outcome, withdraw: () => act.asking.abort() }
        : { kind: 'pending', requestId, question: act.question };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', withdraw);
      act.callers -= 1;
    }
  }

  /** Takes back everything that is asked. */
  dispose(): void {
    for (const { asking } of this.#acts.values()) {
      asking.abort();
    }
    this.#acts.clear();
  }

  #known(requestId: string, what: string): Act<T> | null {
    const act = this.#acts.get(requestId);
    if (act === undefined || act.asking.signal.aborted) {
      return null;
    }
    if (act.what !== what) {
      throw new EngineError('invalid-argument', 'request_id: it was that of another call; use a new one for each');
    }
    return act;
  }

  #begin(requestId: string, what: string, begin: (terms: AskingTerms) => Promise<T>): Act<T> {
    const asking = new AbortController();
    let onAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve;
    });
    const onWaiting = (question: Question) => {
      act.question ??= question;
      act.onAsked();
    };
    const outcome = Promise.resolve().then(() => begin({ askSignal: asking.signal, onWaiting }));
    const act: Act<T> = { what, asking, outcome, question: null, isSettled: false, callers: 0, onAsked, asked };
    this.#acts.set(requestId, act);
    void settledOf(outcome).then(() => {
      act.isSettled = true;
      if (act.question === null || asking.signal.aborted) {
        this.#forget(requestId, act);
      }
      this.#trim();
    });
    return act;
  }

  #forget(requestId: string, act: Act<T>): void {
    if (this.#acts.get(requestId) === act) {
      this.#acts.delete(requestId);
    }
  }

  #trim(): void {
    const settled = [...this.#acts].filter(([, { isSettled }]) => isSettled);
    for (const [requestId] of settled.slice(0, Math.max(0, settled.length - REMEMBERED))) {
      this.#acts.delete(requestId);
    }
  }
}

/** When it is known how it ended, whatever that is. */
function settledOf(outcome: Promise<unknown>): Promise<void> {
  return outcome.then(
    () => {},
    () => {},
  );
}
