import { watch, type FSWatcher } from 'node:fs';
import { lstat, readlink, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { joinedPath, pathComponents, type FilePath } from './exec-file-path.ts';
import type { Params } from './exec-server-schema.ts';

/** Paths of one watch; more is answered `watching: false`, as by the real server (0.169). */
const MAX_PATHS = 64;

/** Watches of one client, told ones included: their ids stay taken. A client looks by itself for what is not watched. */
const MAX_WATCHES = 4_096;

/** Directories watched for one client. Each takes one of the user's inotify watches (8,192 on small machines). */
const MAX_DIRECTORIES = 1_024;

/** Links on one way, as the kernel counts them (path_resolution(7)). */
const MAX_LINKS = 40;

/**
 * File systems whose changes this kernel does not see, as others make them, or does not tell (inotify(7)); `f_type` of
 * statfs(2).
 */
const UNTOLD_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xfe534d42, // SMB2
  0xff534d42, // CIFS
  0x65735546, // FUSE
  0x01021997, // 9P
  0x00c36400, // Ceph
  0x5346414f, // AFS
  0x9fa0, // proc
  0x62656572, // sysfs
]);

/** One name on the way to a path, looked up in a directory that is no link. */
interface Step {
  readonly directory: FilePath;
  readonly name: Buffer;
  /** Device, inode, and time of birth, since a number is soon given to another file; null when it is not there. */
  readonly identity: string | null;
}

/** The way to a path: as long as no step changes, neither does whether it is there. */
interface Way {
  readonly steps: readonly Step[];
  readonly end: 'there' | 'missing' | 'unknown';
}

interface Watch {
  readonly id: number;
  readonly paths: readonly FilePath[];
  /** What `paths` were like when the client was told that they are watched. */
  seen: string;
  /** False until the client knows of the watch: nothing is told of it before. */
  active: boolean;
  looking: boolean;
  lookAgain: boolean;
}

interface WatchedDirectory {
  readonly watcher: FSWatcher;
  /** Who wants to know of which name; a name as latin1. */
  readonly names: Map<string, Set<Watch>>;
}

/**
 * Tells once when something that was missing may be there, or what was there is gone. A client keeps what it found out
 * about missing paths for as long as it hears nothing.
 *
 * Watched is every name on the way, links included, each in its directory. A change of one of them is looked at again
 * before anything is told, so that the bustle of a temporary directory stays here.
 */
export class MissingWatches {
  readonly #onChanged: (watchId: number) => void;
  readonly #watches = new Map<number, Watch>();
  readonly #directories = new Map<string, WatchedDirectory>();
  readonly #usedIds = new Set<number>();
  #disposed = false;

  constructor(onChanged: (watchId: number) => void) {
    this.#onChanged = onChanged;
  }

  /** `watching: false` when it cannot be promised that a change is told: the client then has to look by itself. */
  async add({ watchId, missing, present }: Params<'fs/watchMissing'>): Promise<object> {
    const isServed =
      !this.#disposed &&
      !this.#usedIds.has(watchId) &&
      this.#usedIds.size < MAX_WATCHES &&
      missing.length > 0 &&
      missing.length <= MAX_PATHS;
    if (!isServed) {
      return { watching: false };
    }
    this.#usedIds.add(watchId);
    const watched: Watch = {
      id: watchId,
      paths: present === null ? missing : [...missing, present],
      seen: '',
      active: false,
      looking: false,
      lookAgain: false,
    };
    this.#watches.set(watchId, watched);
    if (await this.#begin(watched, missing.length)) {
      return { watching: true };
    }
    this.#usedIds.delete(watchId);
    this.#forget(watched);
    return { watching: false };
  }

  /** The client has the answer to `add`: it knows the id from now on and may hear of it. */
  answered(watchId: number): void {
    const watched = this.#watches.get(watchId);
    if (watched !== undefined && !watched.active) {
      watched.active = true;
      if (watched.lookAgain) {
        void this.#look(watched);
      }
    }
  }

  dispose(): void {
    this.#disposed = true;
    this.#watches.clear();
    for (const { watcher } of this.#directories.values()) {
      watcher.close();
    }
    this.#directories.clear();
  }

