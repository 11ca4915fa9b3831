import { randomUUID } from 'node:crypto';
import type { BudgetHit, SessionLimits } from '../../shared/budget.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { OutputCursor } from '../../shared/output-cursor.ts';
import {
  isLive,
  waitsForInput,
  type BackendKind,
  type EndedBy,
  type ExitStatus,
  type OutputStreamName,
  type SessionId,
  type SessionInfo,
  type SessionOrigin,
  type SessionState,
  type TerminalSize,
  type WaitingFor,
} from '../../shared/session.ts';
import type { ChildEvents, ChildProcess } from '../backend/backend.ts';
import type { ChildEnvironment } from '../backend/child-environment.ts';
import type { Delivery } from '../backend/input-queue.ts';
import { survivorsOf, type ProcessFacts } from '../backend/process-facts.ts';
import { lookAtProcess, terminalNumber, type ProcessIdentity } from '../backend/process-table.ts';
import { ProcessTree, type AdoptedProcess, type Leader } from '../backend/process-tree.ts';
import { ScreenTracker } from '../backend/screen-tracker.ts';
import { terminateTree, type TerminateOptions } from '../backend/terminate-tree.ts';
import { whatIsWaitedFor } from '../backend/waiting-for.ts';
import { WaitingWatch } from '../backend/waiting-watch.ts';
import { QueryResponder, type RetainedOutput } from '../terminal/query-responder.ts';
import type { TerminalColours } from '../../shared/terminal-colours.ts';
import { FollowGroup, type FollowHandle, type FollowRequest } from './follow-group.ts';
import {
  OutputRing,
  type OutputChunk,
  type OutputPage,
  type OutputPiece,
  type OutputRingOptions,
} from './output-ring.ts';
import { TextReader } from './output-text.ts';
import type { WaitableSession } from './wait.ts';

/** What is known of a session before its child runs. */
export interface SessionFacts {
  readonly id: SessionId;
  readonly backend: BackendKind;
  readonly argv: readonly string[];
  /** As it was asked for. */
  readonly cwd: string;
  readonly size: TerminalSize | null;
  readonly origin: SessionOrigin;
  readonly limits: SessionLimits;
}

/** What happens to a session that others keep account of. */
export interface SessionWitness {
  /** The child runs. */
  started(session: Session, leader: Leader): void;
  /** It printed that many bytes. */
  printed(session: Session, byteCount: number): void;
  /** Something was written into it. */
  typed(session: Session): void;
  /** Its child ended. Answers the limit that the kernel ended it by, when it was one. */
  exited(session: Session): BudgetHit | null;
  /** Nothing of its tree is left. */
  treeEnded(session: Session): void;
}

/** What was found out on the way to the child. */
export interface StartedFacts {
  /** Canonical absolute path. */
  readonly cwd: string;
  readonly shownCwd: string;
  readonly environment: ChildEnvironment;
}

export interface SessionOptions {
  readonly ring: OutputRingOptions;
  readonly log: Logger;
  /** What all processes of it carry in their environment. */
  readonly mark: string;
  readonly witness: SessionWitness;
  /** What a program is told that asks its terminal. */
  readonly colours: TerminalColours;
  /** Told of every change of the session's `info`; of more output at most every `ACTIVITY_EVERY_MS`. */
  readonly onChange: (session: Session) => void;
}

/** Answer of one read. */
export interface ReadResult {
  /** Whole chunks only. Where the first one's `seq` is not `afterSeq + 1`, what lay between was evicted. */
  readonly chunks: readonly OutputChunk[];
  /** `seq` after the last chunk given when the answer was cut by `maxBytes`; else the next `seq` to come. */
  readonly nextSeq: number;
  readonly exit: ExitStatus | null;
  readonly closed: boolean;
}

