import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BudgetHit, SessionLimits } from '../../shared/budget.ts';
import type { Disposable } from '../../shared/disposable.ts';
import type { Logger } from '../../shared/logger.ts';
import type { SessionId } from '../../shared/session.ts';
import { TurnoverMap } from '../../shared/turnover.ts';
import { environmentMarks, type EnvironmentMarks } from '../backend/environment-marks.ts';
import { proportionalBytes, readProcessUsage, type ProcessUsage } from '../backend/process-usage.ts';
import type { CgroupReading, SessionCgroup } from './cgroup.ts';
import { indexProcesses, UsageMeter, type ProcessRef, type ResourceUsage } from './resource-usage.ts';
import { hitOf, kernelHit, nearness, type BudgetMeasure } from './session-budget.ts';

/** A session to be watched, from the moment that its child runs. */
export interface WatchedSession {
  readonly id: SessionId;
  readonly leader: ProcessRef;
  /** As `checkedLimits` answers them. None: it costs nothing, and its usage can be asked for. */
  readonly limits: SessionLimits;
  /** The session's control group, where there is one: what the kernel counts and enforces is taken from there. */
  readonly cgroup?: Pick<SessionCgroup, 'enforces' | 'read' | 'members'>;
  /** What its processes carry in their environment: by it a sample finds what left the session and lost its parent. */
  readonly mark?: string;
  /** What else is known to be the session's, such as what dropped the mark since it was seen. Asked at every sample. */
  readonly alsoMembers?: () => readonly ProcessRef[];
  /** What a person decided to keep: it counts no more. Asked at every sample. */
  readonly adopted?: () => readonly ProcessRef[];
}

export interface BudgetWatchOptions {
  /**
   * A limit was hit: once per session, the first one, also by what outlived the leader. What is ended then is the
   * receiver's affair.
   */
  readonly onHit: (id: SessionId, hit: BudgetHit) => void;
  readonly log: Logger;
  /** Default: the system's. Null: the system does not tell what processes use. */
  readonly readProcesses?: () => Promise<readonly ProcessUsage[] | null>;
  /** Memory without what is counted twice. Default: the system's. */
  readonly proportionalBytes?: (processes: readonly ProcessUsage[]) => Promise<number>;
  /** The marks that processes carry; asked of every process at every sample. Default: those that all looks share. */
  readonly marks?: Pick<EnvironmentMarks, 'of' | 'keepOnly'>;
}

/**
 * Time from one sample to the next, in milliseconds. `near` is what a child can overshoot its limits by: a program can
 * touch about 1 GiB in it. `far` costs 0.3 % of a core with 500 processes.
 */
const SAMPLE_EVERY_MS = { near: 250, far: 1_500 } as const;

/** Share of a limit from which on a session is near it, counting what it will use when it grows on as it did. */
const NEAR = 0.5;

/** A session counts as near for its first time, in milliseconds: nothing is known of how fast it grows. */
const YOUNG_MS = 2_000;

/**
 * A sample that took long is followed by a pause of this many times its length: watching may use 5 % of one core on a
 * machine with very many processes.
 */
const PAUSE_PER_SAMPLE = 20;

/** The same for the exact figure of a session's memory, which takes as long as it uses much. */
const PAUSE_PER_EXACT_MEMORY = 20;

/** Processes whose marks are asked for in one go: of new ones each costs some 20 µs. */
const MARKS_PER_TURN = 100;

/** Longest time that a timer can hold, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What a session has used, the times that its limits go by included. */
export interface WatchedUsage extends ResourceUsage {
  /** Time since its start, in milliseconds; what the machine slept does not count. */
  readonly lifetimeMs: number;
  /** Time without output and without input, in milliseconds, counted likewise. */
  readonly idleMs: number;
}

interface Watched extends WatchedSession {
  readonly meter: UsageMeter;
  readonly startedAt: number;
  activeAt: number;
  outputBytes: number;
  usage: ResourceUsage | null;
  /** What the last sample measured, to tell how fast it grows. */
  measure: BudgetMeasure;
  near: boolean;
  /** Not before this the exact memory is asked for again. */
  exactMemoryFrom: number;
  hit: BudgetHit | null;
  /** Nothing of it runs any more: of all that it may use only output can still come. */
  isTreeEmpty: boolean;
  hasOutputEnded: boolean;
}

