import { getPriority, setPriority } from 'node:os';

/**
 * Forks a child that has this niceness, when the host's own is below it; a child begins with that of the thread which forks
 * it. Set in the child afterwards, what it had started by then would keep the host's. Null: children have the host's.
 *
 * `fork` has forked when it returns. On Linux a niceness is a thread's, elsewhere a process's.
 */
export function withNiceness<Child>(niceness: number | null, fork: () => Child): Child {
  const own = getPriority();
  if (niceness === null || own >= niceness) {
    return fork();
  }
  setPriority(niceness);
  try {
    return fork();
  } finally {
    takeBack(own);
  }
}

function takeBack(niceness: number): void {
  try {
    setPriority(niceness);
  } catch {
    // Whoever was given it may have lost the right to it since. The host then goes on with that of its children.
  }
}
