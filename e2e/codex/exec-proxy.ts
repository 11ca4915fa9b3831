import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';

/** What is looked at of a frame of the exec-server's protocol. */
const frameSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

const outputSchema = z.object({ processId: z.string(), seq: z.number(), chunk: z.base64() });

const readResultSchema = z.object({ chunks: z.array(z.object({ seq: z.number(), chunk: z.base64() })) });

export interface ProxiedFrame {
  /** Counted from 1, in the order in which the client connected. */
  readonly connection: number;
  readonly from: 'client' | 'server';
  /** It was handed on; false for what was on its way when the connection was cut. */
  readonly passed: boolean;
  readonly message: z.output<typeof frameSchema>;
}

/** A piece of a process's output as the client got it. */
export interface DeliveredChunk {
  readonly seq: number;
  readonly bytes: Buffer;
  /** `read`: by an answer to `process/read`, which is how a client catches up. */
  readonly by: 'notification' | 'read';
}

interface Link {
  readonly number: number;
  readonly client: WebSocket;
  readonly server: WebSocket;
}

/**
 * A network between a client and the exec-server that a test can break, and that writes down every frame. It stands
 * between two WebSockets and not between two sockets, since the server lets in nobody who asks for another host.
 */
export class ExecProxy {
  readonly frames: ProxiedFrame[] = [];
  /** Attempts to connect while the network was away. */
  refusals = 0;
  /** How long a frame of the client is on its way, in milliseconds. */
  upstreamDelayMs = 0;
  readonly #upstreamUrl: string;
  readonly #http: Server;
  readonly #webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  readonly #links = new Set<Link>();
  #connections = 0;
  #away = false;
  #holding = false;

  /** Listens on a free port of the loopback. */
  static async listen(upstreamUrl: string): Promise<ExecProxy> {
    const http = createServer();
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject);
      http.listen(0, '127.0.0.1', resolve);
    });
    return new ExecProxy(upstreamUrl, http);
  }

  private constructor(upstreamUrl: string, http: Server) {
    this.#upstreamUrl = upstreamUrl;
    this.#http = http;
    http.on('connection', (socket) => {
      if (this.#away) {
        this.refusals += 1;
        socket.destroy();
      }
    });
    http.on('upgrade', (request, socket, head) => {
      this.#webSockets.handleUpgrade(request, socket, head, (client) => this.#join(request, client));
    });
  }

  /** e.g. `ws://127.0.0.1:40312` */
  get url(): string {
    return `ws://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Connections that a client has made so far. */
  get connections(): number {
    return this.#connections;
  }

  /** From now on nothing of the server reaches the client, until the connection is cut. */
  hold(): void {
    this.#holding = true;
  }

  /** Breaks every connection, without a word to either side. What was held is lost. */
  cut(): void {
    for (const { client, server } of this.#links) {
      client.terminate();
      server.terminate();
    }
    this.#links.clear();
    this.#holding = false;
  }

  /** Breaks every connection and lets in no new one. */
  goAway(): void {
    this.#away = true;
    this.cut();
  }

  comeBack(): void {
    this.#away = false;
  }

  /** The requests and notifications of that name, whoever sent them. */
  calls(method: string): readonly ProxiedFrame[] {
    return this.frames.filter(({ message }) => message.method === method);
  }

  /** What the server answered to the client's requests of that name and got through. */
  answers(method: string): readonly ProxiedFrame['message'][] {
    return this.calls(method).flatMap(({ connection, message: { id } }) =>
      this.frames
        .filter((frame) => frame.from === 'server' && frame.connection === connection && frame.passed)
        .filter(({ message }) => message.id === id && message.method === undefined)
        .map(({ message }) => message),
    );
  }

  /** All output of the session's only process that reached the client, in the order of its sequence numbers. */
  delivered(): readonly DeliveredChunk[] {
    const notified = this.calls('process/output')
      .filter(({ passed }) => passed)
      .map(({ message }) => ({ ...outputSchema.parse(message.params), by: 'notification' as const }));
    const read = this.answers('process/read').flatMap(({ result }) =>
      readResultSchema.parse(result).chunks.map((chunk) => ({ ...chunk, by: 'read' as const })),
    );
    const bySeq = new Map([...notified, ...read].map((chunk) => [chunk.seq, chunk]));
    return [...bySeq.values()]
      .toSorted((a, b) => a.seq - b.seq)
      .map(({ seq, chunk, by }) => ({ seq, by, bytes: Buffer.from(chunk, 'base64') }));
  }

  async close(): Promise<void> {
    this.goAway();
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#http.closeAllConnections();
    await closed;
  }

  #join({ headers }: IncomingMessage, client: WebSocket): void {
    const { authorization } = headers;
    const server = new WebSocket(this.#upstreamUrl, {
      perMessageDeflate: false,
      headers: authorization === undefined ? {} : { authorization },
    });
    this.#connections += 1;
    const link: Link = { number: this.#connections, client, server };
    this.#links.add(link);
    // What the client says before the server is there.
    const early: string[] = [];
    client.on('message', (data: Buffer) => {
      const text = data.toString('utf8');
      this.#note(link, 'client', text, true);
      if (server.readyState !== WebSocket.OPEN) {
        early.push(text);
      } else if (this.upstreamDelayMs === 0) {
        server.send(text);
      } else {
        setTimeout(() => server.send(text), this.upstreamDelayMs);
      }
    });
    server.on('open', () => early.splice(0).forEach((text) => server.send(text)));
    server.on('message', (data: Buffer) => {
      const text = data.toString('utf8');
      const passed = !this.#holding && this.#links.has(link);
      this.#note(link, 'server', text, passed);
      if (passed) {
        client.send(text);
      }
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      // `close` follows.
      one.on('error', () => {});
      one.on('close', () => {
        this.#links.delete(link);
        // Not at once: what it said last is still to be handed on.
        other.close();
      });
    }
  }

  #note({ number }: Link, from: ProxiedFrame['from'], text: string, passed: boolean): void {
    this.frames.push({ connection: number, from, passed, message: frameSchema.parse(JSON.parse(text)) });
  }
}
