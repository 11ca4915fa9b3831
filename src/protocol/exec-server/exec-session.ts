import { randomUUID } from 'node:crypto';
import {
  likelyDenied,
  signalNumber,
  type Engine,
  type EnvironmentRequest,
  type FencePlaces,
  type FencePolicy,
  type FollowEvent,
  type FollowHandle,
  type SandboxPolicy,
  type StartRequest,
} from '../../engine/engine.ts';
import type { Logger } from '../../shared/logger.ts';
import { EngineError } from '../../shared/errors.ts';
import type { ExitStatus, SessionId, SessionInfo } from '../../shared/session.ts';
import type { Actor } from '../../shared/timeline.ts';
import { FileHandles } from './exec-file-handles.ts';
import { sandboxFromContext } from './exec-sandbox.ts';
import { MissingWatches } from './exec-missing-watches.ts';
import type { AttachRequest, ExtensionCall } from './exec-extensions.ts';
import { WireErrorCode, type Params } from './exec-server-schema.ts';
import { OutputEnd } from './output-end.ts';
import { base64, OutputFrames } from './output-frame.ts';
import { isRefusal, startError, WireError, writeError } from './wire-error.ts';

/** How long a session waits for its client to come back, in milliseconds; as the real server does (0.169). */
const DETACHED_GRACE_MS = 80_000;

/** How long a closed process can be read and its id stays taken, in milliseconds; as the real server does (0.169). */
const CLOSED_RETENTION_MS = 80_000;

/** Write ids remembered per process: a client that reconnects sends again what was not answered. */
const REMEMBERED_WRITE_IDS = 4_096;

/** Input accepted per process before the child has taken it, in bytes. Beyond this a write is answered when taken. */
const ACCEPTED_INPUT_BYTES = 1024 * 1024;

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

/** What the original (0.169) calls the sandbox of each system. */
const SANDBOX_TYPE = process.platform === 'darwin' ? 'macosSeatbelt' : 'linuxSeccomp';

/** Where notifications go while a client is attached. */
export interface Outbox {
  /** A frame is a text, or its bytes. `sent` is called when it has left this process, or cannot any more. */
  notify(frame: string | Buffer, sent: () => void): void;
}

/** One for all clients of this host. */
const outputFrames = new OutputFrames();

