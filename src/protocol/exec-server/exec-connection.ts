import { setMaxListeners } from 'node:events';
import { z } from 'zod';
import type { FencePolicy } from '../../engine/engine.ts';
import type { Logger } from '../../shared/logger.ts';
import { TurnoverMap } from '../../shared/turnover.ts';
import { readClientFrame, type ClientFrame, type ClientRequest } from './client-frame.ts';
import { extensionMethods, isExtensionMethod, type ExtensionMethod } from './exec-extensions.ts';
import { fileCall, isFileMethod, type FileMethod } from './exec-file-methods.ts';
import { HttpRequests, type HttpRequestsOptions } from './exec-http.ts';
import {
  describeIssue,
  issueCode,
  isMethod,
  methodParams,
  WireErrorCode,
  type Method,
  type Params,
} from './exec-server-schema.ts';
import type { ExecSession } from './exec-session.ts';
import { MalformedFrameError } from './frame-limits.ts';
import type { Outbox } from './hosted-process.ts';
import { Places } from './places.ts';
import { fileError, WireError } from './wire-error.ts';

/**
 * Requests of one connection that may be unanswered at once. One more is refused, so that a client cannot fill this
 * process's memory with polls. The real client has at most some hundred.
 */
export const MAX_REQUESTS_IN_FLIGHT = 1_024;

/** Length of all of them together, in characters; a frame may have 16 million. One that came before it was reached is taken whole. */
const MAX_SIZE_IN_FLIGHT = 64 * 1024 * 1024;

/** Requests that end a process: served above the bound as well, since they are how a client gets below it. */
const ALWAYS_SERVED: ReadonlySet<string> = new Set(['process/terminate', 'process/signal']);

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
  /** Shown in texts about malformed frames, e.g. `127.0.0.1:40312`; null for stdio. */
  readonly peer: string | null;
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
  'shellscope/list': 'shellscope',
  'shellscope/attach': 'shellscope',
  'shellscope/setTitle': 'shellscope',
  'shellscope/resize': 'shellscope',
  'shellscope/closeStdin': 'shellscope',
  'shellscope/wait': 'shellscope',
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

/** What wants an answer, and what finds it. */
interface Asked {
  readonly idText: string;
  readonly method: string;
  readonly handle: () => Promise<Answer>;
}

