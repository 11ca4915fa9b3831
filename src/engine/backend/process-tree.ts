import type { ProcessEntry } from './process-table.ts';

/** The first process of a session, as it was when it was started. */
export interface Leader {
  readonly pid: number;
  /** Null where the system does not tell it. */
  readonly startTime: string | null;
}

/**
 * Which processes belong to a child: the members of its session, all descendants of these, and what was found before
 * and still lives (it may have been re-parented since). Leaves come first, so that nothing is left that could start a
 * replacement for what was just ended. Zombies are left out.
 *
 * A leader's number belongs to another process when the start times differ; then its session is another one, too: the
 * system does not give a number away while a session has it.
 */
export function processTree(
  leader: Leader,
  table: readonly ProcessEntry[],
  known: readonly ProcessEntry[] = [],
): readonly ProcessEntry[] {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of table) {
    children.set(entry.parentPid, [...(children.get(entry.parentPid) ?? []), entry]);
  }
  const holder = table.find(({ pid }) => pid === leader.pid);
  const reused = holder !== undefined && leader.startTime !== null && holder.startTime !== leader.startTime;
  const isKnown = (entry: ProcessEntry) =>
    known.some(({ pid, startTime }) => pid === entry.pid && startTime === entry.startTime);
  const roots = table.filter(
    (entry) => (!reused && (entry.pid === leader.pid || entry.sessionId === leader.pid)) || isKnown(entry),
  );
  const leavesFirst = new Set<ProcessEntry>();
  const visiting = new Set<ProcessEntry>();
  const visit = (entry: ProcessEntry): void => {
    if (visiting.has(entry)) {
      return;
    }
    visiting.add(entry);
    for (const child of children.get(entry.pid) ?? []) {
      visit(child);
    }
    leavesFirst.add(entry);
  };
  for (const root of roots) {
    visit(root);
  }
  return [...leavesFirst].filter((entry) => !entry.zombie);
}
