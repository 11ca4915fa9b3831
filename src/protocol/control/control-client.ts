import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { QuestionEvent } from '../../engine/engine.ts';
import type { OutputStreamName } from '../../shared/session.ts';
import { ControlError, type ControlErrorCode } from './control-error.ts';
import { controlSocketPath, refuseForeignSocket } from './control-place.ts';
import type { ControlArguments, ControlMethod } from './control-schema.ts';
import {
  CONTROL_PROTOCOL,
  MAX_LINE_BYTES,
  type ControlHostFacts,
  type ControlNotification,
  type ControlResults,
} from './control-wire.ts';
import { handOver } from './hand-over.ts';
import { LineReader } from './line-reader.ts';

/** How long a host may take to say who it is, in milliseconds. One that is busy answers in some ten. */
const HELLO_MS = 5_000;

/** Nobody hosts sessions, or the one who did has ended. */
export class HostUnreachable extends Error {
  override readonly name = 'HostUnreachable';
  /** `gone`: it was there, and what was asked of it has no answer. */
  readonly kind: 'absent' | 'gone';

  constructor(kind: HostUnreachable['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface ControlClientOptions {
  /** The runtime folder; see `runtimeFolderOf`. */
  readonly folder: string;
  /** How the client calls itself, e.g. `shellscope run`. */
  readonly client: string;
}

/** What a follower is told, its bytes decoded; see `ControlNotification`. */
export type FollowMessage =
  | {
      readonly kind: 'output';
      readonly stream: OutputStreamName;
      readonly offset: number;
      readonly bytes: Buffer;
      /** To be called when the bytes have been dealt with: that lets more come. */
      readonly done: () => void;
    }
  | { readonly kind: 'gap'; readonly bytes: number | null }
  | { readonly kind: 'exited' }
  | { readonly kind: 'closed' };

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A client's end of the control socket. */
export class ControlClient {
  readonly #socket: Socket;
  readonly #lines = new LineReader(MAX_LINE_BYTES);
  readonly #pending = new Map<number, Pending>();
  readonly #follows = new Map<number, (message: FollowMessage) => void>();
  readonly #onData: (bytes: Buffer) => void;
  #facts: ControlHostFacts | null = null;
  #lastId = 0;
  #lastFollow = 0;
  #isOver = false;
  /** Of the request that turns the connection into a stream. */
  #streamId: number | null = null;
  /** Told once when the host is gone while something was under way or followed. */
  onGone: (error: HostUnreachable) => void = () => {};

  /** Told of questions after `questions` with `follow`. */
  onQuestion: (event: QuestionEvent) => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#onData = (bytes) => this.#receive(bytes);
    socket.on('data', this.#onData);
    // `close` follows.
    socket.on('error', () => {});
    socket.on('close', () => this.#end());
  }

  /**
   * Connects to the host of the folder. Rejects with `HostUnreachable` when none is there, with a sentence when it does
   * not answer or the socket is another user's, and with `ControlError` when it speaks another version.
   */
  static async connect({ folder, client }: ControlClientOptions): Promise<ControlClient> {
    const path = controlSocketPath(folder);
    await refuseForeignSocket(path);
    const connection = new ControlClient(await connected(path));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`the host at ${path} does not answer; it may be stopped or very busy`)),
        HELLO_MS,
      );
    });
    try {
      const hello = connection.request('hello', { protocol: CONTROL_PROTOCOL, client });
      connection.#facts = await Promise.race([hello, late]);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Who the host is. */
  get host(): ControlHostFacts {
    if (this.#facts === null) {
      throw new Error('a client is given out after its hello');
    }
    return this.#facts;
  }

  /** Rejects with `ControlError` when the host refuses, and with `HostUnreachable` when it ends before it answers. */
  request<M extends ControlMethod>(method: M, params: ControlArguments<M>): Promise<ControlResults[M]> {
    if (this.#isOver) {
      return Promise.reject(gone());
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#socket.write(`${JSON.stringify({ id, method, params })}\n`);
    return answer as Promise<ControlResults[M]>;
  }

  /** Tells of a session's output as it comes. Resolves when the host has begun; answers what ends it. */
  async follow(
    params: Omit<ControlArguments<'follow'>, 'follow'>,
    onMessage: (message: FollowMessage) => void,
  ): Promise<() => void> {
    this.#lastFollow += 1;
    const follow = this.#lastFollow;
    // Before the request: the host tells what it has before it answers.
    this.#follows.set(follow, onMessage);
    try {
      await this.request('follow', { ...params, follow });
    } catch (error) {
      this.#follows.delete(follow);
      throw error;
    }
    return () => {
      this.#follows.delete(follow);
      this.#tell('unfollow', { follow });
    };
  }

  /** Turns the connection into raw bytes for the host's handler of that name. Nothing else works on it afterwards. */
  async stream(name: string, params?: unknown): Promise<Duplex> {
    const granted = this.request('stream', { name, ...(params === undefined ? {} : { params }) });
    this.#streamId = this.#lastId;
    await granted;
    return this.#socket;
  }

  close(): void {
    this.#isOver = true;
    this.#socket.destroy();
  }

  #tell<M extends ControlMethod>(method: M, params: ControlArguments<M>): void {
    if (!this.#isOver) {
      this.#socket.write(`${JSON.stringify({ method, params })}\n`);
    }
  }

  #receive(bytes: Buffer): void {
    this.#lines.push(bytes);
    for (let line = this.#lines.next(); line !== null; line = this.#lines.next()) {
      if (line === 'too-long') {
        this.#socket.destroy(new Error('the host sent a line that is too long'));
        return;
      }
      const message = JSON.parse(Buffer.from(line).toString('utf8')) as Incoming;
      this.#dealWith(message);
      if ('id' in message && message.id !== null && message.id === this.#streamId && message.error === undefined) {
        this.#letGoOfSocket();
        return;
      }
    }
  }

  /** What follows the answer is the stream's already, and so is the socket's end. */
  #letGoOfSocket(): void {
    this.#isOver = true;
    handOver(this.#socket, this.#onData, this.#lines.rest());
  }

  #dealWith(message: Incoming): void {
    if ('method' in message) {
      this.#onNotification(message);
      return;
    }
    const pending = this.#pending.get(message.id ?? -1);
    this.#pending.delete(message.id ?? -1);
    if (message.error === undefined) {
      pending?.resolve(message.result);
    } else {
      pending?.reject(new ControlError(message.error.code, message.error.message));
    }
  }

  #onNotification(notification: ControlNotification): void {
    if (notification.method === 'question') {
      this.onQuestion(notification.params);
      return;
    }
    const { method, params } = notification;
    const onMessage = this.#follows.get(params.follow);
    switch (method) {
      case 'output': {
        const bytes = Buffer.from(params.base64, 'base64');
        const { follow, stream, offset } = params;
        const done = () => this.#tell('ack', { follow, endOffset: offset + bytes.length });
        onMessage?.({ kind: 'output', stream, offset, bytes, done });
        break;
      }
      case 'gap':
        onMessage?.({ kind: 'gap', bytes: params.bytes });
        break;
      case 'exited':
      case 'closed':
        onMessage?.({ kind: method });
        break;
    }
  }

  #end(): void {
    const wasOver = this.#isOver;
    this.#isOver = true;
    const error = gone();
    for (const { reject } of this.#pending.values()) {
      reject(error);
    }
    this.#pending.clear();
    if (!wasOver) {
      this.onGone(error);
    }
  }
}

type Incoming =
  | ControlNotification
  | {
      readonly id: number | null;
      readonly result?: unknown;
      readonly error?: { readonly code: ControlErrorCode; readonly message: string };
    };

function gone(): HostUnreachable {
  return new HostUnreachable('gone', 'the host ended before it answered; its sessions ended with it');
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: false });
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const isAbsent = error.code === 'ENOENT' || error.code === 'ECONNREFUSED';
      reject(
        isAbsent
          ? new HostUnreachable('absent', 'no host is running: start the app with `npm start`, or `shellscope serve`')
          : new Error(`the control socket ${path} cannot be opened: ${error.message}`, { cause: error }),
      );
    });
  });
}