interface HostedProcess {
  readonly processId: string;
  /** By which its client asked for it, to know it again when it asks twice. */
  readonly requestId: string | null;
  /** Another connection of the same client started it: it outlives this one. */
  readonly isAttached: boolean;
  /** Null until the child runs. */
  sessionId: SessionId | null;
  readonly tty: boolean;
  readonly pipeStdin: boolean;
  /** Its start was answered: the client knows it and may hear of it. */
  announced: boolean;
  follow: FollowHandle | null;
  /** Its client came back and has not read yet: what it is to hear of afterwards. Bounded by `CLIENT_CREDIT_BYTES`. */
  catchingUp: { readonly held: FollowEvent[]; timer: NodeJS.Timeout; hasRead: boolean } | null;
  readonly writeIds: Set<string>;
  /** Input accepted and not yet taken by the child, in bytes. */
  pendingInputBytes: number;
  retention: NodeJS.Timeout | null;
  /** Of one in a sandbox: what it printed last, by which a denial is told. */
  readonly end: OutputEnd | null;
}

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
  readonly #processes = new Map<string, HostedProcess>();
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
        this.#holdUntilRead(hosted);
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
      stopFollowing(hosted);
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
   * list.
   */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#ended.abort();
    this.missingWatches.dispose();
    this.#stopExpiry();
    const hosted = [...this.#processes.values()];
    this.#processes.clear();
    for (const each of hosted) {
      this.#release(each);
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
    const hosted: HostedProcess = known ?? {
      processId,
      requestId,
      isAttached: false,
      sessionId: null,
      tty: params.tty,
      pipeStdin: params.pipeStdin,
      announced: false,
      follow: null,
      catchingUp: null,
      writeIds: new Set(),
      pendingInputBytes: 0,
      retention: null,
      end: sandbox.kind === 'none' ? null : new OutputEnd(),
    };
    this.#processes.set(processId, hosted);
    try {
      const request: StartRequest = {
        argv,
        ...(requestId === null ? {} : { requestId: `${this.id} ${requestId}` }),
        limits: params.shellscope?.limits ?? {},
        cwd: params.cwd,
        environment: environmentRequest(params),
        backend: params.tty ? { kind: 'pty' } : { kind: 'pipe', stdin: params.pipeStdin },
        ...(params.arg0 === undefined || params.arg0 === null ? {} : { arg0: params.arg0 }),
        origin: {
          kind: 'agent',
          client: this.#options.clientName,
          processId,
          threadId: params.metadata?.threadId ?? null,
          callId: params.metadata?.toolCallId ?? null,
        },
      };
      const { id } = await this.#options.engine.start(request, { sandbox, signal: this.#ended.signal });
      hosted.sessionId = id;
      this.#options.onStarted(id);
    } catch (error) {
      if (hosted.sessionId === null) {
        this.#processes.delete(processId);
      }
      throw startError(error);
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
    const limitHit = (await this.#info(sessionId))?.limitHit ?? null;
    return () => ({
      chunks: result.chunks.map(({ seq, stream, bytes }) => ({ seq, stream, chunk: base64(bytes) })),
      nextSeq: result.nextSeq,
      exited: result.exit !== null,
      exitCode: result.exit === null ? null : wireExitCode(result.exit),
      closed: result.closed,
      // Why, where the end was none of the program's own.
      failure: limitHit?.message ?? null,
      sandboxDenied: result.exit !== null && isDenied(hosted, result.exit),
    });
  }

  /** The answer to a read is on its way: a client that came back has caught up, and hears of what came since. */
  caughtUp(processId: string): void {
    const hosted = this.#processes.get(processId);
    const catchingUp = hosted?.catchingUp ?? null;
    // Once: a client that goes on reading would else hear of nothing.
    if (hosted !== undefined && catchingUp !== null && !catchingUp.hasRead) {
      catchingUp.hasRead = true;
      clearTimeout(catchingUp.timer);
      catchingUp.timer = setTimeout(() => this.#tellHeld(hosted), TAKES_IN_MS);
      catchingUp.timer.unref();
    }
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
    if (hosted.writeIds.has(writeId)) {
      return { status: 'accepted' };
    }
    remember(hosted.writeIds, writeId);
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
      // Not delivered: the same id may be sent again.
      hosted.writeIds.delete(writeId);
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
    const hosted: HostedProcess = {
      processId,
      requestId: null,
      isAttached: true,
      sessionId,
      // Whether it can be written to is the engine's to say.
      tty: true,
      pipeStdin: true,
      announced: true,
      follow: null,
      catchingUp: null,
      writeIds: new Set(),
      pendingInputBytes: 0,
      retention: null,
      end: null,
    };
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

  #release(hosted: HostedProcess): void {
    stopFollowing(hosted);
    if (hosted.retention !== null) {
      clearTimeout(hosted.retention);
      hosted.retention = null;
    }
  }

  #holdUntilRead(hosted: HostedProcess): void {
    const timer = setTimeout(() => this.#tellHeld(hosted), CATCH_UP_MS);
    timer.unref();
    hosted.catchingUp = { held: [], timer, hasRead: false };
  }

  #tellHeld(hosted: HostedProcess): void {
    const { catchingUp } = hosted;
    const outbox = this.#outbox;
    if (catchingUp === null || outbox === null) {
      return;
    }
    clearTimeout(catchingUp.timer);
    // One by one, since an acknowledgement while they are told lets more come, which belongs after them.
    for (let event = catchingUp.held.shift(); event !== undefined; event = catchingUp.held.shift()) {
      this.#notify(hosted, outbox, event);
    }
    hosted.catchingUp = null;
  }

  #follow(hosted: HostedProcess, afterSeq: number | 'now'): void {
    const { sessionId } = hosted;
    const outbox = this.#outbox;
    if (sessionId === null || outbox === null || hosted.follow !== null) {
      return;
    }
    try {
      hosted.follow = this.#options.engine.follow(sessionId, {
        afterSeq,
        creditBytes: CLIENT_CREDIT_BYTES,
        holdsChildMs: CLIENT_HOLDS_CHILD_MS,
        onEvent: (event) => {
          if (hosted.catchingUp === null) {
            this.#notify(hosted, outbox, event);
          } else {
            hosted.catchingUp.held.push(event);
          }
        },
      });
    } catch (error) {
      if (!isUnknownSession(error)) {
        throw error;
      }
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

  #notify(hosted: HostedProcess, outbox: Outbox, event: FollowEvent): void {
    const processId = JSON.stringify(hosted.processId);
    switch (event.kind) {
      case 'output': {
        const endOffset = event.offset + event.bytes.length;
        hosted.end?.push(event.bytes);
        outputFrames.notify(
          hosted.processId,
          event,
          (frame, sent) => outbox.notify(frame, sent),
          () => hosted.follow?.ack(endOffset),
        );
        break;
      }
      case 'exited':
        outbox.notify(
          `{"method":"process/exited","params":{"processId":${processId},"seq":${event.seq},"exitCode":${wireExitCode(event.exit)},"sandboxDenied":${isDenied(hosted, event.exit)}}}`,
          () => {},
        );
        break;
      case 'closed':
        outbox.notify(`{"method":"process/closed","params":{"processId":${processId},"seq":${event.seq}}}`, () => {});
        this.#retainClosed(hosted);
        break;
      case 'gap':
        // The wire has no word for it: the client sees the jump in `seq`.
        this.#options.log.warn('a client fell behind what is retained', {
          process: hosted.processId,
          bytes: event.bytes,
        });
        break;
    }
  }

  /** A process that closed while nobody was attached: its retention begins when the client is back. */
  async #retainIfClosed(hosted: HostedProcess): Promise<void> {
    const info = hosted.sessionId === null ? null : await this.#info(hosted.sessionId);
    if (info === null || info.state === 'closed') {
      this.#retainClosed(hosted);
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

  #retainClosed(hosted: HostedProcess): void {
    hosted.retention ??= setTimeout(() => {
      this.#release(hosted);
      this.#processes.delete(hosted.processId);
    }, CLOSED_RETENTION_MS);
    hosted.retention.unref();
  }
}

