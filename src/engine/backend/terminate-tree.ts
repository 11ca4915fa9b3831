import { setTimeout as delay } from 'node:timers/promises';
import {
  identityKey,
  isAlive,
  isInteractiveShell,
  lookAtProcess,
  type ProcessEntry,
  type ProcessIdentity,
} from './process-table.ts';
import { ProcessTree, type Leader, type TreeLook } from './process-tree.ts';

export interface TerminateOptions {
  /** What the tree is asked with. SIGTERM by default: then interactive shells, which ignore it, get SIGHUP. */
  readonly signal?: NodeJS.Signals;
  /** Time that the tree has to end by itself after being asked, in milliseconds. */
  readonly graceMs?: number;
}

export interface TerminateWitness {
  /** A signal is about to be sent to a process that lives. */
  readonly onSignal?: (entry: ProcessEntry, signal: NodeJS.Signals) => void;
}

/** `graceMs` when nothing else is asked for. Longer delays every close of a stuck child. */
export const TERMINATE_GRACE_MS = 1_000;

/** Pause between two looks at the process table, in milliseconds: doubled at each look, from the first to the last. */
const LOOK_EVERY_MS = { first: 5, last: 80 } as const;

/** After so long a shell that still waits for a key is asked once more, in milliseconds. */
const ASK_AGAIN_MS = 100;

/** After SIGKILL only the kernel can delay the end (a process in uninterruptible sleep), in milliseconds. */
const KILL_PATIENCE_MS = 2_000;

/** Looks that stop what they find before the killing begins anyway. Two are enough unless processes keep coming. */
const MAX_FREEZING_LOOKS = 20;

/**
 * Ends everything that belongs to a tree (`membersOf`): asks with a signal, and with SIGCONT, so that a stopped one
 * can hear; after the grace stops all of it, so that nothing can replace what is killed, and kills it. The tree is
 * listed anew before each step, leaves first, and a pid is only signalled while its start time is the one that was
 * seen.
 *
 * Resolves with what could not be ended: empty unless the kernel holds on to a process, it is another user's, or new
 * ones come faster than they can be seen. Rejects when the system would not say what runs for as long as that would
 * have taken.
 */
export async function terminateTree(
  target: ProcessTree | Leader,
  options: TerminateOptions & TerminateWitness = {},
): Promise<readonly ProcessEntry[]> {
  const tree = target instanceof ProcessTree ? target : new ProcessTree({ leader: target });
  const { onSignal = () => {} } = options;
  const { signal = 'SIGTERM', graceMs = TERMINATE_GRACE_MS } = options;
  if (signal !== 'SIGKILL') {
    const asking = new Asking(signal, onSignal);
    const left = await untilEmpty(tree, graceMs, ({ members }) => asking.ask(members));
    if (left.length === 0) {
      return left;
    }
  }
  await freeze(tree, onSignal);
  return untilEmpty(tree, KILL_PATIENCE_MS, (look) => signalAll(look, look.members, { signal: 'SIGKILL', onSignal }));
}

/**
 * Ends the given processes and their descendants, as `terminateTree` does. A pid that another process got in the
 * meantime is left alone. Resolves with what could not be ended.
 */
export function stopProcesses(
  processes: readonly ProcessIdentity[],
  options: TerminateOptions & { readonly adopted?: readonly ProcessIdentity[] } = {},
): Promise<readonly ProcessEntry[]> {
  const { adopted = [] } = options;
  return terminateTree(new ProcessTree({ leader: null, known: processes, adopted }), options);
}

type OnSignal = NonNullable<TerminateWitness['onSignal']>;

interface Sending {
  readonly signal: NodeJS.Signals;
  readonly onSignal: OnSignal;
}

interface Asked {
  readonly signal: NodeJS.Signals;
  readonly atMs: number;
  readonly isRepeated: boolean;
}

/** Asks each member of a tree to end: once, and interactive shells as they can hear it. */
class Asking {
  readonly #signal: NodeJS.Signals;
  readonly #onSignal: OnSignal;
  readonly #asked = new Map<string, Asked>();

  constructor(signal: NodeJS.Signals, onSignal: OnSignal) {
    this.#signal = signal;
    this.#onSignal = onSignal;
  }