export interface ReadRequest {
  /** The last `seq` the reader has; 0 for everything retained. */
  readonly afterSeq: number;
  /** At least one chunk is given even when that alone is larger. */
  readonly maxBytes: number;
  /** How long to wait, in milliseconds, when there is nothing and more can come. */
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/** A page of output for a reader that keeps its own cursor. */
export interface PageRequest {
  /** Where to begin; null for the oldest retained byte, `now` for what is still to come. */
  readonly cursor: OutputCursor | 'now' | null;
  readonly maxBytes: number;
  /** How long to wait, in milliseconds, when there is nothing and more can come. */
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/** What every answer to a reader says about the session. */
interface ReaderFacts {
  /** Where this reader goes on. */
  readonly cursor: OutputCursor;
  /** Bytes that were evicted before this reader could have them; they came just before what is given. */
  readonly goneBytes: number;
  /** True when more is retained already than was given. */
  readonly more: boolean;
  readonly exit: ExitStatus | null;
  readonly closed: boolean;
}

export interface PageResult extends ReaderFacts {
  readonly pieces: readonly OutputPiece[];
}

/** Output as text for a reader that is kept here by its name. */
export interface TextRequest {
  /** Any name; the first use of one begins with the oldest retained byte. */
  readonly reader: string;
  /** True: this reader will not get it again. False: a look that changes nothing. */
  readonly drain: boolean;
  readonly maxBytes: number;
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

export interface TextResult extends ReaderFacts {
  /** Null when nothing is pending. */
  readonly text: string | null;
}

export interface WriteOptions {
  /** The same id again answers the same and writes nothing: for a client that does not know whether it was heard (S13). */
  readonly requestId?: string;
  /** What the child has not taken by then is withdrawn, in milliseconds; without it a write waits for ever. */
  readonly timeoutMs?: number;
  /** Appends what the Enter key sends: a carriage return to a terminal, a line feed to a pipe. */
  readonly enter?: boolean;
}

/** Answers to writes remembered per session, by their request ids. */
const REMEMBERED_WRITES = 4_096;

/** Readers kept by name per session. More than this is a client that makes a new one for each read. */
const MAX_READERS = 256;

/** Input that may wait for a child that does not read, in bytes. A single larger write is let in when nothing waits. */
const MAX_PENDING_INPUT_BYTES = 8 * 1024 * 1024;

/** Longest wait of a read, in milliseconds: what a timer can hold. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/** Time between two tellings that a session printed more, in milliseconds. What shows the number needs no more. */
const ACTIVITY_EVERY_MS = 500;

/**
 * Time that the output has to end after the tree is gone, in milliseconds. It ends at once unless something that left
 * the tree unseen still holds the stream.
 */
const CLOSE_PATIENCE_MS = 500;

/**
 * Time after the exit until it is looked for what outlived the child, in milliseconds: what ends together with it is
 * gone by then, and commands that follow one another closely share the looks.
 */
const LOOK_FOR_SURVIVORS_MS = 20;

/** One child's life, from start until forgotten, with everything it printed that is still retained. */
export class Session implements WaitableSession {
  readonly epoch = randomUUID();
  readonly #facts: SessionFacts;
  readonly #options: SessionOptions;
  readonly #ring: OutputRing;
  readonly #follows: FollowGroup;
  readonly #outputListeners = new Set<() => void>();
  readonly #waitListeners = new Set<() => void>();
  readonly #screen = new ScreenTracker();
  readonly #responder: QueryResponder | null;
  readonly #readers = new Map<string, TextReader>();
  readonly #writes = new Map<string, Promise<Delivery>>();
  readonly #startedAtMs = Date.now();
  #size: TerminalSize | null;
  #cwd: string;
  #shownCwd: string;
  #environment: ChildEnvironment | null = null;
  #waiting: WaitingWatch | null = null;
  #lastOutputAt = performance.now();
  #child: ChildProcess | null = null;
  #state: SessionState = 'starting';
  #exit: ExitStatus | null = null;
  #endedBy: EndedBy | null = null;
  #endedAtMs: number | null = null;
  #failure: string | null = null;
  #activity: NodeJS.Timeout | null = null;
  #tree: ProcessTree | null = null;
  #treeEmpty: boolean | null = null;
  #limitHit: BudgetHit | null = null;
  readonly #adopted: AdoptedProcess[] = [];
  readonly #gone = new AbortController();
  #treeWatch: NodeJS.Timeout | null = null;
  #ending: Promise<void> | null = null;
  #forgotten = false;
  #pendingInputBytes = 0;

