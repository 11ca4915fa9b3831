import { likelyDenied, signalNumber, type Engine, type FollowEvent, type FollowHandle } from '../../engine/engine.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { ExitStatus, SessionId, SessionInfo } from '../../shared/session.ts';
import { TurnoverSet } from '../../shared/turnover.ts';
import { OutputEnd } from './output-end.ts';
import { OutputFrames } from './output-frame.ts';

/** How long a closed process can be read and its id stays taken, in milliseconds; as the real server does (0.169). */
const CLOSED_RETENTION_MS = 80_000;

/** Write ids remembered per process: a client that reconnects sends again what was not answered. */
const REMEMBERED_WRITE_IDS = 4_096;

/** Output on its way to one client, in bytes. More only fills the socket's queue in this process. */
const CLIENT_CREDIT_BYTES = 4 * 1024 * 1024;

/** How long a client that takes nothing may hold a child back, in milliseconds. After that it loses output. */
const CLIENT_HOLDS_CHILD_MS = 30_000;

/**
 * How long a client that came back may take to read what it missed before it hears of what came since, in milliseconds.
 * Codex (0.169) puts notifications aside until it has read, and gives a process up at 256 of them or 1 MiB.
 */
const CATCH_UP_MS = 1_000;

/**
 * How long a client that has its answer to that read is given to take it in, in milliseconds. Codex reads frames in one
 * task and deals with them in another: what follows at once can overtake the answer.
 */
const TAKES_IN_MS = 100;

/** One for all clients of this host. */
const outputFrames = new OutputFrames();

/** Where notifications go while a client is attached. */
export interface Outbox {
  /** A frame is a text, or its bytes. `sent` is called when it has left this process, or cannot any more. */
  notify(frame: string | Buffer, sent: () => void): void;
}

export interface HostedProcessOptions {
  readonly processId: string;
  /** By which its client asked for it, to know it again when it asks twice. */
  readonly requestId: string | null;
  /** Another connection of the same client started it: it outlives this one. */
  readonly isAttached: boolean;
  readonly tty: boolean;
  readonly pipeStdin: boolean;
  readonly isSandboxed: boolean;
  readonly log: Logger;
  /** It closed so long ago that its id is free again. */
  readonly onForgotten: () => void;
}

/** What a client that came back is to hear of once it has read. Bounded by `CLIENT_CREDIT_BYTES`. */
interface CatchingUp {
  readonly held: FollowEvent[];
  timer: NodeJS.Timeout;
  hasRead: boolean;
}

/** A process as one client knows it: its id on the wire, and how far the client has been told of it. */
export class HostedProcess {
  readonly processId: string;
  readonly requestId: string | null;
  readonly isAttached: boolean;
  readonly tty: boolean;
  readonly pipeStdin: boolean;
  /** Null until the child runs. */
  sessionId: SessionId | null = null;
  /** Requests to start it that are not answered yet. */
  startsUnderWay = 0;
  /** Its start was answered: the client knows it and may hear of it. */
  announced = false;
  /** Input accepted and not yet taken by the child, in bytes. */
  pendingInputBytes = 0;
  readonly #options: HostedProcessOptions;
  readonly #writeIds = new TurnoverSet<string>();
  /** Of one in a sandbox: what it printed last, by which a denial is told. */
  readonly #end: OutputEnd | null;
  #follow: FollowHandle | null = null;
  #outbox: Outbox | null = null;
  #catchingUp: CatchingUp | null = null;
  #retention: NodeJS.Timeout | null = null;

  constructor(options: HostedProcessOptions) {
    const { processId, requestId, isAttached, tty, pipeStdin, isSandboxed } = options;
    this.#options = options;
    this.processId = processId;
    this.requestId = requestId;
    this.isAttached = isAttached;
    this.tty = tty;
    this.pipeStdin = pipeStdin;
    this.#end = isSandboxed ? new OutputEnd() : null;
  }

  /** Remembers it; answers false for one that was accepted before. */
  isNewWrite(writeId: string): boolean {
    if (this.#writeIds.has(writeId)) {
      return false;
    }
    this.#writeIds.add(writeId);
    this.#writeIds.keepNewest(REMEMBERED_WRITE_IDS);
    return true;
  }

  /** It was not delivered: the same id may be sent again. */
  forgetWrite(writeId: string): void {
    this.#writeIds.delete(writeId);
  }

