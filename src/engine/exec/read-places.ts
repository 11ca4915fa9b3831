import type { OutputCursor } from '../../shared/output-cursor.ts';
import type { SessionId } from '../../shared/session.ts';
import { TurnoverMap } from '../../shared/turnover.ts';

/** What was read, and where the next read of this reader begins. */
interface Taken {
  readonly nextCursor: OutputCursor;
}

/** Where one agent goes on reading in each of its sessions: what was delivered to it is not given again (A5). */
export class ReadPlaces {
  readonly #places = new TurnoverMap<SessionId, OutputCursor>();
  /** The read under way of each session: two that come together must not get the same. */
  readonly #reading = new TurnoverMap<SessionId, Promise<unknown>>();

  /**
   * Reads from this agent's place on (null: from the oldest retained byte), and moves the place behind it, unless
   * nobody is there any more to be answered: then the next read gets the same again.
   */
  async take<T extends Taken>(
    id: SessionId,
    read: (from: OutputCursor | null) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const before = this.#reading.get(id);
    const reading = (async () => {
      // Whether it could be read is that reader's matter.
      await before?.catch(() => {});
      const taken = await read(this.#places.get(id) ?? null);
      if (signal?.aborted !== true) {
        this.#places.set(id, taken.nextCursor);
      }
      return taken;
    })();
    this.#reading.set(id, reading);
    try {
      return await reading;
    } finally {
      if (this.#reading.get(id) === reading) {
        this.#reading.delete(id);
      }
    }
  }

  /** Where the next read of a session begins; null for the oldest retained byte. */
  at(id: SessionId): OutputCursor | null {
    return this.#places.get(id) ?? null;
  }

  /** Forgets a session that nobody will read any more. */
  forget(id: SessionId): void {
    this.#places.delete(id);
  }
}