  async #begin(watched: Watch, missingCount: number): Promise<boolean> {
    const ways = await waysTo(watched.paths);
    const isAsSaid = ways.every(({ end }, index) => end === (index < missingCount ? 'missing' : 'there'));
    if (!isAsSaid || !(await areTold(ways))) {
      return false;
    }
    for (const { directory, name } of ways.flatMap(({ steps }) => steps)) {
      if (this.#watches.get(watched.id) !== watched || !this.#watchName(watched, directory, name)) {
        return false;
      }
    }
    watched.seen = summary(ways);
    // What came between the look and the watching was told to nobody.
    const isUnchanged = summary(await waysTo(watched.paths)) === watched.seen;
    return isUnchanged && this.#watches.get(watched.id) === watched;
  }

  #watchName(watched: Watch, directory: FilePath, name: Buffer): boolean {
    const key = directory.toString('latin1');
    let entry = this.#directories.get(key);
    if (entry === undefined) {
      if (this.#directories.size >= MAX_DIRECTORIES) {
        return false;
      }
      const begun = this.#watchDirectory(key, directory);
      if (begun === null) {
        return false;
      }
      entry = begun;
    }
    const nameKey = name.toString('latin1');
    const interested = entry.names.get(nameKey);
    if (interested === undefined) {
      entry.names.set(nameKey, new Set([watched]));
    } else {
      interested.add(watched);
    }
    return true;
  }

  #watchDirectory(key: string, directory: FilePath): WatchedDirectory | null {
    let watcher: FSWatcher;
    try {
      watcher = watch(directory, { encoding: 'buffer', persistent: false });
    } catch {
      // Not for this user, gone again, or the system has no watches left: then this is not watched.
      return null;
    }
    const entry: WatchedDirectory = { watcher, names: new Map() };
    this.#directories.set(key, entry);
    watcher.on('change', (_event, name) => {
      const interested =
        typeof name === 'string' || name === null
          ? [...entry.names.values()].flatMap((watches) => [...watches])
          : [...(entry.names.get(name.toString('latin1')) ?? [])];
      for (const watched of interested) {
        void this.#look(watched);
      }
    });
    // It watches no more: whoever relied on it is told, rather than never.
    watcher.on('error', () => {
      for (const watched of new Set([...entry.names.values()].flatMap((watches) => [...watches]))) {
        watched.seen = '';
        void this.#look(watched);
      }
    });
    return entry;
  }

  /** Looks until nothing came in between. */
  async #look(watched: Watch): Promise<void> {
    watched.lookAgain = true;
    if (watched.looking || !watched.active) {
      return;
    }
    watched.looking = true;
    while (watched.lookAgain && this.#watches.get(watched.id) === watched) {
      watched.lookAgain = false;
      if (summary(await waysTo(watched.paths)) !== watched.seen) {
        this.#tell(watched);
      }
    }
    watched.looking = false;
  }

  #tell(watched: Watch): void {
    if (this.#watches.get(watched.id) === watched) {
      this.#forget(watched);
      this.#onChanged(watched.id);
    }
  }

  #forget(watched: Watch): void {
    this.#watches.delete(watched.id);
    for (const [key, { watcher, names }] of this.#directories) {
      for (const [name, watches] of names) {
        if (watches.delete(watched) && watches.size === 0) {
          names.delete(name);
        }
      }
      if (names.size === 0) {
        watcher.close();
        this.#directories.delete(key);
      }
    }
  }
}

async function waysTo(paths: readonly FilePath[]): Promise<readonly Way[]> {
  return Promise.all(paths.map(wayTo));
}

/** Follows a path as the kernel does, a name at a time, and says what it saw. */
async function wayTo(path: FilePath): Promise<Way> {
  const steps: Step[] = [];
  const ahead = pathComponents(path);
  let directory: FilePath = Buffer.from('/');
  let links = 0;
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    if (name.toString('latin1') === '.') {
      continue;
    }
    if (name.toString('latin1') === '..') {
      directory = Buffer.from(dirname(directory.toString('latin1')), 'latin1');
      continue;
    }
    const child = joinedPath(directory, name);
    try {
      const stats = await lstat(child, { bigint: true });
      steps.push({ directory, name, identity: `${stats.dev}:${stats.ino}:${stats.birthtimeNs}` });
      if (!stats.isSymbolicLink()) {
        directory = child;
        continue;
      }
      links += 1;
      const target = await readlink(child, { encoding: 'buffer' });
      if (links > MAX_LINKS) {
        return { steps, end: 'unknown' };
      }
      directory = target[0] === 0x2f ? Buffer.from('/') : directory;
      ahead.unshift(...pathComponents(target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        return { steps, end: 'unknown' };
      }
      steps.push({ directory, name, identity: null });
      return { steps, end: 'missing' };
    }
  }
  return { steps, end: 'there' };
}

/** True when a change in any of the directories is told by this kernel. */
async function areTold(ways: readonly Way[]): Promise<boolean> {
  try {
    const last = ways.map(({ steps }) => steps.at(-1)?.directory ?? Buffer.from('/'));
    const types = await Promise.all(last.map((directory) => statfs(directory)));
    return types.every(({ type }) => !UNTOLD_FILE_SYSTEMS.has(type));
  } catch {
    // It went away between two looks: nothing can be promised.
    return false;
  }
}

function summary(ways: readonly Way[]): string {
  return JSON.stringify(ways.map(({ steps, end }) => [end, ...steps.map(({ identity }) => identity)]));
}
