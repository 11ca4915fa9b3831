import { isAbsolute, sep } from 'node:path';
import type { BudgetHit, SessionLimits } from '../../shared/budget.ts';
import { Emitter } from '../../shared/emitter.ts';
import { EngineError } from '../../shared/errors.ts';
import { DEFAULT_TERMINAL_SIZE, RETAINED_BYTES_PER_SESSION, RETAINED_CHUNKS_PER_SESSION } from '../../shared/limits.ts';
import type { Logger } from '../../shared/logger.ts';
import {
  isLive,
  type BackendKind,
  type EndedBy,
  type SessionId,
  type SessionInfo,
  type SessionOrigin,
  type TerminalSize,
} from '../../shared/session.ts';
import type { TerminalColours } from '../../shared/terminal-colours.ts';
import type { SessionAct, TimelineEntry } from '../../shared/timeline.ts';
import { TurnoverMap } from '../../shared/turnover.ts';
import type { SpawnRequest } from '../backend/backend.ts';
import { childEnvironment, type EnvironmentRequest, type VariableOrigin } from '../backend/child-environment.ts';
import { ChildStarter } from '../backend/child-starter.ts';
import { dependsOnDirectory, findProgram } from '../backend/find-program.ts';
import { joiningCgroup } from '../backend/launcher.ts';
import type { ProcessFacts } from '../backend/process-facts.ts';
import type { Leader } from '../backend/process-tree.ts';
import { MARK_NAME, partsOfMark, sessionMark, withSessionMark } from '../backend/session-mark.ts';
import type { TerminateOptions } from '../backend/terminate-tree.ts';
import { holdWorkingDirectory, shownDirectory } from '../backend/working-directory.ts';
import { BudgetWatch } from '../budget/budget-watch.ts';
import type { WatchedUsage } from '../budget/budget-watch.ts';
import { openCgroups, type Cgroups, type SessionCgroup } from '../budget/cgroup.ts';
import { noPtyPlace } from '../budget/pty-places.ts';
import { checkedLimits } from '../budget/session-budget.ts';
import { DEFAULT_COLOURS } from '../terminal/terminal-colours.ts';
import { checkedSize, checkedTitle } from './checked.ts';
import type { EarlierSession } from './earlier-session.ts';
import { EndedSessions } from './ended-sessions.ts';
import { recentActs } from './recent-acts.ts';
import { RememberedStarts } from './remembered-starts.ts';
import { Session, type SessionOptions, type SessionWitness } from './session.ts';
import { waitFor, type WaitOutcome, type WaitRequest } from './wait.ts';

/** What a new session shall run. */
export interface StartRequest {
  /** The caller's choice of id; must not be in use. Without one the manager makes one. */
  readonly id?: SessionId;
  readonly argv: readonly string[];
  /** The same id again answers the same session and starts nothing: for a client that does not know whether it was heard. */
  readonly requestId?: string;
  /** Absolute path. */
  readonly cwd: string;
  /** Absolute path of the folder that `cwd` must lie in, links followed. */
  readonly workspace?: string;
  readonly environment: EnvironmentRequest;
  /** `pty`: a terminal. `pipe`: stdout and stderr apart; stdin as told. */
  readonly backend:
    | { readonly kind: 'pty'; readonly size?: TerminalSize }
    | { readonly kind: 'pipe'; readonly stdin: boolean };
  /** What the child sees as its own name, when not `argv[0]`. */
  readonly arg0?: string;
  /** What it may use; checked, so that a misspelt limit is none. */
  readonly limits?: SessionLimits;
  /** What it shall be called; see `Session.rename`. */
  readonly title?: string;
  readonly origin: SessionOrigin;
}

/** How a child is put behind a fence, and what is told of that. */
export interface Fencing {
  /** Words to put before the program's own, the first an absolute path; none without a fence. */
  readonly prefix: readonly string[];
  /** Variables that differ inside. */
  readonly environment: Readonly<Record<string, string>>;
  /** The sandbox in words; null for none. */
  readonly sandbox: string | null;
  readonly retryOf: SessionId | null;
}

