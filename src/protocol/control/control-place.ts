import { lstat, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Longest path of a socket, in bytes: `sun_path` less its NUL (unix(7): 108 on Linux; 104 on macOS). */
const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** Group or others may do something. */
const NOT_ONLY_OWNER = 0o077;

/** Others may write, and nothing keeps them from renaming what is not theirs. */
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/** The socket in a runtime folder. Throws a sentence where its path would be too long, and on Windows. */
export function controlSocketPath(folder: string): string {
  if (process.platform === 'win32') {
    throw new Error('there is no control socket on Windows yet');
  }
  const path = join(folder, 'control.sock');
  const length = Buffer.byteLength(path);
  if (length > MAX_SOCKET_PATH_BYTES) {
    throw new Error(
      `the path of the control socket is ${length} bytes long and the system takes ${MAX_SOCKET_PATH_BYTES}: ` +
        `${path}; set SHELLSCOPE_RUNTIME_DIR to a shorter folder`,
    );
  }
  return path;
}

/**
 * Makes the folder when there is none. Rejects with a sentence for one that others can reach into: whoever can put a
 * socket there is given what a person types.
 */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const own = await lstat(folder);
  if (!own.isDirectory()) {
    throw new Error(`${folder} is no folder; take it away, or set SHELLSCOPE_RUNTIME_DIR to another place`);
  }
  if (!isOurs(own.uid)) {
    throw new Error(`${folder} belongs to another user; set SHELLSCOPE_RUNTIME_DIR to a folder of your own`);
  }
  if ((own.mode & NOT_ONLY_OWNER) !== 0) {
    throw new Error(`${folder} is open to other users: run chmod 700 ${folder}`);
  }
  const parent = await stat(dirname(folder));
  if ((parent.mode & WRITABLE_BY_OTHERS) !== 0 && (parent.mode & STICKY) === 0) {
    throw new Error(`${dirname(folder)} can be written by other users, who could put a folder in place of ${folder}`);
  }
}

/** Rejects with a sentence for a socket that another user made. Says nothing of one that is not there. */
export async function refuseForeignSocket(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found !== null && !isOurs(found.uid)) {
    throw new Error(`${path} belongs to another user: nothing is sent to it`);
  }
}

function isOurs(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid();
}
