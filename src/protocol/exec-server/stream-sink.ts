import type { Writable } from 'node:stream';
import type { FrameSink } from './exec-connection.ts';

/** Answers that may wait in this process for the client, in bytes; as for a WebSocket. */
const MAX_UNSENT_BYTES = 32 * 1024 * 1024;

/** Frames to a client at the other end of a stream, one a line. */
export class StreamSink implements FrameSink {
  readonly #output: Writable;
  readonly #onClosed: () => void;
  #waiting: (() => void)[] = [];
  #closed = false;

  /** `onClosed`: the client was dropped, or takes nothing any more. May be called again. */
  constructor(output: Writable, onClosed: () => void) {
    this.#output = output;
    this.#onClosed = onClosed;
    // EPIPE: nobody reads; `close` follows, but not of a process's own stdout.
    output.on('error', () => this.close());
    output.on('close', () => this.close());
  }

  get hasRoom(): boolean {
    return this.#closed || this.#output.writableLength < MAX_UNSENT_BYTES;
  }

  /** Woken by every frame that left; who comes first may take the room again. */
  room(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves when what was sent so far has left, or cannot any more. */
  flushed(): Promise<void> {
    return new Promise((resolve) => this.#output.write('', () => resolve()));
  }

  send(frame: string): void {
    this.notify(frame, () => {});
  }

  notify(frame: string | Buffer, sent: () => void): void {
    if (this.#closed) {
      sent();
      return;
    }
    this.#output.cork();
    this.#output.write(frame);
    this.#output.write('\n', () => {
      sent();
      this.#wake();
    });
    this.#output.uncork();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
    this.#onClosed();
  }

  #wake(): void {
    const woken = this.#waiting;
    this.#waiting = [];
    for (const wake of woken) {
      wake();
    }
  }
}
