import { constants } from 'node:fs';
import { access, open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { EngineError } from '../../shared/errors.ts';

/** O_PATH of Linux (open(2)): a handle on a directory that may be entered, though perhaps not read. */
const O_PATH = 0o10000000;

/** A directory that was looked at, held so that what is spawned in it is the very one. */
export interface WorkingDirectory {
  /** Canonical absolute path, links followed. */
  readonly path: string;
  /**
   * The path to spawn with. For a directory that had to be in a workspace it leads through the open handle (on Linux),
   * so that a link put in the place of a folder after the look leads nowhere else. Else the canonical path.
   */
  readonly spawnPath: string;
  /** Lets go of the handle; call it once the child is in the directory. */
  release(): Promise<void>;
}

/**
 * Finds the working directory and holds it. Throws `spawn-failed` with ENOENT, ENOTDIR or EACCES, and
 * `outside-workspace` when it does not lie in the workspace (null: anywhere).
 */
export async function holdWorkingDirectory(cwd: string, workspace: string | null): Promise<WorkingDirectory> {
  const root = workspace === null ? null : await canonicalDirectory(workspace, 'workspace');
  const held = await hold(cwd);
  if (root === null) {
    // Let go of while the program is looked up: each look at the disk is a trip to another thread and back.
    const released = held.release();
    // Told to who asks for the release, however much later; nobody may.
    released.catch(() => {});
    return { path: held.path, spawnPath: held.path, release: () => released };
  }
  if (!isInside(root, held.path)) {
    await held.release();
    throw new EngineError(
      'outside-workspace',
      `working directory ${cwd} is ${held.path}, which is not in the workspace ${root}`,
    );
  }
  return held;
}

/** As it is shown: relative to the workspace with `/`, and `.` for the workspace itself; else absolute. */
export async function shownDirectory(path: string, workspace: string | null): Promise<string> {
  if (workspace === null) {
    return path;
  }
  const shown = relative(await canonicalDirectory(workspace, 'workspace'), path)
    .split(sep)
    .join('/');
  return shown === '' ? '.' : shown;
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

async function hold(cwd: string): Promise<WorkingDirectory> {
  if (process.platform !== 'linux') {
    const path = await canonicalDirectory(cwd, 'working directory');
    return { path, spawnPath: path, release: async () => {} };
  }
  let handle: FileHandle;
  try {
    handle = await open(cwd, O_PATH | constants.O_DIRECTORY);
  } catch (error) {
    throw unusable(cwd, 'working directory', error);
  }
  try {
    const own = `/proc/${process.pid}/fd/${handle.fd}`;
    const [path] = await Promise.all([readlink(own), access(own, constants.X_OK)]);
    return { path, spawnPath: own, release: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw unusable(cwd, 'working directory', error);
  }
}

async function canonicalDirectory(path: string, what: string): Promise<string> {
  try {
    const canonical = await realpath(path);
    if (!(await stat(canonical)).isDirectory()) {
      throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
    }
    await access(canonical, constants.X_OK);
    return canonical;
  } catch (error) {
    throw unusable(path, what, error);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not a directory',
  EACCES: 'may not be entered',
};

function unusable(path: string, what: string, error: unknown): EngineError {
  const { code } = error as NodeJS.ErrnoException;
  return new EngineError('spawn-failed', `${what} ${path} ${REASONS[code ?? ''] ?? 'cannot be used'}`, {
    ...(code === undefined ? {} : { systemCode: code }),
    cause: error,
  });
}
