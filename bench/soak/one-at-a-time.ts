import { setImmediate as turn } from 'node:timers/promises';

/**
 * Runs pieces of work one after the other, each in a turn of the event loop of its own. Two hundred checksums in one
 * turn would hold up the engine, and be measured as its latency.
 */
export class OneAtATime {
  #last: Promise<void> = Promise.resolve();

  /** Resolves with what the work answers. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const done = this.#last.then(async () => {
      await turn();
      return work();
    });
    this.#last = done.then(
      () => {},
      () => {
        // Whoever asked for it is told.
      },
    );
    return done;
  }
}
