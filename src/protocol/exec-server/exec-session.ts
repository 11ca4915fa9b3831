import { randomUUID } from 'node:crypto';
import type { Engine, FencePlaces, FencePolicy } from '../../engine/engine.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import type { Actor } from '../../shared/timeline.ts';
import { TurnoverMap } from '../../shared/turnover.ts';
import type { AttachRequest, ExtensionCall } from './exec-extensions.ts';
import { FileHandles } from './exec-file-handles.ts';
import { MissingWatches } from './exec-missing-watches.ts';
import { WireErrorCode, type Params } from './exec-server-schema.ts';
import { enforcedSandbox, startRequest } from './exec-start.ts';
import {
  HostedProcess,
  isUnknownSession,
  limitFailure,
  wireExitCode,
  type HostedProcessOptions,
  type Outbox,
} from './hosted-process.ts';
import { base64 } from './output-frame.ts';
import { isRefusal, startError, WireError, writeError } from './wire-error.ts';

/** How long a session waits for its client to come back, in milliseconds; as the real server does (0.169). */
const DETACHED_GRACE_MS = 80_000;

/** Input accepted per process before the child has taken it, in bytes. Beyond this a write is answered when taken. */
const ACCEPTED_INPUT_BYTES = 1024 * 1024;

/** What the original (0.169) calls the sandbox of each system. */
const SANDBOX_TYPE = process.platform === 'darwin' ? 'macosSeatbelt' : 'linuxSeccomp';

export interface ExecSessionOptions {
  readonly engine: Engine;
  readonly log: Logger;
  /** The client whose token it came with; null for the host's own token. */
  readonly account: string | null;
  readonly clientName: string;
  /** A session of the engine was started for this client. */
  readonly onStarted: (id: SessionId) => void;
  /** All of them that were, also by its other connections, and are still known. */
  readonly ofAccount: () => readonly SessionId[];
  /** Nobody came back in time: everything was ended. */
  readonly onExpired: (session: ExecSession) => void;
}

/**
 * The processes of one client: a namespace that outlives the connection. While no connection is attached the children
 * run on and their output is retained; nothing is notified.
 */
