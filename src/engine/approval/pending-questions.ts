import { Emitter } from '../../shared/emitter.ts';
import type { SessionId } from '../../shared/session.ts';
import { TurnoverMap } from '../../shared/turnover.ts';
import type { DecidedBy } from './decide.ts';
import type { Doubt } from './plain-command.ts';
import type { ApprovalRule } from './policy.ts';

/** What is asked about, as it is shown to whoever decides. */
export interface QuestionSubject {
  /** `start`: may it run? `retry`: may it run again, without its sandbox? `input`: may that be typed? */
  readonly kind: 'start' | 'retry' | 'input';
  readonly client: string;
  /** The client's own id of the call, by which its answer is found (D7). */
  readonly callId: string | null;
  /** The session it is about: the one typed into, or the one that failed. Null before a first start. */
  readonly session: SessionId | null;
  /** The whole command, unwrapped; for `input` the text. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Names of the variables that the child gets otherwise than the host has them. */
  readonly changedVariables: readonly string[];
  /** The sandbox it would run in, for a person. */
  readonly sandbox: string;
  /** Why it is asked. */
  readonly why: string;
  readonly decidedBy: DecidedBy;
  readonly doubts: readonly Doubt[];
  /** What "always" would write; without any that answer cannot be given. */
  readonly proposedRules: readonly ApprovalRule[];
  /** Could a "yes" also cover a second run without the sandbox? */
  readonly offersRetry: boolean;
}

export interface Question extends QuestionSubject {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** When it is refused for want of an answer, in milliseconds since 1970; null: it waits as long as its call. */
  readonly until: number | null;
}

/** An answer to a question. `withoutSandbox`: also for a second run without it, should the sandbox deny the first. */
export type Answer =
  | { readonly kind: 'once'; readonly withoutSandbox: boolean }
  | { readonly kind: 'session'; readonly withoutSandbox: boolean }
  | { readonly kind: 'always' }
  /** With a word to the agent, or null. */
  | { readonly kind: 'refuse'; readonly words: string | null };

/**
 * Who ended a question: a person, the time limit, its call that was cancelled, the policy for a host that nobody watches,
 * or the end of the host.
 */
export type AnsweredBy = 'person' | 'time-limit' | 'cancelled' | 'policy' | 'host';

export interface Settled {
  readonly answer: Answer;
  readonly by: AnsweredBy;
  /** Where the person answered (`window`, `command line`); null when it was none. */
  readonly from: string | null;
}

/** What happens to questions, as plain data: for windows, the timeline and the audit log. */
export type QuestionEvent =
  | { readonly type: 'asked'; readonly question: Question }
  | { readonly type: 'settled'; readonly question: Question; readonly settled: Settled; readonly at: number };

export interface PendingQuestionsOptions {
  /** How long a question waits, in milliseconds; null: for ever. Default: `QUESTION_TIME_LIMIT_MS`. */
  readonly timeLimitMs?: number | null;
  /** What becomes of a question at once: `wait` for a person, or the policy's answer where nobody is. */
  readonly unattended: 'wait' | 'refuse' | 'allow';
  readonly now: () => number;
  /** Told of a listener that threw. */
  readonly onFault: (error: unknown) => void;
}

/** Ten minutes: a person who went for a coffee comes back to it; an agent that was forgotten does not hang for ever. */
const QUESTION_TIME_LIMIT_MS = 10 * 60 * 1000;

/** Questions of one client at once; more are refused. A person answers some; a thousand are an attack on the window. */
const MAX_PER_CLIENT = 50;

/** Longest word to an agent, in UTF-16 code units. */
const MAX_WORDS_LENGTH = 10_000;

interface Waiting {
  readonly question: Question;
  settle(settled: Settled): void;
}

/** Questions that wait for a person. Each is answered once; every one of them ends. */
export class PendingQuestions {
  readonly #options: PendingQuestionsOptions;
  readonly #waiting = new TurnoverMap<string, Waiting>();
  readonly #events: Emitter<QuestionEvent>;
  #lastNumber = 0;
  #isDisposed = false;

  constructor(options: PendingQuestionsOptions) {
    this.#options = options;
    this.#events = new Emitter(options.onFault);
  }

