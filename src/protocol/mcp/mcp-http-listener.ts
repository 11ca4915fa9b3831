import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler, type McpHttpHandler, type McpRequestContext } from '@modelcontextprotocol/server';
import type { Engine } from '../../engine/engine.ts';
import type { Logger } from '../../shared/logger.ts';
import type { HttpDoor } from '../exec-server/exec-server-listener.ts';
import { HttpChanges } from './http-changes.ts';
import type { McpClientEntry, McpClients } from './mcp-clients.ts';
import { McpFront } from './mcp-front.ts';
import { mcpServer } from './mcp-server.ts';

/** Bytes of one request; an input of some megabytes is the largest that a client sends. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Name in the window of clients that use the host's own token. */
const SHARED_ACCOUNT = 'mcp';

/**
 * When a client has left, in milliseconds after its last request: over HTTP nobody says goodbye, and an agent that thinks
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

/** One client with its sessions. */
interface HttpClient {
  readonly front: McpFront;
  readonly handler: McpHttpHandler;
  readonly changes: HttpChanges;
  /** While it is listed. */
  entry: McpClientEntry | null;
  leaving: NodeJS.Timeout | undefined;
}

/**
 * The Model Context Protocol over HTTP, at `/mcp`: each request is for itself, in the revision of 2026 and the older
 * ones. Sessions belong to the token's client; all who use the host's own token are one client.
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

  async handle(request: IncomingMessage, response: ServerResponse, account: string | null): Promise<void> {
    const aborted = new AbortController();
    response.on('close', () => aborted.abort());
    const client = this.#clientOf(account);
    this.#list(client, account);
    const answer = await client.handler.fetch(webRequest(request, aborted.signal));
    await send(answer, response);
  }

  async close(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    for (const { entry, leaving, changes } of clients) {
      changes.dispose();
      clearTimeout(leaving);
      entry?.leave();
    }
    await Promise.allSettled(clients.flatMap(({ front, handler }) => [handler.close(), front.dispose()]));
  }

  /** From now on, for a while. */
  #list(client: HttpClient, account: string | null): void {
    if (client.entry === null) {
      client.entry = this.#options.clients?.enter() ?? null;
      client.entry?.named(account ?? SHARED_ACCOUNT);
    }
    this.#leaveLater(client, account ?? SHARED_ACCOUNT);
  }

  #leaveLater(client: HttpClient, name: string): void {
    clearTimeout(client.leaving);
    const leaving = setTimeout(
      () => void this.#leave(client, name),
      this.#options.leftAfterMs ?? LEFT_AFTER_REQUEST_MS,
    );
    client.leaving = leaving.unref();
  }

  /** Who waits for a person's answer is still there, whether or not it asks for it. */
  async #leave(client: HttpClient, name: string): Promise<void> {
    const { leaving } = client;
    const questions = await this.#options.engine.questions();
    if (client.leaving !== leaving) {
      // It made a request meanwhile.
      return;
    }
    if (questions.some((question) => question.client === name)) {
      this.#leaveLater(client, name);
      return;
    }
    client.front.endSession();
    client.entry?.leave();
    client.entry = null;
  }

  #clientOf(account: string | null): HttpClient {
    const known = this.#clients.get(account);
    if (known !== undefined) {
      return known;
    }
    const { engine, log, version, shellPath, cwd } = this.#options;
    const front = new McpFront({
      engine,
      account: account === null ? 'shared token' : `token ${account}`,
      cwd,
      shellPath,
    });
    const changes = new HttpChanges({ engine, own: front.own });
    // What a client of before subscribes to cannot be told: each of its requests is for itself.
    const told = { subscribe: () => {}, unsubscribe: () => {} };
    const factory = ({ era }: McpRequestContext) =>
      mcpServer({
        ...{ front, version, clientName: account ?? SHARED_ACCOUNT },
        changes: era === 'modern' ? told : null,
      });
    const handler = createMcpHandler(factory, {
      bus: changes,
      onerror: (error) => log.warn('an MCP request could not be dealt with', { peer: 'http', why: error.message }),
      maxRequestBodySize: MAX_BODY_BYTES,
    });
    const client: HttpClient = { front, handler, changes, entry: null, leaving: undefined };
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
    for await (const part of answer.body) {
      if (response.destroyed) {
        // Leaving the loop cancels what is still to come.
        return;
      }
      response.write(part);
    }
  }
  response.end();
}
