import { readFileSync } from 'node:fs';

/** False for a process that has ended, whether or not its parent (or init) has reaped it yet. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    // No such process.
    return false;
  }
}
