import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import type { HostGate, Opened } from './host-gate.ts';
import { joinSockets } from './join-sockets.ts';

/** Programs print the words beside the number more often than the body. `likelyDenied` knows them. */
const REFUSED_STATUS = 'Refused by the sandbox';

/** Of one connection, not of what is sent over it (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'host'],
]);

/** A proxy for HTTP: tunnels by CONNECT, and requests with an absolute address. It listens nowhere by itself. */
export class HttpProxy {
  readonly #gate: HostGate;
  readonly #server: Server;

  constructor(gate: HostGate) {
    this.#gate = gate;
    this.#server = createServer((request, response) => void this.#forward(request, response));
    this.#server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#tunnel(request, socket, head);
    });
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Takes over a connection. */
  accept(socket: Socket): void {
    this.#server.emit('connection', socket);
  }

  dispose(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // It may be gone before there is an answer for it.
    socket.on('error', () => socket.destroy());
    const [, host, port] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(request.url ?? '') ?? [];
    if (host === undefined) {
      socket.end(plainAnswer(400, 'Bad Request', 'shellscope: CONNECT takes HOST:PORT.\n'));
      return;
    }
    const opened = await this.#gate.open(host.replace(/^\[(.*)\]$/, '$1'), Number(port));
    if (opened.kind !== 'open') {
      socket.end(plainAnswer(...statusOf(opened), opened.text));
      return;
    }
    if (socket.destroyed) {
      opened.socket.destroy();
      return;
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    opened.socket.write(head);
    joinSockets(socket, opened.socket);
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = absoluteTarget(request.url ?? '');
    if (target === null) {
      answer(response, 400, 'Bad Request', 'shellscope: this is a proxy; it takes http://HOST/PATH, or CONNECT.\n');
      return;
    }
    const { hostname, port, host, pathname, search } = target;
    const opened = await this.#gate.open(hostname.replace(/^\[(.*)\]$/, '$1'), port === '' ? 80 : Number(port));
    if (opened.kind !== 'open') {
      answer(response, ...statusOf(opened), opened.text);
      return;
    }
    const onward = httpRequest({
      createConnection: () => opened.socket,
      method: request.method,
      path: `${pathname}${search}`,
      headers: { ...passedOn(request), host, connection: 'close' },
    });
    response.on('close', () => onward.destroy());
    onward.on('error', (error) => {
      if (response.headersSent) {
        response.destroy();
      } else {
        answer(response, 502, 'Bad Gateway', `shellscope: ${host} broke off: ${error.message}\n`);
      }
    });
    onward.on('response', (from) => {
      response.writeHead(from.statusCode ?? 502, from.statusMessage ?? '', passedOn(from));
      // A part that never comes is seen by who waits for it: the connection breaks.
      pipeline(from, response, () => {});
    });
    // What becomes of it is told by the events above.
    pipeline(request, onward, () => {});
  }
}

/** The address of a request to a proxy; null for one to a server. */
function absoluteTarget(text: string): URL | null {
  try {
    const url = new URL(text);
    return url.protocol === 'http:' ? url : null;
  } catch {
    // No absolute address.
    return null;
  }
}

/** What is meant for the other end. A body keeps its framing, so that it cannot become a second request. */
function passedOn(message: IncomingMessage): OutgoingHttpHeaders {
  const named = new Set((message.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const headers: OutgoingHttpHeaders = {};
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    if (!HOP_BY_HOP.has(name) && !named.has(name) && values !== undefined) {
      headers[name] = [...values];
    }
  }
  if (message.headers['transfer-encoding'] !== undefined) {
    headers['transfer-encoding'] = 'chunked';
  }
  return headers;
}

function statusOf({ kind }: Exclude<Opened, { kind: 'open' }>): [number, string] {
  return kind === 'refused' ? [403, REFUSED_STATUS] : [502, 'Bad Gateway'];
}

function answer(response: ServerResponse, status: number, words: string, body: string): void {
  response.writeHead(status, words, { ...ANSWER_HEADERS, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function plainAnswer(status: number, words: string, body: string): string {
  const headers = Object.entries({ ...ANSWER_HEADERS, 'content-length': Buffer.byteLength(body) });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${words}\r\n${lines.join('')}\r\n${body}`;
}

const ANSWER_HEADERS = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
