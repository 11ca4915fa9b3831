import type { ProcessEntry } from './process-table.ts';

/**
 * Which processes belong to the child with that pid: the members of its session, all descendants of these, and what
 * was found before and still lives (it may have been re-parented since). Leaves come first, so that nothing is
 * left that could start a replacement for what was just ended. Zombies are left out.
 */
export function processTree(
  leaderPid: number,
  table: readonly ProcessEntry[],
  known: readonly ProcessEntry[] = [],
): readonly ProcessEntry[] {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of table) {
    children.set(entry.parentPid, [...(children.get(entry.parentPid) ?? []), entry]);
  }
  const isKnown = (entry: ProcessEntry) =>
    known.some(({ pid, startTime }) => pid === entry.pid && startTime === entry.startTime);
  const roots = table.filter((entry) => entry.pid === leaderPid || entry.sessionId === leaderPid || isKnown(entry));
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
