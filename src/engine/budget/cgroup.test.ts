import { describe, expect, test } from 'vitest';
import type { CgroupFiles } from './cgroup-files.ts';
import { findCgroupPlace, openCgroups } from './cgroup.ts';

const HOST = 100;

interface KernelOptions {
  /** Line of /proc/self/mountinfo for cgroup2, or none. */
  readonly mount?: string;
  /** Path of the host's group, as in /proc/self/cgroup. */
  readonly own?: string;
  readonly controllers?: string;
  /** Processes in the host's group. */
  readonly members?: readonly number[];
  /** pid → parent's pid, for all that the host did not start itself. */
  readonly parents?: Readonly<Record<number, number>>;
  /** Paths that may not be written, with the system's code. */
  readonly refuses?: Readonly<Record<string, string>>;
}

/**
 * Plays the rules of cgroup v2 that matter here: groups have control files from the start, a process is in one group, a
 * group with members cannot pass controllers on (but the root), a group with members cannot be removed, and a child
 * has the controllers that its parent passes on.
 */
class PlayedKernel implements CgroupFiles {
  readonly groups = new Map<string, { procs: number[]; passedOn: Set<string>; files: Map<string, string> }>();
  readonly #options: Required<KernelOptions>;
  readonly #root = '/sys/fs/cgroup';

  constructor(options: KernelOptions = {}) {
    this.#options = {
      mount: '30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw',
      own: '/user.slice/own',
      controllers: 'cpu memory pids',
      members: [HOST],
      parents: {},
      refuses: {},
      ...options,
    };
    const path = this.#options.own === '/' ? '' : this.#options.own;
    let at = this.#root;
    this.#add(at);
    for (const name of path.split('/').filter((part) => part !== '')) {
      this.groups.get(at)?.passedOn.add('memory').add('pids').add('cpu');
      at += `/${name}`;
      this.#add(at);
    }
    this.groups.get(at)?.procs.push(...this.#options.members);
  }

  read(path: string): string | null {
    if (path === '/proc/self/mountinfo') {
      return `22 1 8:1 / / rw - ext4 /dev/root rw\n${this.#options.mount}\n`;
    }
    if (path === '/proc/self/cgroup') {
      return `9:name=systemd:/\n0::${this.#options.own}\n`;
    }
    const pid = /^\/proc\/(\d+)\/stat$/.exec(path)?.[1];
    if (pid !== undefined) {
      const parent = this.#options.parents[Number(pid)] ?? 1;
      return `${pid} (x) S ${parent} 0 0 0 0 0 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0`;
    }
    const [folder, name] = split(path);
    const group = this.groups.get(folder);
    switch (name) {
      case 'cgroup.procs':
        return group === undefined ? null : group.procs.map((member) => `${member}\n`).join('');
      case 'cgroup.controllers':
        return group === undefined ? null : `${this.#controllersOf(folder).join(' ')}\n`;
      case 'cgroup.subtree_control':
        return group === undefined ? null : `${[...group.passedOn].join(' ')}\n`;
      case 'cgroup.type':
        return group === undefined || folder === this.#root ? null : (group.files.get(name) ?? 'domain\n');
      default:
        return group?.files.get(name) ?? null;
    }
  }

  write(path: string, text: string): void {
    const refusal = this.#options.refuses[path] ?? this.#options.refuses[`${path} ${text}`];
    const [folder, name] = split(path);
    const group = this.groups.get(folder);
    if (refusal !== undefined || group === undefined) {
      throw systemError(refusal ?? 'ENOENT');
    }
    switch (name) {
      case 'cgroup.procs':
        if (group.passedOn.size > 0 && folder !== this.#root) {
          throw systemError('EBUSY');
        }
        for (const other of this.groups.values()) {
          other.procs = other.procs.filter((member) => member !== Number(text));
        }
        group.procs.push(Number(text));
        return;
      case 'cgroup.subtree_control': {
        if (text.startsWith('-')) {
          group.passedOn.delete(text.slice(1));
          return;
        }
        if (!this.#controllersOf(folder).includes(text.slice(1))) {
          throw systemError('ENOENT');
        }
        if (group.procs.length > 0 && folder !== this.#root) {
          throw systemError('EBUSY');
        }
        group.passedOn.add(text.slice(1));
        return;
      }
      case 'cgroup.kill':
        group.procs = [];
        return;
      default:
        if (!group.files.has(name)) {
          throw systemError('ENOENT');
        }
        group.files.set(name, text);
    }
  }

  makeFolder(path: string): void {
    const refusal = this.#options.refuses[path];
    if (refusal !== undefined) {
      throw systemError(refusal);
    }
    this.#add(path);
  }

