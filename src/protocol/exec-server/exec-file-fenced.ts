import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, readlink, rmdir, symlink, unlink, type FileHandle } from 'node:fs/promises';
import { copyOpened } from './exec-file-copy.ts';
import { nameOf, type FileFence } from './exec-file-fence.ts';
import type { FileCall, FileMethod } from './exec-file-methods.ts';
import { O_PATH, withoutLinks } from './exec-file-open.ts';
import { joinedPath, shownPath, uriOfPath, type FilePath } from './exec-file-path.ts';
import { getMetadata, readDirectory, readFile, writeFile } from './exec-file-system.ts';
import { walk } from './exec-file-walk.ts';
import { WireErrorCode, type Params } from './exec-server-schema.ts';
import { WireError } from './wire-error.ts';

/** Methods that name a place; the others work on what is open. */
export type FencedMethod = Exclude<FileMethod, 'fs/readBlock' | 'fs/writeBlock' | 'fs/close'>;

/** File methods within a fence. They throw as `fileMethods` do. */
export const fencedFileMethods: {
  readonly [M in FencedMethod]: (fence: FileFence, call: FileCall, params: Params<M>) => Promise<object>;
} = {
  'fs/readFile': (fence, _call, params) => toRead(fence, params, readFile),
  'fs/writeFile': (fence, _call, params) => toReplace(fence, params, writeFile),
  'fs/open': (fence, { handles }, params) =>
    params.mode === 'read'
      ? toRead(fence, params, (held) => handles.open(held))
      : toReplace(fence, params, (held) => handles.open(held)),
  'fs/createDirectory': (fence, _call, { path, recursive }) => createDirectory(fence, path, recursive),
  'fs/getMetadata': async (fence, _call, params) => {
    if (!params.followSymlinks) {
      return fence.entry(await plain(params.path), async () => getMetadata(params));
    }
    // The root is in no directory.
    return params.path.length === 1
      ? getMetadata(params)
      : fence.target(params.path, () => fence.entry(params.path, ({ path }) => getMetadata({ ...params, path })));
  },
  'fs/canonicalize': (fence, _call, { path }) => fence.target(path, async ({ real }) => ({ path: uriOfPath(real) })),
  'fs/readDirectory': (fence, _call, params) =>
    fence.target(params.path, ({ path }) => readDirectory({ ...params, path })),
  'fs/walk': (fence, { connectionGone }, params) => walk(params, connectionGone, (path) => fence.refuseLook(path)),
  'fs/remove': remove,
  'fs/copy': copy,
  'fs/watchMissing': async (fence, { watches }, params) => {
    for (const path of params.missing) {
      await fence.refuseLook(path);
    }
    if (params.present !== null) {
      await fence.refuseLook(params.present);
    }
    return watches.add(params);
  },
};

interface OpenParams {
  readonly path: FilePath;
  readonly followSymlinks: boolean;
}

function toRead<P extends OpenParams>(fence: FileFence, params: P, work: (params: P) => Promise<object>) {
  return held(fence, params, () => undefined, work);
}

/** What is there is written to; what is not is made, where nobody can put a link in its place. */
async function toReplace<P extends OpenParams>(fence: FileFence, params: P, work: (params: P) => Promise<object>) {
  try {
    return await held(fence, params, (real) => fence.refuseWrite(real), work);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw error;
    }
  }
  return fence.entry(params.path, async ({ path, real }) => {
    fence.refuseWrite(real);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const made = await open(path, flags, 0o666);
    try {
      return await named(params, nameOf(made), work);
    } finally {
      await made.close();
    }
  });
}

