import type { BudgetHit, LimitEnded, SessionLimits } from '../../shared/budget.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import {
  isLive,
  waitsForInput,
  type BackendKind,
  type EndedBy,
  type ExitStatus,
  type OutputStreamName,
  type ProgramProgress,
  type SessionId,
  type SessionInfo,
  type SessionOrigin,
  type SessionState,
  type TerminalSize,
  type WaitingFor,
} from '../../shared/session.ts';
import type { TerminalColours } from '../../shared/terminal-colours.ts';
import type { Act, Actor, TimelineEntry } from '../../shared/timeline.ts';
import { TurnoverSet } from '../../shared/turnover.ts';
import type { ChildEvents, ChildProcess } from '../backend/backend.ts';
import type { ChildEnvironment } from '../backend/child-environment.ts';
import type { Delivery } from '../backend/input-queue.ts';
import type { ListeningPort } from '../backend/listening-sockets.ts';
import type { ProcessFacts } from '../backend/process-facts.ts';
import { lookAtProcess, terminalNumber, type ProcessIdentity } from '../backend/process-table.ts';
import type { Leader } from '../backend/process-tree.ts';
import { ScreenTracker } from '../backend/screen-tracker.ts';
import { TERMINATE_GRACE_MS, type TerminateOptions, type TerminateWitness } from '../backend/terminate-tree.ts';
import { whatIsWaitedFor } from '../backend/waiting-for.ts';
import { WaitingWatch } from '../backend/waiting-watch.ts';
import { hitThatEnded } from '../budget/session-budget.ts';
import { QueryResponder, type RetainedOutput } from '../terminal/query-responder.ts';
import type { ScreenView } from '../terminal/screen-view.ts';
import { ActJournal } from './act-journal.ts';
import { AttentionDesk } from './attention.ts';
import { checkedMs, checkedSignal, checkedSize, checkedTitle } from './checked.ts';
import type { EarlierSession } from './earlier-session.ts';
import type { InputSpans } from './input-spans.ts';
import { Keyboard } from './keyboard.ts';
import { LimitAction } from './limit-action.ts';
import { modelScreen, modelText, type ModelText, type ModelTextRequest, type ModelTextSource } from './model-text.ts';
import type { OutputRecorder } from './output-recorder.ts';
import type { OutputPage, OutputRingOptions } from './output-ring.ts';
import { ScreenMarks } from './screen-marks.ts';
import { SessionInput, type WriteOptions } from './session-input.ts';
import { SessionOutput } from './session-output.ts';
import { SessionTree } from './session-tree.ts';
import { ShellFolder } from './shell-folder.ts';
import { TerminalReplies } from './terminal-replies.ts';
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
  /** What it is called from the start; null: by what it runs. */
  readonly title: string | null;
  readonly limits: SessionLimits;
  readonly sandbox: string | null;
  readonly retryOf: SessionId | null;
}

/** What happens to a session that others keep account of. */
export interface SessionWitness {
  /** The child runs. */
  started(session: Session, leader: Leader): void;
  /** It printed that many bytes. */
  printed(session: Session, byteCount: number): void;
  /** Something was written into it. */
  typed(session: Session): void;
  /** Its child ended. Answers a limit that the kernel enforced by itself and that was not told. */
  exited(session: Session): BudgetHit | null;
  /** Nothing of its tree is left. Answers the same. */
  treeEnded(session: Session): BudgetHit | null;
  /** No more output comes. */
  closed(session: Session): void;
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
  /** Makes what keeps its output on the disk, of the output's epoch; null: nothing does. */
  readonly recorder: ((epoch: string, info: () => SessionInfo) => OutputRecorder) | null;
  readonly log: Logger;
  /** What all processes of it carry in their environment. */
  readonly mark: string;
  readonly witness: SessionWitness;
  /** What a program is told that asks its terminal. */
  readonly colours: TerminalColours;
  /** Told of every change of the session's `info`; of more output at most every `ACTIVITY_EVERY_MS`. */
  readonly onChange: (session: Session) => void;
  /** Told of each span of input when it is over, of those that close ones are joined to. */
  readonly onInputs: (session: Session, entries: readonly TimelineEntry[]) => void;
  /** Of an earlier run of the host: it has ended, and nothing but its name changes any more. */
  readonly earlier?: EarlierSession;
}