/**
 * Watches the budgets of all sessions with one timer, which is set to the next thing that can happen: a sample of the
 * process table (one for all sessions), the end of a lifetime, the end of a patience with silence. Without a limit
 * there is no timer. Output is counted as it is told, so that it is exact.
 *
 * Memory is judged in two steps: the resident bytes, which count shared pages in each process, are cheap and too high;
 * only where they are over the limit the exact figure is asked for.
 */
export class BudgetWatch implements Disposable {
  readonly #options: Required<BudgetWatchOptions>;
  readonly #sessions = new TurnoverMap<SessionId, Watched>();
  #timer: NodeJS.Timeout | null = null;
  /** When the timer fires; not later than anything that is due. */
  #timerAt = Number.POSITIVE_INFINITY;
  #sampling: Promise<void> | null = null;
  /** When the next sample is due. */
  #sampleAt = Number.POSITIVE_INFINITY;
  #sampleNotBefore = 0;
  #disposed = false;

  constructor(options: BudgetWatchOptions) {
    this.#options = {
      readProcesses: readProcessUsage,
      proportionalBytes,
      marks: environmentMarks,
      ...options,
    };
  }

  /** Begins to watch; the lifetime and the silence count from here. Does nothing after `dispose`. */
  add(session: WatchedSession): void {
    if (this.#disposed) {
      return;
    }
    const now = performance.now();
    const watched: Watched = {
      ...session,
      meter: new UsageMeter(session.leader),
      startedAt: now,
      activeAt: now,
      outputBytes: 0,
      usage: null,
      measure: {},
      near: true,
      exactMemoryFrom: now,
      hit: null,
      isTreeEmpty: false,
      hasOutputEnded: false,
    };
    this.#sessions.set(session.id, watched);
    if (needsSamples(watched)) {
      this.#sampleAt = Math.max(this.#sampleNotBefore, Math.min(this.#sampleAt, now + SAMPLE_EVERY_MS.near));
    }
    this.#arm();
  }

  /** The session printed that many bytes. Tells the hit at once when they are over the limit. */
  output(id: SessionId, byteCount: number): void {
    const session = this.#sessions.get(id);
    if (session !== undefined) {
      session.activeAt = performance.now();
      session.outputBytes += byteCount;
      this.#judge(session, { outputBytes: session.outputBytes });
    }
  }

  /** Something was typed or written into the session: it is not idle. */
  input(id: SessionId): void {
    const session = this.#sessions.get(id);
    if (session !== undefined) {
      session.activeAt = performance.now();
    }
  }

  /**
   * To be called when the session's leader ended, and when the last of what outlived it did: a control group may have
   * ended it without the host (out of memory). Answers such a hit when none was told before; does not call `onHit`.
   */
  untoldHit(id: SessionId): BudgetHit | null {
    const session = this.#sessions.get(id);
    if (session === undefined || session.hit !== null) {
      return null;
    }
    session.hit = kernelHitOf(session, session.cgroup?.read() ?? null);
    return session.hit;
  }

  /** Nothing of the session runs any more; it is watched until its output ends, too. */
  treeEnded(id: SessionId): void {
    const session = this.#sessions.get(id);
    if (session !== undefined) {
      session.isTreeEmpty = true;
      session.near = false;
      this.#changed(session);
    }
  }

  /** No more output comes of the session; it is watched until nothing of it runs, too. */
  outputEnded(id: SessionId): void {
    const session = this.#sessions.get(id);
    if (session !== undefined) {
      session.hasOutputEnded = true;
      this.#changed(session);
    }
  }

  /** Ends the watch of a session; its last usage is answered, null when it was never measured. */
  remove(id: SessionId): ResourceUsage | null {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    this.#rest();
    this.#arm();
    return session?.usage ?? null;
  }

  /** What each session uses, from a sample that is taken now; without those that the system does not tell of. */
  async usage(): Promise<ReadonlyMap<SessionId, WatchedUsage>> {
    // One that is under way began before the question, by some milliseconds.
    await this.#sample();
    const now = performance.now();
    const usages = new Map<SessionId, WatchedUsage>();
    for (const [id, { usage, startedAt, activeAt, isTreeEmpty }] of this.#sessions) {
      if (usage !== null && !isTreeEmpty) {
        usages.set(id, { ...usage, lifetimeMs: Math.round(now - startedAt), idleMs: Math.round(now - activeAt) });
      }
    }
    return usages;
  }

  /** Forgets all sessions; nothing is told any more, and no timer is left. */
  dispose(): void {
    this.#disposed = true;
    this.#sessions.clear();
    this.#rest();
    this.#arm();
  }

  #changed(session: Watched): void {
    if (session.isTreeEmpty && session.hasOutputEnded) {
      this.#sessions.delete(session.id);
    }
    this.#rest();
    this.#arm();
  }

  /** Sets the timer to what is due next. */
  #arm(): void {
    const at = this.#nextDue();
    if (at === this.#timerAt) {
      return;
    }
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
    this.#timerAt = at;
    if (at !== Number.POSITIVE_INFINITY) {
      const waitMs = Math.min(Math.max(0, Math.ceil(at - performance.now())), MAX_TIMER_MS);
      this.#timer = setTimeout(() => this.#onTimer(), waitMs);
    }
  }

  /** Where no session needs samples, none is due. */
  #rest(): void {
    if (!this.#sessions.values().some(needsSamples)) {
      this.#sampleAt = Number.POSITIVE_INFINITY;
    }
  }

  #nextDue(): number {
    let at = this.#sampling === null ? this.#sampleAt : Number.POSITIVE_INFINITY;
    for (const session of this.#sessions.values()) {
      if (session.hit === null && !session.isTreeEmpty) {
        const { lifetimeMs, idleMs } = session.limits;
        at = Math.min(
          at,
          session.startedAt + (lifetimeMs ?? Number.POSITIVE_INFINITY),
          session.activeAt + (idleMs ?? Number.POSITIVE_INFINITY),
        );
      }
    }
    return at;
  }

  #onTimer(): void {
    this.#timer = null;
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    for (const session of this.#sessions.values()) {
      if (!session.isTreeEmpty) {
        // Rounded up: a timer may fire a part of a millisecond early.
        this.#judge(session, {
          lifetimeMs: Math.ceil(now - session.startedAt),
          idleMs: Math.ceil(now - session.activeAt),
        });
      }
    }
    this.#rest();
    if (this.#sampleAt <= now) {
      void this.#sample();
    }
    this.#arm();
  }

  /** Takes one sample for all sessions, or waits for the one that is being taken. Never rejects. */
  #sample(): Promise<void> {
    this.#sampling ??= this.#takeSample().finally(() => {
      this.#sampling = null;
      this.#arm();
    });
    return this.#sampling;
  }

  async #takeSample(): Promise<void> {
    const began = performance.now();
    let readingMs = 0;
    try {
      const table = await this.#options.readProcesses();
      const marked = table === null ? null : await this.#markedIn(table);
      readingMs = performance.now() - began;
      if (table !== null) {
        await this.#apply(table, marked ?? new Map());
      }
    } catch (error) {
      // Out of descriptors for now: what is used is not known, which hits nothing.
      this.#options.log.warn('what sessions use could not be measured', { reason: codeOf(error) });
    }
    const now = performance.now();
    const isNear = this.#sessions.values().some(({ near, hit }) => near && hit === null);
    this.#sampleNotBefore = now + readingMs * PAUSE_PER_SAMPLE;
    this.#sampleAt = Math.max(this.#sampleNotBefore, now + (isNear ? SAMPLE_EVERY_MS.near : SAMPLE_EVERY_MS.far));
    this.#rest();
  }

  /** The processes that carry the marks of the sessions, by the mark: one walk for all sessions. */
  async #markedIn(table: readonly ProcessUsage[]): Promise<ReadonlyMap<string, readonly ProcessUsage[]>> {
    this.#options.marks.keepOnly(table);
    const found = new Map<string, ProcessUsage[]>();
    for (const { mark } of this.#sessions.values()) {
      if (mark !== undefined) {
        found.set(mark, []);
      }
    }
    for (let at = 0; found.size > 0 && at < table.length; at += MARKS_PER_TURN) {
      if (at > 0) {
        await nextTurn();
      }
      for (const entry of table.slice(at, at + MARKS_PER_TURN)) {
        for (const mark of this.#options.marks.of(entry)) {
          found.get(mark)?.push(entry);
        }
      }
    }
    return found;
  }

  async #apply(table: readonly ProcessUsage[], marked: ReadonlyMap<string, readonly ProcessUsage[]>): Promise<void> {
    const index = indexProcesses(table);
    const atMs = Date.now();
    const doubtful: Watched[] = [];
    for (const session of this.#sessions.values()) {
      if (session.isTreeEmpty) {
        continue;
      }
      const kernel = session.cgroup?.read() ?? null;
      const refs = [
        ...(session.alsoMembers?.() ?? []),
        ...((session.mark === undefined ? null : marked.get(session.mark)) ?? []),
        ...(session.cgroup?.members() ?? []).map((pid) => ({ pid, startTime: null })),
      ];
      const usage = session.meter.update(index, atMs, {
        alsoMembers: refs,
        adopted: session.adopted?.() ?? [],
        exactCpuMs: kernel?.cpuMs ?? null,
      });
      session.usage = usage;
      const measure = { memoryBytes: usage.residentBytes, processes: usage.processes, cpuSeconds: usage.cpuMs / 1_000 };
      const isYoung = performance.now() - session.startedAt < YOUNG_MS;
      session.near = needsSamples(session) && (isYoung || nearness(session.limits, measure, session.measure) >= NEAR);
      session.measure = measure;
      this.#tellHit(session, kernelHitOf(session, kernel));
      this.#judge(session, { processes: measure.processes, cpuSeconds: measure.cpuSeconds });
      // Where the kernel enforces the limit it also judges: what it charges is more exact than any sum. A program that
      // could not enter its group is judged as anywhere else.
      const isEnforced = session.cgroup?.enforces.memory === true && session.cgroup.members().length > 0;
      const maxBytes = isEnforced ? undefined : session.limits.memoryBytes;
      if (maxBytes !== undefined && usage.residentBytes > maxBytes) {
        doubtful.push(session);
      }
    }
    for (const session of doubtful) {
      await this.#judgeMemory(session);
    }
  }

  /** Asks for the exact figure. */
  async #judgeMemory(session: Watched): Promise<void> {
    const began = performance.now();
    if (session.hit !== null || began < session.exactMemoryFrom) {
      return;
    }
    const memoryBytes = await this.#options.proportionalBytes(session.meter.members);
    const now = performance.now();
    session.exactMemoryFrom = now + (now - began) * PAUSE_PER_EXACT_MEMORY;
    this.#judge(session, { memoryBytes });
  }

  #judge(session: Watched, measure: BudgetMeasure): void {
    this.#tellHit(session, hitOf(session.limits, measure));
  }

  #tellHit(session: Watched, hit: BudgetHit | null): void {
    // While a sample was read the session may have been removed, or another one have got its id.
    if (hit !== null && session.hit === null && this.#sessions.get(session.id) === session) {
      session.hit = hit;
      this.#options.onHit(session.id, hit);
    }
  }
}

/** Whether what it uses must be measured to judge it. */
function needsSamples({ limits, hit, isTreeEmpty }: Watched): boolean {
  return (
    hit === null &&
    !isTreeEmpty &&
    (limits.memoryBytes !== undefined || limits.processes !== undefined || limits.cpuSeconds !== undefined)
  );
}

/** The limit that the session's control group enforced by itself. */
function kernelHitOf({ limits }: Watched, reading: CgroupReading | null): BudgetHit | null {
  if (reading !== null && reading.oomKills > 0) {
    return kernelHit(limits, 'memory', reading.memoryPeakBytes);
  }
  return reading !== null && reading.refusedForks > 0 ? kernelHit(limits, 'processes', null) : null;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
