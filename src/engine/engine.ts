import { EngineError } from '../shared/errors.ts';
import { silentLogger, type Logger } from '../shared/logger.ts';
import type { OutputCursor } from '../shared/output-cursor.ts';
import type { OutputSearchStep, OutputStretch } from '../shared/output-search.ts';
import type { Attention, EndedBy, SessionId, SessionInfo, TerminalSize } from '../shared/session.ts';
import type { TerminalColours } from '../shared/terminal-colours.ts';
import type { Actor, SessionAct, TimelineEntry } from '../shared/timeline.ts';
import type { Grant } from './approval/grants.ts';
import type { Answer, Question, QuestionEvent } from './approval/pending-questions.ts';
import { looksLikeCredential } from './backend/agent-environment.ts';
import type { ChildEnvironment } from './backend/child-environment.ts';
import type { Delivery } from './backend/input-queue.ts';
import { endedHosts, leftOverProcesses, thisHost, type DeadHost } from './backend/left-over-processes.ts';
import type { ListeningPort } from './backend/listening-sockets.ts';
import { newHostId } from './backend/session-mark.ts';
import { stopProcesses, type TerminateOptions } from './backend/terminate-tree.ts';
import type { WatchedUsage } from './budget/budget-watch.ts';
import type { AgentDoors, InputOptions } from './exec/agent-doors.ts';
import { ShellCommands, type ShellCommandsOptions } from './exec/shell-commands.ts';
import type { SafeStart, StartSafety } from './exec/start-safety.ts';
import { UnifiedExec, type UnifiedExecOptions } from './exec/unified-exec.ts';
import { SafeStarts, type FencePlaces, type SafetyOptions } from './safe-starts.ts';
import { sandboxTextOfKey, type FencePolicy } from './sandbox/sandbox-policy.ts';
import type { SandboxReport } from './sandbox/sandbox-report.ts';
import type { AttentionOutcome, AttentionRequest } from './session/attention.ts';
import { checkedByteLimit, checkedPlace } from './session/checked.ts';
import type { FollowHandle, FollowRequest } from './session/follow-group.ts';
import type { ModelText, ModelTextRequest } from './session/model-text.ts';
import type { OutputPage } from './session/output-ring.ts';
import type { OutputSearchRequest } from './session/output-search.ts';
import type { OutputStretchRequest } from './session/output-stretch.ts';
import type { SessionEvent, StartRequest, Survivors } from './session/session-manager.ts';
import { SessionManager } from './session/session-manager.ts';
import type {
  PageRequest,
  PageResult,
  ReadRequest,
  ReadResult,
  TextRequest,
  TextResult,
} from './session/session-output.ts';
import type { WaitCondition, WaitOutcome, WaitRequest } from './session/wait.ts';
import { ProcessLedger } from './storage/process-ledger.ts';
import type { KeptTranscript } from './storage/transcript-archive.ts';
import { Transcripts, type EarlierSessions, type TranscriptPlace } from './storage/transcripts.ts';
import type { ReplayStart } from './terminal/screen-keeper.ts';
import type { ScreenView } from './terminal/screen-view.ts';

export type { EnvironmentRequest } from './backend/child-environment.ts';
export { signalNumber } from './backend/signal-names.ts';
export { loginShell } from './backend/login-shell.ts';
export { ClientTokens } from './storage/client-tokens.ts';
export {
  clientTokensFolder,
  execServerTokenFile,
  readGivenToken,
  readOrCreateToken,
  runtimeFolder,
  engineFiles,
} from './storage/state-folder.ts';
export {
  readSettingsDocument,
  SettingsDocument,
  SettingsSyntaxError,
  writeSettingsDocument,
} from './storage/settings-document.ts';
export { engineSettingsSchema } from './approval/settings.ts';
export type { FollowEvent } from './session/output-follower.ts';
export type { SessionEvent, StartRequest } from './session/session-manager.ts';
export type { FollowHandle, FollowRequest } from './session/follow-group.ts';
export type { ReplayStart } from './terminal/screen-keeper.ts';
export { BellScan } from './terminal/bell-scan.ts';
export { SkippedModes } from './terminal/skipped-modes.ts';
export type { ReadRequest, ReadResult } from './session/session-output.ts';
export { shellAnswerText, type CommandPlace, type ShellAnswer, type ShellCommands } from './exec/shell-commands.ts';
export { cutOutput } from './exec/answer-text.ts';
export { waitForEnd, yieldTime } from './exec/yield-window.ts';
export type { AttentionOutcome } from './session/attention.ts';
export type { ModelText } from './session/model-text.ts';
export type { ScreenView } from './terminal/screen-view.ts';
export type { EarlierSessions } from './storage/transcripts.ts';
export type { EarlierFacts } from './storage/earlier-transcript.ts';
export type { Delivery } from './backend/input-queue.ts';
export type { WaitCondition, WaitOutcome, WaitRequest } from './session/wait.ts';
export { readOnly, workspaceWrite, type FencePolicy, type SandboxPolicy } from './sandbox/sandbox-policy.ts';
export { likelyDenied } from './sandbox/likely-denied.ts';
export type { Grant } from './approval/grants.ts';
export type { FencePlaces } from './safe-starts.ts';
export type { Retry, StartSafety } from './exec/start-safety.ts';
export type { Answer, Question, QuestionEvent } from './approval/pending-questions.ts';

