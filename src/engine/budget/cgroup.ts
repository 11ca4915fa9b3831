import { setTimeout as delay } from 'node:timers/promises';
import type { SessionLimits } from '../../shared/budget.ts';
import { parseStat } from '../backend/process-table.ts';
import { systemCgroupFiles, type CgroupFiles } from './cgroup-files.ts';

/** What the kernel says of one session's group. What it does not tell, or is not asked to limit, is null. */
export interface CgroupReading {
  /** Exact CPU time of everything that ever ran in it, in milliseconds. Told without any controller. */
  readonly cpuMs: number | null;
  /** Memory that is charged to it, page cache included, in bytes. */
  readonly memoryBytes: number | null;
  /** The most that was ever charged, in bytes (Linux 5.19). */
  readonly memoryPeakBytes: number | null;
  /** Processes that were killed because the limit was reached. */
  readonly oomKills: number;
  /** Forks that were refused because of the limit on tasks. */
  readonly refusedForks: number;
}

/** Which limits the kernel enforces in the groups that are made. */
export interface CgroupEnforcement {
  readonly memory: boolean;
  readonly processes: boolean;
}

/** One session's control group. */
export interface SessionCgroup {
  readonly folder: string;
  /** Whoever writes `0` into it becomes a member: what a launcher does before it becomes the program. */
  readonly procsFile: string;
  readonly enforces: CgroupEnforcement;
  /** Moves a process in; what it starts from then on is in it, too. Throws what the system says. */
  add(pid: number): void;
  /** Pids of its members, as this process sees them. */
  members(): readonly number[];
  read(): CgroupReading;
  /** Kills every member at once, also what forks meanwhile. */
  kill(): void;
  /** Kills what is left and takes the group away. Answers false when the kernel holds on to a member. */
  remove(): Promise<boolean>;
}

/** The place where a host makes its sessions' groups. */
export interface Cgroups {
  readonly enforces: CgroupEnforcement;
  /**
   * Makes a group with the limits that the kernel can enforce. Throws what the system says when it cannot be made;
   * then the session is watched by samples as anywhere else.
   */
  create(limits: SessionLimits): SessionCgroup;
  /** Takes the groups away, killing what is left in them, and puts the host back to where it was. */
  dispose(): Promise<void>;
}

/** Where groups may be made, or why not, as a sentence for a person. Nothing was changed to find out. */
export type CgroupPlace =
  | {
      readonly usable: true;
      /** This process's own group. */
      readonly folder: string;
      /** The host and what it started must move into a leaf: a group whose children have limits has no processes. */
      readonly hostMustMove: boolean;
      /** What the kernel could enforce there. */
      readonly enforces: CgroupEnforcement;
    }
  | { readonly usable: false; readonly reason: string };

export type OpenedCgroups =
  | { readonly usable: true; readonly cgroups: Cgroups }
  | { readonly usable: false; readonly reason: string };

/**
 * Tasks (threads) that a group may hold per process that its session may have. The kernel counts threads, the limit of
 * a session counts processes: node alone has a dozen threads, a JVM a hundred. So the kernel's limit is only the fence
 * that a fork bomb cannot outrun between two samples; the sample judges. Lower refuses threads to honest programs.
 */
const TASKS_PER_PROCESS = 64;

/** Tasks that every group may hold, whatever its limit. */
const LEAST_TASKS = 256;

/** Time that a killed group has to become empty, in milliseconds. Only uninterruptible sleep takes longer. */
const REMOVE_PATIENCE_MS = 2_000;

/** Pause between two tries to remove a group, in milliseconds. */
const REMOVE_EVERY_MS = 10;

/** Times that a group is emptied before it counts as one that never will be. What is moved forks in its new group. */
const MOVE_ROUNDS = 5;

const CONTROLLERS = { memory: 'memory', processes: 'pids' } as const satisfies Record<keyof CgroupEnforcement, string>;

