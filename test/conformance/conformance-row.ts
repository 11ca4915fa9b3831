/**
 * What a row of the conformance table is. Rows are data: the runner plays each one against our server, and, where
 * `SHELLSCOPE_CODEX` names the executable, against `codex exec-server` itself, whose answers are the truth.
 *
 * Sources: `codex.md §…` is a section of this project's notes on that binary (0.169.0), `observed` is what it answered
 * when the row was written. docs/exec-server.md tells the same in prose.
 */

/** One exchange of messages, on a connection of its own. */
export interface ConformanceRow {
  readonly title: string;
  readonly source: string;
  /** `ready` (where it is absent): the handshake is done. `bare`: nothing was sent yet. */
  readonly connection?: 'ready' | 'bare';
  /** Its frames are no lines, or stdio treats them otherwise: test/integration/serve-stdio.test.ts has those. */
  readonly webSocketOnly?: true;
  /** Why the real server cannot be asked this. */
  readonly notAskedOfReal?: string;
  readonly steps: readonly Step[];
}

/** Where the real server says something else, on purpose of ours. */
export interface Difference {
  /** What the real server says. Fails also when it begins to say what we say. */
  readonly real: unknown;
  /** First cell of the row in docs/exec-server.md that explains it. */
  readonly why: string;
}

/** Expected values may hold matchers like `expect.any(String)`. */
export type Step =
  | AskStep
  | SendStep
  | EndStep
  /** Waits until a process's output contains the text. */
  | { readonly kind: 'prints'; readonly processId: string; readonly text: string }
  /** Cuts the connection without a word. */
  | { readonly kind: 'drop' }
  /** Connects anew, and shakes hands with the session that was dropped. Its seq goes on. */
  | { readonly kind: 'resume' }
  /** A ping of the WebSocket, and its pong. */
  | { readonly kind: 'ping' }
  /** Plain HTTP on the server's port. */
  | HttpStep;

/** A request with an id of the runner, and its answer without the id. */
export interface AskStep {
  readonly kind: 'ask';
  readonly method: string;
  readonly params?: unknown;
  readonly gives: unknown;
  /** How long the answer takes, in milliseconds. */
  readonly atLeastMs?: number;
  readonly atMostMs?: number;
  readonly differs?: Difference;
}

/**
 * Frames as they are: texts, bytes (a binary frame), or values to be written as JSON. `hears`: every answer to them, in
 * order, a text where the frame's own text counts; last `CLOSED` where the server ends the connection.
 */
export interface SendStep {
  readonly kind: 'send';
  readonly frames: readonly unknown[];
  readonly hears: readonly unknown[];
  readonly differs?: Difference;
}

/** Waits for a process's `closed`. The order and `seq` of its notifications are checked in every row. */
export interface EndStep {
  readonly kind: 'ends';
  readonly processId: string;
  /** Output by stream, as text, and the exit code. */
  readonly as: unknown;
  readonly differs?: Difference;
}

/** Plain HTTP, or an upgrade, on the server's port. */
export interface HttpStep {
  readonly kind: 'http';
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Asks for an upgrade to a WebSocket. */
  readonly upgrade?: boolean;
  readonly status: number;
  readonly differs?: Difference;
}

/** The server ended the connection; a code of 1006 is that of an end without a close frame (RFC 6455 §7.1.5). */
export const CLOSED = { closed: 1006 } as const;

export function ask(method: string, params: unknown, gives: unknown, more: Partial<AskStep> = {}): AskStep {
  return { kind: 'ask', method, params, gives, ...more };
}

export function send(frames: readonly unknown[], hears: readonly unknown[], differs?: Difference): SendStep {
  return { kind: 'send', frames, hears, ...(differs === undefined ? {} : { differs }) };
}

export function ends(processId: string, as: unknown, differs?: Difference): EndStep {
  return { kind: 'ends', processId, as, ...(differs === undefined ? {} : { differs }) };
}

export function result(value: unknown): object {
  return { result: value };
}

export function error(code: number, message: unknown): object {
  return { error: { code, message } };
}

/** The answer to a frame that is no message; the runner writes IP:PORT for the client's address. */
export function malformed(why: string): object {
  const message = `failed to parse websocket JSON-RPC message from exec-server websocket IP:PORT: ${why}`;
  return { ...error(-32_600, message), id: -1 };
}

/** Starts a process in /tmp with a bare environment, on a pty unless told otherwise. */
export function start(processId: string, argv: readonly string[], params: object = {}): AskStep {
  return ask('process/start', startParams(processId, argv, params), result({ processId, sandboxType: 'none' }));
}

export function startParams(processId: string, argv: readonly string[], params: object = {}): object {
  return { processId, argv, cwd: 'file:///tmp', env: { PATH: '/usr/bin:/bin' }, tty: true, ...params };
}

export function shell(script: string): readonly string[] {
  return ['/bin/sh', '-c', script];
}

export function write(processId: string, text: string, writeId: string): AskStep {
  const params = { processId, chunk: base64(text), writeId };
  return ask('process/write', params, result({ status: 'accepted' }));
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** A page of `process/read`; what is not named is as of a silent, running process. */
export function page(facts: object): object {
  return result({
    chunks: [],
    nextSeq: 1,
    exited: false,
    exitCode: null,
    closed: false,
    failure: null,
    sandboxDenied: false,
    ...facts,
  });
}

export function chunk(seq: number, stream: 'pty' | 'stdout' | 'stderr', text: string): object {
  return { seq, stream, chunk: base64(text) };
}
