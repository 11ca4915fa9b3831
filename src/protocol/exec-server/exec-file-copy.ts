import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, readlink, realpath, symlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { notAFile, openToRead } from './exec-file-open.ts';
import { joinedPath, type FilePath } from './exec-file-path.ts';
import { directoryEntries } from './exec-file-system.ts';
import { WireErrorCode, type Params } from './exec-server-schema.ts';
import { WireError } from './wire-error.ts';

/** Bytes that are between the two files at a time. */
const PIECE_BYTES = 1024 * 1024;

export const UNFIT_SOURCE = 'fs/copy only supports regular files, directories, and symlinks';

/**
 * Copies a file with its mode, a link as a link, or a directory with everything in it. What is neither is refused as
 * the source and left out inside a directory, as by the real server. What was copied before an error stays.
 *
 * `signal` ends a copy under way: the session that asked for it is over.
 */
export async function copy(params: Params<'fs/copy'>, signal: AbortSignal): Promise<object> {
  const { sourcePath, destinationPath, recursive } = params;
  const source = await lstat(sourcePath);
  if (source.isDirectory()) {
    refuseNotRecursive(recursive);
    await refuseInsideItself(sourcePath, destinationPath);
    await copyDirectory(sourcePath, destinationPath, signal);
  } else if (source.isSymbolicLink()) {
    await copyLink(sourcePath, destinationPath);
  } else if (source.isFile()) {
    await copyFile(sourcePath, destinationPath, signal);
  } else {
    throw new WireError(WireErrorCode.invalidRequest, UNFIT_SOURCE);
  }
  return {};
}

/** Throws a `WireError` for a directory that shall be copied without what is in it. */
export function refuseNotRecursive(recursive: boolean): void {
  if (!recursive) {
    throw new WireError(
      WireErrorCode.invalidRequest,
      'fs/copy requires recursive: true when sourcePath is a directory',
    );
  }
}

async function copyDirectory(source: FilePath, destination: FilePath, signal: AbortSignal): Promise<void> {
  const waiting = [{ source, destination }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    refuseEnded(signal);
    await mkdir(next.destination, { recursive: true });
    for (const entry of await directoryEntries(next.source)) {
      const from = joinedPath(next.source, entry.name);
      const to = joinedPath(next.destination, entry.name);
      if (entry.isDirectory()) {
        waiting.push({ source: from, destination: to });
      } else if (entry.isFile()) {
        await copyFile(from, to, signal);
      } else if (entry.isSymbolicLink()) {
        await copyLink(from, to);
      }
    }
  }
}

async function copyLink(source: FilePath, destination: FilePath): Promise<void> {
  await symlink(await readlink(source, { encoding: 'buffer' }), destination);
}

/**
 * Not fs.copyFile: that opens a FIFO at the destination and waits for its reader, and keeps one of the four threads of
 * all file calls for as long as a large file takes.
 */
async function copyFile(source: FilePath, destination: FilePath, signal: AbortSignal): Promise<void> {
  const from = await openToRead(source, { followSymlinks: true });
  try {
    const to = await openDestination(destination, (await from.stat()).mode);
    try {
      await copyOpened({ from, to, destination }, signal);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** Copies what is in a file, and its mode. `destination` is for what is said about it. */
export async function copyOpened(
  { from, to, destination }: { readonly from: FileHandle; readonly to: FileHandle; readonly destination: FilePath },
  signal: AbortSignal,
): Promise<void> {
  const [stats, target] = [await from.stat(), await to.stat()];
  if (!target.isFile()) {
    throw notAFile(destination);
  }
  // Onto itself there is nothing to copy, and emptying it would lose it.
  if (!isSame(stats, target)) {
    await to.truncate(0);
    await pump(from, to, signal);
    await to.chmod(stats.mode & 0o7777);
  }
}

function openDestination(path: FilePath, mode: number): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK | constants.O_NOCTTY;
  return open(path, flags, mode & 0o777);
}

async function pump(from: FileHandle, to: FileHandle, signal: AbortSignal): Promise<void> {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  for (;;) {
    refuseEnded(signal);
    const { bytesRead } = await from.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) {
      return;
    }
    for (let written = 0; written < bytesRead;) {
      const { bytesWritten } = await to.write(buffer, written, bytesRead - written);
      written += bytesWritten;
    }
  }
}

/** Throws a `WireError` once the session that asked for a copy is over. */
export function refuseEnded(signal: AbortSignal): void {
  if (signal.aborted) {
    throw new WireError(WireErrorCode.invalidRequest, 'the session has ended: the copy is not whole');
  }
}

function isSame(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** Throws a `WireError` for a destination that is the source, or will lie in it; links are followed. */
export async function refuseInsideItself(source: FilePath, destination: FilePath): Promise<void> {
  const real = latin1(await realpath(source, { encoding: 'buffer' }));
  refuseTextIn(await realPathOfWhatWillBe(destination), real);
}

/** The same for places without links. */
export function refuseIn(target: FilePath, real: FilePath): void {
  refuseTextIn(latin1(target), latin1(real));
}

function refuseTextIn(target: string, real: string): void {
  if (target === real || target.startsWith(real === '/' ? real : `${real}/`)) {
    throw new WireError(
      WireErrorCode.invalidRequest,
      'fs/copy cannot copy a directory to itself or one of its descendants',
    );
  }
}

/** Links followed as far as the path exists; one byte of the path is one character. */
async function realPathOfWhatWillBe(path: FilePath): Promise<string> {
  let existing = latin1(path);
  let rest = '';
  for (;;) {
    try {
      const real = latin1(await realpath(Buffer.from(existing, 'latin1'), { encoding: 'buffer' }));
      return `${real === '/' ? '' : real}${rest}`;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existing === '/') {
        throw error;
      }
      const parent = dirname(existing);
      rest = `${existing.slice(parent === '/' ? 0 : parent.length)}${rest}`;
      existing = parent;
    }
  }
}

function latin1(path: Buffer): string {
  return path.toString('latin1');
}
