import { constants, type Stats } from 'node:fs';
import { lstat, open, readlink, symlink } from 'node:fs/promises';
import {
  copyOpened,
  refuseEnded,
  refuseIn,
  refuseInsideItself,
  refuseNotRecursive,
  UNFIT_SOURCE,
} from './exec-file-copy.ts';
import type { FileFence, HeldPlace } from './exec-file-fence.ts';
import { createDirectory } from './exec-file-fenced-directory.ts';
import { toReplace } from './exec-file-fenced-open.ts';
import { notAFile } from './exec-file-open.ts';
import { joinedPath, shownPath, type FilePath } from './exec-file-path.ts';
import { directoryEntries } from './exec-file-system.ts';
import { WireErrorCode, type Params } from './exec-server-schema.ts';
import { WireError } from './wire-error.ts';

/** Directories in each other that are copied. Two descriptors of this host are held for each; the same as of a walk. */
const MAX_DEPTH = 64;

/** A place by the name that it is reached by, and by the one that it is spoken of. */
interface Place {
  readonly path: FilePath;
  readonly shown: FilePath;
}

/** One copy on its way. */
interface Copying {
  readonly fence: FileFence;
  /** Where the directory lies that is copied; null for a file or a link. */
  readonly root: FilePath | null;
  readonly depth: number;
  readonly signal: AbortSignal;
}

/**
 * As `copy`, within a fence: each directory and each file is judged by where its descriptor lies, and what is in a directory
 * is reached through that descriptor only, so that a link that is put on the way leads nowhere else. A link is copied as a
 * link; one at the destination is followed to where may be written.
 */
export async function fencedCopy(
  fence: FileFence,
  { sourcePath, destinationPath, recursive }: Params<'fs/copy'>,
  signal: AbortSignal,
): Promise<object> {
  const source = { path: sourcePath, shown: sourcePath };
  const destination = { path: destinationPath, shown: destinationPath };
  const copying: Copying = { fence, root: null, depth: 0, signal };
  await fence.entry(sourcePath, async ({ path }) => {
    const stats = await lstat(path);
    if (!stats.isDirectory()) {
      if (!(await copyEntry(copying, stats, { ...source, path }, destination))) {
        throw new WireError(WireErrorCode.invalidRequest, UNFIT_SOURCE);
      }
      return;
    }
    refuseNotRecursive(recursive);
    await fence.directory(path, { followSymlinks: false }, async (from) => {
      await fence.refuseLook(destinationPath);
      await refuseInsideItself(from.path, destinationPath);
      await copyDirectory({ ...copying, root: from.real }, { ...from, shown: sourcePath }, destination);
    });
  });
  return {};
}

/** Copies what is in a directory that is held. */
async function copyDirectory(copying: Copying, from: HeldPlace & Place, destination: Place): Promise<void> {
  const { fence, root, signal, depth } = copying;
  refuseEnded(signal);
  if (depth === MAX_DEPTH) {
    throw new WireError(
      WireErrorCode.invalidRequest,
      `within a sandbox fs/copy copies up to ${MAX_DEPTH} directories in each other: \`${shownPath(from.shown)}\` is one too many`,
    );
  }
  if (depth === 0) {
    await createDirectory(fence, destination.path, true);
  } else {
    await createMissing(fence, destination.path);
  }
  await fence.directory(destination.path, { followSymlinks: true }, async (to) => {
    fence.refuseWrite(to.real);
    if (root !== null) {
      // A link at the destination may lead back into what is copied.
      refuseIn(to.real, root);
    }
    for (const { name } of await directoryEntries(from.path)) {
      const [source, target] = [childOf(from, name), childOf({ ...to, shown: destination.shown }, name)];
      const stats = await lstat(source.path);
      if (stats.isDirectory()) {
        await fence.directory(source.path, { followSymlinks: false }, (held) =>
          copyDirectory({ ...copying, depth: depth + 1 }, { ...held, shown: source.shown }, target),
        );
      } else {
        await copyEntry(copying, stats, source, target);
      }
    }
  });
}

/** Its parent is held; what is there may be a directory to copy into. */
async function createMissing(fence: FileFence, path: FilePath): Promise<void> {
  try {
    await createDirectory(fence, path, false);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  }
}

/** Copies a file or a link. False for what is neither. */
async function copyEntry(copying: Copying, stats: Stats, source: Place, destination: Place): Promise<boolean> {
  if (stats.isSymbolicLink()) {
    await copyLink(copying, source, destination);
    return true;
  }
  if (stats.isFile()) {
    await copyFile(copying, source, destination);
    return true;
  }
  return false;
}

async function copyLink({ fence }: Copying, source: Place, destination: Place): Promise<void> {
  await fence.entry(source.path, async ({ path: from }) => {
    await fence.entry(destination.path, async ({ path, real }) => {
      fence.refuseWrite(real);
      await symlink(await readlink(from, { encoding: 'buffer' }), path);
    });
  });
}

async function copyFile({ fence, signal }: Copying, source: Place, destination: Place): Promise<void> {
  const never = constants.O_NONBLOCK | constants.O_NOCTTY;
  const from = await open(source.path, constants.O_RDONLY | constants.O_NOFOLLOW | never);
  try {
    await fence.refuseOpened(from);
    if (!(await from.stat()).isFile()) {
      throw notAFile(source.shown);
    }
    await toReplace(fence, { path: destination.path, followSymlinks: true }, async ({ path }) => {
      const to = await open(path, constants.O_WRONLY | never);
      try {
        await copyOpened({ from, to, destination: destination.shown }, signal);
      } finally {
        await to.close();
      }
      return {};
    });
  } finally {
    await from.close();
  }
}

function childOf({ path, shown }: Place, name: Buffer): Place {
  return { path: joinedPath(path, name), shown: joinedPath(shown, name) };
}