  ask(members: readonly ProcessEntry[]): void {
    const atMs = performance.now();
    for (const entry of members) {
      const key = identityKey(entry);
      const signal = this.#signal === 'SIGTERM' && isInteractiveShell(entry.pid) ? 'SIGHUP' : this.#signal;
      const before = this.#asked.get(key);
      // A shell that was asked amid its start, when it did not look like one yet, has ignored it.
      const isNew = before === undefined || (before.signal !== signal && signal === 'SIGHUP');
      const isRepeated = !isNew && hasSleptOnIt(entry, before, { atMs, members });
      if (isNew || isRepeated) {
        this.#asked.set(key, { signal, atMs, isRepeated });
        signalOne(entry, { signal, onSignal: this.#onSignal });
        signalOne(entry, { signal: 'SIGCONT', onSignal: this.#onSignal });
      }
    }
  }
}

/**
 * True for a shell that was asked a while ago, and that does nothing: bash (5.2) only notes a SIGHUP that comes just before
 * it begins to wait for a key, and waits on (25 of 2,000 times); the next one wakes it. What it was asked for, such as a
 * trap, may take longer where it has children.
 */
function hasSleptOnIt(
  entry: ProcessEntry,
  asked: Asked,
  now: { readonly atMs: number; readonly members: readonly ProcessEntry[] },
): boolean {
  return (
    asked.signal === 'SIGHUP' &&
    !asked.isRepeated &&
    now.atMs - asked.atMs >= ASK_AGAIN_MS &&
    !now.members.some(({ parentPid }) => parentPid === entry.pid)
  );
}

/** Stops everything of the tree, until a look finds nothing new. */
async function freeze(tree: ProcessTree, onSignal: OnSignal): Promise<void> {
  const stopped = new Set<string>();
  for (let looks = 0; looks < MAX_FREEZING_LOOKS; looks += 1) {
    let look: TreeLook;
    try {
      look = await tree.look();
    } catch {
      // Out of descriptors for now. Who kills next looks for itself.
      return;
    }
    const running = look.members.filter((entry) => !stopped.has(identityKey(entry)));
    if (running.length === 0) {
      return;
    }
    // Parents first: they start the others.
    signalAll(look, running.toReversed(), { signal: 'SIGSTOP', onSignal });
    for (const entry of running) {
      stopped.add(identityKey(entry));
    }
  }
}

/** Looks until nothing of the tree is left or the time is up, and acts on what it sees. Answers what is left. */
async function untilEmpty(
  tree: ProcessTree,
  patienceMs: number,
  act: (look: TreeLook) => void,
): Promise<readonly ProcessEntry[]> {
  const deadline = performance.now() + patienceMs;
  for (let pauseMs: number = LOOK_EVERY_MS.first; ; pauseMs = Math.min(pauseMs * 2, LOOK_EVERY_MS.last)) {
    const isLate = performance.now() > deadline;
    let emptyLooks = 0;
    try {
      const look = await tree.look();
      ({ emptyLooks } = look);
      if (look.isEmpty || (isLate && emptyLooks === 0)) {
        return look.members;
      }
      act(look);
    } catch (error) {
      // Out of descriptors for now: what runs is not known, so nothing may be taken for ended.
      if (isLate) {
        throw error;
      }
    }
    if (emptyLooks === 0) {
      await delay(pauseMs);
    }
  }
}

/** Whole groups in one go, which no fork can outrun; then each process by itself, in the order given. */
function signalAll(look: TreeLook, entries: readonly ProcessEntry[], sending: Sending): void {
  for (const groupId of look.groups) {
    // On Linux only: elsewhere nothing says whether the number is still this group's.
    const living = look.members.filter((entry) => entry.groupId === groupId && isStill(entry));
    const [member] = living;
    if (member !== undefined && lookAtProcess(member.pid)?.groupId === groupId) {
      for (const entry of living) {
        sending.onSignal(entry, sending.signal);
      }
      send(-groupId, sending.signal);
    }
  }
  for (const entry of entries) {
    signalOne(entry, sending);
  }
}

/** The look may be some milliseconds old: the number is signalled only if it is still the process that was seen. */
function signalOne(entry: ProcessEntry, { signal, onSignal }: Sending): void {
  if (isStill(entry)) {
    onSignal(entry, signal);
    send(entry.pid, signal);
  }
}

/** It lives: a process that has ended and waits to be reaped hears nothing any more. */
function isStill(entry: ProcessIdentity): boolean {
  return process.platform !== 'linux' || isAlive(entry);
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // ESRCH: it ended since the look. EPERM: it is another user's (setuid); it stays on the list.
  }
}
