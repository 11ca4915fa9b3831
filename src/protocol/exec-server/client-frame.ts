import { MalformedFrameError, scanFrame } from './frame-limits.ts';

/** What wants an answer. */
export interface ClientRequest {
  readonly kind: 'request';
  /** The JSON of the id, to be repeated in the answer: a string, or an integer of 64 bits that `number` cannot hold. */
  readonly idText: string;
  readonly method: string;
  readonly params: unknown;
}

/** What a client sent. */
export type ClientFrame =
  | ClientRequest
  | { readonly kind: 'notification'; readonly method: string }
  /** An answer, although nothing was asked. */
  | { readonly kind: 'response' };

const INTEGER = /^-?\d+$/;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/**
 * Reads one message. `jsonrpc` and unknown members are passed over. Throws a `MalformedFrameError` for what is none; such
 * a frame is answered with the id -1, and the connection goes on.
 */
export function readClientFrame(text: string): ClientFrame {
  const { idText } = scanFrame(text);
  const message: unknown = JSON.parse(text);
  if (!isObject(message)) {
    throw new MalformedFrameError('expected a JSON-RPC object');
  }
  if (!('method' in message)) {
    checkResponse(message, idText);
    return { kind: 'response' };
  }
  const { method } = message;
  const id = 'id' in message ? requestId(message['id'], idText) : null;
  if (typeof method !== 'string') {
    throw wrongType(method, 'a string');
  }
  checkTrace(message['trace']);
  return id === null
    ? { kind: 'notification', method }
    : { kind: 'request', idText: id, method, params: message['params'] };
}

/** An id that several requests share is compared by this text, so that each id has one: `-0` is `0`, `"\u0061"` is `"a"`. */
function requestId(id: unknown, idText: string | null): string {
  if (typeof id === 'string') {
    return JSON.stringify(id);
  }
  if (typeof id === 'number' && idText !== null && INTEGER.test(idText) && idText.length <= 20) {
    const exact = BigInt(idText);
    if (exact >= INT64_MIN && exact <= INT64_MAX) {
      return exact.toString();
    }
  }
  throw new MalformedFrameError('data did not match any variant of untagged enum RequestId');
}

function checkResponse(message: Readonly<Record<string, unknown>>, idText: string | null): void {
  if (!('result' in message)) {
    const { error } = message;
    if (error === undefined) {
      throw new MalformedFrameError('missing field `error`');
    }
    if (!isObject(error)) {
      throw wrongType(error, 'struct JSONRPCErrorError');
    }
    for (const field of ['code', 'message']) {
      if (!(field in error)) {
        throw new MalformedFrameError(`missing field \`${field}\``);
      }
    }
  }
  if (!('id' in message)) {
    throw new MalformedFrameError('missing field `id`');
  }
  requestId(message['id'], idText);
}

/** Passed over by this server, and still refused in a form that no reader of it would take. */
function checkTrace(trace: unknown): void {
  if (trace === undefined || trace === null) {
    return;
  }
  if (!isObject(trace)) {
    throw wrongType(trace, 'struct W3cTraceContext');
  }
  for (const field of ['traceparent', 'tracestate']) {
    const value = trace[field] ?? null;
    if (value !== null && typeof value !== 'string') {
      throw wrongType(value, 'a string');
    }
  }
}

function wrongType(value: unknown, expected: string): MalformedFrameError {
  return new MalformedFrameError(`invalid type: ${jsonType(value)}, expected ${expected}`);
}

function jsonType(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  if (typeof value === 'string') {
    return `string ${JSON.stringify(value)}`;
  }
  if (typeof value === 'boolean') {
    return `boolean \`${value}\``;
  }
  if (typeof value === 'number') {
    return 'number';
  }
  return Array.isArray(value) ? 'sequence' : 'map';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
