import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { processFacts, type ProcessFacts } from './process-facts.ts';
import { listProcesses, readOrGone, type ProcessEntry } from './process-table.ts';
import { ProcessTree, type TreeTraits } from './process-tree.ts';
import { partsOfMark } from './session-mark.ts';

/** Which process a host is, so that the next one can tell whether it still runs. */
export interface HostIdentity {
  readonly hostId: string;
  readonly pid: number;
  readonly startTime: string;
  /** Where its pid means something: the machine's name and pid namespace. */
  readonly machine: string;
  /** Differs after each start of the machine; null where the system does not tell. */
  readonly boot: string | null;
}

/** A session that a host had started and not seen the end of. */
export interface RecordedSession {
  readonly sessionId: string;
  readonly pid: number;
  /** Null when the leader had been reaped before it was looked at. */
  readonly startTime: string | null;
  readonly mark: string;
}

export interface RecordedHost extends HostIdentity {
  readonly sessions: readonly RecordedSession[];
}

/** A host that ended without its clean-up, and what it left. */
export interface DeadHost {
  readonly hostId: string;
  /** Only sessions of which something still runs. Empty: the record can be forgotten. */
  readonly sessions: readonly LeftOverSession[];
}

export interface LeftOverSession {
  readonly sessionId: string;
  /** Leaves first. */
  readonly processes: readonly ProcessFacts[];
}

/** Who this process is. Rejects when the system would not say what runs. */
export async function thisHost(hostId: string): Promise<HostIdentity> {
  const own = (await listProcesses()).find(({ pid }) => pid === process.pid);
  if (own === undefined) {
    throw new Error('this process is not in the process table');
  }
  return { hostId, pid: process.pid, startTime: own.startTime, machine: machineName(), boot: bootId() };
}

/**
 * Which of the recorded hosts have ended, and what of their sessions still runs: by leader, mark and start times.
 * `own` is the host that asks. A host that lives, or that is of another machine or container, is not in the answer;
 * nor is anything that belongs to a host that lives, although it may have been started in a session of a dead one.
 *
 * A session that was not recorded any more is found by its mark.
 */
export async function leftOverProcesses(
  hosts: readonly RecordedHost[],
  own: HostIdentity,
): Promise<readonly DeadHost[]> {
  const dead = await endedHosts(hosts, own);
  const live = [
    own,
    ...hosts.filter(({ machine, hostId }) => machine === own.machine && !dead.some((host) => host.hostId === hostId)),
  ];
  return Promise.all(
    dead.map(async (host) => ({
      hostId: host.hostId,
      sessions: host.boot === own.boot ? await leftOverSessions(host, live) : [],
    })),
  );
}

/** Those of the hosts that have ended; never one of another machine or container. */
export async function endedHosts<Host extends HostIdentity>(
  hosts: readonly Host[],
  own: HostIdentity,
): Promise<readonly Host[]> {
  const table = await listProcesses();
  return hosts.filter(
    (host) =>
      host.machine === own.machine && host.hostId !== own.hostId && !(host.boot === own.boot && isIn(table, host)),
  );
}

async function leftOverSessions(
  host: RecordedHost,
  live: readonly HostIdentity[],
): Promise<readonly LeftOverSession[]> {
  const liveIds = new Set(live.map(({ hostId }) => hostId));
  const unrecorded = new Set<string>();
  const recorded = new Set(host.sessions.map(({ sessionId }) => sessionId));
  const treeOf = (traits: TreeTraits, isMember: (mark: string) => boolean) =>
    new ProcessTree({ ...traits, adopted: live, unwatched: true }, (marks) => {
      // The innermost mark says whose it is.
      const isOfLiveHost = liveIds.has(partsOfMark(marks.at(-1) ?? '')?.hostId ?? '');
      return !isOfLiveHost && marks.some(isMember);
    });
  // All of the host's marks that are carried, to learn of sessions without a record.
  await treeOf({ leader: null }, (mark) => {
    const parts = partsOfMark(mark);
    if (parts?.hostId === host.hostId && !recorded.has(parts.sessionId)) {
      unrecorded.add(parts.sessionId);
    }
    return false;
  }).look();
  const sessions = [
    ...host.sessions.map(({ sessionId, mark, pid, startTime }) => ({
      sessionId,
      tree: treeOf({ leader: { pid, startTime } }, (carried) => carried === mark),
    })),
    ...[...unrecorded].map((sessionId) => ({
      sessionId,
      tree: treeOf({ leader: null }, (carried) => {
        const parts = partsOfMark(carried);
        return parts?.hostId === host.hostId && parts.sessionId === sessionId;
      }),
    })),
  ];
  const found = await Promise.all(
    sessions.map(async ({ sessionId, tree }) => ({
      sessionId,
      processes: await processFacts((await tree.look()).members),
    })),
  );
  return found.filter(({ processes }) => processes.length > 0);
}

function isIn(table: readonly ProcessEntry[], { pid, startTime }: HostIdentity): boolean {
  return table.some((entry) => entry.pid === pid && entry.startTime === startTime && !entry.zombie);
}

/** Pids mean the same in one pid namespace of one machine (pid_namespaces(7)). */
function machineName(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // No such thing as namespaces here.
    return hostname();
  }
}

function bootId(): string | null {
  return process.platform === 'linux' ? (readOrGone('/proc/sys/kernel/random/boot_id')?.trim() ?? null) : null;
}