export class ExecSession {
  readonly id = randomUUID();
  /** Files that the client has open; they outlive a connection as the processes do. */
  readonly fileHandles = new FileHandles();
  readonly missingWatches = new MissingWatches((watchId) => this.#missingChanged(watchId));
  readonly #options: ExecSessionOptions;
  readonly #processes = new TurnoverMap<string, HostedProcess>();
  /** The connection that this session belongs to; nothing is notified before its client said `initialized`. */
  #owner: Outbox | null = null;
  #outbox: Outbox | null = null;
  #expiry: NodeJS.Timeout | null = null;
  readonly #ended = new AbortController();
  /** Watches that changed while nobody was attached. */
  readonly #untoldWatchIds: number[] = [];
  #disposed = false;

  constructor(options: ExecSessionOptions) {
    this.#options = options;
  }

  /** What an extension of the protocol may see of this client. */
  get extensionCall(): Omit<ExtensionCall, 'signal'> {
    const processes = new Map<string, SessionId>();
    for (const { processId, sessionId } of this.#processes.values()) {
      if (sessionId !== null) {
        processes.set(processId, sessionId);
      }
    }
    return {
      engine: this.#options.engine,
      actor: this.#actor,
      processes,
      sessions: this.#options.ofAccount(),
      attach: (request) => this.#attachTo(request),
    };
  }

  get #actor(): Actor {
    return { kind: 'agent', client: this.#options.clientName };
  }

  /** Who starts its processes, as people are told. */
  get clientName(): string {
    return this.#options.clientName;
  }

  get account(): string | null {
    return this.#options.account;
  }

  /** Where a fence's places are on this machine. */
  fencePlaces(policy: FencePolicy): Promise<FencePlaces> {
    return this.#options.engine.fencePlaces(policy);
  }

  /** Aborted when the session ends, with whatever still works for it. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Gives the session to a connection. Answers false, and changes nothing, while it belongs to another. */
  claim(owner: Outbox): boolean {
    if (this.#owner !== null) {
      return false;
    }
    this.#stopExpiry();
    this.#owner = owner;
    return true;
  }

  /** The owner's client is ready: from now on what happens is notified. What happened before is there to be read. */
  attach(owner: Outbox): void {
    if (this.#owner !== owner || this.#disposed) {
      return;
    }
    this.#outbox = owner;
    for (const watchId of this.#untoldWatchIds.splice(0)) {
      this.#missingChanged(watchId);
    }
    for (const hosted of this.#processes.values()) {
      if (hosted.announced) {
        hosted.holdUntilRead();
        this.#follow(hosted, 'now');
        void this.#retainIfClosed(hosted);
      }
    }
  }

  /** The owner's connection is gone; its client has `DETACHED_GRACE_MS` to come back. */
  detach(owner: Outbox): void {
    if (this.#owner !== owner) {
      return;
    }
    this.#owner = null;
    this.#outbox = null;
    for (const hosted of this.#processes.values()) {
      hosted.stopFollowing();
    }
    if (this.#disposed) {
      return;
    }
    this.#expiry = setTimeout(() => {
      this.#options.log.info('client did not come back: its processes are ended', { client: this.#options.clientName });
      void this.dispose();
      this.#options.onExpired(this);
    }, DETACHED_GRACE_MS);
    // A host that has nothing else to do may exit: its own end takes the children along.
    this.#expiry.unref();
  }

  /**
   * Ends every child and closes every file; resolves when that is done. The children's sessions stay in the engine's
   * list; what a person allowed for this session is asked about again.
   */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#ended.abort();
    void this.#options.engine.endClientSession(this.id);
    this.missingWatches.dispose();
    this.#stopExpiry();
    const hosted = this.#processes.values();
    this.#processes.clear();
    for (const each of hosted) {
      each.release();
    }
    const own = hosted.filter(({ isAttached }) => !isAttached);
    await Promise.all([this.fileHandles.dispose(), ...own.map((each) => this.#end(each))]);
  }

  /** Starts a process; the same request with the same `requestId` is answered again and starts nothing (S13). */
  async start(params: Params<'process/start'>): Promise<object> {
    const { processId, argv } = params;
    const requestId = params.shellscope?.requestId ?? null;
    if (argv.length === 0) {
      throw new WireError(WireErrorCode.invalidParams, 'argv must not be empty');
    }
    const sandbox = enforcedSandbox(params);
    const known = this.#processes.get(processId);
    if (known !== undefined && (requestId === null || known.requestId !== requestId)) {
      throw new WireError(WireErrorCode.invalidRequest, `process ${processId} already exists`);
    }
    const hosted =
      known ??
      this.#newHosted({
        processId,
        requestId,
        isAttached: false,
        tty: params.tty,
        pipeStdin: params.pipeStdin,
        isSandboxed: sandbox.kind !== 'none',
      });
    this.#processes.set(processId, hosted);
    hosted.startsUnderWay += 1;
    try {
      const request = startRequest(params, {
        requestId: requestId === null ? null : `${this.id} ${requestId}`,
        clientName: this.#options.clientName,
      });
      const safety = { sandbox, clientSession: this.id, signal: this.#ended.signal };
      const { id } = await this.#options.engine.start(request, safety);
      hosted.sessionId = id;
      this.#options.onStarted(id);
    } catch (error) {
      // The same request may have been sent twice, and the other one be let through; the id may be another's by now.
      const isNobody = hosted.sessionId === null && hosted.startsUnderWay === 1;
      if (isNobody && this.#processes.get(processId) === hosted) {
        this.#processes.delete(processId);
      }
      throw startError(error);
    } finally {
      hosted.startsUnderWay -= 1;
    }
    if (this.#disposed) {
      void this.#end(hosted);
    }
    return { processId, sandboxType: sandbox.kind === 'none' ? 'none' : SANDBOX_TYPE };
  }

  /**
   * Begins to notify a process's output, once its start has been answered. A client that lost its connection meanwhile
   * and is back hears of it there; one that is not back finds it when it reads.
   */
  announce(processId: string): void {
    const hosted = this.#processes.get(processId);
    if (hosted !== undefined && !hosted.announced) {
      hosted.announced = true;
      this.#follow(hosted, 0);
    }
  }

  /** Answers what writes the answer down, so that a client that takes nothing has no answers waiting in memory. */
  async read(params: Params<'process/read'>, signal: AbortSignal): Promise<() => object> {
    const { sessionId, hosted } = this.#running(params.processId);
    if ((await this.#info(sessionId)) === null) {
      throw new WireError(WireErrorCode.invalidRequest, `unknown process id ${params.processId}`);
    }
    const result = await this.#options.engine.read(sessionId, {
      afterSeq: params.afterSeq ?? 0,
      maxBytes: params.maxBytes ?? Number.POSITIVE_INFINITY,
      waitMs: params.waitMs ?? 0,
      signal,
      by: this.#actor,
    });
    const info = await this.#info(sessionId);
    return () => ({
      chunks: result.chunks.map(({ seq, stream, bytes }) => ({ seq, stream, chunk: base64(bytes) })),
      nextSeq: result.nextSeq,
      exited: result.exit !== null,
      exitCode: result.exit === null ? null : wireExitCode(result.exit),
      closed: result.closed,
      // Why, where the end was none of the program's own.
      failure: info === null ? null : limitFailure(info),
      sandboxDenied: result.exit !== null && hosted.isDenied(result.exit),
    });
  }

  /** The answer to a read is on its way: a client that came back has caught up, and hears of what came since. */
  caughtUp(processId: string): void {
    this.#processes.get(processId)?.caughtUp();
  }

  async write({ processId, chunk, writeId }: Params<'process/write'>): Promise<object> {
    const hosted = this.#processes.get(processId);
    if (hosted === undefined) {
      return { status: 'unknownProcess' };
    }
    if (hosted.sessionId === null) {
      return { status: 'starting' };
    }
    if (!hosted.tty && !hosted.pipeStdin) {
      return { status: 'stdinClosed' };
    }
    if (!hosted.isNewWrite(writeId)) {
      return { status: 'accepted' };
    }
    hosted.pendingInputBytes += chunk.length;
    let letThrough = () => {};
    const isLetThrough = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    const taken = this.#options.engine
      .write(hosted.sessionId, chunk, { by: this.#actor, signal: this.#ended.signal, onLetThrough: letThrough })
      .finally(() => {
        hosted.pendingInputBytes -= chunk.length;
      });
    // A person may have to be asked; that it is refused is told.
    const isRefused = await Promise.race([isLetThrough.then(() => false), taken.then(() => false, isRefusal)]);
    const info = await this.#info(hosted.sessionId);
    const mayBeRefused = isRefused || info === null || info.exit !== null || info.keyboard === 'person';
    if (!mayBeRefused && hosted.pendingInputBytes <= ACCEPTED_INPUT_BYTES) {
      // The child may end before it takes this; its exit tells the client so.
      taken.catch(() => {});
      return { status: 'accepted' };
    }
    try {
      const { outcome } = await taken;
      if (outcome !== 'delivered') {
        throw new EngineError('session-not-writable', 'the child ended before it took this input');
      }
    } catch (error) {
      hosted.forgetWrite(writeId);
      throw writeError(error);
    }
    return { status: 'accepted' };
  }

  /** Interrupts what is in the foreground; an unknown or ended process is answered alike. */
  async signal({ processId }: Params<'process/signal'>): Promise<object> {
    const hosted = this.#processes.get(processId);
    const sessionId = hosted?.sessionId ?? null;
    if (sessionId !== null && (await this.#info(sessionId)) !== null) {
      await this.#options.engine.signal(sessionId, 'SIGINT', this.#actor);
    }
    return {};
  }

  /** Answers at once; the tree is given time to end by itself. */
  async terminate({ processId }: Params<'process/terminate'>): Promise<object> {
    const hosted = this.#processes.get(processId);
    if (hosted === undefined || hosted.sessionId === null) {
      return { running: false };
    }
    const info = await this.#info(hosted.sessionId);
    void this.#end(hosted);
    return { running: info !== null && info.exit === null };
  }

  /** Gives a session that another connection of this client started a name here, and tells of it from `afterSeq` on. */
  #attachTo({ processId, sessionId, afterSeq }: AttachRequest): () => void {
    if (this.#processes.has(processId)) {
      throw new WireError(WireErrorCode.invalidRequest, `process ${processId} already exists`);
    }
    const hosted = this.#newHosted({
      processId,
      requestId: null,
      isAttached: true,
      // Whether it can be written to is the engine's to say.
      tty: true,
      pipeStdin: true,
      isSandboxed: false,
    });
    hosted.sessionId = sessionId;
    hosted.announced = true;
    this.#processes.set(processId, hosted);
    return () => this.#follow(hosted, afterSeq);
  }

  #running(processId: string): { readonly sessionId: SessionId; readonly hosted: HostedProcess } {
    const hosted = this.#processes.get(processId);
    if (hosted === undefined) {
      throw new WireError(WireErrorCode.invalidRequest, `unknown process id ${processId}`);
    }
    if (hosted.sessionId === null) {
      throw new WireError(WireErrorCode.invalidRequest, `process id ${processId} is starting`);
    }
    return { sessionId: hosted.sessionId, hosted };
  }

  async #end({ sessionId }: HostedProcess): Promise<void> {
    if (sessionId === null) {
      return;
    }
    try {
      await this.#options.engine.terminate(sessionId, 'agent');
    } catch (error) {
      // The person closed the session meanwhile: there is nothing left to end.
      this.#options.log.info('a session was gone before it was ended', { session: sessionId, why: String(error) });
    }
  }

  #newHosted(facts: Omit<HostedProcessOptions, 'log' | 'onForgotten'>): HostedProcess {
    return new HostedProcess({
      ...facts,
      log: this.#options.log,
      onForgotten: () => this.#processes.delete(facts.processId),
    });
  }

  #follow(hosted: HostedProcess, afterSeq: number | 'now'): void {
    if (this.#outbox !== null && !hosted.follow(this.#options.engine, this.#outbox, afterSeq)) {
      // The person closed it in the window while its client was away.
      this.#processes.delete(hosted.processId);
    }
  }

  #missingChanged(watchId: number): void {
    if (this.#outbox === null) {
      this.#untoldWatchIds.push(watchId);
    } else {
      this.#outbox.notify(`{"method":"fs/missingChanged","params":{"watchId":${watchId}}}`, () => {});
    }
  }

  #stopExpiry(): void {
    if (this.#expiry !== null) {
      clearTimeout(this.#expiry);
      this.#expiry = null;
    }
  }

  /** A process that closed while nobody was attached: its retention begins when the client is back. */
  async #retainIfClosed(hosted: HostedProcess): Promise<void> {
    const info = hosted.sessionId === null ? null : await this.#info(hosted.sessionId);
    if (info === null || info.state === 'closed') {
      hosted.retainClosed();
    }
  }

  /** Null when the person closed the session in the window. */
  async #info(id: SessionId): Promise<SessionInfo | null> {
    try {
      return await this.#options.engine.get(id);
    } catch (error) {
      if (isUnknownSession(error)) {
        return null;
      }
      throw error;
    }
  }
}
