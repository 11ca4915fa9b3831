import type { Readable, Writable } from 'node:stream';
import { WebSocket } from 'ws';
import { BenchChild, type Notification } from './bench-child.ts';

interface Frame extends Partial<Notification> {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

const LINE_FEED = 0x0a;

/** A client of the exec-server protocol that costs little beside what it measures; the same for every server. */
export class BenchClient {
  readonly #send: (frame: string) => void;
  readonly #hangUp: () => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #children = new Map<string, BenchChild>();
  #nextId = 1;
  #nextChild = 1;

  private constructor(send: (frame: string) => void, hangUp: () => void) {
    this.#send = send;
    this.#hangUp = hangUp;
  }

  static connect(url: string): Promise<BenchClient> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, { perMessageDeflate: false });
      const client = new BenchClient(
        (frame) => socket.send(frame),
        () => socket.terminate(),
      );
      socket.on('message', (data: Buffer) => client.#hear(data));
      socket.on('close', () => client.#lost());
      socket.on('error', reject);
      socket.once('open', () => resolve(client));
    });
  }

  /** A frame a line; `input` is the server's, `output` what it prints. */
  static onStreams(input: Writable, output: Readable): BenchClient {
    const client = new BenchClient(
      (frame) => input.write(`${frame}\n`),
      () => input.end(),
    );
    let begun: Buffer[] = [];
    output.on('data', (bytes: Buffer) => {
      let from = 0;
      for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
        const line = bytes.subarray(from, end);
        client.#hear(begun.length === 0 ? line : Buffer.concat([...begun, line]));
        begun = [];
        from = end + 1;
      }
      if (from < bytes.length) {
        begun.push(bytes.subarray(from));
      }
    });
    output.on('close', () => client.#lost());
    // The server is ended while this end is open.
    input.on('error', () => {});
    return client;
  }

  async shakeHands(): Promise<void> {
    await this.ask('initialize', { clientName: 'bench' });
    this.#send('{"method":"initialized"}');
  }

  /** Resolves with the result; rejects with the server's message, or when the connection is lost. */
  ask(method: string, params: object): Promise<unknown> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send(JSON.stringify({ id, method, params }));
    });
  }

  /** Starts a child in / with PATH and TERM alone, and a stdin. `onOutput` gets the bytes in the order of their `seq`. */
  async start(argv: readonly string[], tty: boolean, onOutput: (bytes: Buffer) => void): Promise<BenchChild> {
    const processId = `bench-${this.#nextChild++}`;
    // Known before the answer: what it prints may come first.
    const child = new BenchChild(processId, (method, params) => this.ask(method, params), onOutput);
    this.#children.set(processId, child);
    const env = { PATH: '/usr/bin:/bin', TERM: 'xterm-256color' };
    await this.ask('process/start', { processId, argv, cwd: 'file:///', env, tty, pipeStdin: !tty });
    void child.closed.finally(() => this.#children.delete(processId)).catch(() => {});
    return child;
  }

  close(): void {
    this.#hangUp();
  }

  #hear(data: Buffer): void {
    const frame = JSON.parse(data.toString('utf8')) as Frame;
    if (frame.id !== undefined) {
      const waiting = this.#waiting.get(frame.id);
      this.#waiting.delete(frame.id);
      if (frame.error === undefined) {
        waiting?.resolve(frame.result);
      } else {
        waiting?.reject(new Error(frame.error.message));
      }
    } else if (frame.method !== undefined && frame.params !== undefined) {
      this.#children.get(frame.params.processId)?.hear(frame as Notification);
    }
  }

  #lost(): void {
    const error = new Error('the server ended the connection');
    for (const { reject } of this.#waiting.values()) {
      reject(error);
    }
    this.#waiting.clear();
    for (const child of this.#children.values()) {
      child.lost(error);
    }
  }
}