  constructor(facts: SessionFacts, options: SessionOptions) {
    this.#facts = facts;
    this.#options = options;
    this.#size = facts.size;
    this.#cwd = facts.cwd;
    this.#shownCwd = facts.cwd;
    this.#ring = new OutputRing(options.ring);
    this.#follows = new FollowGroup({
      ring: this.#ring,
      exit: () => this.#exit ?? { exitCode: null, signal: null },
      hold: (held) => (held ? this.#child?.pause() : this.#child?.resume()),
      onGaveUp: () => options.log.warn('a reader that stands still no longer holds the child', { session: facts.id }),
    });
    if (facts.size !== null) {
      this.#ring.markSize(facts.size);
    }
    this.#responder =
      facts.backend === 'pipe'
        ? null
        : new QueryResponder({
            colours: options.colours,
            replay: (fromOffset) => this.#retainedFrom(fromOffset),
            // The child may end before it hears the answer to its question.
            reply: (bytes) => void this.#child?.write(bytes, null).catch(() => {}),
          });
  }

  get id(): SessionId {
    return this.#facts.id;
  }

  /** See `sessionMark`. */
  get mark(): string {
    return this.#options.mark;
  }

  get limits(): SessionLimits {
    return this.#facts.limits;
  }

  /** Something that was started in it is known to have outlived the child. */
  get hasSurvivors(): boolean {
    return this.#treeEmpty === false;
  }

