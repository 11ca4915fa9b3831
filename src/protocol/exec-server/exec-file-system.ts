import type { Dirent, Stats } from 'node:fs';
import { lstat, mkdir, opendir, realpath, rm, rmdir, stat, unlink, type FileHandle } from 'node:fs/promises';
import { openToRead, openToReplace, withoutLinks } from './exec-file-open.ts';
import { joinedPath, shownPath, uriOfPath, type FilePath } from './exec-file-path.ts';
import { WireErrorCode, type Params } from './exec-server-schema.ts';
import { fileError, WireError } from './wire-error.ts';

/**
 * Most that `fs/readFile` answers, in bytes. The answer is one frame, a third larger, and it is made in one piece:
 * about 3 ms per MiB in which nothing else happens in this host. Larger files are read by blocks (`fs/open`). The real
 * server takes 512 MiB.
 */
const MAX_READ_FILE_BYTES = 32 * 1024 * 1024;

/** One read(2), in bytes: short enough that other file calls get their turn between two of them. */
const READ_PIECE_BYTES = 1024 * 1024;

/** Most entries of one directory that are looked at. More would be tens of MiB in one answer. */
const MAX_DIRECTORY_ENTRIES = 100_000;

/** A name in a directory, as bytes, and what it is before any link is followed. */
export type DirectoryEntry = Dirent<Buffer>;

export async function readFile({ path, followSymlinks }: Params<'fs/readFile'>): Promise<object> {
  const handle = await openToRead(path, { followSymlinks });
  try {
    const bytes = await wholeFile(handle);
    return { dataBase64: bytes.toString('base64') };
  } finally {
    await handle.close();
  }
}

/**
 * Writes in place, as the real server does: the file keeps its inode, mode and links, and a reader may see it half
 * written. A write that ends early is told with how far it came; what is written then stays.
 */
export async function writeFile({ path, dataBase64, followSymlinks }: Params<'fs/writeFile'>): Promise<object> {
  const handle = await openToReplace(path, { followSymlinks, devices: true });
  let written = 0;
  try {
    while (written < dataBase64.length) {
      const piece = Math.min(dataBase64.length - written, READ_PIECE_BYTES);
      const { bytesWritten } = await handle.write(dataBase64, written, piece);
      written += bytesWritten;
    }
  } catch (error) {
    const { code, message } = fileError(error);
    throw new WireError(
      code,
      written === 0
        ? message
        : `${message}: ${written} of ${dataBase64.length} bytes are in \`${shownPath(path)}\`, the rest is missing`,
    );
  } finally {
    await handle.close();
  }
  return {};
}

export async function createDirectory({ path, recursive }: Params<'fs/createDirectory'>): Promise<object> {
  await mkdir(path, { recursive });
  return {};
}

export async function getMetadata({ path, followSymlinks }: Params<'fs/getMetadata'>): Promise<object> {
  const link = followSymlinks ? await lstat(path) : await withoutLinks(path, (child) => lstat(child));
  if (link.isSymbolicLink() && !followSymlinks) {
    throw new WireError(WireErrorCode.invalidRequest, 'path contains a symbolic link');
  }
  const target = link.isSymbolicLink() ? await stat(path) : link;
  return {
    isDirectory: target.isDirectory(),
    isFile: target.isFile(),
    isSymlink: link.isSymbolicLink(),
    size: target.size,
    createdAtMs: Math.floor(target.birthtimeMs),
    modifiedAtMs: Math.floor(target.mtimeMs),
  };
}

export async function canonicalize({ path }: Params<'fs/canonicalize'>): Promise<object> {
  return { path: uriOfPath(await realpath(path, { encoding: 'buffer' })) };
}

/** Names that are not UTF-8 come with U+FFFD in them: the answer has no other way to say them. `fs/walk` has. */
export async function readDirectory({ path }: Params<'fs/readDirectory'>): Promise<object> {
  const entries: object[] = [];
  for (const entry of await directoryEntries(path)) {
    const target = entry.isSymbolicLink() ? await targetOf(joinedPath(path, entry.name)) : entry;
    if (target !== null) {
      entries.push({
        fileName: shownPath(entry.name),
        isDirectory: target.isDirectory(),
        isFile: target.isFile(),
      });
    }
  }
  return { entries };
}

export async function remove({ path, recursive, force }: Params<'fs/remove'>): Promise<object> {
  if (path.length === 1) {
    throw new WireError(WireErrorCode.invalidRequest, '`path` is the root of the file system, which is not removed');
  }
  try {
    if (!(await lstat(path)).isDirectory()) {
      await unlink(path);
    } else if (recursive) {
      await rm(path, { recursive: true });
    } else {
      await rmdir(path);
    }
  } catch (error) {
    if (!force || (error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw error;
    }
  }
  return {};
}

/** What is in a directory, in the order of the names' bytes. Throws a `WireError` for one that is too large. */
export async function directoryEntries(path: FilePath): Promise<readonly DirectoryEntry[]> {
  const entries: DirectoryEntry[] = [];
  // The types know only the names as text; with this encoding they are bytes.
  const directory = await opendir(path, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 });
  for await (const entry of directory as unknown as AsyncIterable<DirectoryEntry>) {
    entries.push(entry);
    if (entries.length > MAX_DIRECTORY_ENTRIES) {
      throw new WireError(
        WireErrorCode.invalidRequest,
        `directory \`${shownPath(path)}\` has more than ${MAX_DIRECTORY_ENTRIES} entries`,
      );
    }
  }
  return entries.sort((one, other) => Buffer.compare(one.name, other.name));
}

/** What a link leads to; null when that is nothing, or cannot be looked at. */
export async function targetOf(link: FilePath): Promise<Stats | null> {
  try {
    return await stat(link);
  } catch {
    // A dangling link, a loop, or a directory without access: the real server leaves all of these out.
    return null;
  }
}

/** Reads to the end, whatever size was told: files of /proc tell 0, and a log may grow meanwhile. */
async function wholeFile(handle: FileHandle): Promise<Buffer> {
  const { size } = await handle.stat();
  const pieces: Buffer[] = [];
  let total = 0;
  for (;;) {
    if (Math.max(size, total) > MAX_READ_FILE_BYTES) {
      throw new WireError(
        WireErrorCode.invalidRequest,
        `file is too large to read: limit is ${MAX_READ_FILE_BYTES} bytes`,
      );
    }
    // One byte beyond what it should have, so that the end of most files takes no second buffer.
    const buffer = Buffer.allocUnsafe(Math.min(Math.max(size - total + 1, 4_096), READ_PIECE_BYTES));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) {
      return Buffer.concat(pieces, total);
    }
    pieces.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
  }
}