function stopFollowing(hosted: HostedProcess): void {
  hosted.follow?.close();
  hosted.follow = null;
  if (hosted.catchingUp !== null) {
    clearTimeout(hosted.catchingUp.timer);
    hosted.catchingUp = null;
  }
}

function isUnknownSession(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'session-not-found';
}

/** As shells do: 128 + the signal's number. -1 where nothing is known. */
function wireExitCode({ exitCode, signal }: ExitStatus): number {
  const number = signal === null ? null : signalNumber(signal);
  return exitCode ?? (number === null ? -1 : 128 + number);
}

function environmentRequest({ env, envPolicy }: Params<'process/start'>): EnvironmentRequest {
  return envPolicy === undefined || envPolicy === null
    ? { kind: 'exact', variables: env }
    : {
        kind: 'inherit',
        from: envPolicy.inherit,
        excludeCredentials: !envPolicy.ignoreDefaultExcludes,
        exclude: envPolicy.exclude,
        set: envPolicy.set,
        includeOnly: envPolicy.includeOnly,
        overlay: env,
      };
}

/** Did its sandbox likely make it fail? */
function isDenied({ end }: HostedProcess, exit: ExitStatus): boolean {
  return end !== null && likelyDenied(exit, end.text) !== null;
}

/** The sandbox that is asked for. A fence that was asked for and is not there would be worse than none. */
function enforcedSandbox(params: Params<'process/start'>): SandboxPolicy {
  const asked = (['managedNetwork', 'networkProxy'] as const).find(
    (name) => params[name] !== undefined && params[name] !== null,
  );
  if (asked !== undefined || params.enforceManagedNetwork) {
    throw new WireError(
      WireErrorCode.invalidParams,
      `this host cannot enforce \`${asked ?? 'enforceManagedNetwork'}\` and does not run the command without it; ` +
        'start the client without a sandbox (danger-full-access)',
    );
  }
  const mapped = sandboxFromContext(params.sandbox);
  if (mapped.kind === 'refused') {
    throw new WireError(WireErrorCode.invalidParams, mapped.why);
  }
  return mapped.policy;
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  if (ids.size > REMEMBERED_WRITE_IDS) {
    for (const oldest of ids) {
      ids.delete(oldest);
      break;
    }
  }
}
