import { writeSync } from 'node:fs';
import { EngineError } from '../../shared/errors.ts';

/** Pause before a full terminal or pipe is tried again, in milliseconds: doubled on each refusal up to the second. */
const RETRY_MS = { first: 1, last: 50 } as const;

interface QueuedWrite {
  readonly bytes: Uint8Array;
  offset: number;
  readonly settle: (delivery: Delivery) => void;
  deadline: NodeJS.Timeout | null;
}

/** What became of one write. */
export interface Delivery {
  /** Bytes that the system took, from the first on. What the child has read of them is not known. */
  readonly deliveredBytes: number;
  /** `timed-out`: the rest was withdrawn at the deadline. `ended`: the child or its input ended before it took the rest. */
  readonly outcome: 'delivered' | 'timed-out' | 'ended';
}

/**
 * Input on its way to a child: a pty's master, or our end of a pipe child's stdin. Writes go out whole and in
 * order; a child that does not read holds up only this queue. The descriptor is non-blocking, so that a write never
 * waits: a full one answers EAGAIN, and is tried again later. Writing in this thread also means that no write is under
 * way when the descriptor is closed, and that it is known how much was taken.
 */
export class InputQueue {
  readonly #fd: number;
  readonly #queue: QueuedWrite[] = [];
  #state: 'open' | 'ending' | 'closed' = 'open';
  #onDrained: () => void = () => {};
  #retryMs: number = RETRY_MS.first;
  #timer: NodeJS.Timeout | null = null;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /**
   * Resolves when the system took every byte, at the deadline, or when the child ended meanwhile. Rejects with
   * `session-not-writable` when nothing can be written any more.
   */
  write(bytes: Uint8Array, timeoutMs: number | null = null): Promise<Delivery> {
    if (this.#state !== 'open') {
      return Promise.reject(new EngineError('session-not-writable', 'the input of this child is closed'));
    }
    return new Promise((resolve) => {
      const queued: QueuedWrite = { bytes, offset: 0, settle: resolve, deadline: null };
      if (timeoutMs !== null) {
        queued.deadline = setTimeout(() => this.#withdraw(queued), timeoutMs);
      }
      this.#queue.push(queued);
      if (this.#timer === null) {
        this.#pump();
      }
    });
  }

  /** Takes no more, and calls `onDrained` once what is queued has gone out. */
  end(onDrained: () => void): void {
    if (this.#state === 'open') {
      this.#state = 'ending';
      this.#onDrained = onDrained;
      this.#tellDrained();
    }
  }

  /** Settles what is queued as not delivered, and refuses all that comes. The descriptor itself is not closed. */
  close(): void {
    this.#state = 'closed';
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
    for (const queued of this.#queue.splice(0)) {
      settle(queued, 'ended');
    }
  }

  #pump(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      while (next.offset < next.bytes.length) {
        try {
          next.offset += writeSync(this.#fd, next.bytes, next.offset, next.bytes.length - next.offset);
          this.#retryMs = RETRY_MS.first;
        } catch (error) {
          this.#stoppedBy(error as NodeJS.ErrnoException);
          return;
        }
      }
      this.#queue.shift();
      settle(next, 'delivered');
    }
    this.#tellDrained();
  }

  #stoppedBy(error: NodeJS.ErrnoException): void {
    if (error.code !== 'EAGAIN') {
      // EIO: the terminal was hung up. EPIPE: the child closed its stdin. Whoever waits learns how much arrived.
      this.close();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#pump();
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS.last);
  }

  #withdraw(queued: QueuedWrite): void {
    this.#queue.splice(this.#queue.indexOf(queued), 1);
    settle(queued, 'timed-out');
    if (this.#queue.length === 0 && this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
      this.#tellDrained();
    }
  }

  #tellDrained(): void {
    if (this.#state === 'ending' && this.#queue.length === 0) {
      this.#state = 'closed';
      this.#onDrained();
    }
  }
}

function settle(queued: QueuedWrite, outcome: Delivery['outcome']): void {
  if (queued.deadline !== null) {
    clearTimeout(queued.deadline);
  }
  queued.settle({ deliveredBytes: queued.offset, outcome });
}
