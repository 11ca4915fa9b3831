import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rmdir, unlink } from 'node:fs/promises';
import { nameOf, type FileFence } from './exec-file-fence.ts';
import { O_PATH } from './exec-file-open.ts';
import { joinedPath, type FilePath } from './exec-file-path.ts';
import type { Params } from './exec-server-schema.ts';

/** Makes a directory; `recursive`: also those that it lies in, and one that is there is fine. */
export async function createDirectory(fence: FileFence, path: FilePath, recursive: boolean): Promise<object> {
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

/** Takes a file, a link or a directory away. */
export async function remove(fence: FileFence, params: Params<'fs/remove'>): Promise<object> {
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
