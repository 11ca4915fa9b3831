import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler, isLegacyRequest, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Engine } from '../../engine/engine.ts';
import type { Logger } from '../../shared/logger.ts';
import type { HttpDoor } from '../exec-server/exec-server-listener.ts';
import { HttpChanges } from './http-changes.ts';
import { HttpSessions } from './http-sessions.ts';
import { ListedClient } from './listed-client.ts';
import type { McpClients } from './mcp-clients.ts';
import { McpFront } from './mcp-front.ts';
import { mcpServer } from './mcp-server.ts';
import { SessionChanges } from './session-changes.ts';
import { UseTimer } from './use-timer.ts';

/** Bytes of one request; an input of some megabytes is the largest that a client sends. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Name of clients of 2026 that use the host's own token. */
const SHARED_ACCOUNT = 'mcp';

/**
 * When a client has left, in milliseconds after its last request: over HTTP nobody need say goodbye, and an agent that thinks
 * for a while has not gone.
 */
const LEFT_AFTER_REQUEST_MS = 5 * 60_000;

export interface McpHttpOptions {
  readonly engine: Engine;
  readonly log: Logger;
  readonly version: string;
  readonly shellPath: string;
  /** For commands without a directory of their own. */
  readonly cwd: string;
  /** Where clients are listed while they make requests. */
  readonly clients?: McpClients;
  /** When a client that makes no request has left, in milliseconds. Default: 5 minutes. */
  readonly leftAfterMs?: number;
}

/** One client with its shells. */
interface HttpClient {
  readonly front: McpFront;
  /** For the revision of 2026, where each request is for itself. */
  readonly handler: McpHttpHandler;
  /** For the revisions before. */
  readonly sessions: HttpSessions;
  readonly changes: HttpChanges;
  readonly listed: ListedClient;
  /** Requests and streams of either kind: without any for a while, the client has left. */
  readonly uses: UseTimer;
  /** What its calls are named by in the revision of 2026. */
  readonly ownName: string;
  /** And in its sessions, one each. */
  readonly names: string[];
}

/**
 * The Model Context Protocol over HTTP, at `/mcp`: in the revision of 2026 each request is for itself, in the older ones
 * it belongs to a session. Shells and sessions belong to the token's client; all who use the host's own token are one.
 */
export function mcpHttpDoor(options: McpHttpOptions): HttpDoor {
  return new McpHttpDoor(options);
}

class McpHttpDoor implements HttpDoor {
  readonly path = '/mcp';
  readonly #options: McpHttpOptions;
  readonly #clients = new Map<string | null, HttpClient>();

  constructor(options: McpHttpOptions) {
    this.#options = options;
  }

  async handle(message: IncomingMessage, response: ServerResponse, account: string | null): Promise<void> {
    const aborted = new AbortController();
    const end = new Promise<boolean>((resolve) => {
      response.once('close', () => {
        aborted.abort();
        resolve(response.writableFinished);
      });
    });
    const client = this.#clientOf(account);
    client.uses.enter();
    void end.then(() => client.uses.leave());
    const request = webRequest(message, aborted.signal);
    if (await isLegacyRequest(request, undefined, { maxRequestBodySize: MAX_BODY_BYTES })) {
      await send(await client.sessions.fetch(request, end), response);
      return;
    }
    client.listed.enter();
    void end.then(() => client.listed.leave());
    await send(await client.handler.fetch(request), response);
  }

  async close(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    for (const { listed, changes, uses } of clients) {
      uses.dispose();
      changes.dispose();
      listed.dispose();
    }
    await Promise.allSettled(
      clients.flatMap(({ front, handler, sessions }) => [handler.close(), sessions.close(), front.dispose()]),
    );
  }

  /** Who waits for a person's answer is still there, whether or not it asks for it. */
  async #leave(client: HttpClient): Promise<void> {
    const { front, uses, ownName, names } = client;
    const { timesUsed } = uses;
    const questions = await this.#options.engine.questions();
    if (uses.timesUsed !== timesUsed) {
      // It made a request meanwhile, which may be over already.
      return;
    }
    if (questions.some((question) => question.client === ownName || names.includes(question.client))) {
      uses.enter();
      uses.leave();
      return;
    }
    front.endSession();
  }

  #clientOf(account: string | null): HttpClient {
    const known = this.#clients.get(account);
    if (known !== undefined) {
      return known;
    }
    const { engine, log, version, shellPath, cwd, clients, leftAfterMs = LEFT_AFTER_REQUEST_MS } = this.#options;
    const front = new McpFront({
      engine,
      account: account === null ? 'shared token' : `token ${account}`,
      cwd,
      shellPath,
    });
    const changes = new HttpChanges({ engine, own: front.own });
    const onError = (error: Error) =>
      log.warn('an MCP request could not be dealt with', { peer: 'http', why: error.message });
    const shared = { front, version };
    const ownName = account ?? SHARED_ACCOUNT;
    const names: string[] = [];
    // Those of 2026 ask the library, which has the bus.
    const askedElsewhere = { subscribe: () => {}, unsubscribe: () => {} };
    const client: HttpClient = {
      front,
      handler: createMcpHandler(() => mcpServer({ ...shared, clientName: ownName, changes: askedElsewhere }), {
        legacy: 'reject',
        bus: changes,
        onerror: onError,
        maxRequestBodySize: MAX_BODY_BYTES,
      }),
      sessions: new HttpSessions({
        serve: (name) => {
          const told = new SessionChanges(changes);
          const server = mcpServer({ ...shared, clientName: account, changes: told });
          names.push(name);
          told.serve(server);
          const listed = new ListedClient(clients, account ?? name, leftAfterMs);
          return {
            server,
            entered: () => listed.enter(),
            left: () => listed.leave(),
            ended: () => {
              names.splice(names.indexOf(name), 1);
              told.dispose();
              listed.dispose();
            },
          };
        },
        onError,
        maxBodyBytes: MAX_BODY_BYTES,
      }),
      changes,
      listed: new ListedClient(clients, ownName, leftAfterMs),
      ownName,
      names,
      uses: new UseTimer(leftAfterMs, () => void this.#leave(client)),
    };
    this.#clients.set(account, client);
    return client;
  }
}

function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    headers.set(name, Array.isArray(value) ? value.join(', ') : (value ?? ''));
  }
  const { method = 'GET' } = request;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? (Readable.toWeb(request) as ReadableStream<Uint8Array>) : null;
  // The name in the Host header was checked to be this machine's.
  return new Request(`http://${request.headers.host}${request.url}`, {
    method,
    headers,
    signal,
    body,
    ...(hasBody ? { duplex: 'half' } : {}),
  });
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body !== null) {
    // A stream may have nothing to say for long, and whoever waits for it shall know that it is open.
    response.flushHeaders();
    const reader = answer.body.getReader();
    const cancel = () => void reader.cancel().catch(() => {});
    response.once('close', cancel);
    if (response.destroyed) {
      cancel();
    }
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      response.write(part.value);
    }
  }
  response.end();
}
