import { EngineError } from '../../shared/errors.ts';
import type { SessionId } from '../../shared/session.ts';
import { TurnoverSet } from '../../shared/turnover.ts';

/** The sessions of one client: those that it started, and no other (S16). */
export class OwnSessions {
  readonly #ids = new TurnoverSet<SessionId>();
  readonly #listeners = new TurnoverSet<() => void>();
  /** Told of what comes when the client has left; null while it is there. */
  #onLate: ((id: SessionId) => void) | null = null;

  /** It was started for this client. */
  add(id: SessionId): void {
    if (this.#onLate !== null) {
      this.#onLate(id);
    } else if (!this.#ids.has(id)) {
      this.#ids.add(id);
      this.#tell();
    }
  }

  /** The client has left: a start that was under way comes too late for it. */
  close(onLate: (id: SessionId) => void): void {
    this.#onLate = onLate;
  }

  delete(id: SessionId): void {
    if (this.#ids.delete(id)) {
      this.#tell();
    }
  }

  has(id: SessionId): boolean {
    return this.#ids.has(id);
  }

  all(): readonly SessionId[] {
    return [...this.#ids];
  }

  /** The id that is meant by it or its number. Throws `session-not-found` for one that is not the client's. */
  idOf(asked: string | number): SessionId {
    const id = (/^\d+$/.test(String(asked)) ? `session-${asked}` : String(asked)) as SessionId;
    if (!this.#ids.has(id)) {
      throw new EngineError('session-not-found', `unknown session ${id}: shell_list shows those that you have`);
    }
    return id;
  }

  /** Told of each that comes or goes. Answers the function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
