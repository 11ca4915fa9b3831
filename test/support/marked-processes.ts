import { readdirSync, readFileSync } from 'node:fs';

/**
 * Pids of the processes that were started with this variable (`NAME=value`) in their environment, wherever they went:
 * what called setsid(2) or was re-parented still has it. Zombies have none. From /proc/PID/environ (proc(5)); Linux only.
 */
export function processesWith(variable: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(variable))
    .map(Number);
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    // It ended since the listing, or is another user's.
    return [];
  }
}