  /** What the last look at the tree found. */
  get knownProcesses(): readonly ProcessIdentity[] {
    return this.#tree?.known ?? [];
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Bytes of output held in memory. */
  get retainedBytes(): number {
    return this.#ring.endOffset - this.#ring.startOffset;
  }

  get info(): SessionInfo {
    return {
      ...this.#facts,
      cwd: this.#cwd,
      shownCwd: this.#shownCwd,
      size: this.#size,
      pid: this.#child?.pid ?? null,
      state: this.#state,
      exit: this.#exit,
      endedBy: this.#exit === null ? null : this.#endedBy,
      failure: this.#failure,
      startedAtMs: this.#startedAtMs,
      endedAtMs: this.#endedAtMs,
      outputBytes: this.#ring.endOffset,
      epoch: this.epoch,
      activity: this.#ring.nextSeq - 1,
      waitingFor: this.#waitingFor,
      treeEmpty: this.#treeEmpty,
      limitHit: this.#limitHit,
    };
  }

  /** What the child's environment is made of; null before it runs. */
  get environment(): ChildEnvironment | null {
    return this.#environment;
  }

  get exited(): boolean {
    return !isLive(this.#state);
  }

  get closed(): boolean {
    return this.#state === 'closed' || this.#state === 'failed';
  }

  get forgotten(): boolean {
    return this.#forgotten;
  }

  get waitsForInput(): boolean | null {
    return waitsForInput(this.#waitingFor);
  }

  get lastOutputAt(): number {
    return this.#lastOutputAt;
  }

  /** What the backend of this session's child must report to. */
  get childEvents(): ChildEvents {
    return {
      output: (stream, bytes) => this.#onOutput(stream, bytes),
      exited: (exit) => this.#onExited(exit),
      closed: () => this.#onClosed(),
    };
  }

  /** The child runs. */
  started(child: ChildProcess, { cwd, shownCwd, environment }: StartedFacts): void {
    this.#child = child;
    const leader = { pid: child.pid, startTime: lookAtProcess(child.pid)?.startTime ?? null };
    const { inputPlace } = child;
    const terminal = inputPlace.kind === 'pty' ? terminalNumber(inputPlace.slavePath) : null;
    this.#tree = new ProcessTree({
      leader,
      mark: this.#options.mark,
      // From the leader's exit on the number may be another terminal's.
      terminal: () => (isLive(this.#state) ? terminal : null),
      adopted: this.#adopted,
    });
    this.#options.witness.started(this, leader);
    if (isLive(this.#state)) {
      this.#waiting = new WaitingWatch({
        look: () => {
          const { screen } = this.#screen;
          return whatIsWaitedFor(leader, inputPlace.kind === 'pty' ? { ...inputPlace, screen } : inputPlace);
        },
        onAnswer: (_waiting, changed) => this.#onWaiting(changed),
      });
    }
    this.#cwd = cwd;
    this.#shownCwd = shownCwd;
    this.#environment = environment;
    this.#state = 'running';
    this.#changed();
  }

  /** The child could not be started. */
  failed(reason: string): void {
    this.#state = 'failed';
    this.#failure = reason;
    this.#endedAtMs = Date.now();
    this.#changed();
    this.#wake();
  }

  /**
   * Queues input for the child as one piece, which no other can come into; see `ChildProcess.write`. Rejects with
   * `session-not-writable` after the end, and with `input-queue-full` when more than `MAX_PENDING_INPUT_BYTES` wait.
   */
  write(bytes: Uint8Array, { requestId, timeoutMs, enter = false }: WriteOptions = {}): Promise<Delivery> {
    const known = requestId === undefined ? undefined : this.#writes.get(requestId);
    if (known !== undefined) {
      return known;
    }
    const delivery = this.#deliver(enter ? this.#withEnter(bytes) : bytes, timeoutMs ?? null);
    if (requestId !== undefined) {
      this.#writes.set(requestId, delivery);
      forgetOldest(this.#writes, REMEMBERED_WRITES);
      // Refused, and so not written: the same id may be sent again.
      delivery.catch(() => this.#writes.delete(requestId));
    }
    return delivery;
  }

  /** Ends the child's stdin after what is queued. Throws `not-supported` on a pty, `session-not-writable` after the end. */
  closeInput(): void {
    this.#liveChild().closeInput();
  }

  /** Sets the terminal's size. Throws `not-supported` for a session on pipes; does nothing after the end. */
  resize(size: TerminalSize): void {
    if (this.#facts.backend === 'pipe') {
      throw new EngineError('not-supported', `session ${this.id} is on pipes: it has no terminal size`);
    }
    const unchanged = this.#size?.cols === size.cols && this.#size.rows === size.rows;
    if (!isLive(this.#state) || unchanged) {
      return;
    }
    this.#child?.resize(size);
    this.#size = size;
    this.#ring.markSize(size);
    this.#changed();
  }

  /** Retains at most that many bytes from now on; what is over it leaves at once, oldest first. */
  retain(maxBytes: number): void {
    this.#ring.setMaxBytes(maxBytes);
  }

  /**
   * Retained chunks after a `seq`. Waits up to `waitMs` when there is nothing yet and the output is still open;
   * output, the end, and an abort end the wait. Never consumes: any number of readers get the same.
   */
  async read(request: ReadRequest): Promise<ReadResult> {
    const nothingYet = () =>
      this.#ring.nextSeq <= request.afterSeq + 1 && this.#state !== 'closed' && this.#state !== 'failed';
    if (request.waitMs > 0 && nothingYet()) {
      await this.#nextChange(Math.min(request.waitMs, MAX_WAIT_MS), request.signal);
    }
    return this.#readNow(request);
  }

  /** Retained output from a cursor on. Rejects with `invalid-argument` for a cursor of another session. */
  async page({ cursor, maxBytes, waitMs, signal }: PageRequest): Promise<PageResult> {
    const from = this.#offsetOf(cursor);
    if (waitMs > 0 && from >= this.#ring.endOffset && !this.closed) {
      await this.#nextChange(Math.min(waitMs, MAX_WAIT_MS), signal);
    }
    const { pieces, goneBytes, endOffset } = this.#ring.read(from, maxBytes);
    return { pieces, ...this.#readerFacts(goneBytes, endOffset) };
  }

  /** Output as text for a named reader. Rejects with `limit-reached` for one name too many. */
  async text({ reader: name, drain, maxBytes, waitMs, signal }: TextRequest): Promise<TextResult> {
    const reader = this.#readers.get(name) ?? this.#newReader(name);
    if (waitMs > 0 && reader.offset >= this.#ring.endOffset && !this.closed) {
      await this.#nextChange(Math.min(waitMs, MAX_WAIT_MS), signal);
    }
    const { text, goneBytes, endOffset } = reader.read(this.#ring, { maxBytes, drain }, this.closed);
    return { text, ...this.#readerFacts(goneBytes, drain ? endOffset : reader.offset, endOffset) };
  }

  /** Resolves with the activity counter as soon as it is above `after`, or at the abort; never by looking again and again. */
  async nextActivity(after: number, signal?: AbortSignal): Promise<number> {
    while (this.#ring.nextSeq - 1 <= after && !this.closed && !this.#forgotten && signal?.aborted !== true) {
      await this.#nextChange(MAX_WAIT_MS, signal);
    }
    return this.#ring.nextSeq - 1;
  }

  outputFrom(offset: number, maxBytes: number): OutputPage {
    return this.#ring.read(offset, maxBytes);
  }

  attend(): () => void {
    return this.#waiting?.attend() ?? (() => {});
  }

  onActivity(listener: () => void): () => void {
    this.#waitListeners.add(listener);
    return () => this.#waitListeners.delete(listener);
  }

  /** What a program is told from now on that asks its terminal. Throws a `RangeError` for what is no colour. */
  setColours(colours: TerminalColours): void {
    this.#responder?.setColours(colours);
  }

  /** Tells of output from `afterSeq` on, as it comes and as fast as it is acknowledged. */
  follow(request: FollowRequest): FollowHandle {
    return this.#follows.add(request);
  }

  /** `seq` before the chunk to begin a replay of about the last `maxBytes` with. */
  replayFrom(maxBytes: number): number {
    const offset = Math.max(this.#ring.startOffset, this.#ring.endOffset - maxBytes);
    return this.#ring.seqAtOffset(offset) - 1;
  }

  /** The size that the byte at `offset` was made for; null for pipes. */
  sizeAt(offset: number): TerminalSize | null {
    return this.#ring.sizeAt(offset);
  }

  /**
   * Sends a signal to what holds the keyboard: the terminal's foreground group, or the child's own group on pipes.
   * Answers false when there is nothing left to send it to.
   */
  signal(signal: NodeJS.Signals): boolean {
    if (this.#child === null || !isLive(this.#state)) {
      return false;
    }
    const { pid } = this.#child;
    const group = lookAtProcess(pid)?.foregroundGroup ?? pid;
    try {
      return process.kill(-group, signal);
    } catch {
      // ESRCH: the group ended since the look.
      return false;
    }
  }

  /**
   * Ends the child and everything that was started in it, also what outlived it; resolves when nothing of it is left
   * (or the kernel holds on to it). Answers whether the child was running.
   */
  async terminate(by: EndedBy, options: TerminateOptions = {}): Promise<boolean> {
    const tree = this.#tree;
    if (tree === null || (this.closed && this.#treeEmpty === true)) {
      return false;
    }
    const wasRunning = isLive(this.#state);
    if (wasRunning) {
      this.#endedBy ??= by;
    }
    this.#ending ??= this.#endTree(tree, options).finally(() => {
      // Whoever asks again after something was left over gets another try.
      this.#ending = null;
    });
    await this.#ending;
    return wasRunning;
  }

  /** Ends a child that went over its budget: at once where each moment makes it worse. */
  async endByLimit(hit: BudgetHit): Promise<void> {
    if (this.#limitHit !== null || !isLive(this.#state)) {
      return;
    }
    this.#limitHit = hit;
    this.#changed();
    const isUrgent = hit.limit === 'memory' || hit.limit === 'processes' || hit.limit === 'output';
    await this.terminate('limit', isUrgent ? { graceMs: 0 } : {});
  }

  /** What still runs of it after the child ended; empty while that runs. */
  async survivors(): Promise<readonly ProcessFacts[]> {
    return this.#tree === null || isLive(this.#state) ? [] : survivorsOf(this.#tree);
  }

  /** Lets a survivor and what it starts live on, also after this session and the host. Answers false for none of its own. */
  async adopt(pid: number): Promise<boolean> {
    const survivor = (await this.survivors()).find((process) => process.pid === pid);
    if (survivor === undefined) {
      return false;
    }
    const { startTime, command } = survivor;
    this.#adopted.push({ pid, startTime, sessionId: this.id, command: command ?? '', adoptedAtMs: Date.now() });
    // From here on it counts no more; what waits for the tree's end goes by what the last look found.
    await this.#lookAtTree();
    return true;
  }

  /** Lets go of everything: readers and followers end, descriptors close. The child must have been ended before. */
  async forget(): Promise<void> {
    if (this.#state === 'exited') {
      // Something that left the tree unseen holds the stream; to whoever listens the output ends here.
      this.#onClosed();
    }
    this.#forgotten = true;
    this.#gone.abort();
    if (this.#treeWatch !== null) {
      clearTimeout(this.#treeWatch);
      this.#treeWatch = null;
    }
    this.#stopActivity();
    this.#follows.finish();
    this.#wake();
    this.#child?.dispose();
    await this.#waiting?.close();
  }

  get #waitingFor(): WaitingFor | null {
    return isLive(this.#state) ? (this.#waiting?.current ?? null) : null;
  }

  #offsetOf(cursor: PageRequest['cursor']): number {
    if (cursor === null || cursor === 'now') {
      return cursor === null ? this.#ring.startOffset : this.#ring.endOffset;
    }
    if (cursor.epoch !== this.epoch || cursor.offset > this.#ring.endOffset) {
      throw new EngineError(
        'invalid-argument',
        `cursor: not one of session ${this.id}; read without one, from the oldest retained byte`,
      );
    }
    return cursor.offset;
  }

  #readerFacts(goneBytes: number, cursorOffset: number, givenUpTo = cursorOffset): ReaderFacts {
    return {
      cursor: { epoch: this.epoch, offset: cursorOffset },
      goneBytes,
      more: givenUpTo < this.#ring.endOffset,
      exit: this.#exit,
      closed: this.closed,
    };
  }

  #newReader(name: string): TextReader {
    if (this.#readers.size >= MAX_READERS) {
      throw new EngineError('limit-reached', `session ${this.id} has ${MAX_READERS} readers: use one of them again`);
    }
    const reader = new TextReader(this.#ring.startOffset);
    this.#readers.set(name, reader);
    return reader;
  }

  #liveChild(): ChildProcess {
    if (this.#state === 'starting') {
      throw new EngineError('session-not-writable', `process id ${this.id} is starting`);
    }
    if (this.#child === null || !isLive(this.#state)) {
      throw new EngineError('session-not-writable', `exec session '${this.id}' is no longer writable`);
    }
    return this.#child;
  }

  async #deliver(bytes: Uint8Array, timeoutMs: number | null): Promise<Delivery> {
    const child = this.#liveChild();
    if (this.#pendingInputBytes > 0 && this.#pendingInputBytes + bytes.length > MAX_PENDING_INPUT_BYTES) {
      throw new EngineError(
        'input-queue-full',
        `session ${this.id} does not read its input: ${this.#pendingInputBytes} bytes wait; try again later`,
      );
    }
    this.#waiting?.activity();
    this.#options.witness.typed(this);
    this.#pendingInputBytes += bytes.length;
    try {
      return await child.write(bytes, timeoutMs);
    } catch (error) {
      throw new EngineError('session-not-writable', `stdin is closed for process ${this.id}`, { cause: error });
    } finally {
      this.#pendingInputBytes -= bytes.length;
    }
  }

  #withEnter(bytes: Uint8Array): Uint8Array {
    return Buffer.concat([bytes, Buffer.from(this.#facts.backend === 'pty' ? '\r' : '\n')]);
  }

  async #endTree(tree: ProcessTree, options: TerminateOptions): Promise<void> {
    const survivors = await terminateTree(tree, options);
    for (const survivor of survivors) {
      this.#options.log.error('a process could not be ended', { session: this.id, pid: survivor.pid });
    }
    if (!isLive(this.#state)) {
      this.#setTreeEmpty(survivors.length === 0);
    }
    const deadline = performance.now() + CLOSE_PATIENCE_MS;
    while (this.#state !== 'closed' && performance.now() < deadline) {
      await this.#nextChange(deadline - performance.now(), undefined);
    }
  }

  #readNow({ afterSeq, maxBytes }: ReadRequest): ReadResult {
    const chunks: OutputChunk[] = [];
    let bytes = 0;
    let nextSeq = this.#ring.nextSeq;
    const firstSeq = Math.max(afterSeq + 1, this.#ring.firstSeq);
    for (let seq = firstSeq; seq < this.#ring.nextSeq; seq += 1) {
      const entry = this.#ring.entry(seq);
      if (entry?.kind !== 'output' || entry.trimmed) {
        continue;
      }
      if (chunks.length > 0 && bytes + entry.bytes.length > maxBytes) {
        nextSeq = seq;
        break;
      }
      chunks.push(entry);
      bytes += entry.bytes.length;
    }
    return { chunks, nextSeq, exit: this.#exit, closed: this.#state === 'closed' };
  }

  #nextChange(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#outputListeners.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      this.#outputListeners.add(done);
      signal?.addEventListener('abort', done);
      if (signal?.aborted === true || this.#forgotten) {
        done();
      }
    });
  }

  #wake(): void {
    for (const listener of [...this.#outputListeners, ...this.#waitListeners]) {
      listener();
    }
  }

  #onOutput(stream: OutputStreamName, bytes: Uint8Array): void {
    this.#lastOutputAt = performance.now();
    const evicted = this.#ring.append(stream, bytes, Date.now());
    if (evicted > 0 && this.#ring.startOffset === evicted) {
      this.#options.log.info('output beyond the retained bytes: the oldest leaves from now on', { session: this.id });
    }
    this.#screen.feed(bytes);
    this.#responder?.output(bytes);
    this.#waiting?.activity();
    this.#options.witness.printed(this, bytes.length);
    this.#follows.pump();
    this.#wake();
    if (!this.#forgotten) {
      this.#activity ??= setTimeout(() => {
        this.#activity = null;
        this.#changed();
      }, ACTIVITY_EVERY_MS);
    }
  }

  /** What ends is told at once, with the last number; nothing is left to be told later. */
  #stopActivity(): void {
    if (this.#activity !== null) {
      clearTimeout(this.#activity);
      this.#activity = null;
    }
  }

  #onExited(exit: ExitStatus): void {
    if (this.#state === 'failed') {
      // Its start was given up after the child was there.
      return;
    }
    void this.#waiting?.close();
    this.#responder?.dispose();
    this.#exit = exit;
    this.#state = 'exited';
    const kernelHit = this.#options.witness.exited(this);
    if (kernelHit !== null && this.#endedBy === null) {
      this.#limitHit ??= kernelHit;
      this.#endedBy = 'limit';
    }
    this.#endedBy ??= 'child';
    if (!this.#forgotten) {
      this.#treeWatch = setTimeout(() => {
        this.#treeWatch = null;
        void this.#lookForSurvivors();
      }, LOOK_FOR_SURVIVORS_MS);
    }
    this.#endedAtMs = Date.now();
    this.#ring.mark('exited');
    this.#follows.pump();
    this.#wake();
    this.#changed();
  }

