import type { Readable, Writable } from 'node:stream';
import { WebSocket } from 'ws';

interface Notification {
  readonly method: string;
  readonly params: { readonly processId: string; readonly seq: number } & Readonly<Record<string, unknown>>;
}

/** Far above what any exchange needs: only a hang reaches it. Milliseconds. */
const DEADLINE_MS = 10_000;

/** One connection that notes what it hears. */
export abstract class WireClient {
  readonly #waiting = new Set<() => void>();
  /** Frames with an id that nobody took yet, as they came. */
  readonly answers: string[] = [];
  readonly notifications: Notification[] = [];
  /** The server ended the connection, or we did. */
  closed = false;
  /** Of the close frame; 1006 for none. */
  closeCode = 1006;

  /** Bytes become a binary frame, a text a text frame, anything else JSON; on stdio all become a line. */
  abstract send(frame: unknown): void;

  /** Cuts the connection without a word. */
  abstract drop(): void;

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

  protected hear(text: string): void {
    const frame = JSON.parse(text) as object;
    if ('id' in frame) {
      this.answers.push(text);
    } else {
      this.notifications.push(frame as Notification);
    }
    this.changed();
  }

  protected hearEnd(): void {
    this.closed = true;
    this.changed();
  }

  protected changed(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) {
      wake();
    }
  }
}

/** A client by WebSocket. */
export class WebSocketClient extends WireClient {
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    super();
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.hear(data.toString('utf8').replace(/127\.0\.0\.1:\d+/g, 'IP:PORT')));
    socket.on('close', (code) => {
      this.closeCode = code;
      this.hearEnd();
    });
    // The server hung up on us: `close` follows.
    socket.on('error', () => {});
  }

  static connect(url: string): Promise<WebSocketClient> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, { perMessageDeflate: false });
      const client = new WebSocketClient(socket);
      socket.once('error', reject);
      socket.once('open', () => resolve(client));
    });
  }

  send(frame: unknown): void {
    this.#socket.send(bytesOrText(frame));
  }

  drop(): void {
    this.#socket.terminate();
  }

  /** Answers what the pong carries. */
  async ping(text: string): Promise<string> {
    let pong: string | null = null;
    this.#socket.once('pong', (data) => {
      pong = data.toString('utf8');
      this.changed();
    });
    this.#socket.ping(text);
    await this.until(() => pong !== null, 'a pong');
    return pong ?? '';
  }
}

/** A client at the streams of a server on stdio. */
export class StdioClient extends WireClient {
  readonly #input: Writable;
  #unfinished = '';

  /** `input` is the server's, `output` what it prints. */
  constructor(input: Writable, output: Readable) {
    super();
    this.#input = input;
    // It may have ended before it took everything.
    input.on('error', () => {});
    output.setEncoding('utf8');
    output.on('data', (text: string) => {
      const lines = (this.#unfinished + text).split('\n');
      this.#unfinished = lines.pop() ?? '';
      for (const line of lines) {
        this.hear(line.replace('JSON-RPC message from exec-server stdio', WEB_SOCKET_MESSAGE));
      }
    });
    output.on('close', () => this.hearEnd());
  }

  send(frame: unknown): void {
    this.#input.write(bytesOrText(frame));
    this.#input.write('\n');
  }

  drop(): void {
    this.#input.end();
  }
}

/** How texts about malformed frames name one of a WebSocket: the table has them so. */
const WEB_SOCKET_MESSAGE = 'websocket JSON-RPC message from exec-server websocket IP:PORT';

function bytesOrText(frame: unknown): Uint8Array | string {
  return frame instanceof Uint8Array || typeof frame === 'string' ? frame : JSON.stringify(frame);
}
