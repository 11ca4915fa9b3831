import type { StoreApi } from 'zustand/vanilla';
import type { QuestionAnswer, ShownQuestion } from '../../shared/approval.ts';
import type { WindowApi } from '../../shared/ipc.ts';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import { failureText } from '../host-client.ts';
import type { WindowFocus } from '../window/window-focus.ts';

export interface QuestionActsOptions {
  readonly host: WindowApi;
  readonly questions: StoreApi<readonly ShownQuestion[]>;
  readonly focus: WindowFocus;
  /** The session in view; null only when there is none. */
  readonly selected: () => SessionId | null;
  readonly session: (id: SessionId) => SessionInfo | undefined;
  /** A question of a program in view, for when no agent has one; null when there is none. */
  readonly programsQuestion: () => string | null;
  /** Tells the person of what failed. */
  readonly notify: (sentence: string) => void;
}

/** The person's answers to what agents wait for. */
export class QuestionActs {
  readonly #options: QuestionActsOptions;

  constructor(options: QuestionActsOptions) {
    this.#options = options;
  }

  /** Asks the host what waits now. */
  async load(): Promise<void> {
    const { host, questions, notify } = this.#options;
    try {
      const waiting = await host.listQuestions();
      // An event that came meanwhile is newer than this answer.
      if (questions.getState().length === 0) {
        questions.setState(waiting, true);
      }
    } catch (error) {
      notify(`What agents ask could not be loaded. ${failureText(error)}`);
    }
  }

  /** Brings the keyboard to the question that waits longest; agents wait for theirs. */
  toFirst(): void {
    const { questions, focus, programsQuestion } = this.#options;
    const id = questions.getState()[0]?.id ?? programsQuestion();
    if (id !== null) {
      focus.toQuestion(id);
    }
  }

  /** The person's answer to an agent's question. */
  async answer(id: string, answer: QuestionAnswer): Promise<void> {
    const { host, notify } = this.#options;
    try {
      const { answered } = await host.answerQuestion(id, answer);
      this.#leave(id);
      if (!answered) {
        notify('That question was settled already.');
      }
    } catch (error) {
      notify(`The answer did not arrive. ${failureText(error)}`);
    }
  }

  refuse(id: string, words: string | null): void {
    void this.answer(id, { kind: 'refuse', words });
  }

  /** The person's answer to what the session's agent wants one for; nothing is done when it wants nothing. */
  async answerRequest(id: SessionId, answer: 'done' | 'declined'): Promise<void> {
    const { host, focus, notify, session } = this.#options;
    const attention = session(id)?.attention ?? null;
    if (attention === null) {
      return;
    }
    focus.toPane(id);
    try {
      const { answered } = await host.answerAttention(id, attention.id, answer);
      if (!answered) {
        notify('The agent no longer waits for that.');
      }
    } catch (error) {
      notify(`The answer did not reach the agent. ${failureText(error)}`);
    }
  }

  /** The answered question goes, and the keyboard to the next one, or back to the session in view. */
  #leave(id: string): void {
    const { questions, focus } = this.#options;
    const left = questions.getState().filter((question) => question.id !== id);
    const [next] = left;
    const selected = this.#options.selected();
    if (next !== undefined) {
      focus.toQuestion(next.id);
    } else if (selected !== null) {
      focus.toPane(selected);
    }
    questions.setState(left, true);
  }
}
