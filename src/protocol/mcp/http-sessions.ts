import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  isJsonContentType,
  readRequestBody,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { TurnoverMap } from '../../shared/turnover.ts';
import { HttpSession, type ExchangeEnd, type ServedSession } from './http-session.ts';
import { senderName } from './watched-transport.ts';

/** How long a session is kept without a request or an open stream, in milliseconds. */
const UNUSED_MS = 60 * 60_000;

/** Sessions of one client at a time. */
const MAX_SESSIONS = 64;

/** Codes of errors as the library's transport has them. */
const BAD_REQUEST = -32_000;
const SESSION_NOT_FOUND = -32_001;
const PARSE_ERROR = -32_700;

export interface HttpSessionsOptions {
  /** A server for a new session; `name` is what the client calls itself. */
  readonly serve: (name: string) => ServedSession;
  readonly onError: (error: Error) => void;
  readonly maxBodyBytes: number;
  readonly unusedMs?: number;
  readonly maxSessions?: number;
}

/**
 * The sessions of Streamable HTTP of one client, for the revisions before 2026. What `initialize` opens is found by its
 * `Mcp-Session-Id` here, and unknown at every other client.
 */
export class HttpSessions {
  readonly #options: HttpSessionsOptions;
  /** The one that was used the longest ago first. */
  readonly #sessions = new TurnoverMap<string, HttpSession>();
  #isClosed = false;

  constructor(options: HttpSessionsOptions) {
    this.#options = options;
  }

  /** Deals with one request. `end` tells when the answer was sent, or cannot be. */
  async fetch(request: Request, end: ExchangeEnd): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      return this.#initialize(request, end);
    }
    const session = this.#sessions.get(id);
    if (session === undefined) {
      return refusal(
        404,
        SESSION_NOT_FOUND,
        'Mcp-Session-Id: there is no such session (any more); initialize a new one',
      );
    }
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session.fetch(request, end);
  }

  /** Ends them all; later ones are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#sessions.values().map((session) => session.close()));
  }

  /** A request without a session: only the one that opens one may be. */
  async #initialize(request: Request, end: ExchangeEnd): Promise<Response> {
    const { serve, onError, maxBodyBytes, maxSessions = MAX_SESSIONS, unusedMs = UNUSED_MS } = this.#options;
    if (request.method !== 'POST') {
      return request.method === 'GET' || request.method === 'DELETE' ? withoutSession() : methodNotAllowed();
    }
    if (!isJsonContentType(request.headers.get('content-type'))) {
      return refusal(415, BAD_REQUEST, 'Content-Type: must be application/json');
    }
    const body = await readRequestBody(request, maxBodyBytes);
    if (body.tooLarge) {
      return refusal(413, BAD_REQUEST, `the body must have at most ${maxBodyBytes} bytes`);
    }
    const message = parsed(body.text);
    if (message === undefined) {
      return refusal(400, PARSE_ERROR, 'the body must be JSON');
    }
    if (!isInitializeRequest(message)) {
      return withoutSession();
    }
    if (this.#isClosed) {
      return refusal(503, BAD_REQUEST, 'the host is ending');
    }
    if (!this.#makeRoom(maxSessions)) {
      return refusal(
        503,
        BAD_REQUEST,
        `this client has ${maxSessions} sessions in use, which is the most; end one with DELETE`,
      );
    }
    const id = randomUUID();
    const served = serve(senderName({ jsonrpc: '2.0', id: 0, ...message }) ?? '');
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: maxBodyBytes,
    });
    const session = new HttpSession({
      served: {
        server: served.server,
        entered: () => served.entered(),
        left: () => served.left(),
        ended: () => {
          this.#sessions.delete(id);
          served.ended();
        },
      },
      transport,
      unusedMs,
    });
    this.#sessions.set(id, session);
    await session.connect();
    served.server.server.onerror = onError;
    const answer = await session.fetch(request, end, message);
    if (transport.sessionId === undefined) {
      // Refused, so that nobody knows of it.
      await session.close();
    }
    return answer;
  }

  /** Ends the session that was used the longest ago and is not now, where there is no room. False when all are in use. */
  #makeRoom(maxSessions: number): boolean {
    if (this.#sessions.size < maxSessions) {
      return true;
    }
    const [id, unused] = [...this.#sessions].find(([, session]) => !session.isUsed) ?? [];
    if (id === undefined || unused === undefined) {
      return false;
    }
    this.#sessions.delete(id);
    void unused.close();
    return true;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function withoutSession(): Response {
  return refusal(
    400,
    BAD_REQUEST,
    'Mcp-Session-Id: is needed with every request but initialize, which answers with it',
  );
}

function methodNotAllowed(): Response {
  return refusal(405, BAD_REQUEST, 'the method must be GET, POST or DELETE', { allow: 'GET, POST, DELETE' });
}

function refusal(status: number, code: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}
