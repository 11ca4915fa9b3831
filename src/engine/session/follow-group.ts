import type { ExitStatus } from '../../shared/session.ts';
import { OutputFollower, type FollowEvent, type SkipAhead } from './output-follower.ts';
import type { OutputRing } from './output-ring.ts';

export interface FollowRequest {
  /** The last `seq` the follower has; 0 for everything retained, `now` for what is still to come. */
  readonly afterSeq: number | 'now';
  /** Offset after the last byte that the follower has; see `FollowOptions.afterOffset`. */
  readonly afterOffset?: number;
  /** Bytes that may be on their way, given out and not yet acknowledged. */
  readonly creditBytes: number;
  /**
   * For a follower that must not miss a byte: the child is held back when this follower is `HOLD_ABOVE` of the ring
   * behind, for at most this many milliseconds at a time without progress. 0: never hold the child.
   */
  readonly holdsChildMs: number;
  /** The bytes of an event are dealt with before `onEvent` returns: then they are not copied for it. Default: false. */
  readonly borrowsBytes?: boolean;
  readonly skipAhead?: SkipAhead;
  readonly onEvent: (event: FollowEvent) => void;
}

/** A running follow. */
export interface FollowHandle {
  /** Everything up to this absolute offset has been dealt with (cumulative). */
  ack(endOffset: number): void;
  close(): void;
}

export interface FollowGroupOptions {
  readonly ring: OutputRing;
  /** Asked only after the ring has an `exited` mark. */
  readonly exit: () => ExitStatus;
  /** Holds the child back, or lets it go on. */
  readonly hold: (held: boolean) => void;
  /** See `OutputRecorder.keptFrom`. */
  readonly keptFrom: (offset: number) => number | null;
  /** A follower's `onEvent` threw; it is told nothing any more. */
  readonly onFault: (error: unknown) => void;
  /** A follower held the child for too long and falls behind from now on. */
  readonly onGaveUp: () => void;
}

interface Follow {
  readonly follower: OutputFollower;
  readonly holdsChildMs: number;
  /** Set while this follower holds the child; fires when it has made no progress for too long. */
  patience: NodeJS.Timeout | null;
  /** It held the child for too long: it may fall behind until it has caught up. */
  gaveUp: boolean;
}

/** Parts of the ring that a lossless follower may be behind before the child is held, and before it goes on. */
const HOLD_ABOVE = 0.5;
const RELEASE_BELOW = 0.25;

/** The followers of one session, and whether the child has to wait for one of them. */
export class FollowGroup {
  readonly #options: FollowGroupOptions;
  readonly #follows = new Set<Follow>();
  #held = false;

  constructor(options: FollowGroupOptions) {
    this.#options = options;
  }

  /** Begins to tell of output; what is there already is told before this returns, as far as credit goes. */
  add(request: FollowRequest): FollowHandle {
    const { ring, exit, keptFrom } = this.#options;
    const follower = new OutputFollower(ring, exit, {
      keptFrom,
      afterSeq: request.afterSeq === 'now' ? ring.nextSeq - 1 : request.afterSeq,
      ...(request.afterOffset === undefined ? {} : { afterOffset: request.afterOffset }),
      creditBytes: request.creditBytes,
      borrowsBytes: request.borrowsBytes ?? false,
      ...(request.skipAhead === undefined ? {} : { skipAhead: request.skipAhead }),
      onEvent: request.onEvent,
    });
    const follow: Follow = { follower, holdsChildMs: request.holdsChildMs, patience: null, gaveUp: false };
    this.#follows.add(follow);
    this.#guarded(follow, () => follower.pump());
    this.#holdOrRelease();
    return {
      ack: (endOffset) => {
        this.#guarded(follow, () => follower.ack(endOffset));
        stopPatience(follow);
        follow.gaveUp &&= follower.lag > 0;
        this.#holdOrRelease();
      },
      close: () => {
        follower.close();
        stopPatience(follow);
        this.#follows.delete(follow);
        this.#holdOrRelease();
      },
    };
  }

  /** The ring has more. */
  pump(): void {
    for (const follow of [...this.#follows]) {
      this.#guarded(follow, () => follow.follower.pump());
    }
    this.#holdOrRelease();
  }

  /** The child has ended: it cannot be held back any more, and what it left in the system is read to the end. */
  stopHolding(): void {
    for (const follow of this.#follows) {
      follow.gaveUp = true;
      stopPatience(follow);
    }
    this.#holdOrRelease();
  }

  /** A lossless follower still needs what it has not been given. */
  get holds(): boolean {
    return [...this.#follows].some(({ holdsChildMs, gaveUp }) => holdsChildMs > 0 && !gaveUp);
  }

  /** A follower that must not miss a byte has not been given all, whether or not it may hold the child. */
  get isBehind(): boolean {
    return [...this.#follows].some(({ holdsChildMs, follower }) => holdsChildMs > 0 && follower.lag > 0);
  }

  /** Tells everybody of the end, however far behind, and then nobody anything any more. */
  finish(): void {
    for (const follow of this.#follows) {
      this.#guarded(follow, () => follow.follower.finish());
      stopPatience(follow);
    }
    this.#follows.clear();
  }

  /** A fault of one reader is neither the child's nor another reader's. */
  #guarded(follow: Follow, act: () => void): void {
    try {
      act();
    } catch (error) {
      follow.follower.close();
      stopPatience(follow);
      this.#follows.delete(follow);
      this.#options.onFault(error);
    }
  }

  #holdOrRelease(): void {
    const limit = this.#held ? RELEASE_BELOW : HOLD_ABOVE;
    const holding = [...this.#follows].filter(
      ({ holdsChildMs, gaveUp, follower }) => holdsChildMs > 0 && !gaveUp && follower.lag > limit,
    );
    for (const follow of holding) {
      follow.patience ??= setTimeout(() => {
        follow.patience = null;
        follow.gaveUp = true;
        this.#options.onGaveUp();
        this.#holdOrRelease();
      }, follow.holdsChildMs);
    }
    if (holding.length > 0 !== this.#held) {
      this.#held = !this.#held;
      this.#options.hold(this.#held);
    }
  }
}

function stopPatience(follow: Follow): void {
  if (follow.patience !== null) {
    clearTimeout(follow.patience);
    follow.patience = null;
  }
}