/**
 * The host of sessions, as protocols and hosts see it: asynchronous, plain data in and out, no live objects but the
 * handle of a running follow. Every call about one session rejects with `session-not-found` for an unknown id.
 */
export interface Engine {
  /**
   * What an agent asks for (`origin`) goes the way of `startSafely`; when it is not said otherwise without a sandbox. See
   * `SessionManager.start`: `invalid-argument`, `session-exists`, `spawn-failed`, `engine-disposed`.
   */
  start(request: StartRequest, safety?: Partial<StartSafety>): Promise<SessionInfo>;
  /**
   * Starts what an agent asks for, by the way of all agents' commands: the settings' rules, perhaps a person, the sandbox.
   * Rejects as `start` does, with `refused` and with `sandbox-missing`.
   */
  startSafely(request: StartRequest, safety?: Partial<StartSafety>): Promise<SafeStart>;
  /** What waits for a person's answer, the oldest first. */
  questions(): Promise<readonly Question[]>;
  /** A person's answer. False when the question is settled already, or cannot be answered so. */
  answerQuestion(id: string, answer: Answer, from: string): Promise<boolean>;
  /** Tells what is asked and how it is settled. */
  onQuestion(listener: (event: QuestionEvent) => void): () => void;
  /** What was allowed for longer than once. */
  grants(): Promise<readonly ListedGrant[]>;
  revokeGrant(id: string): Promise<boolean>;
  /** A client has left (`StartSafety.clientSession`): what was allowed for its session is so no longer. */
  endClientSession(session: string): Promise<void>;
  /** Whether commands can be fenced in on this machine, and what is missing. */
  sandboxReport(): Promise<SandboxReport>;
  /** Where a fence's places are on this machine, links followed: for what this host does itself for an agent in it. */
  fencePlaces(policy: FencePolicy): Promise<FencePlaces>;
  /** All sessions, live and ended, sorted by id. */
  list(): Promise<readonly SessionInfo[]>;
  get(id: SessionId): Promise<SessionInfo>;
  /**
   * The same, with the end of its output in memory where it is of an earlier run: before `follow`, `replayFrom`,
   * `inputsAt` and `sizeAt`, which answer at once. Output that the disk does not give is told to be gone.
   */
  load(id: SessionId): Promise<SessionInfo>;
  /** Retained output after a `seq`; see `Session.read`. */
  read(id: SessionId, request: ReadRequest): Promise<ReadResult>;
  /** Retained output from a cursor on; see `Session.page`. */
  page(id: SessionId, request: PageRequest): Promise<PageResult>;
  /** Output as text for a named reader; see `Session.text`. */
  text(id: SessionId, request: TextRequest): Promise<TextResult>;
  /** Output as text for a model, without control sequences; see `modelText`. Rejects for a cursor of another session. */
  modelText(id: SessionId, request: ModelTextQuery): Promise<ModelText>;
  /**
   * Looks for a text in all that is kept of the output, in memory and on the disk, from the newest byte back: one step of
   * it, see `searchOutput`. Rejects with `invalid-argument` for a text that
   * no line can hold, and with the signal's reason.
   */
  search(id: SessionId, request: OutputSearchRequest): Promise<OutputSearchStep>;
  /** What is kept around a place in the output, for a terminal that shows it; see `outputStretch`. */
  stretch(id: SessionId, request: OutputStretchRequest): Promise<OutputStretch>;
  /** What the session's terminal shows now, as rows of text. */
  screen(id: SessionId): Promise<ScreenView>;
  /** Resolves when the activity counter is above `after`; see `Session.nextActivity`. */
  nextActivity(id: SessionId, after: number, signal?: AbortSignal): Promise<number>;
  /** Waits for conditions of any number of sessions; see `waitFor`. */
  wait(request: WaitRequest): Promise<WaitOutcome>;
  /** Where each variable of the child came from, and which of the host it was not given. Names only. */
  environment(id: SessionId): Promise<EnvironmentFacts | null>;
  /** Tells of output as it comes; see `Session.follow`. Synchronous, so that nothing can come between. */
  follow(id: SessionId, request: FollowRequest): FollowHandle;
  /** `seq` before the first chunk of a replay of about the last `maxBytes`. */
  replayFrom(id: SessionId, maxBytes: number): number;
  /** What such a replay begins with where its first byte is not the child's first; see `ScreenKeeper.before`. */
  replayStart(id: SessionId, maxBytes: number): Promise<ReplayStart | null>;
  /** The spans of input that began when so many bytes had been printed. */
  inputsAt(id: SessionId, offset: number): readonly TimelineEntry[];
  /** Those of the output in memory that have come or grown since a revision (0: all), and the revision now. */
  inputsSince(id: SessionId, revision: number): NewInputs;
  /** The size of the terminal that the byte at an offset was made for; null on pipes. */
  sizeAt(id: SessionId, offset: number): TerminalSize | null;
  /**
   * One submission of input, and what became of it; see `Session.write`. Rejects with `session-not-writable`, for an agent
   * with `refused` when it may not type that, and with `human-in-control` while a person holds the keyboard. Whoever acts and does not say who (`by`) is whoever
   * asked for the session.
   */
  write(id: SessionId, bytes: Uint8Array, options?: InputOptions): Promise<Delivery>;
  /** Ends the child's stdin after what is queued. Rejects with `not-supported` on a pty. */
  closeInput(id: SessionId, by?: Actor): Promise<void>;
  /** Rejects with `not-supported` on pipes. */
  resize(id: SessionId, size: TerminalSize, by?: Actor): Promise<void>;
  /** Sends a signal to what is in the foreground; see `Session.signal`. Answers false after the end. */
  signal(id: SessionId, signal: NodeJS.Signals, by?: Actor): Promise<boolean>;
  /** Names a session, or takes its name away. Rejects with `invalid-argument` for what no tab can show. */
  rename(id: SessionId, title: string | null, by?: Actor): Promise<void>;
  /** The person who holds the keyboard of an agent's session gives it back. */
  handBackKeyboard(id: SessionId): Promise<void>;
  /** What was done to a session, by whom, in order; of very many acts the newest. */
  timeline(id: SessionId): Promise<readonly TimelineEntry[]>;
  /** The newest acts of this run on all sessions, at most so many, oldest first. */
  recentActs(most: number): Promise<readonly SessionAct[]>;
  /**
   * Ends the child's whole tree; resolves when it is gone. Answers whether the child was running. Asks with SIGTERM, or
   * another signal, and kills what is left after the grace.
   */
  terminate(id: SessionId, by: EndedBy, options?: TerminateOptions): Promise<boolean>;
  /** Ends the child if it runs and forgets the session; answers what was known of it. */
  close(id: SessionId, by: EndedBy): Promise<SessionInfo>;
  /** Marks a running session as wanting a person; see `AttentionDesk.ask`. Rejects with `session-not-writable` after the end. */
  askPerson(id: SessionId, request: AttentionRequest): Promise<Attention>;
  /** The person's answer to that. False when it no longer stands. */
  answerAttention(id: SessionId, attention: string, answer: PersonAnswer): Promise<boolean>;
  /** How that ended, waited for up to so many milliseconds; null while it stands. */
  attentionOutcome(
    id: SessionId,
    attention: string,
    wait: { readonly waitMs: number; readonly signal?: AbortSignal },
  ): Promise<AttentionOutcome | null>;
  /** What outlived the children of sessions, session by session. A `terminate` of the session ends it, too. */
  survivors(): Promise<readonly Survivors[]>;
  /** Lets one survivor, and what it starts, live on after its session and the host. False for none of that session. */
  adopt(id: SessionId, pid: number): Promise<boolean>;
  /** Ends one survivor, and what it starts; the session's others run on. False for none of that session. */
  stopSurvivor(id: SessionId, pid: number, options?: TerminateOptions): Promise<boolean>;
  /**
   * What each session uses at this moment of which something runs, be it what outlived its child; without those that the
   * system does not tell of.
   */
  usage(): Promise<ReadonlyMap<SessionId, WatchedUsage>>;
  /** Where the processes of a running session listen; null after its end, and where the system does not tell. */
  listening(id: SessionId): Promise<readonly ListeningPort[] | null>;
  /** What is kept on the disk of sessions that have ended, also of earlier runs; the newest first. Empty without transcripts. */
  transcripts(): Promise<readonly KeptTranscript[]>;
  /**
   * A page of what is kept of a session that has ended, from an offset on. Rejects with `session-not-found` when nothing
   * of it is, from there on.
   */
  transcriptPage(epoch: string, request: { readonly offset: number; readonly maxBytes: number }): Promise<OutputPage>;
  /** What is kept of these sessions, of earlier runs or closed in this one, by their epochs. All are gone without transcripts. */
  findEarlier(epochs: readonly string[]): Promise<EarlierSessions>;
  /**
   * Takes sessions that `findEarlier` has found into the list, as ended ones that are read from their transcripts; closing
   * one leaves its transcript alone. The oldest first; others are passed over. See `SessionManager.restore` for their ids.
   */
  restore(epochs: readonly string[]): Promise<readonly SessionInfo[]>;
  /** What hosts that crashed have left running, found by the ledger. Empty without one. */
  leftOvers(): Promise<readonly DeadHost[]>;
  /**
   * Ends what such a host has left, or only forgets it. Answers the pids that could not be ended; then it is not
   * forgotten. Rejects with `invalid-argument` for a host that lives or left nothing.
   */
  settleLeftOvers(hostId: string, what: 'stop' | 'keep'): Promise<readonly number[]>;
  /** Closes what has ended, and nothing that runs. */
  prune(): Promise<readonly SessionInfo[]>;
  /** Closes everything, past failures, which it reports together as an `AggregateError`. */
  closeAll(by: EndedBy): Promise<readonly SessionInfo[]>;
  /** What programs are told that ask their terminals for its colours. Throws a `RangeError` for what is no colour. */
  setTerminalColours(colours: TerminalColours): void;
  /** A front of its own for one agent: one call that opens, feeds and polls a session. */
  unifiedExec(options: Omit<UnifiedExecOptions, keyof AgentDoors>): UnifiedExec;
  /** A front of its own for one agent, with `exec_command` and `write_stdin`. */
  shellCommands(options: Omit<ShellCommandsOptions, keyof AgentDoors>): ShellCommands;
  /** Tells of every change of the list, in order. Answers the function that stops it. */
  onEvent(listener: (event: SessionEvent) => void): () => void;
  /** The host is about to end, and closes its doors first: what those end for their clients ends with the host. */
  beginEnd(): void;
  /** Ends every child; afterwards nothing of the engine is left. */
  dispose(): Promise<void>;
}

