import type { ProcessUsage } from '../backend/process-usage.ts';

/** A process that is known to be a session's: its leader, or what something else found (a mark, a control group). */
export interface ProcessRef {
  readonly pid: number;
  /** Null where the system did not tell it: then the pid alone decides. */
  readonly startTime: string | null;
}

/** What a session uses, as plain data. */
export interface ResourceUsage {
  /** Unix time of the sample in milliseconds. */
  readonly sampledAtMs: number;
  /** Resident bytes of all its processes; what they share counts in each of them, so that this is an upper bound. */
  readonly residentBytes: number;
  /**
   * Processes that run or are stopped, and ended ones that their parent in the session has not reaped. Ended ones that
   * were re-parented wait for an init that may never reap (containers): that is not the session's doing.
   */
  readonly processes: number;
  /** CPU time of everything it ever ran, in milliseconds; never falls. See `UsageMeter` for what is missed. */
  readonly cpuMs: number;
  /** Share of one core since the sample before, in per cent (two busy cores: 200); null until there are two samples. */
  readonly cpuPercent: number | null;
}

/** One look at the process table, arranged so that each of many sessions finds its own processes at once. */
export interface ProcessIndex {
  readonly byPid: ReadonlyMap<number, ProcessUsage>;
  readonly byParent: ReadonlyMap<number, readonly ProcessUsage[]>;
  readonly bySession: ReadonlyMap<number, readonly ProcessUsage[]>;
}

/** Arranges one look at the process table. */
export function indexProcesses(table: readonly ProcessUsage[]): ProcessIndex {
  return {
    byPid: new Map(table.map((entry) => [entry.pid, entry])),
    byParent: groupBy(table, ({ parentPid }) => parentPid),
    bySession: groupBy(table, ({ sessionId }) => sessionId),
  };
}

function groupBy(
  table: readonly ProcessUsage[],
  keyOf: (entry: ProcessUsage) => number,
): ReadonlyMap<number, readonly ProcessUsage[]> {
  const groups = new Map<number, ProcessUsage[]>();
  for (const entry of table) {
    const group = groups.get(keyOf(entry));
    if (group === undefined) {
      groups.set(keyOf(entry), [entry]);
    } else {
      group.push(entry);
    }
  }
  return groups;
}

/**
 * Time between two samples that a share of the CPU can be told from, in milliseconds: the system counts in steps of
 * 10 ms per process, so that a shorter one shows little but rounding.
 */
const MIN_PERCENT_WINDOW_MS = 200;

/** What is known of a session beside the process table. */
export interface MoreKnown {
  /** What else is the session's, however it left the tree. */
  readonly alsoMembers?: readonly ProcessRef[];
  /** What a person keeps: it and what it starts are the session's no more. */
  readonly adopted?: readonly ProcessRef[];
  /** CPU time of everything it ever ran as the kernel counts it for a control group, in milliseconds. */
  readonly exactCpuMs?: number | null;
}

/**
 * Follows what one session uses from sample to sample. Its processes are the members of the leader's session, all
 * descendants of these, and whatever was found to be its before and still lives, though re-parented since.
 *
 * **CPU time of processes that ended.** A process that its parent waits for moves its time into the parent's
 * `childrenCpuMs`; the sum over the living, with that, loses nothing. Everything else loses: what init reaps after a
 * double fork, a parent that ignores SIGCHLD, the leader, which the host reaps. So for each process that is gone since
 * the last sample its last known time is held against what its nearest living ancestor gained from its children:
 *
 * ```
 * lost += max(0, Σ last known times of the gone − what the ancestor's childrenCpuMs rose by)
 * ```
 *
 * Both sides are CPU time that was really used, so that nothing counts twice. Too little is counted for a process
 * that lives and dies between two samples with nobody waiting for it, and for the last moments of one that is lost.
 * (Too much only where a session runs a child subreaper of its own, prctl(2), for orphans that were seen before: they
 * may count again when it reaps them.)
 */
export class UsageMeter {
  readonly #leader: ProcessRef;
  /** The leader's number is its session's for sure, also when the leader has ended. */
  #ownsNumber = true;
  /** What was seen in the last sample, by pid: within one sample that is unique. */
  #members: ReadonlyMap<number, ProcessUsage> = new Map();
  #lostCpuMs = 0;
  #cpuMs = 0;
  #cpuPercent: number | null = null;
  #percentFrom: { readonly atMs: number; readonly cpuMs: number } | null = null;

  constructor(leader: ProcessRef) {
    this.#leader = leader;
  }

