import { setTimeout as delay } from 'node:timers/promises';
import { isInteractiveShell, listProcesses, type ProcessEntry } from './process-table.ts';
import { processTree } from './process-tree.ts';

/** Time that a tree has to end by itself after being asked, in milliseconds. Longer delays every close of a stuck child. */
const TERMINATE_GRACE_MS = 1_000;

/** Pause between two looks at the process table, in milliseconds. One look costs about 1 ms per 100 processes. */
const LOOK_EVERY_MS = 10;

/** After SIGKILL only the kernel can delay the end (a process in uninterruptible sleep), in milliseconds. */
const KILL_PATIENCE_MS = 2_000;

/**
 * Ends the child with that pid and everything that it started: asks with SIGTERM, or with SIGHUP the interactive
 * shells, which ignore that one; with SIGCONT, so that a stopped one can hear; kills what is left after the grace. The tree is listed anew
 * before each step, and a pid is only signalled while its start time is the one that was seen.
 *
 * Resolves with what could not be ended: empty unless the kernel holds on to a process.
 */
export async function terminateTree(
  leaderPid: number,
  graceMs: number = TERMINATE_GRACE_MS,
): Promise<readonly ProcessEntry[]> {
  let tree = await currentTree(leaderPid, []);
  const shells = new Set<ProcessEntry>();
  for (const entry of tree) {
    if (await isInteractiveShell(entry.pid)) {
      shells.add(entry);
    }
  }
  for (const entry of tree) {
    signalOne(entry, shells.has(entry) ? 'SIGHUP' : 'SIGTERM');
    signalOne(entry, 'SIGCONT');
  }
  tree = await untilEmpty(leaderPid, tree, graceMs, null);
  return tree.length === 0 ? tree : untilEmpty(leaderPid, tree, KILL_PATIENCE_MS, 'SIGKILL');
}

/** Looks until nothing of the tree is left or the time is up, and sends the signal, if any, to what it sees at each look. */
async function untilEmpty(
  leaderPid: number,
  known: readonly ProcessEntry[],
  patienceMs: number,
  signal: NodeJS.Signals | null,
): Promise<readonly ProcessEntry[]> {
  const deadline = performance.now() + patienceMs;
  let tree = known;
  for (;;) {
    tree = await currentTree(leaderPid, tree);
    if (tree.length === 0 || performance.now() > deadline) {
      return tree;
    }
    if (signal !== null) {
      for (const entry of tree) {
        signalOne(entry, signal);
      }
    }
    await delay(LOOK_EVERY_MS);
  }
}

async function currentTree(leaderPid: number, known: readonly ProcessEntry[]): Promise<readonly ProcessEntry[]> {
  return processTree(leaderPid, await listProcesses(), known);
}

function signalOne({ pid }: ProcessEntry, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: it ended since the look. EPERM: it is another user's (setuid); it stays on the list.
  }
}
