import { BellScan, type Engine, type FollowHandle } from '../engine/engine.ts';
import type { Disposable } from '../shared/disposable.ts';
import type { SessionId } from '../shared/session.ts';

/** Milliseconds between two bells that are told: a pane makes no more of them heard. */
const TELL_EVERY_MS = 500;

export interface HeldBellsOptions {
  readonly engine: Pick<Engine, 'follow'>;
  readonly id: SessionId;
  readonly onBell: () => void;
}

/**
 * Listens for the bells of a session whose pane is given no output. What is printed is looked at where it lies; nothing is
 * copied and nothing parsed.
 */
export class HeldBells implements Disposable {
  readonly #onBell: () => void;
  readonly #scan = new BellScan();
  readonly #follow: FollowHandle;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor({ engine, id, onBell }: HeldBellsOptions) {
    this.#onBell = onBell;
    this.#follow = engine.follow(id, {
      afterSeq: 'now',
      creditBytes: 1,
      holdsChildMs: 0,
      borrowsBytes: true,
      onEvent: (event) => {
        if (event.kind === 'output') {
          const { buffer, byteOffset, length } = event.bytes;
          this.#look(Buffer.from(buffer, byteOffset, length));
          this.#follow.ack(event.offset + length);
        }
      },
    });
  }

  dispose(): void {
    this.#follow.close();
  }

  #look(bytes: Buffer): void {
    if (this.#scan.rings(bytes) && performance.now() - this.#toldAtMs >= TELL_EVERY_MS) {
      this.#toldAtMs = performance.now();
      this.#onBell();
    }
  }
}
