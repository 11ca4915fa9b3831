import { createHash } from 'node:crypto';
import { EngineError } from '../../shared/errors.ts';
import type { BackendKind, SessionId } from '../../shared/session.ts';
import type { Actor } from '../../shared/timeline.ts';
import { TurnoverMap } from '../../shared/turnover.ts';
import type { ChildProcess } from '../backend/backend.ts';
import type { Delivery } from '../backend/input-queue.ts';
import { checkedMs } from './checked.ts';

export interface WriteOptions {
  /** The same id again answers the same and writes nothing: for a client that does not know whether it was heard (S13). */
  readonly requestId?: string;
  /** What the child has not taken by then is withdrawn, in milliseconds; without it a write waits for ever. */
  readonly timeoutMs?: number;
  /** Who writes; who asked for the session when it is not said. */
  readonly by?: Actor;
  /** Appends what the Enter key sends: a carriage return to a terminal, a line feed to a pipe. */
  readonly enter?: boolean;
}

/** Answers to writes remembered per session, by their request ids. */
const REMEMBERED_WRITES = 4_096;

/** Input that may wait for a child that does not read, in bytes. A single larger write is let in when nothing waits. */
const MAX_PENDING_INPUT_BYTES = 8 * 1024 * 1024;

export interface SessionInputOptions {
  readonly id: SessionId;
  readonly backend: BackendKind;
  /** The child that can be written to. Throws `session-not-writable` when there is none. */
  readonly child: () => ChildProcess;
  /** Something is about to be written. Throws `human-in-control` where it may not be. */
  readonly onWrite: (bytes: Uint8Array, by: Actor | undefined) => void;
}

interface RememberedWrite {
  /** Hash of what was written: input itself is kept nowhere. */
  readonly input: Buffer;
  readonly delivery: Promise<Delivery>;
}

/** The submissions of input to one child: each whole, each once. */
export class SessionInput {
  readonly #options: SessionInputOptions;
  readonly #remembered = new TurnoverMap<string, RememberedWrite>();
  #pendingBytes = 0;

  constructor(options: SessionInputOptions) {
    this.#options = options;
  }

  /**
   * Queues input for the child as one piece, which no other can come into; see `ChildProcess.write`. Rejects with
   * `session-not-writable` after the end, `human-in-control` for an agent while a person types, and with `input-queue-full` when more than `MAX_PENDING_INPUT_BYTES` wait.
   */
  async write(bytes: Uint8Array, { requestId, timeoutMs, by, enter = false }: WriteOptions): Promise<Delivery> {
    const input = enter ? this.#withEnter(bytes) : bytes;
    const known = requestId === undefined ? undefined : this.#remembered.get(requestId);
    if (known !== undefined) {
      if (!known.input.equals(digestOf(input))) {
        throw new EngineError('invalid-argument', `requestId: ${requestId} was another write; use a new one for each`);
      }
      return known.delivery;
    }
    const limitMs = timeoutMs === undefined ? null : checkedMs('timeoutMs', timeoutMs);
    const delivery = this.#deliver(input, by, limitMs);
    if (requestId !== undefined) {
      this.#remembered.set(requestId, { input: digestOf(input), delivery });
      this.#remembered.keepNewest(REMEMBERED_WRITES);
      // Refused, and so not written: the same id may be sent again.
      delivery.catch(() => this.#remembered.delete(requestId));
    }
    return delivery;
  }

  /** Whether the answer to that request id is remembered. */
  knows(requestId: string): boolean {
    return this.#remembered.has(requestId);
  }

  async #deliver(bytes: Uint8Array, by: Actor | undefined, timeoutMs: number | null): Promise<Delivery> {
    const { id, child, onWrite } = this.#options;
    const target = child();
    if (this.#pendingBytes > 0 && this.#pendingBytes + bytes.length > MAX_PENDING_INPUT_BYTES) {
      throw new EngineError(
        'input-queue-full',
        `session ${id} does not read its input: ${this.#pendingBytes} bytes wait; try again later`,
      );
    }
    onWrite(bytes, by);
    this.#pendingBytes += bytes.length;
    try {
      return await target.write(bytes, timeoutMs);
    } catch (error) {
      throw new EngineError('session-not-writable', `stdin is closed for process ${id}`, { cause: error });
    } finally {
      this.#pendingBytes -= bytes.length;
    }
  }

  #withEnter(bytes: Uint8Array): Uint8Array {
    return Buffer.concat([bytes, Buffer.from(this.#options.backend === 'pty' ? '\r' : '\n')]);
  }
}

function digestOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
