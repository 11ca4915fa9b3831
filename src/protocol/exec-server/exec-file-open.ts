import { constants } from 'node:fs';
import { lstat, open, type FileHandle } from 'node:fs/promises';
import { joinedPath, pathComponents, shownPath, type FilePath } from './exec-file-path.ts';
import { WireErrorCode } from './exec-server-schema.ts';
import { WireError } from './wire-error.ts';

/**
 * Linux's O_PATH, which Node does not name: a descriptor that only stands for a place in the tree. It needs no right
 * to read the directory (open(2), asm-generic/fcntl.h; the same on x86 and arm64).
 */
export const O_PATH = 0o10_000_000;

/**
 * With every open: a FIFO without another end or a device that has nothing must not hold one of the four threads that
 * all file calls of this process share (O_NONBLOCK, fifo(7)), and a terminal must not become this host's own
 * (O_NOCTTY, open(2)).
 */
const NEVER_WAIT = constants.O_NONBLOCK | constants.O_NOCTTY;

export interface OpenOptions {
  readonly followSymlinks: boolean;
  /** Also `/dev/null` and its like. */
  readonly devices?: boolean;
}

/** Opens a regular file to be read. Throws a `WireError` for anything else, or the system's error. */
export async function openToRead(path: FilePath, options: OpenOptions): Promise<FileHandle> {
  return opened(path, constants.O_RDONLY, options);
}

/**
 * Opens a regular file to be written in place: the same inode, mode and links as before, empty. What was in it is gone
 * once this has resolved, as with the real server (0.169).
 */
export async function openToReplace(path: FilePath, options: OpenOptions): Promise<FileHandle> {
  // Without O_TRUNC: what it is has to be known before it is emptied.
  const handle = await opened(path, constants.O_WRONLY | constants.O_CREAT, options);
  try {
    if ((await handle.stat()).isFile()) {
      await handle.truncate(0);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  return handle;
}

/**
 * Runs an action on a name by which the system follows no symbolic link on the way to it; the last component is the
 * action's own affair. ENOTDIR when a directory of the path is a link, as with the real server (0.169).
 */
export async function withoutLinks<T>(path: FilePath, action: (child: FilePath) => Promise<T>): Promise<T> {
  const components = pathComponents(path);
  const name = components.pop();
  if (name === undefined) {
    return action(path);
  }
  return process.platform === 'linux'
    ? throughDescriptors(components, name, action)
    : checked(path, components, action);
}

export function notAFile(path: FilePath): WireError {
  return new WireError(WireErrorCode.invalidRequest, `path \`${shownPath(path)}\` is not a file`);
}

async function opened(path: FilePath, flags: number, options: OpenOptions): Promise<FileHandle> {
  const handle = options.followSymlinks
    ? await open(path, flags | NEVER_WAIT, 0o666)
    : await withoutLinks(path, (child) => open(child, flags | NEVER_WAIT | constants.O_NOFOLLOW, 0o666));
  try {
    const stats = await handle.stat();
    if (!stats.isFile() && !(options.devices === true && stats.isCharacterDevice())) {
      throw notAFile(path);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  return handle;
}

/**
 * Node has no openat(2). A name under /proc/self/fd does the same (proc(5)): each directory is opened by the one before
 * it, so that a link which is put in its place meanwhile is refused too.
 */
async function throughDescriptors<T>(
  directories: readonly Buffer[],
  name: Buffer,
  action: (child: FilePath) => Promise<T>,
): Promise<T> {
  const flags = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  let directory = await open('/', flags);
  try {
    for (const component of directories) {
      const next = await open(inDirectory(directory, component), flags);
      await directory.close();
      directory = next;
    }
    return await action(inDirectory(directory, name));
  } finally {
    await directory.close();
  }
}

function inDirectory({ fd }: FileHandle, name: Buffer): FilePath {
  return joinedPath(Buffer.from(`/proc/self/fd/${fd}`), name);
}

/** Elsewhere the directories are looked at one by one; a link that is put in between the look and the use is followed. */
async function checked<T>(
  path: FilePath,
  directories: readonly Buffer[],
  action: (child: FilePath) => Promise<T>,
): Promise<T> {
  let directory: FilePath = Buffer.from('/');
  for (const component of directories) {
    directory = joinedPath(directory, component);
    if (!(await lstat(directory)).isDirectory()) {
      throw Object.assign(new Error(`${shownPath(directory)} is not a directory`), { code: 'ENOTDIR' });
    }
  }
  return action(path);
}
