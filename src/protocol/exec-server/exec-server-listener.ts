import { isUtf8 } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { TurnoverMap, TurnoverSet } from '../../shared/turnover.ts';
import { ExecConnection } from './exec-connection.ts';
import { MAX_FRAME_BYTES } from './frame-limits.ts';
import type { ListenAddress } from './listen-url.ts';
import { ExecSessions, type ExecServerHost } from './session-directory.ts';
import { WebSocketSink } from './web-socket-sink.ts';

export { parseListenUrl, type ListenAddress } from './listen-url.ts';

/** Keeps a connection known to be alive, in milliseconds; as the real server does. */
const PING_EVERY_MS = 30_000;

/** The token itself, or its SHA-256 (32 bytes) for a host that does not know more. */
export type ExpectedToken = string | { readonly sha256: Uint8Array };

export interface ExecServerOptions extends ExecServerHost {
  readonly address: ListenAddress;
  /** What clients must send as `Authorization: Bearer …`; null lets everybody in who can reach the port (tests). */
  readonly token: ExpectedToken | null;
  /** Knows the tokens of clients that have one of their own; each may only come back to its own sessions. */
  readonly clients?: { nameOf(token: string): string | null };
  /** Other doors at the same port, each at a path of its own; their requests are checked like everybody's. */
  readonly doors?: readonly HttpDoor[];
  /** `clientNames` answers something else. */
  readonly onClientsChanged?: () => void;
}

/** What is done with the requests of one path, when it was checked where they come from. */
export interface HttpDoor {
  /** e.g. `/mcp` */
  readonly path: string;
  /** `account`: whose token it was; null for the host's own. */
  handle(request: IncomingMessage, response: ServerResponse, account: string | null): Promise<void>;
  close(): Promise<void>;
}

/** A server that accepts clients. */
export interface ExecServer {
  /** e.g. `ws://127.0.0.1:47811` */
  readonly url: string;
  /**
   * What the clients with an open connection are called, one for each connection, the first to come first: by the name of
   * their token, else as they call themselves at `initialize`. Null for one that has not.
   */
  readonly clientNames: readonly (string | null)[];
  /** Drops all clients and ends the children that they started. */
  close(): Promise<void>;
}

/** Listens. Rejects with the system's error when the port is taken (`EADDRINUSE`). */
export async function listenExecServer(options: ExecServerOptions): Promise<ExecServer> {
  const server = new ExecServerListener(options);
  await server.listen();
  return server;
}

class ExecServerListener implements ExecServer {
  readonly #options: ExecServerOptions;
  readonly #http: Server;
  readonly #webSockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  readonly #sessions: ExecSessions;
  readonly #tokenHash: Uint8Array | null;
  /** Every connection, also those that are no WebSocket yet or never become one. */
  readonly #sockets = new TurnoverSet<Duplex>();
  readonly #clientNames = new TurnoverMap<WebSocket, string | null>();
  #port = 0;
  #pings: NodeJS.Timeout | null = null;

