import { readdir, readFile, readlink } from 'node:fs/promises';
import { parseListeningSockets, type ListeningPort } from './listening-sockets.ts';
import { parseStat, readOrGone, type ProcessIdentity } from './process-table.ts';
import type { ProcessTree } from './process-tree.ts';

/** What a person needs to decide about a process. Null where the system does not tell (all but Linux, other users'). */
export interface ProcessFacts extends ProcessIdentity {
  readonly parentPid: number;
  /**
   * Its arguments joined by spaces, control characters replaced, at most `MAX_COMMAND_LENGTH` characters; the program's
   * name in brackets when it has none. It may hold secrets: not for the log.
   */
  readonly command: string | null;
  /** Time since its start, in milliseconds. */
  readonly ageMs: number | null;
  /** Time it has computed for, user and system, in milliseconds, to about 10. */
  readonly cpuMs: number | null;
  /** Memory that is in RAM, shared pages included, in bytes. */
  readonly residentBytes: number | null;
  /** Each once, in the order of protocol, port and address. */
  readonly listening: readonly ListeningPort[] | null;
}

/** Characters of a command line that are kept. A compiler's can be a megabyte. */
const MAX_COMMAND_LENGTH = 1_000;

/**
 * Ticks per second of the times in /proc/PID/stat: USER_HZ, which is 100 wherever Node runs
 * (include/asm-generic/param.h).
 */
const TICKS_PER_SECOND = 100;

type SocketsByInode = ReadonlyMap<string, ListeningPort>;

/** What of a tree still runs, leaves first: after the leader's end, or after what could be ended was ended. */
export async function survivorsOf(tree: ProcessTree): Promise<readonly ProcessFacts[]> {
  return processFacts((await tree.look()).members);
}

/** Facts about processes, in the same order. What has ended meanwhile is left out. */
export async function processFacts(
  processes: readonly (ProcessIdentity & { readonly parentPid: number })[],
): Promise<readonly ProcessFacts[]> {
  if (process.platform !== 'linux') {
    return processes.map(({ pid, startTime, parentPid }) => ({
      pid,
      startTime,
      parentPid,
      command: null,
      ageMs: null,
      cpuMs: null,
      residentBytes: null,
      listening: null,
    }));
  }
  const network = new NetworkLook();
  const facts: ProcessFacts[] = [];
  // One after the other: a tree of a thousand would need as many descriptors at once.
  for (const identity of processes) {
    const fact = await factsOf(identity, network);
    if (fact !== null) {
      facts.push(fact);
    }
  }
  return facts;
}

/** Where processes listen, each place once; null where the system does not tell. */
export async function listeningPortsOf(
  processes: readonly ProcessIdentity[],
): Promise<readonly ListeningPort[] | null> {
  if (process.platform !== 'linux') {
    return null;
  }
  const network = new NetworkLook();
  const ports = new Map<string, ListeningPort>();
  // One after the other: a tree of a thousand would need as many descriptors at once.
  for (const { pid } of processes) {
    for (const port of (await network.portsOf(pid)) ?? []) {
      ports.set(sortKey(port), port);
    }
  }
  return inOrder(ports);
}

async function factsOf(identity: ProcessIdentity, network: NetworkLook): Promise<ProcessFacts | null> {
  const { pid, startTime } = identity;
  const listening = await network.portsOf(pid);
  const commandLine = readOrGone(`/proc/${pid}/cmdline`) ?? '';
  const status = readOrGone(`/proc/${pid}/status`) ?? '';
  // Last, so that all of the above is of the process that has this start time.
  const stat = readOrGone(`/proc/${pid}/stat`);
  const entry = stat === null ? null : parseStat(stat);
  if (stat === null || entry?.startTime !== startTime || entry.zombie) {
    return null;
  }
  const uptimeMs = Number.parseFloat(readOrGone('/proc/uptime') ?? '') * 1_000;
  const ageMs = uptimeMs - (Number(startTime) / TICKS_PER_SECOND) * 1_000;
  const residentKiB = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  return {
    pid,
    startTime,
    parentPid: entry.parentPid,
    command: commandText(commandLine, stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))),
    ageMs: Number.isFinite(ageMs) ? Math.max(0, Math.round(ageMs)) : null,
    cpuMs: cpuMsOf(stat),
    residentBytes: residentKiB === undefined ? null : Number(residentKiB) * 1_024,
    listening,
  };
}

/** Time that a process has computed for, in milliseconds, from its /proc/PID/stat: utime (14) and stime (15). */
export function cpuMsOf(stat: string): number {
  const [utime, stime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(14 - 3);
  return ((Number(utime) + Number(stime)) * 1_000) / TICKS_PER_SECOND;
}

/** The text of /proc/PID/cmdline as one line. `name` is what is shown for a process that has no arguments. */
export function commandText(commandLine: string, name: string): string {
  const joined = commandLine.replace(/\0+$/, '').replaceAll('\0', ' ');
  const text = joined === '' ? `[${name}]` : joined;
  // The line and paragraph separators and the marks that turn the direction of text are no part of an honest name.
  const plain = text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
  return plain.length > MAX_COMMAND_LENGTH ? `${plain.slice(0, MAX_COMMAND_LENGTH - 1)}…` : plain;
}

/** The listening sockets of each network namespace, read once: a sandboxed process has a namespace of its own. */
class NetworkLook {
  readonly #byNamespace = new Map<string, Promise<SocketsByInode>>();

  /** The ports of one process; null when its descriptors may not be read. */
  async portsOf(pid: number): Promise<readonly ListeningPort[] | null> {
    try {
      const sockets = await this.#socketsSeenBy(pid);
      const ports = new Map<string, ListeningPort>();
      const descriptors = sockets.size === 0 ? [] : await readdir(`/proc/${pid}/fd`);
      for (const descriptor of descriptors) {
        // It may have been closed since it was listed.
        const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
        const port = sockets.get(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? '');
        if (port !== undefined) {
          ports.set(sortKey(port), port);
        }
      }
      return inOrder(ports);
    } catch {
      // Another user's, or it has ended.
      return null;
    }
  }

  async #socketsSeenBy(pid: number): Promise<SocketsByInode> {
    const namespace = await readlink(`/proc/${pid}/ns/net`);
    const read = this.#byNamespace.get(namespace) ?? readSockets(pid);
    this.#byNamespace.set(namespace, read);
    return read;
  }
}

function sortKey({ protocol, address, port }: ListeningPort): string {
  return `${protocol} ${String(port).padStart(5, '0')} ${address}`;
}

function inOrder(ports: ReadonlyMap<string, ListeningPort>): readonly ListeningPort[] {
  return [...ports.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, port]) => port);
}

async function readSockets(pid: number): Promise<SocketsByInode> {
  const all = new Map<string, ListeningPort>();
  for (const [file, protocol] of [
    ['tcp', 'tcp'],
    ['tcp6', 'tcp'],
    ['udp', 'udp'],
    ['udp6', 'udp'],
  ] as const) {
    // A kernel without IPv6 has no tcp6 and udp6.
    const text = await readFile(`/proc/${pid}/net/${file}`, 'utf8').catch(() => '');
    for (const [inode, port] of parseListeningSockets(text, protocol)) {
      all.set(inode, port);
    }
  }
  return all;
}
