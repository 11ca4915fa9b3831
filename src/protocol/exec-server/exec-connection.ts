import type { Logger } from '../../shared/logger.ts';
import { z } from 'zod';
import type { ExecSession, Outbox } from './exec-session.ts';
import {
  describeIssue,
  isMethod,
  methodParams,
  notificationFrame,
  requestFrame,
  WireErrorCode,
  type Method,
  type Params,
  type RequestId,
} from './exec-server-schema.ts';
import { WireError } from './wire-error.ts';

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
}

/** Family of a method, as the texts of refusals name it. */
const FAMILIES: Readonly<Record<Exclude<Method, 'initialize'>, string>> = {
  'environment/info': 'environment info',
  'environment/status': 'environment status',
  'process/start': 'exec',
  'process/read': 'exec',
  'process/write': 'exec',
  'process/signal': 'exec',
  'process/terminate': 'exec',
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
  #session: ExecSession | null = null;
  #ready = false;

  constructor(options: ExecConnectionOptions) {
    this.#options = options;
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
    // The connection may be gone, and the client back on another, before this is done.
    const session = this.#session;
    let frame: string;
    let startedId: string | null = null;
    try {
      const result = await this.#handle(method, params ?? {});
      while (!sink.hasRoom) {
        await sink.room();
      }
      startedId = method === 'process/start' ? (result as { readonly processId: string }).processId : null;
      frame = JSON.stringify({ id, result: typeof result === 'function' ? (result as () => object)() : result });
    } catch (error) {
      if (!(error instanceof WireError)) {
        log.error('a request failed unexpectedly', { method, why: String(error) });
      }
      const wire =
        error instanceof WireError ? error : new WireError(WireErrorCode.internal, 'internal error, see the log');
      frame = JSON.stringify({ error: { code: wire.code, message: wire.message }, id });
    }
    sink.send(frame);
    if (startedId !== null) {
      // Only now, so that the client knows the process before it hears of it.
      session?.announce(startedId);
    }
  }

  /** Answers the result, or what writes it down when there is room for it. */
  async #handle(method: string, params: unknown): Promise<object | (() => object)> {
    if (!isMethod(method)) {
      throw new WireError(WireErrorCode.methodNotFound, `exec-server stub does not implement \`${method}\` yet`);
    }
    if (method === 'initialize') {
      return this.#initialize(parse('initialize', params));
    }
    switch (method) {
      case 'environment/info':
        this.#readySession(method);
        return this.#options.sessions.environmentInfo();
      case 'environment/status':
        this.#readySession(method);
        return { status: 'ready' };
      case 'process/start': {
        const parsed = parse(method, params);
        return this.#readySession(method).start(parsed);
      }
      case 'process/read': {
        const parsed = parse(method, params);
        return this.#readySession(method).read(parsed, this.#aborted.signal);
      }
      case 'process/write': {
        const parsed = parse(method, params);
        return this.#readySession(method).write(parsed);
      }
      case 'process/signal': {
        const parsed = parse(method, params);
        return this.#readySession(method).signal(parsed);
      }
      case 'process/terminate': {
        const parsed = parse(method, params);
        return this.#readySession(method).terminate(parsed);
      }
    }
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
        `client must ${missing} before using ${FAMILIES[method]} methods`,
      );
    }
    return this.#session;
  }

  #malformed(why: string): void {
    const message = `failed to parse websocket JSON-RPC message from exec-server websocket ${this.#options.peer}: ${why}`;
    this.#options.sink.send(JSON.stringify({ error: { code: WireErrorCode.invalidRequest, message }, id: -1 }));
  }
}

function parse<M extends Method>(method: M, params: unknown): Params<M> {
  const parsed = z.safeParse(methodParams[method], params);
  if (!parsed.success) {
    throw new WireError(WireErrorCode.invalidParams, describeIssue(parsed.error, params));
  }
  return parsed.data as Params<M>;
}
