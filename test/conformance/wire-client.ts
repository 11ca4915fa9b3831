import { WebSocket } from 'ws';

interface Notification {
  readonly method: string;
  readonly params: { readonly processId: string; readonly seq: number } & Readonly<Record<string, unknown>>;
}

/** Far above what any exchange needs: only a hang reaches it. Milliseconds. */
const DEADLINE_MS = 10_000;

/** One connection that notes what it hears. */
export class WireClient {
  readonly #socket: WebSocket;
  readonly #waiting = new Set<() => void>();
  /** Frames with an id that nobody took yet, as they came. */
  readonly answers: string[] = [];
  readonly notifications: Notification[] = [];
  closed = false;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      const text = data.toString('utf8').replace(/127\.0\.0\.1:\d+/g, 'IP:PORT');
      const frame = JSON.parse(text) as object;
      if ('id' in frame) {
        this.answers.push(text);
      } else {
        this.notifications.push(frame as Notification);
      }
      this.#changed();
    });
    socket.on('close', () => {
      this.closed = true;
      this.#changed();
    });
    // The server hung up on us: `close` follows.
    socket.on('error', () => {});
  }

  static connect(url: string): Promise<WireClient> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, { perMessageDeflate: false });
      const client = new WireClient(socket);
      socket.once('error', reject);
      socket.once('open', () => resolve(client));
    });
  }

  /** Bytes become a binary frame, a text a text frame, anything else JSON. */
  send(frame: unknown): void {
    this.#socket.send(frame instanceof Uint8Array || typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Answers what the pong carries. */
  async ping(text: string): Promise<string> {
    let pong: string | null = null;
    this.#socket.once('pong', (data) => {
      pong = data.toString('utf8');
      this.#changed();
    });
    this.#socket.ping(text);
    await this.until(() => pong !== null, 'a pong');
    return pong ?? '';
  }

  drop(): void {
    this.#socket.terminate();
  }

  /** Takes the answer with an id of ours out of what was heard; null when the connection ended instead. */
  async answerTo(id: string): Promise<object | null> {
    const isIt = (text: string) => (JSON.parse(text) as { readonly id: unknown }).id === id;
    await this.until(() => this.closed || this.answers.some(isIt), `the answer to ${id}`);
    const at = this.answers.findIndex(isIt);
    return at === -1 ? null : (JSON.parse(this.answers.splice(at, 1)[0] ?? '') as object);
  }

  /** Waits for a fact; looks again whenever something was heard. */
  async until(isTrue: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    while (!isTrue()) {
      const left = deadline - performance.now();
      if (left <= 0) {
        throw new Error(`waited in vain for ${what}; answers: ${this.answers.join(' ')}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  #changed(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) {
      wake();
    }
  }
}
