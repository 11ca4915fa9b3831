import { isUtf8 } from 'node:buffer';
import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { EngineError } from '../../shared/errors.ts';
import { ControlError } from './control-error.ts';
import type { ControlFollow } from './control-follow.ts';
import type { ControlHost } from './control-host.ts';
import { controlHandlers, type MethodContext, type PlainMethod } from './control-methods.ts';
import { controlSchemas, requestSchema, type ControlMethod, type ControlParams } from './control-schema.ts';
import { CONTROL_PROTOCOL, MAX_LINE_BYTES, type ControlHostFacts, type ControlNotification } from './control-wire.ts';
import { handOver } from './hand-over.ts';
import { LineReader } from './line-reader.ts';

/** Requests of one client that may be under way at once; waits are, for as long as they last. */
const MAX_PENDING = 1_000;

/** Answers that may wait for a client that does not read, in bytes; then nothing more is read of it. */
const MAX_UNSENT_BYTES = 16 * 1024 * 1024;

const BLANK = /^[ \t\r]*$/;

type RequestId = string | number;

export interface ControlConnectionOptions {
  readonly socket: Socket;
  readonly host: ControlHost;
  readonly facts: () => ControlHostFacts;
  readonly connectionCount: () => number;
}

/** One client at the control socket, until it goes or becomes a stream. */
export class ControlConnection {
  readonly #socket: Socket;
  readonly #host: ControlHost;
  readonly #context: MethodContext;
  readonly #lines = new LineReader(MAX_LINE_BYTES);
  readonly #gone = new AbortController();
  readonly #follows = new Map<number, ControlFollow>();
  readonly #onData: (bytes: Buffer) => void;
  /** Null before `hello`. */
  #client: string | null = null;
  #pending = 0;
  #stopQuestions: (() => void) | null = null;
  #isStream = false;

  constructor({ socket, host, facts, connectionCount }: ControlConnectionOptions) {
    this.#socket = socket;
    this.#host = host;
    const { signal } = this.#gone;
    // Each wait of the client listens to it.
    setMaxListeners(MAX_PENDING, signal);
    this.#context = {
      host,
      facts,
      connectionCount,
      follows: this.#follows,
      notify: (notification) => this.#send(notification),
      signal,
      followQuestions: () => this.#followQuestions(),
    };
    this.#onData = (bytes) => this.#receive(bytes);
    socket.on('data', this.#onData);
    socket.on('drain', () => this.#readOn());
    socket.on('end', () => {
      if (!this.#isStream) {
        socket.end();
      }
    });
    // `close` follows.
    socket.on('error', () => {});
    socket.on('close', () => this.#dispose());
  }

  #followQuestions(): void {
    if (!this.#gone.signal.aborted) {
      this.#stopQuestions ??= this.#host.engine.onQuestion((params) => this.#send({ method: 'question', params }));
    }
  }

  #dispose(): void {
    this.#gone.abort();
    this.#stopQuestions?.();
    for (const follow of this.#follows.values()) {
      follow.close();
    }
    this.#follows.clear();
  }