/** What is new of the input of a session. */
export interface NewInputs {
  readonly revision: number;
  readonly entries: readonly TimelineEntry[];
}

/** What a person says to an agent that asked for one. */
export interface PersonAnswer {
  readonly state: 'done' | 'declined';
  readonly note: string | null;
}

/** Which text of a session; see `ModelTextRequest`. */
export interface ModelTextQuery extends Omit<ModelTextRequest, 'fromOffset'> {
  /** Where it begins; null for the oldest byte that can be read, `now` for what is still to come. */
  readonly cursor: OutputCursor | 'now' | null;
}

/** A child's environment by names. */
export type EnvironmentFacts = Pick<ChildEnvironment, 'origins' | 'leftOut'> & {
  /** Of those that it was not given, the ones that look like credentials; sorted. */
  readonly secretsLeftOut: readonly string[];
};

/** A grant with its sandbox in words. */
export interface ListedGrant extends Grant {
  readonly sandboxText: string;
}

export interface EngineOptions {
  /** What children may inherit from; usually `process.env`. */
  readonly hostEnvironment: Readonly<NodeJS.ProcessEnv>;
  readonly log?: Logger;
  /** Bytes of output retained per session. Default: `RETAINED_BYTES_PER_SESSION`. */
  readonly retainedBytes?: number;
  /** Bytes of output retained of all ended sessions together; the oldest leave first. */
  readonly endedBytes?: number;
  /** Bytes of output retained of all sessions together, in equal parts. Default: 512 MiB. */
  readonly retainedBytesInAll?: number;
  /** Live sessions on a pty; one more is refused. */
  readonly maxPtySessions?: number;
  /** Niceness of children where this process has a lower one, which it was given and its children shall not have. */
  readonly childNiceness?: number | null;
  /**
   * Whether memory and process limits may be given to the kernel (Linux, cgroup v2). It moves this process into a
   * control group of its own at the first such limit. Default: limits are watched by samples.
   */
  readonly cgroups?: boolean;
  /** Where what runs is kept on record for the next host; see `ProcessLedger`. Without it a crash leaves no trace. */
  readonly ledgerFolder?: string;
  /** Where what sessions print is kept on the disk. Without it memory is all there is. */
  readonly transcripts?: TranscriptPlace;
  /** How agents' commands are let through. */
  readonly safety?: SafetyOptions;
}