function held<P extends OpenParams>(
  fence: FileFence,
  params: P,
  judge: (real: FilePath) => void,
  work: (params: P) => Promise<object>,
): Promise<object> {
  const through = (path: FilePath) =>
    fence.target(path, async (place) => {
      judge(place.real);
      return named(params, place.path, work);
    });
  // Without links on the way the name is held by its directory, and must be none itself.
  return params.followSymlinks
    ? through(params.path)
    : withoutLinks(params.path, async (path) => {
        const handle = await open(path, O_PATH | constants.O_NOFOLLOW);
        try {
          if ((await handle.stat()).isSymbolicLink()) {
            throw Object.assign(new Error('a link'), { code: 'ELOOP' });
          }
          return await through(nameOf(handle));
        } finally {
          await handle.close();
        }
      });
}

/** Does it by another name; what is said about it has the one that was asked for. */
async function named<P extends OpenParams>(
  params: P,
  path: FilePath,
  work: (params: P) => Promise<object>,
): Promise<object> {
  try {
    return await work({ ...params, path, followSymlinks: true });
  } catch (error) {
    throw error instanceof WireError
      ? new WireError(error.code, error.message.replaceAll(shownPath(path), shownPath(params.path)))
      : error;
  }
}

/** A path with a link or a `..` on it leads elsewhere than it says; then this throws as the call itself would. */
async function plain(path: FilePath): Promise<FilePath> {
  return withoutLinks(path, async () => path);
}

async function createDirectory(fence: FileFence, path: FilePath, recursive: boolean): Promise<object> {
  const make = () =>
    fence.entry(path, async (place) => {
      fence.refuseWrite(place.real);
      await mkdir(place.path);
      return {};
    });
  if (!recursive) {
    return make();
  }
  try {
    // One that is there is fine, wherever it is.
    await fence.target(path, ({ path: there }) => readdir(joinedPath(there, Buffer.from('.'))));
    return {};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path.length === 1) {
      throw error;
    }
  }
  const parent = path.subarray(0, Math.max(1, path.lastIndexOf(0x2f)));
  await createDirectory(fence, parent, true);
  return make();
}

async function remove(fence: FileFence, _call: FileCall, params: Params<'fs/remove'>): Promise<object> {
  const { path, recursive, force } = params;
  try {
    await fence.entry(path, async (place) => {
      fence.refuseRemoval(place.real);
      if (!(await lstat(place.path)).isDirectory()) {
        await unlink(place.path);
      } else if (recursive) {
        await removeTree(place.path);
      } else {
        await rmdir(place.path);
      }
    });
  } catch (error) {
    if (!force || (error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw error;
    }
  }
  return {};
}

/** Each directory is held while it is emptied: a link that is put in its place is not followed. */
async function removeTree(path: FilePath): Promise<void> {
  const directory = await open(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const entries = await readdir(nameOf(directory), { withFileTypes: true, encoding: 'buffer' });
    for (const entry of entries) {
      const child = joinedPath(nameOf(directory), entry.name);
      await (entry.isDirectory() ? removeTree(child) : unlink(child));
    }
  } finally {
    await directory.close();
  }
  await rmdir(path);
}

/** A file or a link. A directory is not copied: each of its files would have to be held and judged. */
function copy(fence: FileFence, { sessionEnded }: FileCall, params: Params<'fs/copy'>): Promise<object> {
  const { sourcePath, destinationPath } = params;
  return fence.entry(sourcePath, async (source) => {
    const stats = await lstat(source.path);
    if (stats.isSymbolicLink()) {
      return fence.entry(destinationPath, async (destination) => {
        fence.refuseWrite(destination.real);
        await symlink(await readlink(source.path, { encoding: 'buffer' }), destination.path);
        return {};
      });
    }
    if (!stats.isFile()) {
      throw new WireError(
        WireErrorCode.invalidRequest,
        'within a sandbox fs/copy copies files and links; copy a directory by a command',
      );
    }
    const from = await open(source.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return await toReplace(fence, { path: destinationPath, followSymlinks: true }, async ({ path }) => {
        const to: FileHandle = await open(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
        try {
          await copyOpened({ from, to, destination: destinationPath }, sessionEnded);
        } finally {
          await to.close();
        }
        return {};
      });
    } finally {
      await from.close();
    }
  });
}
