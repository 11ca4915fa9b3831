import { isUtf8 } from 'node:buffer';
import {
  request as requestHttp,
  validateHeaderName,
  validateHeaderValue,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { TurnoverSet } from '../../shared/turnover.ts';
import { WireErrorCode, type Params } from './exec-server-schema.ts';
import { WireError } from './wire-error.ts';

/** Requests of one connection at a time; each takes a descriptor of this host. */
const MAX_REQUESTS = 256;

/**
 * Bodies that are answered in one piece, in bytes for all requests of one connection together. Larger ones are
 * streamed (`streamResponse`). The real server has no limit.
 */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;

/** Of one `bodyDelta`, in bytes before base64: what Node reads from a socket at a time. */
const DELTA_BYTES = 64 * 1024;

/** Hops that are followed; as the real server does (0.169). */
const MAX_REDIRECTS = 10;

/** Of a response, in bytes. Node's own 16 KiB is less than what proxies and identity servers send. */
const MAX_HEADER_BYTES = 256 * 1024;

/** Longest that a timer can run, in milliseconds (Node); a longer timeout is none. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Headers that belong to the origin they were written for (RFC 9110, 15.4, "Redirection 3xx"). */
const ORIGIN_HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie', 'cookie2', 'host']);

/** Headers that say how the message is framed: the body is whole here, so that this host knows better. */
const FRAMING_HEADERS = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'te']);

/** Variables of Shellscope itself and of the runtime: never in what leaves this machine. */
const OWN_VARIABLES = /^(?:SHELLSCOPE_|ELECTRON_|NODE_OPTIONS$)/i;

interface Header {
  readonly name: string;
  /** One character per byte, as Node writes it. */
  readonly value: string;
  /** From the host's environment: it goes to the origin that it was asked for, and to no other. */
  readonly secret: boolean;
}

interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly Header[];
  readonly body: Buffer | null;
}

/** Where the pieces of a body go. */
export interface BodySink {
  /** `sent` is called when the frame has left this process, or cannot any more. */
  notify(frame: string, sent: () => void): void;
  readonly hasRoom: boolean;
  room(): Promise<void>;
}

export interface HttpRequestsOptions {
  readonly sink: BodySink;
  /** Of the process that hosts the engine; only what a header asks for by name is taken from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The connection is gone: every request of it is given up. */
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly result: object;
  /** To be called when the answer is on its way: streams the body, or lets go of it. */
  readonly sent: () => void;
}

/**
 * The requests that a client makes from this machine. Each has a connection of its own, so that none is found closed
 * when it is used again. The host's proxy settings are not used.
 */
export class HttpRequests {
  readonly #options: HttpRequestsOptions;
  readonly #streams = new TurnoverSet<string>();
  #active = 0;
  #bufferedBytes = 0;

  constructor(options: HttpRequestsOptions) {
    this.#options = options;
  }

  async run(params: Params<'http/request'>): Promise<HttpAnswer> {
    const { requestId, streamResponse } = params;
    const first = firstHop(params, this.#options.environment);
    if (streamResponse && this.#streams.has(requestId)) {
      throw new WireError(
        WireErrorCode.invalidParams,
        `http/request streamResponse requestId \`${requestId}\` is already active`,
      );
    }
    if (this.#active >= MAX_REQUESTS) {
      throw new WireError(
        WireErrorCode.invalidRequest,
        `at most ${MAX_REQUESTS} http requests may be active per connection`,
      );
    }
    const deadline = new Deadline(params.timeoutMs, this.#options.signal);
    this.#active += 1;
    if (streamResponse) {
      this.#streams.add(requestId);
    }
    const end = () => {
      deadline.dispose();
      this.#active -= 1;
      if (streamResponse) {
        this.#streams.delete(requestId);
      }
    };
    try {
      const response = await followed(first, params.redirectPolicy, deadline.signal);
      const head = { status: response.statusCode ?? 0, headers: wireHeaders(response) };
      if (streamResponse) {
        return {
          result: { ...head, bodyBase64: '' },
          sent: () => void this.#stream(requestId, response).finally(end),
        };
      }
      const body = await this.#wholeBody(response);
      end();
      return {
        result: { ...head, bodyBase64: body.toString('base64') },
        sent: () => {
          this.#bufferedBytes -= body.length;
        },
      };
    } catch (error) {
      end();
      throw error;
    }
  }

  async #wholeBody(response: IncomingMessage): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let length = 0;
    try {
      for await (const piece of response as AsyncIterable<Buffer>) {
        length += piece.length;
        this.#bufferedBytes += piece.length;
        pieces.push(piece);
        if (this.#bufferedBytes > MAX_BUFFERED_BYTES) {
          throw new WireError(
            WireErrorCode.internal,
            `failed to read http/request response body: more than ${MAX_BUFFERED_BYTES} bytes; ask for it with streamResponse`,
          );
        }
      }
    } catch (error) {
      this.#bufferedBytes -= length;
      response.destroy();
      throw error instanceof WireError
        ? error
        : new WireError(WireErrorCode.internal, `failed to read http/request response body: ${messageOf(error)}`);
    }
    return Buffer.concat(pieces, length);
  }

  /** One piece is under way at a time: a client that takes nothing holds the sender back, not this host's memory. */
  async #stream(requestId: string, response: IncomingMessage): Promise<void> {
    const { sink, signal } = this.#options;
    let seq = 0;
    const tell = async (delta: Buffer, end: { readonly error: string | null } | null): Promise<void> => {
      while (!sink.hasRoom && !signal.aborted) {
        await sink.room();
      }
      seq += 1;
      const params = {
        requestId,
        seq,
        deltaBase64: delta.toString('base64'),
        done: end !== null,
        error: end?.error ?? null,
      };
      await new Promise<void>((resolve) => {
        sink.notify(JSON.stringify({ method: 'http/request/bodyDelta', params }), resolve);
      });
    };
    try {
      for await (const piece of response as AsyncIterable<Buffer>) {
        for (let at = 0; at < piece.length; at += DELTA_BYTES) {
          await tell(piece.subarray(at, at + DELTA_BYTES), null);
        }
      }
      await tell(Buffer.alloc(0), { error: null });
    } catch (error) {
      response.destroy();
      if (!signal.aborted) {
        await tell(Buffer.alloc(0), { error: `error decoding response body: ${messageOf(error)}` });
      }
    }
  }
}