/** A disk that gives no answer for so many milliseconds, as one over a network, does not hold up starts for longer. */
const RECORDS_MS = 5_000;

/** Builds an engine. Nothing runs until a session is started. */
export function createEngine({
  log = silentLogger,
  ledgerFolder,
  transcripts: place,
  safety: safetyOptions,
  ...options
}: EngineOptions): Engine {
  const hostId = newHostId();
  const transcripts = place === undefined ? null : openTranscripts(place, hostId, log);
  const ledger = ledgerFolder === undefined ? null : openLedger(ledgerFolder, hostId, log);
  const sessions = new SessionManager({
    ...options,
    log,
    hostId,
    recordsReady: withPatience(Promise.all([ledger, transcripts?.hostIsNamed]), log),
    recorder: transcripts === null ? null : (epoch, info) => transcripts.record(epoch, info),
    onInputs: (id, entries) => safety.noteInputs(id, entries),
    record: {
      started: (session) => void ledger?.then((opened) => opened?.sessionStarted(session)),
      ended: (id) => void ledger?.then((opened) => opened?.sessionEnded(id)),
    },
  });
  const safety = new SafeStarts({ ...safetyOptions, sessions, hostEnvironment: options.hostEnvironment, log });
  let isEnding = false;
  const stopForgetting = sessions.onEvent((event) => {
    if (event.type === 'removed') {
      safety.forget(event.id);
    }
  });
  const start: Engine['start'] = async (request, startSafety) =>
    request.origin.kind === 'person'
      ? sessions.start(request)
      : (await safety.start(request, safetyOf(request, startSafety))).session;
  const write: Engine['write'] = async (
    id,
    bytes,
    { callId = null, signal, onWaiting, onLetThrough, ...writeOptions } = {},
  ) => {
    const session = sessions.get(id);
    const { requestId } = writeOptions;
    const enter = session.backend === 'pty' ? '\r' : '\n';
    const approval =
      requestId !== undefined && session.hasWritten(requestId)
        ? null
        : safety.approvalOfInput(
            session.info,
            writeOptions.enter === true ? Buffer.concat([bytes, Buffer.from(enter)]) : bytes,
            {
              by: writeOptions.by ?? session.owner,
              callId,
              ...(signal === undefined ? {} : { signal }),
              ...(onWaiting === undefined ? {} : { onWaiting }),
            },
          );
    if (approval !== null) {
      await approval;
    }
    onLetThrough?.();
    try {
      const delivery = await session.write(bytes, writeOptions);
      if (delivery.outcome !== 'delivered') {
        safety.lineIsUnknown(id);
      }
      return delivery;
    } catch (error) {
      safety.lineIsUnknown(id);
      throw error;
    }
  };
  const leftOvers = async () => {
    const opened = await ledger;
    if (opened === null || opened === undefined) {
      return [];
    }
    const hosts = await leftOverProcesses(await opened.otherHosts(), await thisHost(hostId));
    const [gone, left] = [hosts.filter(isGone), hosts.filter((host) => !isGone(host))];
    await Promise.all(gone.map((host) => opened.forget(host.hostId)));
    return left;
  };
  const loaded = async (id: SessionId) => {
    const session = sessions.get(id);
    await session.load();
    return session;
  };
  return {
    start,
    startSafely: (request, startSafety) => safety.start(request, safetyOf(request, startSafety)),
    questions: async () => safety.questions.list(),
    answerQuestion: async (id, answer, from) => safety.answer(id, answer, from),
    onQuestion: (listener) => safety.questions.onEvent(listener),
    grants: async () => safety.grants().map((grant) => ({ ...grant, sandboxText: sandboxTextOfKey(grant.sandbox) })),
    revokeGrant: async (id) => safety.revokeGrant(id),
    endClientSession: async (session) => safety.endClientSession(session),
    sandboxReport: () => safety.sandboxReport(),
    fencePlaces: (policy) => safety.places(policy),
    list: async () => sessions.list(),
    get: async (id) => sessions.get(id).info,
    load: async (id) => (await loaded(id)).info,
    read: async (id, request) => (await loaded(id)).output.read(request),
    page: async (id, request) => (await loaded(id)).output.page(request),
    text: async (id, request) => (await loaded(id)).output.text(request),
    modelText: async (id, { cursor, ...request }) => {
      const session = await loaded(id);
      return session.modelText({ ...request, fromOffset: session.output.offsetOf(cursor) });
    },
    search: async (id, request) => (await loaded(id)).output.search(request),
    stretch: async (id, request) => (await loaded(id)).output.stretch(request),
    screen: async (id) => (await loaded(id)).screen(),
    nextActivity: async (id, after, signal) => sessions.get(id).output.nextActivity(after, signal),
    wait: async (request) => {
      for (const id of lookedInto(request.condition)) {
        if (sessions.has(id)) {
          await loaded(id);
        }
      }
      return sessions.wait(request);
    },
    environment: async (id) => {
      const { environment } = sessions.get(id);
      if (environment === null) {
        return null;
      }
      const { origins, leftOut } = environment;
      const { hostEnvironment: host } = options;
      return {
        origins,
        leftOut,
        secretsLeftOut: leftOut.filter((name) => looksLikeCredential(name, host[name] ?? '')),
      };
    },
    follow: (id, request) => sessions.get(id).output.follow(request),
    inputsAt: (id, offset) => sessions.get(id).inputs.at(offset),
    inputsSince: (id, revision) => {
      const { inputs } = sessions.get(id);
      return { revision: inputs.revision, entries: inputs.since(revision) };
    },
    replayStart: async (id, maxBytes) => sessions.get(id).output.replayStart(maxBytes),
    replayFrom: (id, maxBytes) => sessions.get(id).output.replayFrom(maxBytes),
    sizeAt: (id, offset) => sessions.get(id).output.sizeAt(offset),
    write,
    closeInput: async (id, by) => sessions.get(id).closeInput(by),
    resize: async (id, size, by) => sessions.get(id).resize(size, by),
    signal: async (id, signal, by) => sessions.get(id).signal(signal, by),
    rename: async (id, title, by) => sessions.get(id).rename(title, by),
    handBackKeyboard: async (id) => sessions.get(id).handBackKeyboard(),
    timeline: async (id) => sessions.get(id).timeline(),
    recentActs: async (most) => sessions.recentActs(most),
    terminate: (id, by, terminateOptions) =>
      sessions.terminate(id, isEnding && by === 'agent' ? 'host' : by, terminateOptions),
    close: (id, by) => sessions.close(id, by),
    askPerson: async (id, request) => {
      const session = sessions.get(id);
      if (session.exited) {
        throw new EngineError('session-not-writable', `session ${id} has ended: there is nothing to do in it`);
      }
      return session.attention.ask(request);
    },
    answerAttention: async (id, attention, answer) => sessions.get(id).attention.answer(attention, answer),
    attentionOutcome: async (id, attention, { waitMs, signal }) =>
      sessions.get(id).attention.outcome(attention, waitMs, signal),
    survivors: () => sessions.survivors(),
    adopt: async (id, pid) => sessions.adopt(id, pid),
    stopSurvivor: async (id, pid, terminateOptions) => sessions.stopSurvivor(id, pid, terminateOptions),
    usage: () => sessions.usage(),
    listening: async (id) => sessions.get(id).listening(),
    transcripts: async () => (await transcripts?.list()) ?? [],
    transcriptPage: async (epoch, { offset, maxBytes }) => {
      const from = checkedPlace('offset', offset);
      const page = await transcripts?.read(epoch, from, Math.max(1, checkedByteLimit('maxBytes', maxBytes)));
      if (page === null || page === undefined) {
        throw new EngineError('session-not-found', `transcript ${epoch}: nothing is kept from offset ${offset} on`);
      }
      return page;
    },
    findEarlier: async (epochs) => (await transcripts?.findEarlier(epochs)) ?? { found: [], gone: epochs, damaged: [] },
    restore: async (epochs) => sessions.restore(transcripts?.opened(epochs) ?? []),
    leftOvers,
    settleLeftOvers: async (deadHostId, what) => {
      const host = (await leftOvers()).find((left) => left.hostId === deadHostId);
      if (host === undefined) {
        throw new EngineError('invalid-argument', `hostId: ${deadHostId} is no host that has ended and left something`);
      }
      const left = what === 'stop' ? await stopProcesses(host.sessions.flatMap(({ processes }) => processes)) : [];
      if (left.length === 0) {
        await (await ledger)?.forget(deadHostId);
      }
      return left.map(({ pid }) => pid);
    },
    prune: () => sessions.prune(),
    closeAll: (by) => sessions.closeAll(by),
    setTerminalColours: (colours) => sessions.setTerminalColours(colours),
    unifiedExec: (frontOptions) => new UnifiedExec({ ...frontOptions, sessions, start, write }),
    shellCommands: (frontOptions) => new ShellCommands({ ...frontOptions, sessions, start, write }),
    onEvent: sessions.onEvent,
    beginEnd: () => {
      isEnding = true;
    },
    dispose: async () => {
      stopForgetting();
      safety.dispose();
      try {
        await sessions.dispose();
      } finally {
        await transcripts?.dispose();
        (await ledger)?.close();
      }
    },
  };
}

