import type { FollowRequest } from '../engine/engine.ts';
import {
  PANE_INTERRUPT_LAG_BYTES,
  PANE_INTERRUPT_TAIL_BYTES,
  PANE_INTERRUPTED_MS,
  PANE_LAG_BYTES,
  PANE_TAIL_BYTES,
} from '../shared/limits.ts';

type SkipAhead = NonNullable<FollowRequest['skipAhead']>;

/**
 * How far a pane may be behind its session, and what it is given when it is further behind. Less for a moment after its
 * person interrupted the program: she waits for the prompt, and not for what was printed before it. Asked for each piece of output.
 */
export class PaneLag implements SkipAhead {
  readonly onSkipped: SkipAhead['onSkipped'];
  /** In `performance.now()`. */
  #interruptedAt = Number.NEGATIVE_INFINITY;

  constructor(onSkipped: SkipAhead['onSkipped']) {
    this.onSkipped = onSkipped;
  }

  get aboveBytes(): number {
    return this.isInterrupted ? PANE_INTERRUPT_LAG_BYTES : PANE_LAG_BYTES;
  }

  get keepBytes(): number {
    return this.isInterrupted ? PANE_INTERRUPT_TAIL_BYTES : PANE_TAIL_BYTES;
  }

  /** The program has been sent an interrupt. */
  interrupted(): void {
    this.#interruptedAt = performance.now();
  }

  /** For a moment after it. */
  get isInterrupted(): boolean {
    return performance.now() - this.#interruptedAt < PANE_INTERRUPTED_MS;
  }
}
