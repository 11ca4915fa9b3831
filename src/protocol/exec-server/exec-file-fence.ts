import { constants } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import type { FencePlaces } from '../../engine/engine.ts';
import { O_PATH } from './exec-file-open.ts';
import { joinedPath, pathComponents, type FilePath } from './exec-file-path.ts';

/** A place that was judged, held by descriptors: what a path is made to lead to meanwhile changes nothing. */
export interface HeldPlace {
  /** The name by which the system reaches it, through a descriptor. */
  readonly path: FilePath;
  /** Where it is, links followed. */
  readonly real: FilePath;
  /** The directory that it lies in; null for one that is held itself. */
  readonly parent: FileHandle | null;
}

/**
 * What file calls of a client in a sandbox may touch. Judged is where the opened descriptor lies (/proc/self/fd, proc(5)),
 * never the words of a path, so that no link leads out. What is refused is told in the system's words, as a process in the
 * fence would hear them. Linux only.
 */
export class FileFence {
  readonly #writable: readonly Buffer[];
  readonly #readOnly: readonly Buffer[];
  readonly #hidden: readonly Buffer[];

  constructor({ writable, readOnly, hidden }: FencePlaces) {
    this.#writable = writable.map((path) => Buffer.from(path));
    this.#readOnly = readOnly.map((path) => Buffer.from(path));
    this.#hidden = hidden.map((path) => Buffer.from(path));
  }

  /** Throws EACCES for what is hidden. `real` is without links. */
  refuseHidden(real: FilePath): void {
    if (this.#hidden.some((folder) => isIn(real, folder))) {
      throw systemError('EACCES');
    }
  }

  /** Throws EROFS for what may not be written to. */
  refuseWrite(real: FilePath): void {
    this.refuseHidden(real);
    const isWritable = this.#writable.some((folder) => isIn(real, folder));
    if (!isWritable || this.#readOnly.some((folder) => isIn(real, folder))) {
      throw systemError('EROFS');
    }
  }

  /** Throws for what may not be taken away: also for a writable folder itself, and what a protected place lies in. */
  refuseRemoval(real: FilePath): void {
    this.refuseWrite(real);
    if ([...this.#writable, ...this.#readOnly, ...this.#hidden].some((place) => isIn(place, real))) {
      throw systemError('EBUSY');
    }
  }

  /** Works on what a path leads to, held open. Throws ENOENT when that is nothing. */
  async target<T>(path: FilePath, work: (held: HeldPlace) => Promise<T>): Promise<T> {
    const handle = await open(path, O_PATH);
    try {
      const real = await this.refuseOpened(handle);
      return await work({ path: nameOf(handle), real, parent: null });
    } finally {
      await handle.close();
    }
  }

  /** Works on a directory held open, and throws ENOTDIR for anything else, a link among it when none is followed. */
  async directory<T>(
    path: FilePath,
    { followSymlinks }: { readonly followSymlinks: boolean },
    work: (held: HeldPlace) => Promise<T>,
  ): Promise<T> {
    const flags = O_PATH | constants.O_DIRECTORY | (followSymlinks ? 0 : constants.O_NOFOLLOW);
    const handle = await open(path, flags);
    try {
      const real = await this.refuseOpened(handle);
      return await work({ path: nameOf(handle), real, parent: null });
    } finally {
      await handle.close();
    }
  }

  /** Throws EACCES for what is open and lies where it is hidden. Answers where it lies. */
  async refuseOpened(handle: FileHandle): Promise<FilePath> {
    const real = await placeOf(handle);
    this.refuseHidden(real);
    return real;
  }

  /** Works on the name itself, be it a link or nothing, in its directory held open. */
  async entry<T>(path: FilePath, work: (held: HeldPlace & { readonly parent: FileHandle }) => Promise<T>): Promise<T> {
    const { directory, name } = parted(path);
    const parent = await open(directory, O_PATH | constants.O_DIRECTORY);
    try {
      const real = joinedPath(await placeOf(parent), name);
      this.refuseHidden(real);
      return await work({ path: joinedPath(nameOf(parent), name), real, parent });
    } finally {
      await parent.close();
    }
  }

  /** Judges what is, or will be, at a path, for what only tells whether something is there. */
  async refuseLook(path: FilePath): Promise<void> {
    const components = pathComponents(path);
    for (let count = components.length; count >= 0; count -= 1) {
      try {
        const begin = await realpath(absolute(components.slice(0, count)), { encoding: 'buffer' });
        this.refuseHidden(components.slice(count).reduce(joinedPath, begin));
        return;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (count === 0 || (code !== 'ENOENT' && code !== 'ENOTDIR')) {
          throw error;
        }
      }
    }
  }
}

/** A name under which a directory's descriptor, or what lies in it, can be reached. */
export function nameOf({ fd }: FileHandle): FilePath {
  return Buffer.from(`/proc/self/fd/${fd}`);
}

/** An error as the system would give it. */
function systemError(code: 'EACCES' | 'EROFS' | 'EBUSY' | 'EINVAL'): Error {
  return Object.assign(new Error(`refused by the sandbox (${code})`), { code });
}

/** Where an open descriptor lies. What was taken away meanwhile has no place, and is as good as hidden. */
async function placeOf(handle: FileHandle): Promise<FilePath> {
  const place = await readlink(nameOf(handle), { encoding: 'buffer' });
  if (place[0] !== 0x2f || place.toString('latin1').endsWith(' (deleted)')) {
    throw systemError('EACCES');
  }
  return place;
}

function parted(path: FilePath): { readonly directory: FilePath; readonly name: Buffer } {
  const components = pathComponents(path);
  const name = components.pop();
  if (name === undefined || name.equals(DOT) || name.equals(DOTS)) {
    // The name of a directory is not among its own entries.
    throw systemError('EINVAL');
  }
  return { directory: absolute(components), name };
}

const DOT = Buffer.from('.');
const DOTS = Buffer.from('..');

function absolute(components: readonly Buffer[]): FilePath {
  return components.reduce<FilePath>((path, name) => joinedPath(path, name), Buffer.from('/'));
}

function isIn(path: FilePath, folder: FilePath): boolean {
  return (
    folder.length === 1 ||
    (path.subarray(0, folder.length).equals(folder) && (path.length === folder.length || path[folder.length] === 0x2f))
  );
}