/**
 * One client's connection: checks frames and the order of the handshake, answers each request as soon as it is done.
 * Requests run side by side: a long poll or a blocked write delays nothing else. Only a request whose id is another's
 * that is not answered yet waits for that answer, so that the client can tell the two apart by their order.
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
  /** Requests that are not answered, by id; each goes on when the one before it with its id has been answered. */
  readonly #unanswered = new TurnoverMap<string, Promise<void>>();
  #inFlight = 0;
  /** Characters of the frames of those. */
  #sizeInFlight = 0;
  /** The client broke the protocol: what it sent behind that in the same packet is not looked at. */
  #dropped = false;
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
    // One for each poll; node warns from 11 on.
    setMaxListeners(MAX_REQUESTS_IN_FLIGHT, this.#aborted.signal);
  }

  /** One frame from the client; null for bytes that are no UTF-8, which no message is. */
  receive(text: string | null): void {
    if (this.#dropped) {
      return;
    }
    let frame: ClientFrame;
    try {
      if (text === null) {
        throw new MalformedFrameError('invalid unicode code point');
      }
      frame = readClientFrame(text);
    } catch (error) {
      if (!(error instanceof MalformedFrameError)) {
        throw error;
      }
      this.malformed(error.message);
      return;
    }
    switch (frame.kind) {
      case 'request':
        this.#receiveRequest(frame, text.length);
        break;
      case 'notification':
        this.#receiveNotification(frame.method);
        break;
      case 'response':
        this.#drop('it answered what nobody asked');
        break;
    }
  }

  /** Answers a frame that is no message. The connection goes on. */
  malformed(why: string): void {
    const { peer } = this.#options;
    const what =
      peer === null
        ? 'JSON-RPC message from exec-server stdio'
        : `websocket JSON-RPC message from exec-server websocket ${peer}`;
    const error = new WireError(WireErrorCode.invalidRequest, `failed to parse ${what}: ${why}`);
    if (this.#options.sink.hasRoom) {
      // By the way of all answers, so that it comes behind those to the frames before it: it has no id to be told by.
      void this.#answerAfter(null, { idText: '-1', method: 'none', handle: () => Promise.reject(error) });
    } else {
      this.#drop('it takes no answers');
    }
  }

  /** Resolves when every request so far has been answered. After `dispose` no poll holds that up. */
  async answered(): Promise<void> {
    await Promise.all(this.#unanswered.values());
  }

  /** The connection is gone: polls end, the session waits for its client to come back. */
  dispose(): void {
    this.#aborted.abort();
    this.#session?.detach(this.#options.sink);
    this.#session = null;
  }

  #receiveRequest(request: ClientRequest, size: number): void {
    const { idText, method, params } = request;
    const tooMuch =
      this.#inFlight >= MAX_REQUESTS_IN_FLIGHT
        ? `${MAX_REQUESTS_IN_FLIGHT} requests`
        : this.#sizeInFlight > MAX_SIZE_IN_FLIGHT
          ? `${MAX_SIZE_IN_FLIGHT} characters of requests`
          : null;
    if (tooMuch !== null && !(ALWAYS_SERVED.has(method) && this.#options.sink.hasRoom)) {
      const why = `more than ${tooMuch} are not answered yet: wait for answers`;
      this.#refuse(idText, new WireError(WireErrorCode.overloaded, why));
      return;
    }
    this.#inFlight += 1;
    this.#sizeInFlight += size;
    const before = this.#unanswered.get(idText) ?? null;
    const handle = () => this.#handle(method, params ?? {});
    const answered = this.#answerAfter(before, { idText, method, handle }).finally(() => {
      this.#inFlight -= 1;
      this.#sizeInFlight -= size;
      if (this.#unanswered.get(idText) === answered) {
        this.#unanswered.delete(idText);
      }
    });
    this.#unanswered.set(idText, answered);
  }

  #receiveNotification(method: string): void {
    if (method !== 'initialized') {
      this.#drop('it sent a notification that is none of this protocol');
      return;
    }
    if (this.#session === null) {
      this.#drop('it sent `initialized` before `initialize`');
      return;
    }
    if (!this.#ready) {
      this.#ready = true;
      this.#session.attach(this.#options.sink);
    }
  }

  /** Never rejects: a fault of ours ends this connection, not the host and everybody's sessions with it. */
  async #answerAfter(before: Promise<void> | null, asked: Asked): Promise<void> {
    try {
      if (before !== null) {
        await before;
      }
      await this.#answer(asked);
    } catch (error) {
      this.#options.log.error('a request could not be answered', { method: asked.method, why: String(error) });
      this.#drop('a request of it could not be answered');
    }
  }

  async #answer({ idText, method, handle }: Asked): Promise<void> {
    const { sink } = this.#options;
    // Nothing is waited for otherwise: what a client sends in one go is begun in its order.
    const places = this.#places.get(method);
    const place = places === undefined ? null : await places.take();
    if (place !== null) {
      while (!sink.hasRoom) {
        await sink.room();
      }
      if (this.#aborted.signal.aborted) {
        place.free();
        return;
      }
    }
    let sent: (() => void) | undefined;
    let write: () => string;
    try {
      const answer = await handle();
      ({ sent } = answer);
      write = () => `{"id":${idText},"result":${JSON.stringify(answer.write())}}`;
    } catch (error) {
      const wire = this.#wireError(error, method);
      write = () => errorFrame(idText, wire);
    }
    // No turn of the loop between the look and the frame, or all who wait would take the same room.
    while (!sink.hasRoom) {
      await sink.room();
    }
    let frame: string;
    try {
      frame = write();
    } catch (error) {
      sent = undefined;
      frame = errorFrame(idText, this.#wireError(error, method));
    }
    sink.send(frame);
    place?.free();
    sent?.();
  }

  #wireError(error: unknown, method: string): WireError {
    if (error instanceof WireError) {
      return error;
    }
    this.#options.log.error('a request failed unexpectedly', { method, why: String(error) });
    return new WireError(WireErrorCode.internal, 'internal error, see the log');
  }

  /** Answers at once. A client that is refused and takes none of its answers is gone, or means to fill the memory. */
  #refuse(idText: string, error: WireError): void {
    const { sink } = this.#options;
    if (sink.hasRoom) {
      sink.send(errorFrame(idText, error));
    } else {
      this.#drop('it takes no answers');
    }
  }

  #drop(why: string): void {
    const { sink, log, peer } = this.#options;
    if (this.#dropped) {
      return;
    }
    this.#dropped = true;
    log.warn('a client was dropped', { peer: peer ?? 'stdio', why });
    // Behind the answers to what came before in the same packet.
    setImmediate(() => sink.close());
  }

  async #handle(method: string, params: unknown): Promise<Answer> {
    if (!isMethod(method)) {
      throw new WireError(WireErrorCode.methodNotFound, `exec-server stub does not implement \`${method}\` yet`);
    }
    if (isFileMethod(method)) {
      return this.#file(method, params);
    }
    if (isExtensionMethod(method)) {
      return this.#extension(method, params);
    }
    switch (method) {
      case 'initialize':
        return plain(this.#initialize(parse(method, params)));
      case 'environment/info':
        parse(method, params);
        this.#readySession(method);
        return plain(this.#options.sessions.environmentInfo());
      case 'environment/status':
        parse(method, params);
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

  async #extension<M extends ExtensionMethod>(method: M, params: unknown): Promise<Answer> {
    const parsed = parse(method, params);
    const call = { ...this.#readySession(method).extensionCall, signal: this.#aborted.signal };
    const { result, sent } = await extensionMethods[method](call, parsed);
    return sent === undefined ? plain(result) : { write: () => result, sent };
  }

  async #file<M extends FileMethod>(method: M, params: unknown): Promise<Answer> {
    const parsed = parse(method, params);
    const session = this.#readySession(method);
    const call = {
      handles: session.fileHandles,
      watches: session.missingWatches,
      places: (policy: FencePolicy) => session.fencePlaces(policy),
      connectionGone: this.#aborted.signal,
      sessionEnded: session.ended,
    };
    let result: object;
    try {
      result = await fileCall(method, call, parsed);
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
}

function errorFrame(idText: string, { code, message }: WireError): string {
  return `{"error":${JSON.stringify({ code, message })},"id":${idText}}`;
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