  /** Tells the client what happens from `afterSeq` on. Answers false when the session is gone. */
  follow(engine: Pick<Engine, 'follow'>, outbox: Outbox, afterSeq: number | 'now'): boolean {
    if (this.sessionId === null || this.#follow !== null) {
      return true;
    }
    this.#outbox = outbox;
    try {
      this.#follow = engine.follow(this.sessionId, {
        afterSeq,
        creditBytes: CLIENT_CREDIT_BYTES,
        holdsChildMs: CLIENT_HOLDS_CHILD_MS,
        borrowsBytes: true,
        onEvent: (event) => {
          if (this.#catchingUp === null) {
            this.#notify(outbox, event);
          } else {
            this.#catchingUp.held.push(event.kind === 'output' ? { ...event, bytes: Buffer.from(event.bytes) } : event);
          }
        },
      });
      return true;
    } catch (error) {
      if (!isUnknownSession(error)) {
        throw error;
      }
      return false;
    }
  }

  stopFollowing(): void {
    this.#follow?.close();
    this.#follow = null;
    this.#outbox = null;
    if (this.#catchingUp !== null) {
      clearTimeout(this.#catchingUp.timer);
      this.#catchingUp = null;
    }
  }

  /** A client that came back hears of nothing until it has read, or took `CATCH_UP_MS` for it. */
  holdUntilRead(): void {
    const timer = setTimeout(() => this.#tellHeld(), CATCH_UP_MS);
    timer.unref();
    this.#catchingUp = { held: [], timer, hasRead: false };
  }

  /** The answer to a read is on its way: a client that came back has caught up, and hears of what came since. */
  caughtUp(): void {
    // Once: a client that goes on reading would else hear of nothing.
    if (this.#catchingUp !== null && !this.#catchingUp.hasRead) {
      this.#catchingUp.hasRead = true;
      clearTimeout(this.#catchingUp.timer);
      this.#catchingUp.timer = setTimeout(() => this.#tellHeld(), TAKES_IN_MS);
      this.#catchingUp.timer.unref();
    }
  }

  /** Its id stays taken for `CLOSED_RETENTION_MS` from now on. */
  retainClosed(): void {
    this.#retention ??= setTimeout(() => {
      this.release();
      this.#options.onForgotten();
    }, CLOSED_RETENTION_MS);
    this.#retention.unref();
  }

  /** Nobody is told of it any more. */
  release(): void {
    this.stopFollowing();
    if (this.#retention !== null) {
      clearTimeout(this.#retention);
      this.#retention = null;
    }
  }

  /** Did its sandbox likely make it fail? */
  isDenied(exit: ExitStatus): boolean {
    return this.#end !== null && likelyDenied(exit, this.#end.text) !== null;
  }

  #tellHeld(): void {
    const catchingUp = this.#catchingUp;
    const outbox = this.#outbox;
    if (catchingUp === null || outbox === null) {
      return;
    }
    clearTimeout(catchingUp.timer);
    // One by one, since an acknowledgement while they are told lets more come, which belongs after them.
    for (let event = catchingUp.held.shift(); event !== undefined; event = catchingUp.held.shift()) {
      this.#notify(outbox, event);
    }
    this.#catchingUp = null;
  }

  #notify(outbox: Outbox, event: FollowEvent): void {
    const processId = JSON.stringify(this.processId);
    switch (event.kind) {
      case 'output': {
        const endOffset = event.offset + event.bytes.length;
        this.#end?.push(event.bytes);
        outputFrames.notify(
          this.processId,
          event,
          (frame, sent) => outbox.notify(frame, sent),
          () => this.#follow?.ack(endOffset),
        );
        break;
      }
      case 'exited':
        outbox.notify(
          `{"method":"process/exited","params":{"processId":${processId},"seq":${event.seq},"exitCode":${wireExitCode(event.exit)},"sandboxDenied":${this.isDenied(event.exit)}}}`,
          () => {},
        );
        break;
      case 'closed':
        outbox.notify(`{"method":"process/closed","params":{"processId":${processId},"seq":${event.seq}}}`, () => {});
        this.retainClosed();
        break;
      case 'gap':
        // The wire has no word for it: the client sees the jump in `seq`.
        this.#options.log.warn('a client fell behind what is retained', {
          process: this.processId,
          bytes: event.bytes,
        });
        break;
    }
  }
}

export function isUnknownSession(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'session-not-found';
}

/** As shells do: 128 + the signal's number. -1 where nothing is known. */
export function wireExitCode({ exitCode, signal }: ExitStatus): number {
  const number = signal === null ? null : signalNumber(signal);
  return exitCode ?? (number === null ? -1 : 128 + number);
}

/** Why a child was ended by its budget; null where the end was its own or somebody's, whatever limit it went over. */
export function limitFailure({ endedBy, limitHit }: Pick<SessionInfo, 'endedBy' | 'limitHit'>): string | null {
  return endedBy === 'limit' ? (limitHit?.message ?? null) : null;
}
