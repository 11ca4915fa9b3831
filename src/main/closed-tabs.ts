import type { Engine } from '../engine/engine.ts';
import type { ReopenedTabs } from '../shared/session-facts.ts';
import type { SessionInfo } from '../shared/session.ts';

/** Sessions that can be asked for again; of more the oldest closings are forgotten. */
const MAX_REMEMBERED = 1_000;

/** What the person closed since the start, so that she can have it again: as an ended session, from what is kept on the disk. */
export class ClosedTabs {
  readonly #engine: Pick<Engine, 'findEarlier' | 'restore'>;
  /** By their epochs; what was closed by one act is one entry. The last one at the end. */
  readonly #closings: (readonly string[])[] = [];

  constructor(engine: Pick<Engine, 'findEarlier' | 'restore'>) {
    this.#engine = engine;
  }

  /** These were closed by one act of the person. */
  closed(sessions: readonly SessionInfo[]): void {
    // Of what could not start nothing is kept.
    const kept = sessions.filter(({ state }) => state !== 'failed');
    if (kept.length > 0) {
      this.#closings.push(kept.toSorted((a, b) => a.startedAtMs - b.startedAtMs).map(({ epoch }) => epoch));
    }
    while (this.#closings.reduce((sum, { length }) => sum + length, 0) > MAX_REMEMBERED && this.#closings.length > 1) {
      this.#closings.shift();
    }
  }

  /** Takes what was closed last into the list again. Each closing is undone once. */
  async reopen(): Promise<ReopenedTabs> {
    const epochs = this.#closings.pop();
    if (epochs === undefined) {
      return { sessions: [], lost: 0 };
    }
    const { found } = await this.#engine.findEarlier(epochs);
    const there = new Set(found.map(({ session }) => session.epoch));
    const sessions = await this.#engine.restore(epochs.filter((epoch) => there.has(epoch)));
    return { sessions, lost: epochs.length - there.size };
  }
}