  /** The session's processes in the last sample. */
  get members(): readonly ProcessUsage[] {
    return [...this.#members.values()];
  }

  /** Takes a sample, at a Unix time in milliseconds. */
  update(index: ProcessIndex, atMs: number, more: MoreKnown = {}): ResourceUsage {
    const before = this.#members;
    const now = this.#find(index, more);
    this.#members = now;
    this.#lostCpuMs += lostCpuMs(before, now);
    let cpuMs = this.#lostCpuMs;
    let residentBytes = 0;
    let processes = 0;
    for (const entry of now.values()) {
      cpuMs += entry.cpuMs + entry.childrenCpuMs;
      residentBytes += entry.residentBytes;
      processes += entry.zombie && !now.has(entry.parentPid) ? 0 : 1;
    }
    this.#cpuMs = Math.max(this.#cpuMs, more.exactCpuMs ?? cpuMs);
    this.#updatePercent(atMs);
    return {
      sampledAtMs: atMs,
      residentBytes,
      processes,
      cpuMs: this.#cpuMs,
      cpuPercent: this.#cpuPercent,
    };
  }

  #find(index: ProcessIndex, { alsoMembers = [], adopted = [] }: MoreKnown): ReadonlyMap<number, ProcessUsage> {
    const found = new Map<number, ProcessUsage>();
    const isAdopted = ({ pid, startTime }: ProcessUsage) =>
      adopted.some((ref) => ref.pid === pid && (ref.startTime === null || ref.startTime === startTime));
    const pending: ProcessUsage[] = [];
    const add = (entry: ProcessUsage) => {
      if (!found.has(entry.pid) && !isAdopted(entry)) {
        found.set(entry.pid, entry);
        pending.push(entry);
      }
    };
    for (const ref of [this.#leader, ...alsoMembers, ...this.#members.values()]) {
      const entry = index.byPid.get(ref.pid);
      if (entry !== undefined && (ref.startTime === null || ref.startTime === entry.startTime)) {
        add(entry);
      }
    }
    // The system gives no number away while a session has it: a leader's number in other hands is another session.
    const holder = index.byPid.get(this.#leader.pid);
    const inSession = index.bySession.get(this.#leader.pid) ?? [];
    const isOurs = this.#leader.startTime === null || holder?.startTime === this.#leader.startTime;
    if (holder === undefined ? this.#ownsNumber : isOurs) {
      inSession.forEach(add);
    }
    // Once nobody has the number it may be given to anybody.
    this.#ownsNumber &&= holder !== undefined || inSession.length > 0;
    for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
      (index.byParent.get(entry.pid) ?? []).forEach(add);
    }
    return found;
  }

  #updatePercent(atMs: number): void {
    const from = this.#percentFrom;
    if (from !== null && atMs - from.atMs < MIN_PERCENT_WINDOW_MS) {
      return;
    }
    if (from !== null) {
      this.#cpuPercent = ((this.#cpuMs - from.cpuMs) / (atMs - from.atMs)) * 100;
    }
    this.#percentFrom = { atMs, cpuMs: this.#cpuMs };
  }
}

/** CPU time of those of `before` that are gone and whose time is in nobody's `childrenCpuMs` of `now`. */
function lostCpuMs(before: ReadonlyMap<number, ProcessUsage>, now: ReadonlyMap<number, ProcessUsage>): number {
  const survives = (entry: ProcessUsage) => now.get(entry.pid)?.startTime === entry.startTime;
  /** By the nearest ancestor that lives, null where none does: last known times of the gone. */
  const goneByHeir = new Map<ProcessUsage | null, number>();
  for (const entry of before.values()) {
    if (!survives(entry)) {
      const heir = nearestSurvivor(entry, before, survives);
      goneByHeir.set(heir, (goneByHeir.get(heir) ?? 0) + entry.cpuMs + entry.childrenCpuMs);
    }
  }
  let lost = 0;
  for (const [heir, goneMs] of goneByHeir) {
    const gainedMs = heir === null ? 0 : (now.get(heir.pid)?.childrenCpuMs ?? 0) - heir.childrenCpuMs;
    lost += Math.max(0, goneMs - gainedMs);
  }
  return lost;
}

function nearestSurvivor(
  entry: ProcessUsage,
  before: ReadonlyMap<number, ProcessUsage>,
  survives: (entry: ProcessUsage) => boolean,
): ProcessUsage | null {
  const seen = new Set<ProcessUsage>();
  let ancestor = before.get(entry.parentPid);
  // The slices of one look may disagree about parents; a circle ends here.
  while (ancestor !== undefined && !seen.has(ancestor)) {
    if (survives(ancestor)) {
      return ancestor;
    }
    seen.add(ancestor);
    ancestor = before.get(ancestor.parentPid);
  }
  return null;
}