/** Time between two tellings that a session printed more, in milliseconds. What shows the number needs no more. */
const ACTIVITY_EVERY_MS = 500;

/**
 * Time that the output has to end after the tree is gone, in milliseconds. It ends at once unless something that left
 * the tree unseen still holds the stream.
 */
const CLOSE_PATIENCE_MS = 500;

/** The steps in which that time is counted, in milliseconds: at least twenty turns of the loop, however late they come. */
const CLOSE_LOOK_MS = 25;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** One child's life, from start until forgotten, with everything it printed that is still retained. */
export class Session implements WaitableSession {
  readonly #facts: SessionFacts;
  readonly #options: SessionOptions;
  readonly #output: SessionOutput;
  readonly #input: SessionInput;
  readonly #screen = new ScreenTracker();
  readonly #screenMarks = new ScreenMarks();
  /** Null on pipes, where there is no terminal to ask. */
  readonly #responder: QueryResponder | null;
  readonly #replies = new TerminalReplies(async (bytes) => this.#child?.write(bytes, null));
  /** Its agent's wishes for a person. */
  readonly attention = new AttentionDesk(() => this.#changed());
  readonly #waitListeners = new TurnoverSet<() => void>();
  readonly #journal: ActJournal;
  readonly #keyboard: Keyboard;
  readonly #owner: Actor;
  #title: string | null;
  #isLoaded = false;
  readonly #startedAtMs: number;
  #size: TerminalSize | null;
  #cwd: string;
  #shownCwd: string;
  #environment: ChildEnvironment | null = null;
  #waiting: WaitingWatch | null = null;
  /** Null until the child runs. */
  #folder: ShellFolder | null = null;
  #child: ChildProcess | null = null;
  #tree: SessionTree | null = null;
  #state: SessionState = 'starting';
  #exit: ExitStatus | null = null;
  #endedBy: EndedBy | null = null;
  #limitHit: BudgetHit | null = null;
  /** What is done, or was, about the limit that was hit while the child ran. */
  #limitAction: LimitAction | null = null;
  #isLimitActionOver = false;
  #endedAtMs: number | null = null;
  #failure: string | null = null;
  #activity: NodeJS.Timeout | null = null;
  #ending: { readonly graceMs: number; readonly done: Promise<void> } | null = null;
  #forgotten = false;

  constructor(facts: SessionFacts, options: SessionOptions) {
    const { id, backend, size } = facts;
    const earlier = options.earlier ?? null;
    this.#facts = facts;
    this.#options = options;
    this.#startedAtMs = earlier?.info.startedAtMs ?? Date.now();
    this.#journal = new ActJournal({
      lastNumber: earlier?.info.timelineNumber,
      onAct: (entry) => this.#output.noteAct(entry),
      onInputs: (entries) => options.onInputs(this, entries),
    });
    this.#size = size;
    this.#title = facts.title;
    this.#cwd = facts.cwd;
    this.#shownCwd = facts.cwd;
    this.#output = new SessionOutput({
      id,
      ring: options.ring,
      log: options.log,
      onRead: (by, bytes) => this.#note(by, { kind: 'read', times: 1, bytes }),
      keepsScreen: backend === 'pty',
      recorder: (epoch) => options.recorder?.(epoch, () => this.info) ?? null,
      earlier,
      hold: (held) => (held ? this.#child?.pause() : this.#child?.resume()),
    });
    this.#input = new SessionInput({
      id,
      backend,
      child: () => this.#liveChild(),
      onWrite: (bytes, by) => {
        this.#checkWrite(bytes, by ?? this.#owner);
        this.#waiting?.activity();
        options.witness.typed(this);
      },
    });
    const { origin } = facts;
    this.#owner = origin.kind === 'agent' ? { kind: 'agent', client: origin.client } : { kind: 'person' };
    this.#keyboard = new Keyboard({
      id,
      owner: origin.kind,
      onTaken: () => this.#note({ kind: 'person' }, { kind: 'took-keyboard' }),
      onHandedBack: (why, sizeBefore) => this.#onHandedBack(why, sizeBefore),
    });
    if (earlier !== null) {
      this.#responder = null;
      this.#takeEnd(earlier.info);
      return;
    }
    const { callId, threadId } = origin.kind === 'agent' ? origin : { callId: null, threadId: null };
    // Not by `#note`: nobody knows of this session yet.
    const started: Act = { kind: 'started', callId, threadId };
    this.#journal.note({ by: this.#owner, act: started, offset: 0, atMs: this.#startedAtMs });
    if (size === null) {
      this.#responder = null;
      return;
    }
    this.#output.markSize(size);
    this.#responder = new QueryResponder({
      colours: options.colours,
      replay: (fromOffset) => this.#replay(fromOffset),
      reply: (bytes) => this.#reply(bytes),
    });
  }

  get id(): SessionId {
    return this.#facts.id;
  }

  get backend(): BackendKind {
    return this.#facts.backend;
  }

  /** See `sessionMark`. */
  get mark(): string {
    return this.#options.mark;
  }

  get limits(): SessionLimits {
    return this.#facts.limits;
  }

  /** What the last look at the tree found. */
  get knownProcesses(): readonly ProcessIdentity[] {
    return this.#tree?.known ?? [];
  }

  /** What a person decided to keep of it. */
  get adoptedProcesses(): readonly ProcessIdentity[] {
    return this.#tree?.adopted ?? [];
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Bytes of output held in memory. */
  get retainedBytes(): number {
    return this.#output.retainedBytes;
  }

  get info(): SessionInfo {
    const facts = this.#facts;
    // Each property by name: with the facts spread into it the object costs 8 kB instead of 0.3, and each change makes one.
    return {
      id: facts.id,
      backend: facts.backend,
      argv: facts.argv,
      cwd: this.#cwd,
      shownCwd: this.#shownCwd,
      size: this.#size,
      origin: facts.origin,
      limits: facts.limits,
      sandbox: facts.sandbox,
      retryOf: facts.retryOf,
      pid: this.#child?.pid ?? null,
      state: this.#state,
      exit: this.#exit,
      endedBy: this.#exit === null ? null : this.#endedBy,
      failure: this.#failure,
      startedAtMs: this.#startedAtMs,
      endedAtMs: this.#endedAtMs,
      outputBytes: this.#output.endOffset,
      epoch: this.epoch,
      activity: this.#output.activity,
      waitingFor: this.#waitingFor,
      folder: this.#folder === null ? (this.#options.earlier?.info.folder ?? null) : this.#folder.current,
      progress: this.#progress,
      treeEmpty: this.#tree?.isEmpty ?? null,
      limitHit: this.#limitHit,
      title: this.#title,
      keyboard: this.#keyboard.holder,
      lastHold: this.#keyboard.last,
      timelineNumber: this.#journal.lastNumber,
      timelineActs: this.#journal.noted,
      attention: this.attention.current,
    };
  }

  /** What the child's environment is made of; null before it runs. */
  get environment(): ChildEnvironment | null {
    return this.#environment;
  }

  /** What it printed, and its readers. */
  get output(): SessionOutput {
    return this.#output;
  }

  get epoch(): string {
    return this.#output.epoch;
  }

  get exited(): boolean {
    return !isLive(this.#state);
  }

  get closed(): boolean {
    return this.#state === 'closed' || this.#state === 'failed' || this.#state === 'lost';
  }

  /** Its output has ended, and nothing is left of what was started in it: it can be forgotten without a loss. */
  get isOver(): boolean {
    return (
      this.#state === 'failed' ||
      this.#options.earlier !== undefined ||
      (this.#state === 'closed' && this.#tree?.isEmpty === true)
    );
  }

  /** It ran in an earlier run of the host. */
  get isEarlier(): boolean {
    return this.#options.earlier !== undefined;
  }

  get forgotten(): boolean {
    return this.#forgotten;
  }

  get waitsForInput(): boolean | null {
    return waitsForInput(this.#waitingFor);
  }

  get lastOutputAt(): number {
    return this.#output.lastOutputAt;
  }

  get endOffset(): number {
    return this.#output.endOffset;
  }

  /** What the backend of this session's child must report to. */
  get childEvents(): ChildEvents {
    return {
      output: (stream, bytes) => this.#onOutput(stream, bytes),
      isAwaited: () => this.#output.isAwaited,
      exited: (exit) => this.#onExited(exit),
      closed: () => this.#onClosed(),
    };
  }

  /** The child runs. */
  started(child: ChildProcess, { cwd, shownCwd, environment }: StartedFacts): void {
    this.#child = child;
    const leader = { pid: child.pid, startTime: startTimeOf(child.pid) };
    const { inputPlace } = child;
    const terminal = inputPlace.kind === 'pty' ? terminalNumber(inputPlace.slavePath) : null;
    this.#tree = new SessionTree({
      id: this.id,
      leader,
      mark: this.#options.mark,
      // From the leader's exit on the number may be another terminal's.
      terminal: () => (isLive(this.#state) ? terminal : null),
      log: this.#options.log,
      onChange: () => this.#onTreeChanged(),
    });
    this.#options.witness.started(this, leader);
    this.#folder = new ShellFolder({
      leader,
      sharesFiles: this.#facts.sandbox === null,
      told: () => this.#responder?.toldFolder ?? null,
      forgetTold: () => this.#responder?.forgetFolder(),
    });
    if (isLive(this.#state)) {
      this.#waiting = new WaitingWatch({
        look: () => {
          const { screen } = this.#screen;
          return whatIsWaitedFor(leader, inputPlace.kind === 'pty' ? { ...inputPlace, screen } : inputPlace);
        },
        onAnswer: (waiting, changed) => this.#onWaiting(waiting, changed),
      });
    }
    this.#cwd = cwd;
    this.#shownCwd = shownCwd;
    this.#environment = environment;
    this.#state = 'running';
    this.#output.started();
    this.#changed();
  }

  /** The child could not be started. */
  failed(reason: string): void {
    this.#state = 'failed';
    this.#failure = reason;
    this.#endedAtMs = Date.now();
    this.#note({ kind: 'host' }, { kind: 'not-started', why: reason });
    this.#output.failed();
  }

  /** Where input came, of the output that is in memory. */
  get inputs(): InputSpans {
    return this.#journal.inputs;
  }

  /** The newest of what was done to it in this run of the host, at most so many acts, in order. */
  newestActs(most: number): readonly TimelineEntry[] {
    return this.#journal.newest(most);
  }

  /** What was done to it, in order; of very many acts the newest. Rejects where the disk has them and cannot be read. */
  async timeline(): Promise<readonly TimelineEntry[]> {
    const { earlier } = this.#options;
    if (earlier === undefined) {
      return this.#journal.entries;
    }
    const kept = await earlier.output.timeline();
    // What was done in this run may be among what is kept by now.
    return [...kept.filter(({ number }) => number <= earlier.info.timelineNumber), ...this.#journal.entries];
  }

  /** Has the output of an earlier run in memory when it resolves; see `SessionOutput.load`. */
  async load(): Promise<void> {
    if (this.#options.earlier === undefined || this.#isLoaded) {
      return;
    }
    await this.#output.load();
    if (!this.#isLoaded) {
      this.#isLoaded = true;
      for (const entry of this.#output.loadedInputs) {
        this.#journal.inputs.note(entry);
      }
      for (const { offset, bytes } of this.#output.piecesFrom(0)) {
        this.#followScreen(offset, bytes);
      }
    }
  }

  /** Names it, or takes the name away. Throws `invalid-argument` for one that no tab can show. */
  rename(title: string | null, by: Actor = this.#owner): void {
    const shown = title === null ? null : checkedTitle(title);
    if (shown !== this.#title) {
      this.#title = shown;
      this.#note(by, { kind: 'titled', title: shown });
    }
  }

  /** A person who holds the keyboard gives it back; the terminal has the size again that it had before. */
  handBackKeyboard(): void {
    this.#keyboard.handBack();
  }

  /** One submission of input; see `SessionInput.write`. */
  write(bytes: Uint8Array, options: WriteOptions = {}): Promise<Delivery> {
    return this.#input.write(bytes, options);
  }

  /** Whether a write of that request id is done, or on its way: the same again writes nothing. */
  hasWritten(requestId: string): boolean {
    return this.#input.knows(requestId);
  }

  /** Ends the child's stdin after what is queued. Throws `not-supported` on a pty, `session-not-writable` after the end. */
  closeInput(by: Actor = this.#owner): void {
    this.#liveChild().closeInput();
    this.#note(by, { kind: 'closed-input' });
  }

  /** Sets the terminal's size. Throws `not-supported` for a session on pipes; does nothing after the end. */
  resize(wanted: TerminalSize, by: Actor = this.#owner): void {
    const size = checkedSize(wanted);
    if (this.#facts.backend === 'pipe') {
      throw new EngineError('not-supported', `session ${this.id} is on pipes: it has no terminal size`);
    }
    const unchanged = this.#size?.cols === size.cols && this.#size.rows === size.rows;
    if (!isLive(this.#state) || unchanged) {
      return;
    }
    if (by.kind === 'person') {
      this.#keyboard.taken(this.#output.endOffset);
      this.#keyboard.sizedFrom(this.#size ?? size);
    }
    this.#setSize(size);
    this.#note(by, { kind: 'resized', size });
  }

  outputFrom(offset: number, maxBytes: number): OutputPage {
    return this.#output.from(offset, maxBytes);
  }

  /** Output as text for a model; see `modelText`. */
  modelText(request: ModelTextRequest): Promise<ModelText> {
    return modelText(this.#modelTextSource, request);
  }

  /** What its terminal shows now; see `modelScreen`. */
  screen(): Promise<ScreenView> {
    return modelScreen(this.#modelTextSource);
  }

  attend(): () => void {
    return this.#waiting?.attend() ?? (() => {});
  }

  onActivity(listener: () => void): () => void {
    const stop = this.#output.onChange(listener);
    this.#waitListeners.add(listener);
    return () => {
      stop();
      this.#waitListeners.delete(listener);
    };
  }

  /** What a program is told from now on that asks its terminal. Throws a `RangeError` for what is no colour. */
  setColours(colours: TerminalColours): void {
    this.#responder?.setColours(colours);
  }

  /**
   * Sends a signal to what holds the keyboard: the terminal's foreground group, or the child's own group on pipes.
   * Answers false when there is nothing left to send it to.
   */
  signal(wanted: NodeJS.Signals, by: Actor = this.#owner): boolean {
    const signal = checkedSignal(wanted);
    if (this.#child === null || !isLive(this.#state)) {
      return false;
    }
    const { pid } = this.#child;
    const group = lookAtProcess(pid)?.foregroundGroup ?? pid;
    this.#waiting?.activity();
    this.#note(by, { kind: 'signalled', signal });
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
    if (tree === null || (this.closed && tree.isEmpty === true)) {
      return false;
    }
    const graceMs = checkedMs('graceMs', options.graceMs ?? TERMINATE_GRACE_MS);
    // One that has ended by itself is only not told of yet: nobody else ended it.
    const wasRunning = isLive(this.#state) && (this.#child === null || !hasEnded(this.#child.pid));
    if (wasRunning && this.#endedBy === null) {
      this.#endedBy = by;
      this.#note(this.#actorOf(by), { kind: 'asked-to-end' });
    }
    await this.#end(tree, { ...options, graceMs });
    return wasRunning;
  }

  async #end(tree: SessionTree, options: TerminateOptions & TerminateWitness & { graceMs: number }): Promise<void> {
    const { graceMs } = options;
    if (this.#ending === null || graceMs < this.#ending.graceMs) {
      // Whoever has less patience than the one before does not wait for that one's to end.
      const ending = { graceMs, done: this.#endTree(tree, options) };
      this.#ending = ending;
      await ending.done.finally(() => {
        // Whoever asks again after something was left over gets another try.
        this.#ending = this.#ending === ending ? null : this.#ending;
      });
    } else {
      await this.#ending.done;
    }
  }

  /**
   * Ends what went over its budget, the child or what outlived it, with its whole tree. `endedBy` tells `limit` only when
   * that ended the child; a child that had ended, or was about to, by itself or at somebody's word, keeps that end, and
   * the hit tells what became of it.
   */
  async endByLimit(hit: BudgetHit): Promise<void> {
    const tree = this.#tree;
    if (tree === null || this.#child === null || this.#limitHit !== null) {
      return;
    }
    const { pid } = this.#child;
    if (!isLive(this.#state) || hasEnded(pid)) {
      await this.#endSurvivorsByLimit(tree, hit);
    } else if (this.#endedBy === null) {
      const action = new LimitAction(pid);
      this.#limitAction = action;
      this.#endedBy = 'limit';
      this.#takeHit(hit, null);
      try {
        await this.#end(tree, { ...endingFor(hit), onSignal: action.onSignal });
      } finally {
        this.#isLimitActionOver = true;
        this.#settleHit();
      }
    } else {
      // Somebody has asked it to end, and may have much patience.
      this.#takeHit(hit, 'nothing');
      await this.#end(tree, endingFor(hit));
    }
  }

  /**
   * Ends one survivor and what it starts, and nothing else. Answers false for none of its own. Throws `invalid-argument`
   * for a grace that is no time.
   */
  async stopSurvivor(pid: number, options: TerminateOptions = {}): Promise<boolean> {
    const graceMs = checkedMs('graceMs', options.graceMs ?? TERMINATE_GRACE_MS);
    return this.#tree?.stop(pid, { ...options, graceMs }) ?? false;
  }

  /** What still runs of it after the child ended; empty while that runs. */
  async survivors(): Promise<readonly ProcessFacts[]> {
    return this.#tree?.survivors() ?? [];
  }

  /** See `SessionTree.listening`. */
  async listening(): Promise<readonly ListeningPort[] | null> {
    return this.#tree?.listening() ?? null;
  }

  /** Lets a survivor and what it starts live on, also after this session and the host. Answers false for none of its own. */
  async adopt(pid: number): Promise<boolean> {
    if (this.#ending !== null) {
      throw new EngineError(
        'not-supported',
        `session ${this.id} is being ended: what it left can be adopted before that`,
      );
    }
    return this.#tree?.adopt(pid) ?? false;
  }

  /** Lets go of everything: readers and followers end, descriptors close. The child must have been ended before. */
  async forget(): Promise<void> {
    if (isLive(this.#state) && this.#child !== null) {
      // The system has not told the end of what was killed yet: how it ended will never be known.
      this.#onExited({ exitCode: null, signal: null });
    }
    if (this.#state === 'exited') {
      // Something that left the tree unseen holds the stream; to whoever listens the output ends here.
      this.#onClosed();
    }
    this.#forgotten = true;
    this.#journal.settle();
    this.#tree?.close();
    this.#stopActivity();
    this.#keyboard.dispose();
    this.#output.forget();
    this.#child?.dispose();
    await this.#waiting?.close();
  }

  /** What still runs after the child ended has the same limits. */
  async #endSurvivorsByLimit(tree: SessionTree, hit: BudgetHit): Promise<void> {
    const isLeft = await tree.isRunning();
    if (this.#limitHit !== null || (!isLeft && (hit.limit === 'lifetime' || hit.limit === 'idle'))) {
      // A time that passed after all of it had ended is nobody's.
      return;
    }
    this.#takeHit(hit, isLeft ? 'survivors' : 'nothing');
    if (isLeft) {
      await this.#end(tree, endingFor(hit));
    }
  }

  #takeHit(hit: BudgetHit, ended: LimitEnded | null): void {
    this.#limitHit = ended === null ? hit : hitThatEnded(hit, ended);
    this.#note({ kind: 'host' }, { kind: 'hit-limit', message: hit.message });
  }

  /** What the limit ended is known when the child's exit is told and what was done about the limit is over. */
  #settleHit(): void {
    const hit = this.#limitHit;
    const action = this.#limitAction;
    if (hit === null || hit.ended !== null || action === null || this.#exit === null) {
      return;
    }
    if (this.#endedBy === 'limit') {
      this.#limitHit = hitThatEnded(hit, 'child');
    } else if (this.#isLimitActionOver) {
      this.#limitHit = hitThatEnded(hit, action.hasReachedOthers ? 'survivors' : 'nothing');
      this.#changed();
    }
  }

  #actorOf(by: EndedBy): Actor {
    return by === 'agent' ? this.#owner : by === 'person' ? { kind: 'person' } : { kind: 'host' };
  }

  /** A person's key takes the keyboard; an agent's write is refused while a person has it. */
  #checkWrite(bytes: Uint8Array, by: Actor): void {
    if (by.kind === 'person') {
      this.#keyboard.taken(this.#output.endOffset);
    } else if (by.kind === 'agent') {
      try {
        this.#keyboard.checkAgent(bytes);
      } catch (error) {
        this.#note(by, { kind: 'write-refused' });
        throw error;
      }
    }
    // How long a password is, is nobody's business either. Its first key makes the answer an old one: it counts all the
    // same, until a look says that what is typed is shown again.
    const isHidden = this.#waiting?.last?.kind === 'password';
    const endsLine = !isHidden && (bytes.includes(LINE_FEED) || bytes.includes(CARRIAGE_RETURN));
    this.#note(by, { kind: 'wrote', times: 1, bytes: isHidden ? null : bytes.length }, endsLine);
  }

  /** The terminal answers what the program asked it. */
  #reply(bytes: Uint8Array): void {
    if (this.#replies.send(bytes)) {
      this.#note({ kind: 'terminal' }, { kind: 'replied', times: 1, bytes: bytes.length });
    }
  }

  #onHandedBack(why: 'asked' | 'idle', sizeBefore: TerminalSize | null): void {
    if (sizeBefore !== null && isLive(this.#state)) {
      this.#setSize(sizeBefore);
    }
    this.#note({ kind: 'person' }, { kind: 'gave-keyboard-back', why });
  }

  #setSize(size: TerminalSize): void {
    this.#child?.resize(size);
    this.#waiting?.activity();
    this.#size = size;
    this.#output.markSize(size);
  }

  /** Who asked for it. */
  get owner(): Actor {
    return this.#owner;
  }

  /** Takes an act into the timeline. */
  note(by: Actor, act: Act): void {
    this.#note(by, act);
  }

  #note(by: Actor, act: Act, endsLine = false): void {
    this.#journal.note({ by, act, offset: this.#output.endOffset, atMs: Date.now(), endsLine });
    if (act.kind === 'wrote' || act.kind === 'replied' || act.kind === 'read') {
      this.#changedSoon();
    } else {
      this.#changed();
    }
  }

  get #waitingFor(): WaitingFor | null {
    return isLive(this.#state) ? (this.#waiting?.current ?? null) : null;
  }

  get #progress(): ProgramProgress | null {
    return isLive(this.#state) ? (this.#responder?.progress ?? null) : null;
  }

  get #modelTextSource(): ModelTextSource {
    const output = this.#output;
    return {
      epoch: this.epoch,
      size: this.#size,
      closed: this.closed,
      endOffset: output.endOffset,
      readableFrom: (offset) => output.readableFrom(offset),
      read: (offset, maxBytes) => output.readable(offset, maxBytes),
      sizeAt: (offset) => output.sizeAt(offset),
      replayStart: (maxBytes) => output.replayStart(maxBytes),
      onAlternateAt: (offset) => this.#screenMarks.at(offset) === 'alternate',
    };
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

  async #endTree(tree: SessionTree, options: TerminateOptions & TerminateWitness): Promise<void> {
    await tree.terminate(options);
    if (!isLive(this.#state) || tree.isEnded) {
      this.#output.stopHolding();
    }
    for (let leftMs = CLOSE_PATIENCE_MS; leftMs > 0 && this.#state !== 'closed';) {
      const before = performance.now();
      await this.#output.nextChange(CLOSE_LOOK_MS);
      // A stall of the whole host counts as one step: what has happened meanwhile is told in the next.
      leftMs -= Math.min(CLOSE_LOOK_MS, performance.now() - before);
    }
  }

  #onOutput(stream: OutputStreamName, bytes: Uint8Array): void {
    this.#output.append(stream, bytes);
    if (stream === 'pty') {
      this.#followScreen(this.#output.endOffset - bytes.length, bytes);
    }
    this.#responder?.output(bytes);
    this.#waiting?.activity();
    this.#options.witness.printed(this, bytes.length);
    this.#changedSoon();
  }

  #followScreen(begin: number, bytes: Uint8Array): void {
    this.#screen.feed(bytes, (end) => this.#screenMarks.add(begin + end, this.#screen.screen));
  }

  #takeEnd(info: SessionInfo): void {
    this.#shownCwd = info.shownCwd;
    this.#state = info.state;
    this.#exit = info.exit;
    this.#endedBy = info.endedBy;
    this.#endedAtMs = info.endedAtMs;
    this.#limitHit = info.limitHit;
  }

  #changedSoon(): void {
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
    if (this.#state === 'failed' || this.#exit !== null) {
      // Its start was given up after the child was there, or it was forgotten before this came.
      return;
    }
    void this.#waiting?.close();
    this.#responder?.dispose();
    this.#exit = exit;
    this.#state = 'exited';
    this.#takeEndByLimit(exit);
    this.#endedBy ??= 'child';
    this.#settleHit();
    this.#tree?.leaderEnded();
    this.attention.dispose();
    this.#endedAtMs = Date.now();
    this.#keyboard.dispose();
    this.#output.exited(exit);
    this.#note({ kind: 'child' }, { kind: 'exited', exit });
  }

  /** Whether it was a limit that ended the child; a child that ended by itself was over it all the same. */
  #takeEndByLimit(exit: ExitStatus): void {
    const kernelHit = this.#options.witness.exited(this);
    const isKilled = kernelHit?.limit === 'memory' && exit.signal === 'SIGKILL' && this.#endedBy === null;
    if (kernelHit !== null && isKilled && this.#limitHit === null) {
      this.#endedBy = 'limit';
      this.#takeHit(kernelHit, 'child');
    } else if (kernelHit !== null && this.#tree !== null) {
      void this.#endSurvivorsByLimit(this.#tree, kernelHit);
    } else if (this.#endedBy === 'limit' && this.#limitAction?.explains(exit) === false) {
      this.#endedBy = 'child';
    }
  }

  #onTreeChanged(): void {
    if (this.#tree?.isEmpty === true) {
      const kernelHit = this.#options.witness.treeEnded(this);
      if (kernelHit !== null && this.#limitHit === null) {
        this.#takeHit(kernelHit, kernelHit.limit === 'memory' ? 'survivors' : 'nothing');
      }
    }
    this.#changed();
  }

  #onWaiting(waiting: WaitingFor, changed: boolean): void {
    const { kind, pid } = waiting;
    const folder = this.#folder?.current;
    this.#folder?.look(waiting);
    const isElsewhere = this.#folder?.current !== folder;
    // The child is at its own prompt: the program that told of its progress has ended, and may have been killed.
    const isProgressOver = kind === 'repl' && pid === this.#child?.pid && this.#progress !== null;
    if (isProgressOver) {
      this.#responder?.forgetProgress();
    }
    for (const listener of this.#waitListeners) {
      listener();
    }
    if (changed || isProgressOver || isElsewhere) {
      this.#changed();
    }
  }

  *#replay(fromOffset: number): Generator<RetainedOutput> {
    for (const { offset, bytes, size } of this.#output.piecesFrom(fromOffset)) {
      if (size !== null) {
        yield { offset, bytes, size };
      }
    }
  }

  #onClosed(): void {
    if (this.#state === 'failed') {
      return;
    }
    this.#state = 'closed';
    this.#options.witness.closed(this);
    this.#stopActivity();
    this.#journal.settle();
    this.#output.closed();
    this.#note({ kind: 'child' }, { kind: 'output-closed' });
  }

  /** What happens to a session that nobody knows any more is told to nobody. */
  #changed(): void {
    if (!this.#forgotten) {
      this.#options.onChange(this);
    }
  }
}

/** How a tree is ended that is over a limit: at once where each moment makes it worse. */
function endingFor({ limit }: BudgetHit): TerminateOptions & { readonly graceMs: number } {
  const isUrgent = limit === 'memory' || limit === 'processes' || limit === 'output';
  // No signal that it could hear: a child that exits all the same has done so by itself.
  return isUrgent ? { graceMs: 0, signal: 'SIGKILL' } : { graceMs: TERMINATE_GRACE_MS };
}

/** Null when it has been reaped, and when the system would not say (out of descriptors). */
function startTimeOf(pid: number): string | null {
  try {
    return lookAtProcess(pid)?.startTime ?? null;
  } catch {
    return null;
  }
}

/** On Linux: the process is gone or waits to be reaped. Elsewhere not known, and so false. */
function hasEnded(pid: number): boolean {
  return process.platform === 'linux' && lookAtProcess(pid)?.zombie !== false;
}