/** Ends a request that takes too long, or that nobody waits for any more. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | null;
  readonly #connection: AbortSignal;
  readonly #onGone = () => this.#controller.abort(new Error('the client is gone'));

  constructor(timeoutMs: number | null, connection: AbortSignal) {
    this.#connection = connection;
    if (connection.aborted) {
      this.#onGone();
    }
    connection.addEventListener('abort', this.#onGone);
    this.#timer =
      timeoutMs === null || timeoutMs > MAX_TIMER_MS
        ? null
        : setTimeout(() => this.#controller.abort(new Error(`timed out after ${timeoutMs} ms`)), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  dispose(): void {
    this.#connection.removeEventListener('abort', this.#onGone);
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
  }
}

function firstHop(params: Params<'http/request'>, environment: HttpRequestsOptions['environment']): Hop {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(params.method)) {
    throw new WireError(WireErrorCode.invalidParams, 'http/request method is invalid: invalid HTTP method');
  }
  if (params.method.toUpperCase() === 'CONNECT') {
    throw new WireError(WireErrorCode.invalidParams, 'http/request method is invalid: CONNECT opens a tunnel');
  }
  return {
    method: params.method,
    url: parsedUrl(params.url),
    headers: params.headers
      .map((header) => parsedHeader(header, environment))
      .filter(({ name }) => !FRAMING_HEADERS.has(name.toLowerCase())),
    body: params.bodyBase64,
  };
}

function parsedUrl(text: string): URL {
  if (!URL.canParse(text)) {
    const why = /^[a-z][a-z0-9+.-]*:/i.test(text) ? 'not a URL' : 'relative URL without a base';
    throw new WireError(WireErrorCode.invalidParams, `http/request url is invalid: ${why}`);
  }
  const url = new URL(text);
  if (!isHttp(url)) {
    throw new WireError(
      WireErrorCode.invalidParams,
      `http/request only supports http and https URLs, got ${url.protocol.slice(0, -1)}`,
    );
  }
  return url;
}

function parsedHeader(
  { name, value, valueEnvVar }: Params<'http/request'>['headers'][number],
  environment: HttpRequestsOptions['environment'],
): Header {
  const refuse = (why: string) => new WireError(WireErrorCode.invalidParams, why);
  try {
    validateHeaderName(name);
  } catch {
    throw refuse('http/request header name is invalid: invalid HTTP header name');
  }
  const variable = valueEnvVar ?? null;
  if (variable !== null && OWN_VARIABLES.test(variable)) {
    throw refuse(`http/request header ${name} may not have environment variable ${variable}: it is the host's own`);
  }
  const fromEnvironment =
    variable === null ? '' : Object.hasOwn(environment, variable) ? environment[variable] : undefined;
  if (fromEnvironment === undefined) {
    throw refuse(`http/request header ${name} requires executor environment variable ${variable}`);
  }
  if (variable !== null && fromEnvironment === '') {
    throw refuse(`http/request header ${name} requires a non-empty executor environment variable ${variable}`);
  }
  const written = Buffer.from(value + fromEnvironment, 'utf8').toString('latin1');
  try {
    validateHeaderValue(name, written);
  } catch {
    // Not Node's own text: it may have the value in it.
    throw refuse(`http/request header value is invalid for ${name}: failed to parse header value`);
  }
  return { name, value: written, secret: variable !== null };
}

/** The response at the end of all redirects that are followed. */
async function followed(first: Hop, policy: 'follow' | 'stop', signal: AbortSignal): Promise<IncomingMessage> {
  let hop = first;
  for (let redirects = 0; ; redirects += 1) {
    const response = await responseTo(hop, signal);
    const { location } = response.headers;
    if (policy === 'stop' || location === undefined || ![301, 302, 303, 307, 308].includes(response.statusCode ?? 0)) {
      return response;
    }
    response.destroy();
    if (redirects === MAX_REDIRECTS) {
      throw failed('too many redirects');
    }
    hop = nextHop(hop, response.statusCode ?? 0, location);
  }
}

