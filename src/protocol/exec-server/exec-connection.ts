import type { Logger } from '../../shared/logger.ts';
import { z } from 'zod';
import { fileMethods, isFileMethod, type FileMethod } from './exec-file-methods.ts';
import { HttpRequests, type HttpRequestsOptions } from './exec-http.ts';
import type { ExecSession, Outbox } from './exec-session.ts';
import {
  describeIssue,
  issueCode,
  isMethod,
  methodParams,
  notificationFrame,
  requestFrame,
  WireErrorCode,
  type Method,
  type Params,
  type RequestId,
} from './exec-server-schema.ts';
import { Places } from './places.ts';
import { fileError, WireError } from './wire-error.ts';

/** The way frames leave. */
export interface FrameSink extends Outbox {
  send(frame: string): void;
  /** False while so much waits for the client that more answers would only fill this process's memory. */
  readonly hasRoom: boolean;
  /** Resolves when there may be room again, or the connection is gone. */
  room(): Promise<void>;
  /** Ends the connection: the client broke the protocol. */
  close(): void;
}

/** What a connection asks of the server that accepted it. */
export interface SessionDirectory {
  /**
   * A new session, or the detached one with that id, which from now on is the owner's. Throws a `WireError` when that
   * is unknown or another's.
   */
  open(owner: Outbox, clientName: string, resumeSessionId: string | null): ExecSession;
  environmentInfo(): object;
}

export interface ExecConnectionOptions {
  readonly sink: FrameSink;
  readonly sessions: SessionDirectory;
  readonly log: Logger;
  /** Shown in texts about malformed frames, e.g. `127.0.0.1:40312`. */
  readonly peer: string;
  /** Of the process that hosts the engine: what a header of `http/request` may ask for by name. */
  readonly hostEnvironment: HttpRequestsOptions['environment'];
}

/** What a method answers. */
interface Answer {
  /** Writes the result down; called when there is room for it. */
  readonly write: () => object;
  /** The answer is on its way to the client. */
  readonly sent?: () => void;
}

/** Family of a method, as the texts of refusals name it. */
const FAMILIES: Readonly<Record<Exclude<Method, 'initialize' | FileMethod>, string>> = {
  'environment/info': 'environment info',
  'environment/status': 'environment status',
  'process/start': 'exec',
  'process/read': 'exec',
  'process/write': 'exec',
  'process/signal': 'exec',
  'process/terminate': 'exec',
  'http/request': 'http',
};

/**
 * How many large answers of a kind may be in memory for one client, from before they are read until they have left for
 * its socket. A client that asks and does not take would else fill this process: a request is some hundred bytes, an
 * answer up to 43 MiB. Everything else goes on meanwhile.
 */
const ANSWERS_IN_MEMORY: Partial<Readonly<Record<Method, number>>> = {
  'fs/readFile': 1,
  'fs/walk': 1,
  'fs/readDirectory': 1,
  'fs/readBlock': 8,
};

/**
 * One client's connection: checks frames and the order of the handshake, answers each request as soon as it is done.
 * Requests run side by side: a long poll or a blocked write delays nothing else.
 *
 * ```
 * new ──initialize──► initializing ──initialized──► ready
 * ```
 */
export class ExecConnection {
  readonly #options: ExecConnectionOptions;
  readonly #aborted = new AbortController();
  readonly #places: ReadonlyMap<string, Places>;
  readonly #http: HttpRequests;
  #session: ExecSession | null = null;
  #ready = false;

