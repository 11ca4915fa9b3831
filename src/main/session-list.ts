import type { Engine } from '../engine/engine.ts';
import type { SessionListEvent, SessionListSnapshot } from '../shared/ipc.ts';

/** The engine's list as windows see it: snapshots and events carry revisions, so that none is missed or used twice. */
export class SessionList {
  readonly #engine: Engine;
  readonly #send: (event: SessionListEvent) => void;
  readonly #stop: () => void;
  #revision = 0;

  constructor(engine: Engine, send: (event: SessionListEvent) => void) {
    this.#engine = engine;
    this.#send = send;
    this.#stop = engine.onEvent((event) => {
      this.#revision += 1;
      this.#send({ ...event, revision: this.#revision });
    });
  }

  /** Every event with a higher revision comes after this snapshot. */
  async snapshot(): Promise<SessionListSnapshot> {
    const before = this.#revision;
    const sessions = await this.#engine.list();
    // An event during the look may or may not be in it: its session is told again, which changes nothing.
    return { revision: before, sessions };
  }

  dispose(): void {
    this.#stop();
  }
}