/**
 * Finds out whether this process may make control groups (cgroup v2, Documentation/admin-guide/cgroup-v2.rst of the
 * kernel): the hierarchy is mounted, our own group is in it and is writable, and nobody else's process is in that
 * group, since a group whose children have limits may not hold processes (except the root). Only reads.
 */
export function findCgroupPlace(files: CgroupFiles = systemCgroupFiles, pid: number = process.pid): CgroupPlace {
  const no = (reason: string): CgroupPlace => ({ usable: false, reason });
  const mount = cgroup2Mount(files.read('/proc/self/mountinfo') ?? '');
  if (mount === null) {
    return no('cgroup v2 is not mounted');
  }
  const own = /^0::(\/.*)$/m.exec(files.read('/proc/self/cgroup') ?? '')?.[1];
  const path = own === undefined ? null : within(mount.root, own);
  if (path === null) {
    return no("this process's own group is outside of what is mounted (a container without a cgroup namespace)");
  }
  const folder = path === '' ? mount.folder : `${mount.folder}${path}`;
  const available = words(files.read(`${folder}/cgroup.controllers`));
  // The hierarchy's root has no type; it alone may hold processes beside groups with limits.
  const type = files.read(`${folder}/cgroup.type`)?.trim() ?? null;
  const enforces = { memory: available.includes('memory'), processes: available.includes('pids') };
  if (type !== null && type !== 'domain') {
    return no(`${folder} is of the type "${type}", in which no group with limits can be made`);
  }
  const passedOn = words(files.read(`${folder}/cgroup.subtree_control`));
  const wanted = Object.values(CONTROLLERS).filter((name) => available.includes(name) && !passedOn.includes(name));
  const hostMustMove = type !== null && wanted.length > 0;
  const strangers = pidsOf(files.read(`${folder}/cgroup.procs`)).filter((member) => !descends(files, member, pid));
  if (hostMustMove && strangers.length > 0) {
    return no(
      `${folder} holds ${strangers.length} other processes; a host in a group of its own can set limits, ` +
        'e.g. started by systemd-run --user --scope -p Delegate=yes',
    );
  }
  return { usable: true, folder, hostMustMove, enforces };
}

/**
 * Makes the host's place for groups:
 *
 * ```
 * <own group>/shellscope-<pid>            the groups of the sessions: session-1, session-2 …
 * <own group>/shellscope-<pid>-host       the host itself, only where it must move
 * ```
 *
 * Undoes everything and answers why when the system refuses a step.
 */
export function openCgroups(files: CgroupFiles = systemCgroupFiles, pid: number = process.pid): OpenedCgroups {
  const place = findCgroupPlace(files, pid);
  if (!place.usable) {
    return place;
  }
  const host = new HostCgroups(files, place.folder, pid);
  try {
    host.open(place.hostMustMove);
    return { usable: true, cgroups: host };
  } catch (error) {
    host.undo();
    return { usable: false, reason: `no group can be made in ${place.folder}: ${(error as Error).message}` };
  }
}

class HostCgroups implements Cgroups {
  readonly #files: CgroupFiles;
  readonly #base: string;
  readonly #sessions: string;
  readonly #hostLeaf: string;
  readonly #groups = new Set<SessionGroup>();
  /** Controllers that this host passed on to its children, and takes back. */
  readonly #passedOn: string[] = [];
  #moved = false;
  #enforces: CgroupEnforcement = { memory: false, processes: false };
  #count = 0;

  constructor(files: CgroupFiles, base: string, pid: number) {
    this.#files = files;
    this.#base = base;
    this.#sessions = `${base}/shellscope-${pid}`;
    this.#hostLeaf = `${base}/shellscope-${pid}-host`;
  }

  get enforces(): CgroupEnforcement {
    return this.#enforces;
  }