  /** Tells what outlived the child, and when nothing is left of it. */
  async #lookForSurvivors(): Promise<void> {
    await this.#lookAtTree();
    const isOver = () => this.#treeEmpty === true || this.#gone.signal.aborted;
    if (!isOver() && this.#tree !== null && (await this.#tree.ended(this.#gone.signal))) {
      this.#setTreeEmpty(true);
    }
  }

  async #lookAtTree(): Promise<void> {
    try {
      const look = await this.#tree?.look();
      if (look !== undefined && (look.isEmpty || look.members.length > 0)) {
        this.#setTreeEmpty(look.isEmpty);
      }
    } catch {
      // The system would not say what runs: then that is not known.
    }
  }

  #setTreeEmpty(isEmpty: boolean): void {
    if (this.#treeEmpty === isEmpty || this.#treeEmpty === true) {
      return;
    }
    this.#treeEmpty = isEmpty;
    if (isEmpty) {
      this.#options.witness.treeEnded(this);
    }
    this.#changed();
  }

  #onWaiting(changed: boolean): void {
    for (const listener of this.#waitListeners) {
      listener();
    }
    if (changed) {
      this.#changed();
    }
  }

  *#retainedFrom(offset: number): Generator<RetainedOutput> {
    for (let seq = this.#ring.seqAtOffset(offset); seq < this.#ring.nextSeq; seq += 1) {
      const entry = this.#ring.entry(seq);
      const size = this.#ring.sizeAt(entry?.offset ?? 0);
      if (entry?.kind === 'output' && size !== null) {
        yield { offset: entry.offset, bytes: entry.bytes, size };
      }
    }
  }

  #onClosed(): void {
    this.#state = 'closed';
    this.#stopActivity();
    this.#ring.mark('closed');
    this.#follows.pump();
    this.#wake();
    this.#changed();
  }

  /** What happens to a session that nobody knows any more is told to nobody. */
  #changed(): void {
    if (!this.#forgotten) {
      this.#options.onChange(this);
    }
  }
}

function forgetOldest(remembered: Map<string, unknown>, most: number): void {
  if (remembered.size > most) {
    for (const oldest of remembered.keys()) {
      remembered.delete(oldest);
      return;
    }
  }
}
