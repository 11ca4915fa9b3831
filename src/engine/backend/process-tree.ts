import { setTimeout as delay } from 'node:timers/promises';
import { environmentMarks } from './environment-marks.ts';
import { identityKey, isAlive, lookAtProcesses, type ProcessEntry, type ProcessIdentity } from './process-table.ts';

/** The first process of a session, as it was when it was started. */
export interface Leader {
  readonly pid: number;
  /** Null where the system does not tell it, and on Linux for one that had been reaped by then. */
  readonly startTime: string | null;
}

/** What the processes of a tree are told by. */
export interface TreeTraits {
  /** Null for a tree of which only the mark, or single processes, are known. */
  readonly leader: Leader | null;
  /** See `sessionMark`; null when the leader was started without one. */
  readonly mark?: string | null;
  /**
   * Number of the session's terminal (`terminalNumber`) while the host holds it open, null from then on: the system
   * gives the number to the next terminal at once. Asked after each look, so that what was seen with it was the tree's.
   */
  readonly terminal?: () => number | null;
  /** What is known to belong to it from before. */
  readonly known?: readonly ProcessIdentity[];
  /** What a person keeps: it and what it starts belong to the tree no more. */
  readonly adopted?: readonly ProcessIdentity[];
  /** The leader was not watched all the time since its start: its number may have been another session's since. */
  readonly unwatched?: boolean;
}

/** A survivor that a person decided to keep: the session's end and the host's leave it alone. */
export interface AdoptedProcess extends ProcessIdentity {
  readonly sessionId: string;
  /** Its command line when it was adopted. */
  readonly command: string;
  readonly adoptedAtMs: number;
}

/** One look at a tree. */
export interface TreeLook {
  /** Everything of it that runs, leaves first: nothing is left then that could replace what was just ended. */
  readonly members: readonly ProcessEntry[];
  /** Process groups with no other members than the tree's: a signal to one cannot be outrun by a fork. */
  readonly groups: readonly number[];
  /** Looks in a row, this one included, without a member. */
  readonly emptyLooks: number;
  /** Nothing of the tree is left: the look missed no process, or enough of them in a row found none. */
  readonly isEmpty: boolean;
}

export interface MembersRequest {
  readonly leader: Leader | null;
  /** The leader's number is its session's for sure, also when the leader has ended. */
  readonly ownsNumber: boolean;
  readonly terminal: number | null;
  readonly known: readonly ProcessIdentity[];
  readonly adopted: readonly ProcessIdentity[];
  /** Asked only about processes that nothing else tells to be members. */
  readonly isMarked: (entry: ProcessEntry) => boolean;
}

/** Pauses between two looks for the end of a tree, in milliseconds: doubled each time, from the first to the last. */
const LOOK_FOR_END_EVERY_MS = { first: 20, last: 1_000 } as const;

/**
 * Looks in a row that must find nothing where processes come and go all the time, so that each may have missed one:
 * about 5 ms apart, and more on a machine with many processes.
 */
const EMPTY_LOOKS = 10;

/**
 * Which processes belong to a child: the members of its session, what its terminal controls, what carries its mark,
 * what was found before and still lives, and all descendants of these. Leaves come first. Zombies are left out.
 *
 * A leader's number belongs to another process when the start times differ; then its session is another one, too: the
 * system does not give a number away while a session has it.
 */
export function membersOf(request: MembersRequest, table: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const { leader, terminal } = request;
  const children = childrenIn(table);
  const holder = table.find(({ pid }) => pid === leader?.pid);
  const isNumberOurs = holder === undefined ? request.ownsNumber : holder.startTime === leader?.startTime;
  const known = new Set(request.known.map(identityKey));
  const adopted = adoptedOf(request.adopted, table, children);
  const leavesFirst = new Set<ProcessEntry>();
  const visiting = new Set<ProcessEntry>();
  const visit = (entry: ProcessEntry): void => {
    if (visiting.has(entry) || adopted.has(entry)) {
      return;
    }
    visiting.add(entry);
    for (const child of children.get(entry.pid) ?? []) {
      visit(child);
    }
    leavesFirst.add(entry);
  };
  for (const entry of table) {
    const isInSession = isNumberOurs && leader !== null && (entry.pid === leader.pid || entry.sessionId === leader.pid);
    const isKnown = known.size > 0 && known.has(identityKey(entry));
    if (isInSession || (terminal !== null && entry.terminal === terminal) || isKnown) {
      visit(entry);
    }
  }
  for (const entry of table) {
    if (!visiting.has(entry) && !adopted.has(entry) && request.isMarked(entry)) {
      visit(entry);
    }
  }
  return [...leavesFirst].filter((entry) => !entry.zombie);
}

/** Of the last table: all trees that share a look share it. */
let lastChildren: { readonly table: readonly ProcessEntry[]; readonly of: ReadonlyMap<number, ProcessEntry[]> } | null =
  null;

/** The processes of a table by their parents. */
function childrenIn(table: readonly ProcessEntry[]): ReadonlyMap<number, readonly ProcessEntry[]> {
  if (lastChildren?.table === table) {
    return lastChildren.of;
  }
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of table) {
    const siblings = children.get(entry.parentPid);
    if (siblings === undefined) {
      children.set(entry.parentPid, [entry]);
    } else {
      siblings.push(entry);
    }
  }
  lastChildren = { table, of: children };
  return children;
}