/** What is known of an agent's start by itself: no sandbox, no second run, no more rights. */
function safetyOf({ origin }: StartRequest, given: Partial<StartSafety> = {}): StartSafety {
  const client = origin.kind === 'agent' ? origin.client : 'person';
  return {
    client,
    clientSession: client,
    conversation: origin.kind === 'agent' ? origin.threadId : null,
    callId: origin.kind === 'agent' ? origin.callId : null,
    sandbox: { kind: 'none' },
    asksForHosts: false,
    asksMoreRights: false,
    mayRetry: false,
    ...given,
  };
}

/** The sessions in whose output something is looked for. */
function lookedInto(condition: WaitCondition): ReadonlySet<SessionId> {
  const ids = new Set<SessionId>();
  // How deep they may be nested is looked at later.
  const open = [condition];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === 'any' || next.kind === 'all') {
      for (const part of next.of) {
        open.push(part);
      }
    } else if (next.kind === 'text' || next.kind === 'pattern') {
      ids.add(next.session);
    }
  }
  return ids;
}

function isGone({ sessions }: DeadHost): boolean {
  return sessions.length === 0;
}

/** Says in the log what hosts that crashed have left running. Never rejects. */
export async function logLeftOvers(engine: Engine, log: Logger): Promise<void> {
  try {
    for (const { hostId, sessions } of await engine.leftOvers()) {
      const pids = sessions.flatMap(({ processes }) => processes.map(({ pid }) => pid));
      log.warn('processes of an earlier run that ended without its clean-up still run', {
        host: hostId,
        pids: pids.join(' '),
      });
    }
  } catch (error) {
    log.warn('what earlier runs have left cannot be told', { why: String(error) });
  }
}

function openTranscripts(place: TranscriptPlace, hostId: string, log: Logger): Transcripts {
  const host = thisHost(hostId);
  return new Transcripts({
    ...place,
    hostId,
    host,
    ended: async (hosts) => new Set((await endedHosts(hosts, await host)).map((ended) => ended.hostId)),
    log,
  });
}

/** A host without a ledger works as well as any: only a crash of it leaves no trace. */
async function openLedger(folder: string, hostId: string, log: Logger): Promise<ProcessLedger | null> {
  try {
    return ProcessLedger.open(folder, await thisHost(hostId), log);
  } catch (error) {
    log.warn('what runs cannot be recorded, so that a crash would leave no trace of it', { why: String(error) });
    return null;
  }
}

/** Resolves once records can be kept, or when that takes too long. */
function withPatience(ready: Promise<unknown>, log: Logger): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      log.warn('sessions are started although no record of them could be begun', { waitedMs: RECORDS_MS });
      resolve();
    }, RECORDS_MS);
    timer.unref();
    const onReady = () => {
      clearTimeout(timer);
      resolve();
    };
    ready.then(onReady, onReady);
  });
}