  constructor(options: ExecServerOptions) {
    this.#options = options;
    this.#sessions = new ExecSessions(options);
    this.#tokenHash = typeof options.token === 'string' ? sha256(options.token) : (options.token?.sha256 ?? null);
    this.#http = createServer((request, response) => {
      const door = options.doors?.find(({ path }) => path === pathOf(request.url));
      if (door !== undefined) {
        this.#enter(door, request, response);
        return;
      }
      const { status, headers } = httpAnswer(request);
      response.writeHead(status, { ...headers, 'content-type': 'text/plain', 'content-length': '0' }).end();
    });
    this.#http.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#http.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  get url(): string {
    const { host } = this.#options.address;
    return `ws://${host === '::1' ? '[::1]' : host}:${this.#port}`;
  }

  get clientNames(): readonly (string | null)[] {
    return this.#clientNames.values();
  }

  async listen(): Promise<void> {
    const { host, port } = this.#options.address;
    await new Promise<void>((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen({ host, port, exclusive: true }, () => {
        this.#http.off('error', reject);
        resolve();
      });
    });
    const address = this.#http.address();
    if (address === null || typeof address === 'string') {
      throw new Error('the server has no port');
    }
    this.#port = address.port;
    this.#pings = setInterval(() => {
      for (const client of this.#webSockets.clients) {
        client.ping();
      }
    }, PING_EVERY_MS);
    this.#pings.unref();
  }

  async close(): Promise<void> {
    if (this.#pings !== null) {
      clearInterval(this.#pings);
      this.#pings = null;
    }
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    const doors = this.#options.doors ?? [];
    await Promise.all([closed, this.#sessions.dispose(), ...doors.map((door) => door.close())]);
  }

  #enter(door: HttpDoor, request: IncomingMessage, response: ServerResponse): void {
    const { log } = this.#options;
    const refusal = this.#strangerRefusal(request);
    if (refusal !== null) {
      log.warn('a request was refused', { path: door.path, status: refusal.status, why: refusal.why });
      const { status, why } = refusal;
      const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
      response.writeHead(status, { 'content-type': 'text/plain', connection: 'close', ...challenge }).end(why);
      return;
    }
    door.handle(request, response, this.#nameOf(bearerToken(request.headers))).catch((error: unknown) => {
      log.warn('a request could not be dealt with', { path: door.path, why: String(error) });
      if (!response.headersSent) {
        response.writeHead(500, { 'content-length': '0' });
      }
      response.end();
    });
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // From here on nobody else listens: a reset would end the whole host.
    socket.on('error', (error) => this.#options.log.warn('a connection broke', { why: error.message }));
    const refusal = this.#refusal(request);
    if (refusal !== null) {
      this.#options.log.warn('a connection was refused', { status: refusal.status, why: refusal.why });
      refuse(socket, refusal.status, refusal.why);
      return;
    }
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      // A keystroke and its echo are packets far below a segment: Nagle's algorithm would hold each for 40 ms.
      request.socket.setNoDelay(true);
      const peer = `${request.socket.remoteAddress}:${request.socket.remotePort}`;
      this.#accept(webSocket, peer, this.#nameOf(bearerToken(request.headers)));
    });
  }

  #refusal(request: IncomingMessage): Refusal | null {
    return pathOf(request.url) === '/'
      ? this.#strangerRefusal(request)
      : { status: 404, why: 'the exec-server is at /' };
  }

  /** Why whoever sent that may not come in; null when it may. */
  #strangerRefusal({ headers }: IncomingMessage): Refusal | null {
    // Only a web page sends one: no page may reach a shell, whatever it knows.
    if (headers.origin !== undefined) {
      return { status: 403, why: 'requests with an Origin header are refused' };
    }
    if (!this.#isOwnHost(headers.host)) {
      return { status: 403, why: 'the Host header is not this server' };
    }
    if (this.#tokenHash === null) {
      return null;
    }
    const token = bearerToken(headers);
    if (token === null) {
      return { status: 401, why: 'missing websocket bearer token' };
    }
    return this.#knows(token) ? null : { status: 401, why: 'wrong websocket bearer token' };
  }

  #knows(token: string): boolean {
    const isOurs = this.#tokenHash !== null && timingSafeEqual(sha256(token), this.#tokenHash);
    return isOurs || this.#nameOf(token) !== null;
  }

  #nameOf(token: string | null): string | null {
    return token === null ? null : (this.#options.clients?.nameOf(token) ?? null);
  }

  /** A page that points its own name at this machine sends that name. */
  #isOwnHost(host: string | undefined): boolean {
    return ['127.0.0.1', 'localhost', '[::1]'].some((name) => host === `${name}:${this.#port}`);
  }

  #accept(webSocket: WebSocket, peer: string, account: string | null): void {
    const connection = new ExecConnection({
      sink: new WebSocketSink(webSocket),
      sessions: {
        open: (owner, clientName, resumeSessionId) => {
          const session = this.#sessions.openFor(account, owner, clientName, resumeSessionId);
          this.#named(webSocket, session.clientName);
          return session;
        },
        environmentInfo: () => this.#sessions.environmentInfo(),
      },
      log: this.#options.log,
      peer,
      hostEnvironment: this.#options.hostEnvironment ?? {},
    });
    webSocket.on('message', (data) => {
      try {
        connection.receive(frameText(data));
      } catch (error) {
        // A fault of ours ends this connection, never the host and everybody's sessions with it.
        this.#options.log.error('a frame could not be dealt with', { peer, why: String(error) });
        webSocket.terminate();
      }
    });
    // A broken frame or a lost peer: `close` follows.
    webSocket.on('error', (error) => this.#options.log.warn('a connection broke', { peer, why: error.message }));
    webSocket.on('close', () => {
      connection.dispose();
      this.#clientNames.delete(webSocket);
      this.#options.onClientsChanged?.();
    });
    this.#named(webSocket, account);
  }

  #named(webSocket: WebSocket, name: string | null): void {
    this.#clientNames.set(webSocket, name);
    this.#options.onClientsChanged?.();
  }
}

interface Refusal {
  readonly status: number;
  readonly why: string;
}

function bearerToken({ authorization }: IncomingMessage['headers']): string | null {
  return /^bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1] ?? null;
}

/** Text frames and binary ones alike; null for what is no UTF-8 (of a text frame, `ws` has refused that already). */
function frameText(data: RawData): string | null {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
  return isUtf8(bytes) ? bytes.toString('utf8') : null;
}

/** What is answered to a request that is no upgrade. */
function httpAnswer({ url, method, headers }: IncomingMessage): {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
} {
  // Only a web page sends one: it shall not even learn that there is a server.
  if (headers.origin !== undefined) {
    return { status: 403, headers: {} };
  }
  const reads = method === 'GET' || method === 'HEAD';
  switch (pathOf(url)) {
    case '/readyz':
      return reads ? { status: 200, headers: {} } : { status: 405, headers: { allow: 'GET,HEAD' } };
    case '/':
      // The root exists, but only as a WebSocket.
      return method === 'GET' ? { status: 400, headers: {} } : { status: 405, headers: { allow: 'GET' } };
    default:
      return { status: 404, headers: {} };
  }
}

/** A query changes nothing: no secret is taken from it either. */
function pathOf(url: string | undefined): string {
  return (url ?? '').split('?', 1)[0] ?? '';
}

/** Answers and hangs up, whether or not the other side does. */
function refuse(socket: Duplex, status: number, why: string): void {
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
      `Content-Length: ${Buffer.byteLength(why)}\r\n\r\n${why}`,
    () => socket.destroy(),
  );
}

/** Hashed, so that the comparison takes the same time whatever the lengths. */
function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