/** The adopted ones, their descendants, and what is in a session that one of them leads. */
function adoptedOf(
  identities: readonly ProcessIdentity[],
  table: readonly ProcessEntry[],
  children: ReadonlyMap<number, readonly ProcessEntry[]>,
): ReadonlySet<ProcessEntry> {
  if (identities.length === 0) {
    return new Set();
  }
  const keys = new Set(identities.map(identityKey));
  const found = new Set<ProcessEntry>();
  const add = (entry: ProcessEntry): void => {
    if (!found.has(entry)) {
      found.add(entry);
      (children.get(entry.pid) ?? []).forEach(add);
    }
  };
  const adopted = table.filter((entry) => keys.has(identityKey(entry)));
  const leaders = new Set(adopted.filter(({ pid, sessionId }) => pid === sessionId).map(({ pid }) => pid));
  for (const entry of table) {
    if (keys.has(identityKey(entry)) || leaders.has(entry.sessionId)) {
      add(entry);
    }
  }
  return found;
}

/** Process groups of the members that have no other live member. Never 0 and 1: kill(2) means more than a group then. */
export function wholeGroups(members: readonly ProcessEntry[], table: readonly ProcessEntry[]): readonly number[] {
  const inTree = new Set(members);
  const shared = new Set(table.filter((entry) => !entry.zombie && !inTree.has(entry)).map(({ groupId }) => groupId));
  return [...new Set(members.map(({ groupId }) => groupId))].filter((groupId) => groupId > 1 && !shared.has(groupId));
}

/**
 * A tree that is looked at more than once, and remembers what it saw: a process stays a member when it is re-parented,
 * leaves the session or drops the mark after a look.
 *
 * What escapes on Linux: a process that dropped the mark (`env -i`, or one whose environment this user may not read),
 * called setsid(2) and lost its parent, all before any look; and perhaps a chain of processes that each live about a
 * millisecond, in a session of their own. Elsewhere there is no mark: what is re-parented before a look escapes.
 */
export class ProcessTree {
  readonly #traits: TreeTraits;
  readonly #isMarked: (entry: ProcessEntry) => boolean;
  #leader: Leader | null;
  #ownsNumber: boolean;
  #known: readonly ProcessIdentity[];
  #emptyLooks = 0;

  /** `carries` tells whether marks of a process (outermost first) make it a member; by default the traits' mark does. */
  constructor(traits: TreeTraits, carries?: (marks: readonly string[]) => boolean) {
    const { mark = null } = traits;
    const isMember = carries ?? (mark === null ? () => false : (marks: readonly string[]) => marks.includes(mark));
    this.#traits = traits;
    this.#isMarked = (entry) => isMember(environmentMarks.of(entry));
    this.#leader = traits.leader;
    this.#ownsNumber = traits.unwatched !== true;
    this.#known = traits.known ?? [];
  }

  /** Null for a tree of which only the mark, or single processes, are known. */
  get leader(): Leader | null {
    return this.#leader;
  }

  /** What the last look found. */
  get known(): readonly ProcessIdentity[] {
    return this.#known;
  }

  /** Rejects when the system would not say what runs (out of descriptors). */
  async look(): Promise<TreeLook> {
    const { entries: table, isComplete } = await lookAtProcesses();
    environmentMarks.keepOnly(table);
    const leaderPid = this.#leader?.pid;
    if (process.platform !== 'linux' && this.#leader?.startTime === null) {
      // Elsewhere the start time is known from the first look on.
      const startTime = table.find(({ pid }) => pid === leaderPid)?.startTime ?? null;
      this.#leader = { pid: this.#leader.pid, startTime };
    }
    const { terminal, adopted = [] } = this.#traits;
    const all = membersOf(
      {
        leader: this.#leader,
        ownsNumber: this.#ownsNumber,
        terminal: terminal?.() ?? null,
        known: this.#known,
        adopted,
        isMarked: this.#isMarked,
      },
      table,
    );
    // Once nobody has the number it may be given to anybody.
    this.#ownsNumber &&= table.some(({ pid, sessionId }) => pid === leaderPid || sessionId === leaderPid);
    // The host that looks is never part of what it ends.
    const members = all.filter(({ pid }) => pid !== process.pid);
    this.#known = members;
    this.#emptyLooks = members.length === 0 ? this.#emptyLooks + 1 : 0;
    const isEmpty = this.#emptyLooks > 0 && (isComplete || this.#emptyLooks >= EMPTY_LOOKS);
    return { members, groups: wholeGroups(members, table), emptyLooks: this.#emptyLooks, isEmpty };
  }

  /**
   * Resolves with true when nothing of the tree is left, with false when aborted before. Looks at once and then ever
   * more seldom: the end is told late by at most half of the time waited, and never by more than about a second.
   * Between looks a member that lives is enough to know that it is not the end; that costs some 20 µs. (On
   * Linux; elsewhere each is a whole look.)
   */
  async ended(abort?: AbortSignal): Promise<boolean> {
    for (let pauseMs: number = LOOK_FOR_END_EVERY_MS.first; abort?.aborted !== true;) {
      const look = this.#known.some(isAlive) ? null : await this.#lookOrNull();
      if (look?.isEmpty === true) {
        return true;
      }
      if (look === null || look.emptyLooks === 0) {
        // Aborted: the loop ends.
        await delay(pauseMs, undefined, abort === undefined ? {} : { signal: abort }).catch(() => {});
        pauseMs = Math.min(pauseMs * 1.5, LOOK_FOR_END_EVERY_MS.last);
      }
    }
    return false;
  }

  async #lookOrNull(): Promise<TreeLook | null> {
    try {
      return await this.look();
    } catch {
      // Out of descriptors for now: what runs is not known, so nothing may be taken for ended.
      return null;
    }
  }
}
