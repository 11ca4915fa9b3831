import type { WebSocket } from 'ws';
import type { FrameSink } from './exec-connection.ts';

/** Answers that may wait in this process for one client, in bytes; more would only fill memory. */
const MAX_UNSENT_BYTES = 32 * 1024 * 1024;

/** Frames to one client, with the knowledge of how much it has not taken yet. */
export class WebSocketSink implements FrameSink {
  readonly #webSocket: WebSocket;
  #waiting: (() => void)[] = [];

  constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket;
    webSocket.on('close', () => this.#wake());
  }

  get hasRoom(): boolean {
    return this.#webSocket.readyState !== this.#webSocket.OPEN || this.#webSocket.bufferedAmount < MAX_UNSENT_BYTES;
  }

  /** Woken by every frame that left; who comes first may take the room again. */
  room(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  send(frame: string): void {
    this.notify(frame, () => {});
  }

  notify(frame: string | Buffer, sent: () => void): void {
    this.#webSocket.send(frame, { binary: false }, () => {
      sent();
      this.#wake();
    });
  }

  close(): void {
    this.#webSocket.terminate();
  }

  #wake(): void {
    const woken = this.#waiting;
    this.#waiting = [];
    for (const wake of woken) {
      wake();
    }
  }
}