  removeFolder(path: string): void {
    const group = this.groups.get(path);
    if (group === undefined) {
      throw systemError('ENOENT');
    }
    if (group.procs.length > 0 || [...this.groups.keys()].some((other) => other.startsWith(`${path}/`))) {
      throw systemError('EBUSY');
    }
    this.groups.delete(path);
  }

  setFile(path: string, text: string): void {
    const [folder, name] = split(path);
    this.groups.get(folder)?.files.set(name, text);
  }

  #controllersOf(folder: string): readonly string[] {
    const available = this.#options.controllers.split(' ');
    const above = this.groups.get(split(folder)[0]);
    return folder === this.#root ? available : available.filter((name) => above?.passedOn.has(name));
  }

  #add(path: string): void {
    const files = new Map([['cpu.stat', 'usage_usec 0\nuser_usec 0\nsystem_usec 0\n']]);
    this.groups.set(path, { procs: [], passedOn: new Set(), files });
    if (this.#controllersOf(path).includes('memory')) {
      for (const name of ['memory.max', 'memory.oom.group', 'memory.swap.max']) {
        files.set(name, 'max');
      }
    }
    if (this.#controllersOf(path).includes('pids')) {
      files.set('pids.max', 'max');
    }
  }
}

function split(path: string): [string, string] {
  const at = path.lastIndexOf('/');
  return [path.slice(0, at), path.slice(at + 1)];
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: refused`), { code });
}

function opened(kernel: PlayedKernel) {
  const result = openCgroups(kernel, HOST);
  if (!result.usable) {
    throw new Error(result.reason);
  }
  return result.cgroups;
}

const OWN = '/sys/fs/cgroup/user.slice/own';
const SESSIONS = `${OWN}/shellscope-${HOST}`;

describe('the place for control groups', () => {
  test('is the own group; finding it changes nothing', () => {
    const kernel = new PlayedKernel();
    const before = JSON.stringify([...kernel.groups]);
    expect(findCgroupPlace(kernel, HOST)).toEqual({
      usable: true,
      folder: OWN,
      hostMustMove: true,
      enforces: { memory: true, processes: true },
    });
    expect(JSON.stringify([...kernel.groups])).toBe(before);
  });

  test('may be the root, where the host stays', () => {
    expect(findCgroupPlace(new PlayedKernel({ own: '/', members: [1, 2, HOST] }), HOST)).toMatchObject({
      usable: true,
      folder: '/sys/fs/cgroup',
      hostMustMove: false,
    });
  });

  test('is found where only a part of the hierarchy is mounted, under a name with a space', () => {
    const mount = '30 24 0:26 /docker/x /sys/fs/c\\040group rw - cgroup2 cgroup rw';
    expect(findCgroupPlace(new PlayedKernel({ mount, own: '/docker/x/own' }), HOST)).toMatchObject({
      folder: '/sys/fs/c group/own',
    });
  });

  test('has nothing to enforce where the old hierarchies hold the controllers', () => {
    expect(findCgroupPlace(new PlayedKernel({ controllers: 'hugetlb' }), HOST)).toMatchObject({
      usable: true,
      hostMustMove: false,
      enforces: { memory: false, processes: false },
    });
  });

  test('may hold what the host started', () => {
    const kernel = new PlayedKernel({ members: [HOST, 101, 102], parents: { 101: HOST, 102: 101 } });
    expect(findCgroupPlace(kernel, HOST)).toMatchObject({ usable: true, hostMustMove: true });
  });

  test.each<[KernelOptions, string]>([
    [{ mount: '30 24 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw' }, 'not mounted'],
    [{ mount: '30 24 0:26 /docker/x /sys/fs/cgroup rw - cgroup2 cgroup rw' }, 'outside of what is mounted'],
    [{ own: '/../../own' }, 'outside of what is mounted'],
    [{ members: [HOST, 7, 8], parents: { 8: HOST } }, 'holds 1 other processes'],
  ])('is none with %o: %s', (options, reason) => {
    const place = findCgroupPlace(new PlayedKernel(options), HOST);
    expect(place).toEqual({ usable: false, reason: expect.stringContaining(reason) });
  });

  test('is none in a threaded group', () => {
    const kernel = new PlayedKernel();
    kernel.setFile(`${OWN}/cgroup.type`, 'threaded\n');
    expect(findCgroupPlace(kernel, HOST)).toEqual({ usable: false, reason: expect.stringContaining('"threaded"') });
  });
});

describe('the groups of a host', () => {
  test('are made beside a leaf that holds the host and what it started; all of it is undone at the end', async () => {
    const kernel = new PlayedKernel({ members: [HOST, 101], parents: { 101: HOST } });
    const before = [...kernel.groups.keys()];
    const cgroups = opened(kernel);
    expect(cgroups.enforces).toEqual({ memory: true, processes: true });
    expect(kernel.groups.get(`${OWN}/shellscope-${HOST}-host`)?.procs).toEqual([HOST, 101]);
    const group = cgroups.create({ memoryBytes: 1_048_576, processes: 10 });
    expect(group.folder).toBe(`${SESSIONS}/session-1`);
    expect(Object.fromEntries(kernel.groups.get(group.folder)?.files ?? [])).toMatchObject({
      'memory.max': '1048576',
      'memory.oom.group': '1',
      'memory.swap.max': '0',
      'pids.max': '640',
    });
    group.add(500);
    expect(group.members()).toEqual([500]);
    await cgroups.dispose();
    expect([...kernel.groups.keys()]).toEqual(before);
    expect(kernel.groups.get(OWN)?.procs).toEqual([HOST, 101]);
    expect(kernel.groups.get(OWN)?.passedOn.size).toBe(0);
  });

  test('have no limits but those that were asked for, and that the kernel can enforce', () => {
    const kernel = new PlayedKernel({ controllers: 'pids' });
    const cgroups = opened(kernel);
    expect(cgroups.enforces).toEqual({ memory: false, processes: true });
    const limited = cgroups.create({ memoryBytes: 1_048_576, processes: 1 });
    expect(limited.enforces).toEqual({ memory: false, processes: true });
    // A fence for threads, too: never less than an honest program needs.
    expect(kernel.read(`${limited.folder}/pids.max`)).toBe('256');
    const free = cgroups.create({ memoryBytes: 1_048_576 });
    expect(free.enforces).toEqual({ memory: false, processes: false });
    expect(kernel.read(`${free.folder}/pids.max`)).toBe('max');
  });

  test.each([
    [{ [SESSIONS]: 'EACCES' }, 'EACCES'],
    [{ [`${OWN}/shellscope-${HOST}-host/cgroup.procs`]: 'EPERM' }, 'EPERM'],
    [{ [`${OWN}/cgroup.subtree_control`]: 'EROFS' }, 'EROFS'],
    [{ [`${OWN}/cgroup.subtree_control +pids`]: 'ENOSPC' }, 'ENOSPC'],
    [{ [`${SESSIONS}/cgroup.subtree_control`]: 'EPERM' }, 'EPERM'],
  ])('are none where %o; nothing is left of the try', (refuses, code) => {
    const kernel = new PlayedKernel({ refuses });
    const before = [...kernel.groups.keys()];
    expect(openCgroups(kernel, HOST)).toEqual({ usable: false, reason: expect.stringContaining(code) });
    expect([...kernel.groups.keys()]).toEqual(before);
    expect(kernel.groups.get(OWN)?.procs).toEqual([HOST]);
  });

  test('a session whose limits are refused has no group, and the next one may', () => {
    const kernel = new PlayedKernel({ refuses: { [`${SESSIONS}/session-1/memory.max`]: 'EINVAL' } });
    const cgroups = opened(kernel);
    expect(() => cgroups.create({ memoryBytes: 1 })).toThrow('EINVAL');
    expect(kernel.groups.has(`${SESSIONS}/session-1`)).toBe(false);
    expect(cgroups.create({ memoryBytes: 1 }).folder).toBe(`${SESSIONS}/session-2`);
  });

  test('tell what was used and what was refused', () => {
    const kernel = new PlayedKernel();
    const group = opened(kernel).create({ memoryBytes: 1_048_576, processes: 4 });
    const nothing = { cpuMs: 0, memoryBytes: null, memoryPeakBytes: null, oomKills: 0, refusedForks: 0 };
    expect(group.read()).toEqual(nothing);
    for (const [name, text] of [
      ['cpu.stat', 'usage_usec 1234567\nuser_usec 1000000\nsystem_usec 234567\n'],
      ['memory.current', '900000\n'],
      ['memory.peak', '1048576\n'],
      ['memory.events', 'low 0\nhigh 0\nmax 31\noom 2\noom_kill 1\noom_group_kill 1\n'],
      ['pids.events', 'max 5\n'],
    ] as const) {
      kernel.setFile(`${group.folder}/${name}`, text);
    }
    expect(group.read()).toEqual({
      cpuMs: 1_234.567,
      memoryBytes: 900_000,
      memoryPeakBytes: 1_048_576,
      oomKills: 1,
      refusedForks: 5,
    });
  });

  test('are removed with what is left in them, and removing twice does nothing', async () => {
    const kernel = new PlayedKernel();
    const group = opened(kernel).create({});
    group.add(500);
    expect(await group.remove()).toBe(true);
    expect(kernel.groups.has(group.folder)).toBe(false);
    expect(await group.remove()).toBe(true);
    expect(group.members()).toEqual([]);
  });
});