function nextHop(hop: Hop, status: number, location: string): Hop {
  if (!URL.canParse(location, hop.url.href)) {
    throw failed('redirect target is no URL');
  }
  const url = new URL(location, hop.url);
  if (!isHttp(url)) {
    throw failed(`redirect target uses unsupported URL scheme: ${url.protocol.slice(0, -1)}`);
  }
  const isSameOrigin = url.origin === hop.url.origin;
  // What was a POST is a GET from here on, without a body; 307 and 308 repeat it as it was.
  const keepsBody = status === 307 || status === 308 || hop.method === 'GET' || hop.method === 'HEAD';
  return {
    url,
    method: keepsBody ? hop.method : 'GET',
    body: keepsBody ? hop.body : null,
    headers: hop.headers.filter(({ name, secret }) => {
      const lower = name.toLowerCase();
      return (isSameOrigin || (!secret && !ORIGIN_HEADERS.has(lower))) && (keepsBody || !lower.startsWith('content-'));
    }),
  };
}

/** Resolves with the head of the response; its body is still to come. */
function responseTo(hop: Hop, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method, body } = hop;
  return new Promise((resolve, reject) => {
    // The signal carries the reason; Node's own error says only that it was aborted.
    const fail = (error: unknown) =>
      reject(
        failed(
          `error sending request for url (${shownUrl(url)}): ${messageOf(signal.aborted ? signal.reason : error)}`,
        ),
      );
    let request: ClientRequest;
    try {
      request = (url.protocol === 'https:' ? requestHttps : requestHttp)({
        method,
        hostname: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port,
        path: `${url.pathname}${url.search}`,
        headers: headersOf(hop),
        agent: false,
        maxHeaderSize: MAX_HEADER_BYTES,
      });
    } catch (error) {
      fail(error);
      return;
    }
    let answered: IncomingMessage | null = null;
    const onAbort = () => (answered ?? request).destroy(signal.reason as Error);
    signal.addEventListener('abort', onAbort);
    request.on('close', () => {
      signal.removeEventListener('abort', onAbort);
      fail(new Error('the connection was closed before a response came'));
    });
    // After the response it is the body's error, which is told by the response.
    request.on('error', fail);
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      fail(new Error('the server changed the protocol'));
    });
    request.on('response', (response) => {
      answered = response;
      // Whoever reads the body gets it then; until somebody does, an error that nobody hears would end this host.
      response.on('error', () => {});
      resolve(response);
    });
    if (signal.aborted) {
      onAbort();
    }
    request.end(body ?? undefined);
  });
}

/** By name, as Node takes them; a name that is there several times is written several times. */
function headersOf({ url, headers, body }: Hop): Record<string, string | string[]> {
  const byName = new Map<string, Header[]>();
  for (const header of headers) {
    const lower = header.name.toLowerCase();
    byName.set(lower, [...(byName.get(lower) ?? []), header]);
  }
  const written: Record<string, string | string[]> = { accept: '*/*' };
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    written['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  for (const [lower, same] of byName) {
    const values = same.map(({ value }) => value);
    written[lower] = values.length === 1 ? (values[0] ?? '') : values;
  }
  if (body !== null) {
    written['content-length'] = String(body.length);
  }
  return written;
}

/** In their order, repeated ones too. A value that is not UTF-8 cannot be said on the wire and is left out. */
function wireHeaders({ rawHeaders }: IncomingMessage): readonly object[] {
  const headers: object[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const value = Buffer.from(rawHeaders[at + 1] ?? '', 'latin1');
    if (isUtf8(value)) {
      headers.push({ name: (rawHeaders[at] ?? '').toLowerCase(), value: value.toString('utf8') });
    }
  }
  return headers;
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

function failed(why: string): WireError {
  return new WireError(WireErrorCode.internal, `http/request failed: ${why}`);
}

/** Without the name and the password that may be in it. */
function shownUrl(url: URL): string {
  const shown = new URL(url.href);
  shown.username = '';
  shown.password = '';
  return shown.href;
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    // Node's, when a name has several addresses and none answers.
    return error.errors.map(messageOf).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}
