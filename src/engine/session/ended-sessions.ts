import type { SessionId } from '../../shared/session.ts';
import { TurnoverMap } from '../../shared/turnover.ts';
import type { Session } from './session.ts';

export interface EndedSessionsOptions {
  readonly maxCount: number;
  /** Bytes of output of all of them together. */
  readonly maxBytes: number;
}

/** The sessions that have ended and are still kept, in the order of their ends. */
export class EndedSessions {
  readonly #options: EndedSessionsOptions;
  readonly #sessions = new TurnoverMap<SessionId, { readonly session: Session; readonly bytes: number }>();
  #bytes = 0;

  constructor(options: EndedSessionsOptions) {
    this.#options = options;
  }

  /** Nothing runs any more of what was started in it. Told again, it changes nothing. */
  add(session: Session): void {
    if (!this.#sessions.has(session.id)) {
      const bytes = session.retainedBytes;
      this.#sessions.set(session.id, { session, bytes });
      this.#bytes += bytes;
    }
  }

  remove(session: Session): void {
    const kept = this.#sessions.get(session.id);
    if (kept?.session === session) {
      this.#sessions.delete(session.id);
      this.#bytes -= kept.bytes;
    }
  }

  /** Takes out the oldest while there are more, or more bytes, than may be kept. Answers them (S9). */
  takeExcess(): readonly Session[] {
    const excess: Session[] = [];
    for (const { session } of this.#sessions.values()) {
      if (this.#sessions.size <= this.#options.maxCount && this.#bytes <= this.#options.maxBytes) {
        break;
      }
      this.remove(session);
      excess.push(session);
    }
    return excess;
  }
}
