import type { ShownQuestion } from '../../shared/approval.ts';
import type { Disposable } from '../../shared/disposable.ts';
import { personWant, type PersonWant } from '../../shared/person-wanted.ts';
import { commandTitle, originName, sessionTitle, stateWords } from '../../shared/session-words.ts';
import { isLive, type SessionId, type SessionInfo } from '../../shared/session.ts';
import { oneLine } from '../../shared/shown-text.ts';
import { TurnoverMap, TurnoverSet } from '../../shared/turnover.ts';

/** Times before something matters to a person who is elsewhere, in milliseconds. */
export interface Patience {
  /** Of a session that waits for a password, which she may be about to type. */
  readonly passwordMs: number;
  /** Of an agent's session that waits for a line, which the agent may type. */
  readonly lineMs: number;
  /** Shortest run whose failure matters: what fails at once, an agent tries again at once. */
  readonly failedAfterMs: number;
}

/** One thing that somebody wants a person for. */
export interface Want {
  /** The same for as long as it stands. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** What one session wants, or one client whose session does not exist yet. */
export interface WantsOf {
  readonly subject: string;
  /** Null: no session yet, there is a question about its start. */
  readonly session: SessionId | null;
  /** The oldest first. */
  readonly wants: readonly Want[];
}

export interface PersonWantsOptions {
  readonly patience: Patience;
  /** All that is wanted now. Told whenever it changes. */
  readonly onChange: (wants: readonly WantsOf[]) => void;
  /** A session failed by itself, after a run long enough to matter. */
  readonly onFailed: (session: SessionId, failure: Want) => void;
}

/** Characters of an agent's own words in a title or a body. */
const MAX_WORDS = 160;

/**
 * What waits for a person, over all sessions: agents' questions, what they asked her for, and prompts that nobody
 * answers for longer than patience lasts.
 */
export class PersonWants implements Disposable {
  readonly #options: PersonWantsOptions;
  readonly #sessions = new TurnoverMap<SessionId, Want>();
  readonly #waiting = new TurnoverMap<SessionId, { readonly kind: PersonWant; readonly timer: NodeJS.Timeout }>();
  readonly #live = new TurnoverSet<SessionId>();
  #questions: readonly ShownQuestion[] = [];

  constructor(options: PersonWantsOptions) {
    this.#options = options;
  }

  /** A session is new, or another than it was. */
  sessionChanged(session: SessionInfo): void {
    this.#follow(session);
    if (isLive(session.state)) {
      this.#live.add(session.id);
    } else if (this.#live.delete(session.id)) {
      this.#ended(session);
    }
  }

  sessionRemoved(id: SessionId): void {
    this.#live.delete(id);
    this.#stopWaiting(id);
    this.#set(id, null);
  }

  /** All questions that wait now. */
  questionsChanged(questions: readonly ShownQuestion[]): void {
    this.#questions = questions;
    this.#tell();
  }

  dispose(): void {
    for (const id of this.#waiting.keys()) {
      this.#stopWaiting(id);
    }
  }

  #follow(session: SessionInfo): void {
    const { id, attention } = session;
    const kind = personWant(session);
    if (kind !== this.#waiting.get(id)?.kind) {
      this.#stopWaiting(id);
    }
    if (kind === null) {
      this.#set(id, null);
    } else if (kind === 'asked' && attention !== null) {
      const title = `${originName(session.origin)} asks you`;
      this.#set(id, { id: `asked ${attention.id}`, title, body: cut(attention.message) });
    } else if (!this.#waiting.has(id)) {
      this.#set(id, null);
      const { passwordMs, lineMs } = this.#options.patience;
      const timer = setTimeout(() => this.#set(id, waitsFor(session, kind)), kind === 'password' ? passwordMs : lineMs);
      this.#waiting.set(id, { kind, timer });
    }
  }

  #ended(session: SessionInfo): void {
    const { startedAtMs, endedAtMs, endedBy, exit } = session;
    const isFailure = exit?.signal != null || (exit?.exitCode ?? 0) !== 0;
    const ranMs = (endedAtMs ?? startedAtMs) - startedAtMs;
    const isOwnEnd = endedBy === 'child' || endedBy === 'limit';
    if (isFailure && isOwnEnd && ranMs >= this.#options.patience.failedAfterMs) {
      const title = `${cut(sessionTitle(session))}: ${stateWords(session)}`;
      this.#options.onFailed(session.id, { id: 'failed', title, body: `A session of ${ownerWords(session)}` });
    }
  }

  #set(id: SessionId, want: Want | null): void {
    if (this.#sessions.get(id)?.id === want?.id) {
      return;
    }
    if (want === null) {
      this.#sessions.delete(id);
    } else {
      this.#sessions.set(id, want);
    }
    this.#tell();
  }

  #stopWaiting(id: SessionId): void {
    clearTimeout(this.#waiting.get(id)?.timer);
    this.#waiting.delete(id);
  }

  #tell(): void {
    const bySubject = new Map<string, WantsOf>();
    const add = (subject: string, session: SessionId | null, want: Want) => {
      const wants = [...(bySubject.get(subject)?.wants ?? []), want];
      bySubject.set(subject, { subject, session, wants });
    };
    for (const question of this.#questions) {
      const { session, client } = question;
      add(session === null ? `client ${client}` : `session ${session}`, session, questionWant(question));
    }
    for (const [id, want] of this.#sessions) {
      add(`session ${id}`, id, want);
    }
    this.#options.onChange([...bySubject.values()]);
  }
}

function waitsFor(session: SessionInfo, kind: PersonWant): Want {
  const title = `${cut(sessionTitle(session))} waits for a ${kind === 'password' ? 'password' : 'line'}`;
  return { id: `waits for ${kind}`, title, body: `A session of ${ownerWords(session)}` };
}

/** What would be typed is not told: it may be read on a locked screen. */
function questionWant({ id, kind, client, argv }: ShownQuestion): Want {
  const title = `${cut(client)} ${kind === 'input' ? 'wants to type something' : 'wants to run a command'}`;
  return {
    id: `question ${id}`,
    title,
    body: kind === 'input' ? 'Shellscope shows what.' : cut(commandTitle({ argv })),
  };
}

function ownerWords({ origin }: Pick<SessionInfo, 'origin'>): string {
  return origin.kind === 'person' ? 'your own' : cut(originName(origin));
}

function cut(text: string): string {
  const line = oneLine(text);
  return line.length <= MAX_WORDS ? line : `${line.slice(0, MAX_WORDS - 1)}…`;
}
