import { readFile } from 'node:fs/promises';
import { openCgroups } from '../../src/engine/budget/cgroup.ts';
import type { SessionInfo } from '../../src/shared/session.ts';

/** What this machine lets a host do with control groups; null where it lets none be made. */
export async function machineGroups(): Promise<{ readonly memory: boolean; readonly processes: boolean } | null> {
  const opened = openCgroups();
  if (!opened.usable) {
    return null;
  }
  const { enforces } = opened.cgroups;
  await opened.cgroups.dispose();
  return enforces;
}

/** The control group of a session, by what the kernel says of its child; null when it is in none of a host's. */
export async function groupOf({ pid }: Pick<SessionInfo, 'pid'>): Promise<string | null> {
  return /^0::.*(\/shellscope-\d+\/session-\d+)$/m.exec(await readFile(`/proc/${pid}/cgroup`, 'utf8'))?.[1] ?? null;
}
