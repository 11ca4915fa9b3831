import { writeSync } from 'node:fs';
import { EngineError } from '../../shared/errors.ts';

/** Pause before a full terminal is tried again, in milliseconds: doubled on each refusal up to the second number. */
const RETRY_MS = { first: 1, last: 50 } as const;

interface QueuedWrite {
  readonly bytes: Uint8Array;
  offset: number;
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

/**
 * Input on its way to a pty's master. Writes go out whole and in order; a child that does not read holds up only
 * this queue. The descriptor is non-blocking, so that a write never waits: a full terminal answers EAGAIN, and is
 * tried again later. Writing in this thread also means that no write is under way when the descriptor is closed.
 */
export class PtyInputQueue {
  readonly #fd: number;
  readonly #queue: QueuedWrite[] = [];
  #closed = false;
  #retryMs: number = RETRY_MS.first;
  #timer: NodeJS.Timeout | null = null;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Resolves when the terminal took every byte; rejects with `session-not-writable` when it was closed before. */
  write(bytes: Uint8Array): Promise<void> {
    if (this.#closed) {
      return Promise.reject(endedError());
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ bytes, offset: 0, done: resolve, failed: reject });
      if (this.#timer === null) {
        this.#pump();
      }
    });
  }

  /** Refuses what is queued and all that comes. The descriptor itself is not closed. */
  close(): void {
    this.#closed = true;
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
    for (const queued of this.#queue.splice(0)) {
      queued.failed(endedError());
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
      next.done();
    }
  }

  #stoppedBy(error: NodeJS.ErrnoException): void {
    if (error.code !== 'EAGAIN') {
      // EIO: the terminal was hung up. Whoever waits learns that its input did not arrive.
      this.close();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#pump();
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS.last);
  }
}

function endedError(): EngineError {
  return new EngineError('session-not-writable', 'the child ended before it took this input');
}
