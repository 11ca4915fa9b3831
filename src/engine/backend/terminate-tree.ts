import { setTimeout as delay } from 'node:timers/promises';
import { isInteractiveShell, listProcesses, lookAtProcess, type ProcessEntry } from './process-table.ts';
import { processTree, type Leader } from './process-tree.ts';

/** Time that a tree has to end by itself after being asked, in milliseconds. Longer delays every close of a stuck child. */
const TERMINATE_GRACE_MS = 1_000;

/** Pause between two looks at the process table, in milliseconds: doubled at each look, from the first to the last. */
const LOOK_EVERY_MS = { first: 5, last: 80 } as const;

/** After SIGKILL only the kernel can delay the end (a process in uninterruptible sleep), in milliseconds. */
const KILL_PATIENCE_MS = 2_000;

/**
 * Ends a child and everything that it started, as far as `processTree` finds it: asks with SIGTERM, or with SIGHUP the
 * interactive shells, which ignore that one; with SIGCONT, so that a stopped one can hear; kills what is left after
 * the grace. The tree is listed anew before each step, and a pid is only signalled while its start time is the one
 * that was seen.
 *
 * Resolves with what could not be ended: empty unless the kernel holds on to a process. Rejects when the system would
 * not say what runs for as long as that would have taken.
 */
export async function terminateTree(leader: Leader): Promise<readonly ProcessEntry[]> {
  const asked = new Set<string>();
  const ask = (entry: ProcessEntry) => {
    const key = `${entry.pid} ${entry.startTime}`;
    if (!asked.has(key)) {
      asked.add(key);
      signalOne(entry, isInteractiveShell(entry.pid) ? 'SIGHUP' : 'SIGTERM');
      signalOne(entry, 'SIGCONT');
    }
  };
  const left = await untilEmpty(leader, [], TERMINATE_GRACE_MS, ask);
  return left.length === 0 ? left : untilEmpty(leader, left, KILL_PATIENCE_MS, (entry) => signalOne(entry, 'SIGKILL'));
}

/** Looks until nothing of the tree is left or the time is up, and acts on each process it sees, leaves first. */
async function untilEmpty(
  leader: Leader,
  known: readonly ProcessEntry[],
  patienceMs: number,
  act: (entry: ProcessEntry) => void,
): Promise<readonly ProcessEntry[]> {
  const deadline = performance.now() + patienceMs;
  let tree = known;
  for (let pauseMs: number = LOOK_EVERY_MS.first; ; pauseMs = Math.min(pauseMs * 2, LOOK_EVERY_MS.last)) {
    const isLate = performance.now() > deadline;
    try {
      tree = processTree(leader, await listProcesses(), tree);
      if (tree.length === 0 || isLate) {
        return tree;
      }
      for (const entry of tree) {
        act(entry);
      }
    } catch (error) {
      // Out of descriptors for now: what runs is not known, so nothing may be taken for ended.
      if (isLate) {
        throw error;
      }
    }
    await delay(pauseMs);
  }
}

/** The look may be some milliseconds old: the number is signalled only if it is still the process that was seen. */
function signalOne({ pid, startTime }: ProcessEntry, signal: NodeJS.Signals): void {
  if (process.platform === 'linux' && lookAtProcess(pid)?.startTime !== startTime) {
    return;
  }
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: it ended since the look. EPERM: it is another user's (setuid); it stays on the list.
  }
}