  constructor(options: ExecConnectionOptions) {
    this.#options = options;
    this.#places = new Map(Object.entries(ANSWERS_IN_MEMORY).map(([method, count]) => [method, new Places(count)]));
    this.#http = new HttpRequests({
      sink: options.sink,
      environment: options.hostEnvironment,
      signal: this.#aborted.signal,
    });
  }

  /** One frame from the client. */
  receive(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      this.#malformed(error instanceof Error ? error.message : String(error));
      return;
    }
    if (typeof message !== 'object' || message === null) {
      this.#malformed('a message must be an object');
    } else if ('method' in message) {
      this.#receiveCall(message);
    } else if ('id' in message && ('result' in message || 'error' in message)) {
      // Nothing was asked of this client, so that this answers nothing.
      this.#options.sink.close();
    } else {
      this.#malformed('a message needs `id` and `method`');
    }
  }

  /** The connection is gone: polls end, the session waits for its client to come back. */
  dispose(): void {
    this.#aborted.abort();
    this.#session?.detach(this.#options.sink);
    this.#session = null;
  }

  #receiveCall(message: object): void {
    if (!('id' in message)) {
      const notification = notificationFrame.safeParse(message);
      if (!notification.success) {
        this.#malformed(describeIssue(notification.error, message));
      } else {
        this.#receiveNotification(notification.data.method);
      }
      return;
    }
    const request = requestFrame.safeParse(message);
    if (!request.success) {
      this.#malformed(describeIssue(request.error, message));
      return;
    }
    const { id, method, params } = request.data;
    void this.#answer(id, method, params);
  }

  #receiveNotification(method: string): void {
    if (method !== 'initialized' || this.#session === null) {
      this.#options.sink.close();
      return;
    }
    if (!this.#ready) {
      this.#ready = true;
      this.#session.attach(this.#options.sink);
    }
  }

  async #answer(id: RequestId, method: string, params: unknown): Promise<void> {
    const { sink, log } = this.#options;
    // Nothing is waited for otherwise: what a client sends in one go is begun in its order.
    const places = this.#places.get(method);
    const place = places === undefined ? null : await places.take();
    let answer: Answer | null = null;
    let frame: string;
    try {
      if (place !== null) {
        while (!sink.hasRoom) {
          await sink.room();
        }
        if (this.#aborted.signal.aborted) {
          return place.free();
        }
      }
      answer = await this.#handle(method, params ?? {});
      // Here, not in a function of its own: nothing may come between the look and the writing.
      while (!sink.hasRoom) {
        await sink.room();
      }
      frame = JSON.stringify({ id, result: answer.write() });
    } catch (error) {
      if (!(error instanceof WireError)) {
        log.error('a request failed unexpectedly', { method, why: String(error) });
      }
      const wire =
        error instanceof WireError ? error : new WireError(WireErrorCode.internal, 'internal error, see the log');
      frame = JSON.stringify({ error: { code: wire.code, message: wire.message }, id });
    }
    sink.send(frame);
    place?.free();
    answer?.sent?.();
  }

  async #handle(method: string, params: unknown): Promise<Answer> {
    if (!isMethod(method)) {
      throw new WireError(WireErrorCode.methodNotFound, `exec-server stub does not implement \`${method}\` yet`);
    }
    if (isFileMethod(method)) {
      return this.#file(method, params);
    }
    switch (method) {
      case 'initialize':
        return plain(this.#initialize(parse(method, params)));
      case 'environment/info':
        this.#readySession(method);
        return plain(this.#options.sessions.environmentInfo());
      case 'environment/status':
        this.#readySession(method);
        return plain({ status: 'ready' });
      case 'process/start': {
        const parsed = parse(method, params);
        // The connection may be gone, and the client back on another, before this is done.
        const session = this.#readySession(method);
        const result = await session.start(parsed);
        // Only then, so that the client knows the process before it hears of it.
        return { write: () => result, sent: () => session.announce(parsed.processId) };
      }
      case 'process/read': {
        const parsed = parse(method, params);
        const session = this.#readySession(method);
        const write = await session.read(parsed, this.#aborted.signal);
        return { write, sent: () => session.caughtUp(parsed.processId) };
      }
      case 'process/write': {
        const parsed = parse(method, params);
        return plain(await this.#readySession(method).write(parsed));
      }
      case 'process/signal': {
        const parsed = parse(method, params);
        return plain(await this.#readySession(method).signal(parsed));
      }
      case 'process/terminate': {
        const parsed = parse(method, params);
        return plain(await this.#readySession(method).terminate(parsed));
      }
      case 'http/request': {
        const parsed = parse(method, params);
        this.#readySession(method);
        const { result, sent } = await this.#http.run(parsed);
        return { write: () => result, sent };
      }
    }
  }

  async #file<M extends FileMethod>(method: M, params: unknown): Promise<Answer> {
    const parsed = parse(method, params);
    const session = this.#readySession(method);
    const call = {
      handles: session.fileHandles,
      watches: session.missingWatches,
      connectionGone: this.#aborted.signal,
      sessionEnded: session.ended,
    };
    let result: object;
    try {
      result = await fileMethods[method](call, parsed);
    } catch (error) {
      throw fileError(error);
    }
    const { watchId } = parsed as { readonly watchId?: number };
    return watchId === undefined
      ? plain(result)
      : { write: () => result, sent: () => session.missingWatches.answered(watchId) };
  }

  #initialize({ clientName, resumeSessionId }: Params<'initialize'>): object {
    if (this.#session !== null) {
      throw new WireError(WireErrorCode.invalidRequest, 'initialize may only be sent once per connection');
    }
    this.#session = this.#options.sessions.open(this.#options.sink, clientName, resumeSessionId ?? null);
    return { sessionId: this.#session.id, environmentInfo: this.#options.sessions.environmentInfo() };
  }

  #readySession(method: Exclude<Method, 'initialize'>): ExecSession {
    if (this.#session === null || !this.#ready) {
      const missing = this.#session === null ? 'call initialize' : 'send initialized';
      throw new WireError(
        WireErrorCode.invalidRequest,
        `client must ${missing} before using ${isFileMethod(method) ? 'filesystem' : FAMILIES[method]} methods`,
      );
    }
    return this.#session;
  }

  #malformed(why: string): void {
    const message = `failed to parse websocket JSON-RPC message from exec-server websocket ${this.#options.peer}: ${why}`;
    this.#options.sink.send(JSON.stringify({ error: { code: WireErrorCode.invalidRequest, message }, id: -1 }));
  }
}

function plain(result: object): Answer {
  return { write: () => result };
}

function parse<M extends Method>(method: M, params: unknown): Params<M> {
  const parsed = z.safeParse(methodParams[method], params);
  if (!parsed.success) {
    throw new WireError(issueCode(parsed.error), describeIssue(parsed.error, params));
  }
  return parsed.data as Params<M>;
}
