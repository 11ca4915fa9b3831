import type { Engine, FollowEvent, FollowHandle } from '../../engine/engine.ts';
import { EngineError } from '../../shared/errors.ts';
import type { SessionInfo } from '../../shared/session.ts';
import type { ControlParams } from './control-schema.ts';
import { MAX_MESSAGE_BYTES, type ControlNotification } from './control-wire.ts';

/** Longest time without progress that a follow may hold its child, in milliseconds: what a timer can hold. */
const HOLD_WITHOUT_END_MS = 2 ** 31 - 1;

/** Output of one turn of the event loop is joined up to this many bytes: a message for each byte would cost a lot. */
const JOIN_BYTES = 64 * 1024;

const LINE_FEED = 0x0a;

type FollowParams = ControlParams<'follow'>;
type Output = Extract<FollowEvent, { kind: 'output' }>;

/** One client's live reading of one session: from the asked place on, no faster than it acknowledges. */
export class ControlFollow {
  readonly #number: number;
  readonly #send: (notification: ControlNotification) => void;
  readonly #handle: FollowHandle;
  /** Bytes before this offset are not wanted: chunks are given whole. */
  readonly #fromOffset: number;
  /** True until the first byte was found that begins a line. */
  #cutting: boolean;
  #joined: Output[] = [];
  #joinedBytes = 0;
  #flushing: NodeJS.Immediate | null = null;
  #closed = false;

  /** Throws `invalid-argument` for a cursor that is not of this session. */
  constructor(
    engine: Engine,
    session: SessionInfo,
    params: FollowParams,
    send: (notification: ControlNotification) => void,
  ) {
    this.#number = params.follow;
    this.#send = send;
    const start = startOf(engine, session, params.from);
    this.#fromOffset = start.fromOffset;
    this.#cutting = start.cutsLine;
    this.#handle = engine.follow(session.id, {
      afterSeq: start.afterSeq,
      creditBytes: params.creditBytes,
      holdsChildMs: params.holdsChild ? HOLD_WITHOUT_END_MS : 0,
      onEvent: (event) => this.#onEvent(event),
    });
    const isOver = session.state === 'closed' || session.state === 'lost';
    if (session.state === 'failed' || (isOver && start.afterSeq === 'now')) {
      // The engine tells of what comes, and nothing will.
      send({ method: 'closed', params: { follow: params.follow } });
    }
  }

  ack(endOffset: number): void {
    this.#handle.ack(endOffset);
  }

  close(): void {
    this.#closed = true;
    this.#handle.close();
    if (this.#flushing !== null) {
      clearImmediate(this.#flushing);
    }
  }

  #onEvent(event: FollowEvent): void {
    const follow = this.#number;
    switch (event.kind) {
      case 'output':
        this.#join(event);
        break;
      case 'gap':
        this.#flush();
        this.#send({ method: 'gap', params: { follow, bytes: event.bytes } });
        break;
      case 'exited':
        this.#flush();
        this.#send({ method: 'exited', params: { follow, exit: event.exit } });
        break;
      case 'closed':
        this.#flush();
        this.#send({ method: 'closed', params: { follow } });
        break;
    }
  }

  #join(output: Output): void {
    const kept = this.#wanted(output);
    if (this.#joined.at(-1)?.stream !== kept.stream || this.#joinedBytes + kept.bytes.length > JOIN_BYTES) {
      this.#flush();
    }
    this.#joined.push(kept);
    this.#joinedBytes += kept.bytes.length;
    this.#flushing ??= setImmediate(() => this.#flush());
  }

  /** The part of it that was asked for. An empty one is sent, too: its acknowledgement gives the credit back. */
  #wanted(output: Output): Output {
    const cut = Math.min(output.bytes.length, Math.max(0, this.#fromOffset - output.offset));
    let skipped = cut;
    if (this.#cutting) {
      const lineEnd = output.bytes.indexOf(LINE_FEED, cut);
      skipped = lineEnd === -1 ? cut : lineEnd + 1;
      this.#cutting = false;
    }
    return { ...output, offset: output.offset + skipped, bytes: output.bytes.subarray(skipped) };
  }

  #flush(): void {
    if (this.#flushing !== null) {
      clearImmediate(this.#flushing);
      this.#flushing = null;
    }
    const [first] = this.#joined;
    if (first === undefined || this.#closed) {
      return;
    }
    const bytes = Buffer.concat(this.#joined.map((output) => output.bytes));
    this.#joined = [];
    this.#joinedBytes = 0;
    for (let at = 0; at === 0 || at < bytes.length; at += MAX_MESSAGE_BYTES) {
      this.#send({
        method: 'output',
        params: {
          follow: this.#number,
          stream: first.stream,
          offset: first.offset + at,
          base64: bytes.subarray(at, at + MAX_MESSAGE_BYTES).toString('base64'),
        },
      });
    }
  }
}

interface FollowStart {
  readonly afterSeq: number | 'now';
  readonly fromOffset: number;
  readonly cutsLine: boolean;
}

function startOf(engine: Engine, { id, epoch, outputBytes }: SessionInfo, from: FollowParams['from']): FollowStart {
  if (from === 'start' || from === 'now') {
    return { afterSeq: from === 'start' ? 0 : 'now', fromOffset: 0, cutsLine: false };
  }
  if ('tail' in from) {
    return { afterSeq: engine.replayFrom(id, from.tail), fromOffset: 0, cutsLine: outputBytes > from.tail };
  }
  if (from.epoch !== epoch || from.offset > outputBytes) {
    throw new EngineError(
      'invalid-argument',
      `from: the cursor is not one of session ${id}; read from start, from the oldest retained byte`,
    );
  }
  return {
    afterSeq: engine.replayFrom(id, outputBytes - from.offset),
    fromOffset: from.offset,
    cutsLine: false,
  };
}