  #receive(bytes: Buffer): void {
    this.#lines.push(bytes);
    for (let line = this.#lines.next(); line !== null; line = this.#lines.next()) {
      if (line === 'too-long') {
        this.#refuse(undefined, new ControlError('malformed', `a line is longer than ${MAX_LINE_BYTES} bytes`));
      } else {
        this.#dealWith(line);
      }
      if (this.#isStream) {
        return;
      }
    }
    this.#readOn();
  }

  #readOn(): void {
    if (this.#isStream) {
      return;
    }
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) {
      this.#socket.pause();
    } else {
      this.#socket.resume();
    }
  }

  #dealWith(line: Uint8Array): void {
    const text = isUtf8(line) ? Buffer.from(line).toString('utf8') : null;
    if (text !== null && BLANK.test(text)) {
      return;
    }
    const request = requestSchema.safeParse(text === null ? undefined : parsed(text));
    if (!request.success) {
      this.#refuse(
        undefined,
        new ControlError('malformed', 'a line is one JSON object in UTF-8 with a method, an id and params'),
      );
      return;
    }
    const { id, method, params = {} } = request.data;
    try {
      this.#answer(id, method, params);
    } catch (error) {
      this.#refuse(id, error);
    }
  }

  #answer(id: RequestId | undefined, name: string, params: unknown): void {
    if (!isMethod(name)) {
      throw new ControlError('unknown-method', `there is no method ${JSON.stringify(name)}`);
    }
    if (name === 'hello') {
      this.#hello(id, checkedParams('hello', params));
      return;
    }
    if (this.#client === null) {
      throw new ControlError('hello-first', 'the first request has to be hello');
    }
    if (name === 'stream') {
      this.#becomeStream(id, checkedParams('stream', params), this.#client);
      return;
    }
    if (this.#pending >= MAX_PENDING) {
      throw new ControlError('limit-reached', `${MAX_PENDING} requests are under way; wait for some of them`);
    }
    this.#pending += 1;
    handled(name, this.#context, params)
      .then(
        (result) => this.#reply(id, result),
        (error: unknown) => this.#refuse(id, error),
      )
      .finally(() => {
        this.#pending -= 1;
      })
      .catch((error: unknown) => this.#host.log.error('an answer could not be given', { why: String(error) }));
  }

  #hello(id: RequestId | undefined, { protocol, client }: ControlParams<'hello'>): void {
    if (protocol !== CONTROL_PROTOCOL) {
      throw new ControlError(
        'unsupported-protocol',
        `this host (version ${this.#host.version}) speaks version ${CONTROL_PROTOCOL} of the control protocol and the ` +
          `client version ${protocol}; use the shellscope command of the same installation`,
      );
    }
    this.#client = client;
    this.#reply(id, this.#context.facts());
  }

  #becomeStream(id: RequestId | undefined, { name, params }: ControlParams<'stream'>, client: string): void {
    const handler = this.#host.streams?.get(name);
    if (handler === undefined) {
      throw new ControlError('unknown-stream', `this host has no stream ${JSON.stringify(name)}`);
    }
    if (this.#pending > 0 || this.#follows.size > 0 || this.#stopQuestions !== null) {
      throw new ControlError(
        'invalid-argument',
        'stream: nothing else may be under way on a connection that becomes one',
      );
    }
    this.#isStream = true;
    this.#reply(id, null);
    const socket = this.#socket;
    handOver(socket, this.#onData, this.#lines.rest());
    try {
      handler(socket, { client, params });
    } catch (error) {
      this.#host.log.error('a stream could not be served', { stream: name, why: String(error) });
      socket.destroy();
    }
  }

  #reply(id: RequestId | undefined, result: unknown): void {
    if (id !== undefined) {
      this.#send({ id, result });
    }
  }

  /** Of a notification the client hears only what it could not know. */
  #refuse(id: RequestId | undefined, error: unknown): void {
    const isKnown = error instanceof EngineError || error instanceof ControlError;
    if (!isKnown) {
      this.#host.log.error('a request at the control socket failed', { why: String(error) });
    }
    const { code, message } = isKnown ? error : { code: 'internal', message: 'the host failed; its log says why' };
    this.#send({ id: id ?? null, error: { code, message } });
  }

  #send(message: ControlNotification | { readonly id: RequestId | null; readonly [member: string]: unknown }): void {
    if (this.#socket.writable) {
      this.#socket.write(`${JSON.stringify(message)}\n`);
    }
  }
}

function isMethod(name: string): name is ControlMethod {
  return Object.hasOwn(controlSchemas, name);
}

async function handled<M extends PlainMethod>(name: M, context: MethodContext, params: unknown): Promise<unknown> {
  return controlHandlers[name](context, checkedParams(name, params));
}

function checkedParams<M extends ControlMethod>(method: M, params: unknown): ControlParams<M> {
  const checked = controlSchemas[method].safeParse(params);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const field = issue?.path.join('.') ?? '';
    throw new ControlError('invalid-argument', `${field === '' ? method : field}: ${issue?.message ?? 'is not valid'}`);
  }
  return checked.data as ControlParams<M>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON is no request either.
    return undefined;
  }
}