  /**
   * Asks, and resolves when that is settled, whoever did; never rejects. The signal is the call's: with it the question goes.
   * `onWaiting` is told of a question that waits for a person.
   */
  ask(subject: QuestionSubject, signal?: AbortSignal, onWaiting?: (question: Question) => void): Promise<Settled> {
    const { now, unattended, timeLimitMs = QUESTION_TIME_LIMIT_MS } = this.#options;
    this.#lastNumber += 1;
    const askedAt = now();
    const question: Question = {
      ...subject,
      id: `question-${this.#lastNumber}`,
      askedAt,
      until: timeLimitMs === null ? null : askedAt + timeLimitMs,
    };
    const atOnce = this.#answerAtOnce(question, signal);
    this.#events.emit({ type: 'asked', question });
    if (atOnce !== null) {
      this.#events.emit({ type: 'settled', question, settled: atOnce, at: now() });
      return Promise.resolve(atOnce);
    }
    if (unattended !== 'wait') {
      const answer: Answer = unattended === 'allow' ? { kind: 'once', withoutSandbox: false } : refusal(null);
      const settled: Settled = { answer, by: 'policy', from: null };
      this.#events.emit({ type: 'settled', question, settled, at: now() });
      return Promise.resolve(settled);
    }
    const settled = this.#wait(question, timeLimitMs, signal);
    onWaiting?.(question);
    return settled;
  }

  #answerAtOnce(question: Question, signal: AbortSignal | undefined): Settled | null {
    if (this.#isDisposed) {
      return { answer: refusal(null), by: 'host', from: null };
    }
    if (signal?.aborted === true) {
      return { answer: refusal(null), by: 'cancelled', from: null };
    }
    const count = this.list().filter(({ client }) => client === question.client).length;
    return count < MAX_PER_CLIENT
      ? null
      : { answer: refusal(`${count} questions of this client wait already`), by: 'host', from: null };
  }

  #wait(question: Question, timeLimitMs: number | null, signal: AbortSignal | undefined): Promise<Settled> {
    return new Promise((resolve) => {
      const cancelled = () => this.#settle(question.id, { answer: refusal(null), by: 'cancelled', from: null });
      const timer =
        timeLimitMs === null
          ? undefined
          : setTimeout(
              () => this.#settle(question.id, { answer: refusal(null), by: 'time-limit', from: null }),
              timeLimitMs,
            );
      signal?.addEventListener('abort', cancelled, { once: true });
      this.#waiting.set(question.id, {
        question,
        settle: (settled) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', cancelled);
          resolve(settled);
        },
      });
    });
  }

  /**
   * A person's answer. False when the question is settled already, unknown, or cannot be answered so (`always` without a
   * rule to write, `withoutSandbox` where that was not offered).
   */
  answer(id: string, answer: Answer, from: string): boolean {
    const question = this.#waiting.get(id)?.question;
    if (question === undefined || !isPossible(question, answer)) {
      return false;
    }
    this.#settle(id, { answer, by: 'person', from });
    return true;
  }

  /** Those that wait, oldest first. */
  list(): readonly Question[] {
    return this.#waiting.values().map(({ question }) => question);
  }

  /** Tells what happens, in order. Answers the function that stops it. */
  onEvent(listener: (event: QuestionEvent) => void): () => void {
    return this.#events.on(listener);
  }

  /** Refuses all that wait, and all that come. */
  dispose(): void {
    this.#isDisposed = true;
    for (const id of this.#waiting.keys()) {
      this.#settle(id, { answer: refusal(null), by: 'host', from: null });
    }
    this.#events.clear();
  }

  #settle(id: string, settled: Settled): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      return;
    }
    this.#waiting.delete(id);
    waiting.settle(settled);
    this.#events.emit({ type: 'settled', question: waiting.question, settled, at: this.#options.now() });
  }
}

function refusal(words: string | null): Answer {
  return { kind: 'refuse', words };
}

function isPossible({ proposedRules, offersRetry }: Question, answer: Answer): boolean {
  switch (answer.kind) {
    case 'once':
    case 'session':
      return offersRetry || !answer.withoutSandbox;
    case 'always':
      return proposedRules.length > 0;
    case 'refuse':
      return (answer.words?.length ?? 0) <= MAX_WORDS_LENGTH;
  }
}