  open(hostMustMove: boolean): void {
    this.#files.makeFolder(this.#sessions);
    if (hostMustMove) {
      this.#files.makeFolder(this.#hostLeaf);
      this.#moved = true;
      this.#moveAll(this.#base, this.#hostLeaf);
    }
    this.#passOn(this.#base, (name) => this.#passedOn.push(name));
    this.#passOn(this.#sessions);
    const given = words(this.#files.read(`${this.#sessions}/cgroup.subtree_control`));
    this.#enforces = { memory: given.includes('memory'), processes: given.includes('pids') };
  }

  create(limits: SessionLimits): SessionCgroup {
    this.#count += 1;
    // A name of our own: a session's id is the caller's text.
    const group = new SessionGroup(this.#files, `${this.#sessions}/session-${this.#count}`, this.#enforces, limits);
    try {
      group.open();
    } catch (error) {
      group.tryToRemove();
      throw error;
    }
    this.#groups.add(group);
    group.onRemoved = () => this.#groups.delete(group);
    return group;
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#groups].map((group) => group.remove()));
    this.undo();
  }

  /** Best effort: what cannot be undone is a group without members, which limits nobody. */
  undo(): void {
    const attempt = (step: () => void) => {
      try {
        step();
      } catch {
        // Not made, gone already, or the kernel holds on to a member: the next step may still work.
      }
    };
    attempt(() => this.#files.removeFolder(this.#sessions));
    for (const name of this.#passedOn) {
      attempt(() => this.#files.write(`${this.#base}/cgroup.subtree_control`, `-${name}`));
    }
    if (this.#moved) {
      attempt(() => this.#moveAll(this.#hostLeaf, this.#base));
    }
    attempt(() => this.#files.removeFolder(this.#hostLeaf));
  }

  /** Moves every process of a group; again, for what a process forked before it was moved. */
  #moveAll(from: string, to: string): void {
    for (let round = 0; round < MOVE_ROUNDS; round += 1) {
      const members = pidsOf(this.#files.read(`${from}/cgroup.procs`));
      if (members.length === 0) {
        return;
      }
      for (const member of members) {
        try {
          this.#files.write(`${to}/cgroup.procs`, String(member));
        } catch (error) {
          // It ended since it was listed.
          if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
            throw error;
          }
        }
      }
    }
  }

  /** Lets the children of a group have limits. Tells of each controller that was not passed on before. */
  #passOn(folder: string, done: (name: string) => void = () => {}): void {
    const available = words(this.#files.read(`${folder}/cgroup.controllers`));
    const already = words(this.#files.read(`${folder}/cgroup.subtree_control`));
    for (const name of Object.values(CONTROLLERS)) {
      if (available.includes(name) && !already.includes(name)) {
        this.#files.write(`${folder}/cgroup.subtree_control`, `+${name}`);
        done(name);
      }
    }
  }
}

class SessionGroup implements SessionCgroup {
  readonly folder: string;
  readonly procsFile: string;
  readonly enforces: CgroupEnforcement;
  onRemoved: () => void = () => {};
  readonly #files: CgroupFiles;
  readonly #limits: SessionLimits;

  constructor(files: CgroupFiles, folder: string, available: CgroupEnforcement, limits: SessionLimits) {
    this.#files = files;
    this.folder = folder;
    this.procsFile = `${folder}/cgroup.procs`;
    this.#limits = limits;
    this.enforces = {
      memory: available.memory && limits.memoryBytes !== undefined,
      processes: available.processes && limits.processes !== undefined,
    };
  }

  open(): void {
    this.#files.makeFolder(this.folder);
    if (this.enforces.memory && this.#limits.memoryBytes !== undefined) {
      this.#files.write(`${this.folder}/memory.max`, String(this.#limits.memoryBytes));
      // All of the session or nothing: one member killed alone leaves a build that hangs.
      this.#files.write(`${this.folder}/memory.oom.group`, '1');
      if (this.#files.read(`${this.folder}/memory.swap.max`) !== null) {
        // What goes to the swap is not counted by memory.max, and slows the whole machine.
        this.#files.write(`${this.folder}/memory.swap.max`, '0');
      }
    }
    if (this.enforces.processes && this.#limits.processes !== undefined) {
      const tasks = Math.max(LEAST_TASKS, this.#limits.processes * TASKS_PER_PROCESS);
      this.#files.write(`${this.folder}/pids.max`, String(tasks));
    }
  }

  add(pid: number): void {
    this.#files.write(this.procsFile, String(pid));
  }

  members(): readonly number[] {
    return pidsOf(this.#files.read(this.procsFile));
  }

  read(): CgroupReading {
    // Only the files that say something: a host asks this of every session, again and again.
    const value = (name: string) => number(this.#files.read(`${this.folder}/${name}`));
    const keyed = (name: string, key: string) =>
      number(new RegExp(`^${key} (\\d+)$`, 'm').exec(this.#files.read(`${this.folder}/${name}`) ?? '')?.[1] ?? null);
    const { memory, processes } = this.enforces;
    const usageMicroseconds = keyed('cpu.stat', 'usage_usec');
    return {
      cpuMs: usageMicroseconds === null ? null : usageMicroseconds / 1_000,
      memoryBytes: memory ? value('memory.current') : null,
      memoryPeakBytes: memory ? value('memory.peak') : null,
      oomKills: memory ? (keyed('memory.events', 'oom_kill') ?? 0) : 0,
      refusedForks: processes ? (keyed('pids.events', 'max') ?? 0) : 0,
    };
  }

  kill(): void {
    try {
      this.#files.write(`${this.folder}/cgroup.kill`, '1');
    } catch {
      // Before Linux 5.14 there is none, and a group that is gone has no members: one by one then.
      for (const pid of this.members()) {
        killOne(pid);
      }
    }
  }

  async remove(): Promise<boolean> {
    const deadline = performance.now() + REMOVE_PATIENCE_MS;
    while (!this.tryToRemove()) {
      if (performance.now() > deadline) {
        return false;
      }
      this.kill();
      await delay(REMOVE_EVERY_MS);
    }
    return true;
  }

  /** Answers true when the group is gone. */
  tryToRemove(): boolean {
    try {
      this.#files.removeFolder(this.folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        return false;
      }
    }
    this.onRemoved();
    return true;
  }
}

function killOne(pid: number): void {
  // 0 stands for a member outside of our pid namespace, and would be our own group.
  if (pid <= 0) {
    return;
  }
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // ESRCH: it ended since it was listed. EPERM: another user's; the caller sees that the group stays.
  }
}

/** Whether a process is `ancestor` or was started by it, however far down. */
function descends(files: CgroupFiles, pid: number, ancestor: number): boolean {
  let at = pid;
  for (const seen = new Set<number>(); at > 0 && !seen.has(at);) {
    if (at === ancestor) {
      return true;
    }
    seen.add(at);
    at = parseStat(files.read(`/proc/${at}/stat`) ?? '')?.parentPid ?? 0;
  }
  return false;
}

/** Where cgroup v2 is mounted, and which part of the hierarchy is to be seen there (proc_pid_mountinfo(5)). */
function cgroup2Mount(mountInfo: string): { readonly folder: string; readonly root: string } | null {
  for (const line of mountInfo.split('\n')) {
    const [mount = '', system = ''] = line.split(' - ');
    const [, , , root, folder] = mount.split(' ');
    if (system.startsWith('cgroup2 ') && root !== undefined && folder !== undefined) {
      return { folder: unescaped(folder), root: unescaped(root) };
    }
  }
  return null;
}

/** Spaces and the like are written as `\040` in mountinfo. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)));
}

/** The path below `root`, empty for the root itself, with a leading `/` otherwise; null when it is not below. */
function within(root: string, path: string): string | null {
  const prefix = root === '/' ? '' : root;
  if (path.split('/').includes('..')) {
    return null;
  }
  const below = path === prefix ? '' : path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : null;
  return below === '/' ? '' : below;
}

function words(text: string | null): readonly string[] {
  return (text ?? '').split(/\s+/).filter((word) => word !== '');
}

function pidsOf(text: string | null): readonly number[] {
  return words(text).map(Number);
}

/** `max` and what is not there are null. */
function number(text: string | null): number | null {
  return text !== null && /^\d+\s*$/.test(text) ? Number(text) : null;
}