const UNFENCED: Fencing = { prefix: [], environment: {}, sandbox: null, retryOf: null };

export type SessionEvent =
  | { readonly type: 'changed'; readonly session: SessionInfo }
  | { readonly type: 'removed'; readonly id: SessionId };

/** Processes that outlived the child of a session. */
export interface Survivors {
  readonly session: SessionId;
  readonly processes: readonly ProcessFacts[];
}

/** Keeps what runs on record, for the next host to find after a crash of this one. */
export interface TreeRecord {
  started(session: { readonly sessionId: string; readonly mark: string } & Leader): void;
  ended(sessionId: string): void;
}

export interface SessionManagerOptions {
  /** Of this run of the host, for the marks of its processes. */
  readonly hostId: string;
  readonly record: TreeRecord;
  /**
   * Settles when what runs and what it prints can be recorded, whatever came of that: no child runs before. One that did
   * would be known to nobody if the host were killed. Default: at once.
   */
  readonly recordsReady?: Promise<unknown>;
  /** See `SessionOptions.recorder`. */
  readonly recorder: SessionOptions['recorder'];
  /** See `SessionOptions.onInputs`. Default: nobody is told. */
  readonly onInputs?: (id: SessionId, entries: readonly TimelineEntry[]) => void;
  /** Environment of the host, that children may inherit from. */
  readonly hostEnvironment: Readonly<NodeJS.ProcessEnv>;
  readonly log: Logger;
  /** Bytes of output retained per session. */
  readonly retainedBytes?: number;
  /** Bytes of output retained of all ended sessions together. */
  readonly endedBytes?: number;
  /** Bytes of output retained of all sessions together. */
  readonly retainedBytesInAll?: number;
  /** Whether limits may be given to the kernel, which moves this process into a control group of its own. */
  readonly cgroups?: boolean;
  /** Live sessions on a pty; one more is refused. */
  readonly maxPtySessions?: number;
  /** See `withNiceness`. */
  readonly childNiceness?: number | null;
}

/**
 * Live sessions on ptys. Each holds three descriptors of a process that may have 1,024 by default, and a thread that
 * waits for its end.
 */
const MAX_PTY_SESSIONS = 256;

/**
 * Bytes of output retained of all sessions together: each has an equal part of it, at most what one may have and at
 * least what C5 asks for.
 */
const RETAINED_BYTES_IN_ALL = 512 * 1024 * 1024;
const LEAST_RETAINED_BYTES = 1024 * 1024;

/**
 * Time after which a start is told of before its child runs, in milliseconds: a folder on a disk that does not answer is
 * seen to be waited for. Most starts take some 10 ms, and are news once.
 */
const START_TOLD_AFTER_MS = 250;

/** Ended sessions kept, and bytes of their output together. A person closes them one by one; a host without a window never. */
const MAX_ENDED_SESSIONS = 500;
const MAX_ENDED_BYTES = 256 * 1024 * 1024;

/** Largest single string of argv or the environment, its NUL included, in bytes: MAX_ARG_STRLEN of Linux (execve(2)). */
const MAX_STRING_BYTES = 128 * 1024;

/** All strings together, in bytes: a quarter of the usual stack limit of 8 MiB (execve(2)), less room for the launcher. */
const MAX_STRINGS_BYTES = 2 * 1024 * 1024 - 16 * 1024;

const BY_ID = new Intl.Collator('en', { numeric: true });

