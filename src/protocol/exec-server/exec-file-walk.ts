import { lstat, stat } from 'node:fs/promises';
import { joinedPath, uriOfPath, type FilePath } from './exec-file-path.ts';
import { directoryEntries, targetOf, type DirectoryEntry } from './exec-file-system.ts';
import { WireErrorCode, type Params } from './exec-server-schema.ts';
import { fileError, WireError } from './wire-error.ts';

/** What a client may ask for at most; as the real server has it (0.169). */
const MAX_DEPTH = 64;
const MAX_DIRECTORIES = 10_000;
const MAX_ENTRIES = 50_000;

const DOT = 0x2e;

interface WaitingDirectory {
  readonly path: FilePath;
  /** 0 for where the walk began. */
  readonly depth: number;
}

/**
 * What lies under a directory: directories and regular files, level by level, each level in the order of the names'
 * bytes. A directory is entered once, however many links lead to it, so that no loop is gone round twice; a link that
 * is not followed, and what is neither file nor directory, is left out. What cannot be read is told in `errors`.
 */
export async function walk(
  { path, options }: Params<'fs/walk'>,
  signal: AbortSignal,
  /** Rejects for a directory that may not be looked into. */
  refuse: (directory: FilePath) => Promise<void> = async () => {},
): Promise<object> {
  refuseLimits(options);
  await refuse(path);
  const entries: object[] = [];
  const errors: object[] = [];
  const entered = new Set<string>();
  const root = await stat(path);
  const waiting: WaitingDirectory[] =
    root.isDirectory() && (options.followDirectorySymlinks || !(await lstat(path)).isSymbolicLink())
      ? [{ path, depth: 0 }]
      : [];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { path: directory, depth } = next;
    try {
      await refuse(directory);
      const { dev, ino } = await stat(directory);
      const identity = `${dev}:${ino}`;
      if (entered.has(identity)) {
        continue;
      }
      if (entered.size === options.maxDirectories) {
        return { entries, errors, truncated: true };
      }
      entered.add(identity);
      for (const entry of await directoryEntries(directory)) {
        const kind = await kindOf(entry, directory, options.followDirectorySymlinks);
        if (kind === null) {
          continue;
        }
        if (entries.length === options.maxEntries) {
          return { entries, errors, truncated: true };
        }
        const child = joinedPath(directory, entry.name);
        entries.push({ path: uriOfPath(child), kind });
        const hidden = options.pruneHiddenDirectories && entry.name[0] === DOT;
        if (kind === 'directory' && depth < options.maxDepth && !hidden) {
          waiting.push({ path: child, depth: depth + 1 });
        }
      }
    } catch (error) {
      // It went away, or is not for this user: the rest is still worth an answer.
      errors.push({ path: uriOfPath(directory), message: fileError(error).message });
    }
    if (signal.aborted) {
      // Nobody waits for the answer any more.
      return { entries, errors, truncated: true };
    }
  }
  return { entries, errors, truncated: false };
}

function refuseLimits({ maxDepth, maxDirectories, maxEntries }: Params<'fs/walk'>['options']): void {
  if (maxDirectories === 0 || maxEntries === 0) {
    throw new WireError(WireErrorCode.invalidRequest, 'filesystem walk limits must be greater than zero');
  }
  if (maxDepth > MAX_DEPTH || maxDirectories > MAX_DIRECTORIES || maxEntries > MAX_ENTRIES) {
    throw new WireError(
      WireErrorCode.invalidRequest,
      `filesystem walk limits exceed maximums: depth=${MAX_DEPTH}, directories=${MAX_DIRECTORIES}, entries=${MAX_ENTRIES}`,
    );
  }
}

async function kindOf(
  entry: DirectoryEntry,
  directory: FilePath,
  followLinks: boolean,
): Promise<'directory' | 'file' | null> {
  if (entry.isSymbolicLink()) {
    // A link to a file is left out either way, as by the real server.
    const target = followLinks ? await targetOf(joinedPath(directory, entry.name)) : null;
    return target?.isDirectory() === true ? 'directory' : null;
  }
  return entry.isDirectory() ? 'directory' : entry.isFile() ? 'file' : null;
}
