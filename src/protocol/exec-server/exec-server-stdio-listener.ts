import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import { ExecConnection } from './exec-connection.ts';
import { MAX_FRAME_BYTES } from './frame-limits.ts';
import { LineFrames, type LineFrame } from './line-frames.ts';
import { ExecSessions, type ExecServerHost } from './session-directory.ts';
import { StreamSink } from './stream-sink.ts';

/** How long answers may take to leave after the client's last byte, in milliseconds. A client that reads takes none of it. */
const LAST_ANSWERS_MS = 1_000;

const BLANK = /^[ \t\r]*$/;

export interface ExecServerStdioOptions extends ExecServerHost {
  /** The client's frames, one a line; in a process of its own this is stdin. */
  readonly input: Readable;
  /** Answers and notifications, one a line; nothing else may be written there. */
  readonly output: Writable;
}

/** A server with the one client that started it. */
export interface ExecServerStdio {
  /** Resolves when the client is gone or was dropped, its children have ended, and what could be told was told. */
  readonly ended: Promise<void>;
  /** Drops the client, with the same end. */
  close(): Promise<void>;
}

/**
 * Speaks the exec-server protocol over two streams: one frame a line, blank lines passed over. The connection is the
 * client's only one, so that nothing can be resumed: its end, or a breach of the protocol, ends its children.
 */
export function serveExecServerStdio(options: ExecServerStdioOptions): ExecServerStdio {
  return new ExecServerStdioListener(options);
}

class ExecServerStdioListener implements ExecServerStdio {
  readonly ended: Promise<void>;
  readonly #options: ExecServerStdioOptions;
  readonly #sessions: ExecSessions;
  readonly #sink: StreamSink;
  readonly #connection: ExecConnection;
  readonly #lines = new LineFrames(MAX_FRAME_BYTES);
  #resolveEnded: (ended: Promise<void>) => void = () => {};
  #ending = false;

  constructor(options: ExecServerStdioOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.#sessions = new ExecSessions(options);
    this.#sink = new StreamSink(options.output, () => this.#end());
    this.#connection = new ExecConnection({
      sink: this.#sink,
      sessions: this.#sessions,
      log: options.log,
      peer: null,
      hostEnvironment: options.hostEnvironment ?? {},
    });
    const { input } = options;
    input.on('data', (bytes: Buffer) => {
      for (const line of this.#lines.push(bytes)) {
        this.#receive(line);
      }
    });
    input.on('end', () => {
      const last = this.#lines.end();
      if (last !== null) {
        this.#receive(last);
      }
      this.#end();
    });
    input.on('error', (error) => {
      options.log.warn('the input broke', { why: error.message });
      this.#end();
    });
    // Destroyed without an end.
    input.on('close', () => this.#end());
  }

  async close(): Promise<void> {
    this.#end();
    await this.ended;
  }

  #receive(line: LineFrame): void {
    if (this.#ending) {
      return;
    }
    try {
      if (line === 'too-long') {
        this.#connection.malformed(`a message is longer than ${MAX_FRAME_BYTES} bytes`);
        return;
      }
      const text = isUtf8(line) ? Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8') : null;
      if (text === null || !BLANK.test(text)) {
        this.#connection.receive(text);
      }
    } catch (error) {
      this.#options.log.error('a frame could not be dealt with', { peer: 'stdio', why: String(error) });
      this.#end();
    }
  }

  #end(): void {
    if (this.#ending) {
      return;
    }
    this.#ending = true;
    this.#resolveEnded(this.#finish());
  }

  async #finish(): Promise<void> {
    this.#options.input.destroy();
    this.#connection.dispose();
    await this.#sessions.dispose();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_ANSWERS_MS);
    });
    try {
      await Promise.race([this.#connection.answered().then(() => this.#sink.flushed()), deadline]);
    } finally {
      clearTimeout(timer);
    }
  }
}