/** All sessions of the host: the only place that starts a child. */
export class SessionManager {
  readonly #options: SessionManagerOptions;
  readonly #sessions = new TurnoverMap<SessionId, Session>();
  /** Starts under way; settled whatever becomes of them. */
  readonly #starts = new TurnoverMap<SessionId, Promise<unknown>>();
  readonly #startsByRequest = new RememberedStarts<Session>();
  readonly #ended: EndedSessions;
  readonly #events: Emitter<SessionEvent>;
  #colours = DEFAULT_COLOURS;
  /** Null when the system lets none be made; undefined until the first limit that the kernel could enforce. */
  #cgroups: Cgroups | null | undefined;
  readonly #sessionGroups = new TurnoverMap<Session, SessionCgroup>();
  readonly #budgets: BudgetWatch;
  readonly #witness: SessionWitness;
  readonly #starter: ChildStarter;
  #lastMark = 0;
  #lastNumber = 0;
  #disposing: Promise<void> | null = null;

  constructor(options: SessionManagerOptions) {
    const { log, record } = options;
    this.#options = options;
    this.#events = new Emitter((error) =>
      log.error('a listener failed and is told nothing any more', { why: String(error) }),
    );
    this.#ended = new EndedSessions({
      maxCount: MAX_ENDED_SESSIONS,
      maxBytes: options.endedBytes ?? MAX_ENDED_BYTES,
    });
    this.#starter = new ChildStarter(options.childNiceness ?? null);
    this.#budgets = new BudgetWatch({ log, onHit: (id, hit) => this.#endByLimit(id, hit) });
    this.#witness = {
      started: (session, leader) => {
        record.started({ sessionId: recordedId(session), mark: session.mark, ...leader });
        const cgroup = this.#sessionGroups.get(session);
        this.#budgets.add({
          ...(cgroup === undefined ? {} : { cgroup }),
          id: session.id,
          leader: { pid: leader.pid, startTime: leader.startTime },
          limits: session.limits,
          mark: session.mark,
          alsoMembers: () => session.knownProcesses,
          adopted: () => session.adoptedProcesses,
        });
        if (session.output.endOffset > 0) {
          // What it printed before it was known to run counts as well.
          this.#budgets.output(session.id, session.output.endOffset);
        }
      },
      printed: (session, byteCount) => {
        if (this.#isKnown(session)) {
          this.#budgets.output(session.id, byteCount);
        }
      },
      typed: ({ id }) => this.#budgets.input(id),
      exited: (session) => (this.#isKnown(session) ? this.#budgets.untoldHit(session.id) : null),
      treeEnded: (session) => {
        const isKnown = this.#isKnown(session);
        // Before its group is taken away, which has it.
        const hit = isKnown ? this.#budgets.untoldHit(session.id) : null;
        record.ended(recordedId(session));
        this.#leaveGroup(session);
        if (isKnown) {
          this.#budgets.treeEnded(session.id);
        }
        return hit;
      },
      closed: (session) => {
        if (this.#isKnown(session)) {
          this.#budgets.outputEnded(session.id);
        }
      },
    };
  }

  /** Told of every change, in order. */
  readonly onEvent = (listener: (event: SessionEvent) => void): (() => void) => this.#events.on(listener);

  /** All sessions, sorted by id, numbers in ids by their value. */
  list(): readonly SessionInfo[] {
    return this.#sessions
      .values()
      .map(({ info }) => info)
      .sort((a, b) => BY_ID.compare(a.id, b.id));
  }

  /** The newest acts on all sessions; see `recentActs`. */
  recentActs(most: number): readonly SessionAct[] {
    return recentActs(this.#sessions.values(), most);
  }

  has(id: SessionId): boolean {
    return this.#sessions.has(id);
  }

  /** Throws `session-not-found`. */
  get(id: SessionId): Session {
    const session = this.#sessions.get(id);
    if (session === undefined) {
      throw new EngineError('session-not-found', `unknown session ${id}: it was closed, or never was`);
    }
    return session;
  }

  /**
   * Starts a child. The id is in use from the moment of the call (C2). Rejects with `invalid-argument` for an empty
   * argv, a NUL or a relative path, `session-exists`, `limit-reached`, `outside-workspace`, or `spawn-failed`; after the last two the
   * session stays in the list as `failed`, so that a person sees what an agent tried, and nothing else is left of it: who
   * starts under the same id takes its place.
   */
  async start(request: StartRequest, fencing: Fencing = UNFENCED): Promise<SessionInfo> {
    const { requestId } = request;
    const session = await (requestId === undefined
      ? this.#start(request, fencing)
      : this.#startsByRequest.once({ ...request, requestId }, () => this.#start(request, fencing)));
    return session.info;
  }

  /** Whether a start is known by its request id: the same again starts nothing. */
  hasStarted({ requestId, origin }: StartRequest): boolean {
    return requestId !== undefined && this.#startsByRequest.knows({ requestId, origin });
  }

  /** What programs are told that ask their terminals for its colours. Throws a `RangeError` for what is no colour. */
  setTerminalColours(colours: TerminalColours): void {
    for (const session of this.#sessions.values()) {
      session.setColours(colours);
    }
    this.#colours = colours;
  }

  /** An id for a session to come, and its number: they rise, and none is ever given again (B8). */
  reserveId(): { readonly id: SessionId; readonly number: number } {
    let id: SessionId;
    do {
      this.#lastNumber += 1;
      id = `session-${this.#lastNumber}` as SessionId;
    } while (this.#sessions.has(id));
    return { id, number: this.#lastNumber };
  }

  /**
   * Takes sessions of earlier runs into the list, as ended ones; what is in it already is not taken twice. Each keeps an id
   * that was made here unless that is in use by now; one that a client chose is free for that client's next session.
   */
  restore(earlier: readonly EarlierSession[]): readonly SessionInfo[] {
    const known = new Set(this.#sessions.values().map(({ epoch }) => epoch));
    // Also one that was only reserved may have been told to somebody.
    const lastGiven = this.#lastNumber;
    const restored = earlier
      .filter(({ info }) => this.#disposing === null && !known.has(info.epoch))
      .map((one) => {
        const { info } = one;
        const id = this.#idAgain(info.id, lastGiven);
        const session = new Session({ ...info, id }, { ...this.#sessionOptions(''), recorder: null, earlier: one });
        this.#sessions.set(id, session);
        this.#ended.add(session);
        return session;
      });
    this.#shareRetention();
    for (const { info } of restored) {
      this.#events.emit({ type: 'changed', session: info });
    }
    this.#retainWithinBudget();
    return restored.map(({ info }) => info);
  }

  /** Waits for conditions of any sessions; see `waitFor`. */
  wait(request: WaitRequest): Promise<WaitOutcome> {
    return waitFor(request, (id) => this.get(id));
  }

  async #start(request: StartRequest, fencing: Fencing): Promise<Session> {
    if (this.#disposing !== null) {
      throw new EngineError('engine-disposed', 'the host is shutting down: no session can be started');
    }
    const program = checkedProgram(request);
    checkAbsolute('cwd', request.cwd);
    checkAbsolute('workspace', request.workspace ?? sep);
    const id = request.id ?? this.reserveId().id;
    const namesake = this.#sessions.get(id);
    if (namesake !== undefined && namesake.state !== 'failed') {
      throw new EngineError('session-exists', `exec session '${id}' already exists`);
    }
    this.#refuseOverLimit(request.backend.kind);
    const limits = checkedLimits({ ...request.limits });
    const size = request.backend.kind === 'pty' ? checkedSize(request.backend.size ?? DEFAULT_TERMINAL_SIZE) : null;
    const session = new Session(
      {
        id,
        backend: request.backend.kind,
        argv: request.argv,
        cwd: request.cwd,
        size,
        origin: request.origin,
        title: request.title === undefined ? null : checkedTitle(request.title),
        limits,
        sandbox: fencing.sandbox,
        retryOf: fencing.retryOf,
      },
      this.#sessionOptions(this.#nextMark(id)),
    );
    if (namesake !== undefined) {
      this.#giveWay(namesake);
    }
    this.#sessions.set(id, session);
    this.#shareRetention();
    const start = this.#spawn(session, program, request, fencing);
    this.#starts.set(id, Promise.allSettled([start]));
    const slow = setTimeout(() => this.#events.emit({ type: 'changed', session: session.info }), START_TOLD_AFTER_MS);
    try {
      await start;
    } catch (error) {
      session.failed(error instanceof Error ? error.message : String(error));
      this.#leaveGroup(session);
      throw error;
    } finally {
      clearTimeout(slow);
      this.#starts.delete(id);
    }
    return session;
  }

  #sessionOptions(mark: string): SessionOptions {
    return {
      mark,
      recorder: this.#options.recorder,
      witness: this.#witness,
      ring: {
        maxBytes: this.#options.retainedBytes ?? RETAINED_BYTES_PER_SESSION,
        maxChunks: RETAINED_CHUNKS_PER_SESSION,
      },
      log: this.#options.log,
      colours: this.#colours,
      onInputs: ({ id }, entries) => this.#options.onInputs?.(id, entries),
      onChange: (changed) => {
        this.#events.emit({ type: 'changed', session: changed.info });
        if (changed.isOver && this.#sessions.get(changed.id) === changed) {
          this.#ended.add(changed);
          this.#retainWithinBudget();
        }
      },
    };
  }

  /** The id of a session of an earlier run: its own where it was made here and is above those that were given in this one. */
  #idAgain(id: SessionId, lastGiven: number): SessionId {
    const number = Number(/^session-(\d{1,15})$/.exec(id)?.[1] ?? Number.NaN);
    if (Number.isNaN(number) || number <= lastGiven || this.#sessions.has(id)) {
      return this.reserveId().id;
    }
    this.#lastNumber = Math.max(this.#lastNumber, number);
    return id;
  }

  /** Ends the child's whole tree; answers whether the child was running. Throws `session-not-found`. */
  async terminate(id: SessionId, by: EndedBy, options?: TerminateOptions): Promise<boolean> {
    const session = this.get(id);
    await this.#starts.get(id);
    return session.terminate(by, options);
  }

  /**
   * Ends the child, if it still runs, and forgets the session. Answers what was known of it. Throws
   * `session-not-found`.
   */
  async close(id: SessionId, by: EndedBy): Promise<SessionInfo> {
    const session = this.get(id);
    await this.terminate(id, by);
    await this.#forget(session);
    return session.info;
  }

  /**
   * Lets a survivor of a session live on; see `Session.adopt`. Throws `not-supported` for a session in a control group,
   * which ends with everything in it.
   */
  adopt(id: SessionId, pid: number): Promise<boolean> {
    if (this.#sessionGroups.has(this.get(id))) {
      throw new EngineError(
        'not-supported',
        `session ${id} has a budget that the kernel enforces: nothing can leave it`,
      );
    }
    return this.get(id).adopt(pid);
  }

  /** Ends one survivor of a session; see `Session.stopSurvivor`. Throws `session-not-found`. */
  stopSurvivor(id: SessionId, pid: number, options?: TerminateOptions): Promise<boolean> {
    return this.get(id).stopSurvivor(pid, options);
  }

  /** What outlived the children of sessions. */
  async survivors(): Promise<readonly Survivors[]> {
    const all = await Promise.all(
      this.#sessions.values().map(async (session) => ({
        session: session.id,
        processes: await session.survivors(),
      })),
    );
    return all.filter(({ processes }) => processes.length > 0);
  }

  /** What each running session uses at this moment. Without those that the system does not tell of. */
  usage(): Promise<ReadonlyMap<SessionId, WatchedUsage>> {
    return this.#budgets.usage();
  }

  /** Closes what has ended, and nothing that runs. Answers what was known of it. */
  prune(): Promise<readonly SessionInfo[]> {
    const ended = this.list().filter(({ state }) => !isLive(state));
    return this.#closeEach(
      ended.map(({ id }) => id),
      'person',
    );
  }

  /** Closes every session. Goes on past failures and reports them together, as an `AggregateError`. */
  closeAll(by: EndedBy): Promise<readonly SessionInfo[]> {
    return this.#closeEach(this.#sessions.keys(), by);
  }

  /** Ends every child and forgets every session. Goes on past failures and reports them together. */
  dispose(): Promise<void> {
    this.#disposing ??= this.#endAll();
    return this.#disposing;
  }

  async #endAll(): Promise<void> {
    try {
      await this.closeAll('host');
    } finally {
      this.#events.clear();
      this.#budgets.dispose();
      await this.#starter.dispose();
      await this.#cgroups?.dispose();
    }
  }

  async #closeEach(ids: readonly SessionId[], by: EndedBy): Promise<readonly SessionInfo[]> {
    const outcomes = await Promise.allSettled(ids.map((id) => this.close(id, by)));
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    if (failures.length > 0) {
      throw new AggregateError(failures, `${failures.length} of ${ids.length} sessions could not be closed`);
    }
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  }

  /** Gives every session its part of what may be retained in all. */
  #shareRetention(): void {
    const perSession = this.#options.retainedBytes ?? RETAINED_BYTES_PER_SESSION;
    const inAll = this.#options.retainedBytesInAll ?? RETAINED_BYTES_IN_ALL;
    let earlier = 0;
    for (const session of this.#sessions.values()) {
      earlier += session.isEarlier ? 1 : 0;
    }
    // Those of earlier runs hold no more than the least part, and nothing until somebody looks into them.
    const shared = inAll - earlier * LEAST_RETAINED_BYTES;
    const part = Math.max(LEAST_RETAINED_BYTES, Math.floor(shared / Math.max(1, this.#sessions.size - earlier)));
    for (const session of this.#sessions.values()) {
      session.output.retain(Math.min(perSession, part));
    }
  }

  #refuseOverLimit(backend: BackendKind): void {
    if (backend !== 'pty') {
      return;
    }
    let live = 0;
    // Not by their `info`: at each start that would be written down for hundreds that have ended.
    for (const session of this.#sessions.values()) {
      live += session.backend === 'pty' && isLive(session.state) ? 1 : 0;
    }
    const refusal = noPtyPlace(live, this.#options.maxPtySessions ?? MAX_PTY_SESSIONS);
    if (refusal !== null) {
      throw new EngineError('limit-reached', refusal);
    }
  }

  /**
   * A control group for a session with limits that the kernel can enforce, or measure without a hole (CPU time), where it
   * lets one be made; else null.
   */
  #groupFor(session: Session): SessionCgroup | null {
    const { id, limits } = session;
    const { memoryBytes, processes, cpuSeconds } = limits;
    const isServed = memoryBytes !== undefined || processes !== undefined || cpuSeconds !== undefined;
    if (this.#options.cgroups !== true || !isServed) {
      return null;
    }
    if (this.#cgroups === undefined) {
      const opened = openCgroups();
      this.#cgroups = opened.usable ? opened.cgroups : null;
      if (!opened.usable) {
        this.#options.log.info('limits are watched by samples', { why: opened.reason });
      }
    }
    try {
      const group = this.#cgroups?.create(limits) ?? null;
      if (group !== null) {
        this.#sessionGroups.set(session, group);
      }
      return group;
    } catch (error) {
      this.#options.log.warn('a session has no control group: its limits are watched by samples', {
        session: id,
        why: String(error),
      });
      return null;
    }
  }

  #leaveGroup(session: Session): void {
    const group = this.#sessionGroups.get(session);
    this.#sessionGroups.delete(session);
    group?.remove().catch((error: unknown) => {
      this.#options.log.warn('a control group stays behind', { session: session.id, why: String(error) });
    });
  }

  #endByLimit(id: SessionId, hit: BudgetHit): void {
    this.#options.log.warn('a session went over its budget', { session: id, limit: hit.limit });
    this.#sessions
      .get(id)
      ?.endByLimit(hit)
      .catch((error: unknown) => {
        this.#options.log.error('a session over its budget could not be ended', { session: id, why: String(error) });
      });
  }

  /** Ids are anybody's choice; in a mark there is only what is safe everywhere, and each session has its own. */
  #nextMark(id: SessionId): string {
    this.#lastMark += 1;
    return sessionMark(this.#options.hostId, `${this.#lastMark}-${id.replaceAll(/[^\w.-]/g, '_').slice(0, 100)}`);
  }

  /** Takes the oldest ended sessions away while more is retained of ended ones than the budget allows (S9). */
  #retainWithinBudget(): void {
    for (const session of this.#ended.takeExcess()) {
      this.#letGoOf(session);
    }
  }

  /** By now its id may be another session's. */
  #isKnown(session: Session): boolean {
    return this.#sessions.get(session.id) === session;
  }

  #letGoOf(session: Session): void {
    this.#forget(session).catch((error: unknown) => {
      this.#options.log.error('an ended session could not be let go of', { session: session.id, why: String(error) });
    });
  }

  /** A session that never was makes room for one with its id: told before that is there. */
  #giveWay(session: Session): void {
    this.#sessions.delete(session.id);
    this.#events.emit({ type: 'removed', id: session.id });
    this.#letGoOf(session);
  }

  async #forget(session: Session): Promise<void> {
    const { id } = session;
    // By then the id may be another session's.
    const isKnown = this.#isKnown(session);
    if (isKnown) {
      this.#sessions.delete(id);
      this.#budgets.remove(id);
    }
    this.#ended.remove(session);
    this.#leaveGroup(session);
    await session.forget();
    if (isKnown) {
      this.#shareRetention();
      this.#events.emit({ type: 'removed', id });
    }
  }

  async #spawn(session: Session, program: string, request: StartRequest, fencing: Fencing): Promise<void> {
    const environment = childEnvironment(request.environment, this.#options.hostEnvironment);
    const env = withSessionMark(environment.variables, session.mark, this.#options.hostEnvironment);
    const lookup = { program, path: env['PATH'] };
    // Side by side where they can be. When both fail the directory is told.
    const early = dependsOnDirectory(lookup) ? null : findProgram({ ...lookup, cwd: sep });
    early?.catch(() => {});
    const directory = await holdWorkingDirectory(request.cwd, request.workspace ?? null);
    let isEntered = true;
    try {
      const spawn: SpawnRequest = {
        program,
        file: await (early ?? findProgram({ ...lookup, cwd: directory.path })),
        arg0: request.arg0 ?? program,
        args: request.argv.slice(1),
        cwd: directory.spawnPath,
        env,
      };
      const shownCwd = await shownDirectory(directory.path, request.workspace ?? null);
      await this.#options.recordsReady;
      if (this.#disposing !== null) {
        throw new EngineError('engine-disposed', 'the host is shutting down: no session can be started');
      }
      const cgroup = this.#groupFor(session);
      const fenced = insideFence(spawn, fencing);
      const joining = cgroup === null ? fenced : joiningCgroup(fenced, cgroup.procsFile);
      const { backend } = request;
      checkSizes([
        joining.arg0,
        ...joining.args,
        ...Object.entries(joining.env).map(([name, value]) => `${name}=${value}`),
      ]);
      // The size of now: it may have been changed while the program was looked for.
      const size = session.info.size ?? DEFAULT_TERMINAL_SIZE;
      const { child, hasDirectory } = await (backend.kind === 'pty'
        ? this.#starter.startPty(joining, size, session.childEvents)
        : this.#starter.startPipes(joining, backend, session.childEvents));
      if (session.info.size !== null && !isSameSize(session.info.size, size)) {
        child.resize(session.info.size);
      }
      if (!hasDirectory) {
        // Forked by this process, it may not be there yet. Unless it is typed to at once its first word comes after that.
        isEntered = false;
        const stop = session.output.onChange(() => {
          stop();
          directory.release().catch((error: unknown) => {
            this.#options.log.warn('a directory stays open', { session: session.id, why: String(error) });
          });
        });
      }
      try {
        session.started(child, {
          cwd: directory.path,
          shownCwd,
          environment: { ...environment, origins: { ...environment.origins, ...ownOrigins(fencing) } },
        });
      } catch (error) {
        // The child runs, and nobody would know of it.
        await session.terminate('host');
        throw error;
      }
    } finally {
      if (isEntered) {
        await directory.release();
      }
    }
  }
}

/** What the child is given by us. */
function ownOrigins({ environment }: Fencing): Readonly<Record<string, VariableOrigin>> {
  return Object.fromEntries([MARK_NAME, ...Object.keys(environment)].map((name) => [name, 'shellscope']));
}

/** The same child behind its fence: the fence's program starts it, in the same directory and with its own name. */
function insideFence(spawn: SpawnRequest, { prefix, environment }: Fencing): SpawnRequest {
  const [program, ...words] = prefix;
  return program === undefined
    ? spawn
    : {
        program,
        file: program,
        arg0: program,
        args: [...words, spawn.file, ...spawn.args],
        cwd: spawn.cwd,
        env: { ...spawn.env, ...environment },
      };
}

function isSameSize(one: TerminalSize, other: TerminalSize): boolean {
  return one.cols === other.cols && one.rows === other.rows;
}

/** As its mark names it: ids may be used again. */
function recordedId({ mark }: Session): string {
  return partsOfMark(mark)?.sessionId ?? mark;
}

/** The first word of argv. Throws `invalid-argument` for what no system can execute. */
function checkedProgram({ argv, environment, arg0 }: StartRequest): string {
  const [program] = argv;
  if (program === undefined || program === '') {
    throw new EngineError('invalid-argument', 'argv must not be empty');
  }
  const variables =
    environment.kind === 'exact' ? environment.variables : { ...environment.set, ...environment.overlay };
  // A C string ends at its NUL: what follows would be lost in silence.
  if ([...argv, arg0 ?? '', ...Object.entries(variables).flat()].some((text) => text.includes('\0'))) {
    throw new EngineError('invalid-argument', 'nul byte found in provided data: argv and env cannot hold one');
  }
  const badName = Object.keys(variables).find((name) => name === '' || name.includes('='));
  if (badName !== undefined) {
    throw new EngineError('invalid-argument', `env: '${badName}' cannot be the name of a variable`);
  }
  checkSizes([...argv, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)]);
  return program;
}

/** Relative to what it were, nobody who asks could know. */
function checkAbsolute(name: string, path: string): void {
  if (!isAbsolute(path)) {
    throw new EngineError('invalid-argument', `${name}: must be an absolute path, not \`${path}\``);
  }
}

/** The child itself would find out, and could tell it only as text. */
function checkSizes(strings: readonly string[]): void {
  const sizes = strings.map((text) => Buffer.byteLength(text) + 1);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const longest = sizes.reduce((most, size) => Math.max(most, size), 0);
  if (process.platform === 'linux' && (longest > MAX_STRING_BYTES || total > MAX_STRINGS_BYTES)) {
    throw new EngineError(
      'spawn-failed',
      `argv and env hold ${total} bytes, the longest string ${longest}; the system takes ` +
        `${MAX_STRINGS_BYTES} and ${MAX_STRING_BYTES}. Put the text into a file, or write it to stdin`,
      { systemCode: 'E2BIG' },
    );
  }
}
