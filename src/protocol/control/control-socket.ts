import { randomBytes } from 'node:crypto';
import { chmod, link, lstat, rm } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { controlSocketPath, prepareFolder } from './control-place.ts';

/** How long a host tries to take the place while others take it and go, in milliseconds. */
const TAKE_WITHIN_MS = 10_000;

/** Age from which a claim is a dead host's, in milliseconds; a living one holds it for some. */
const CLAIM_IS_OLD_MS = 2_000;

/** Pause before a host that waits for another's claim looks again, in milliseconds. */
const LOOK_AGAIN_MS = 10;

/** Somebody listens at the place already. */
export class ControlSocketTaken extends Error {
  override readonly name = 'ControlSocketTaken';
}

/** A server at its place in the folder. */
export interface PlacedSocket {
  readonly path: string;
  /** Takes the name away, if it is still this server's. The server itself is the caller's to close. */
  release(): Promise<void>;
}

/**
 * Lets the server listen on the folder's control socket, mode 0600. Rejects with `ControlSocketTaken` when a host lives
 * there, and with a sentence when the folder cannot be used. What a dead host left is replaced.
 *
 * It listens under a name of its own first, which then gets the real name by link(2): that refuses a name which exists,
 * so that of two hosts which start at once one wins.
 */
export async function placeSocket(server: Server, folder: string): Promise<PlacedSocket> {
  const path = controlSocketPath(folder);
  await prepareFolder(folder);
  // Not longer than the real name, so that its path is not too long either.
  const draft = join(folder, `.${randomBytes(4).toString('hex')}`);
  await listen(server, draft);
  try {
    await chmod(draft, 0o600);
    const { ino } = await lstat(draft);
    await takeName(draft, path);
    return {
      path,
      release: async () => {
        const found = await lstat(path).catch(() => null);
        if (found?.ino === ino) {
          await rm(path, { force: true });
        }
      },
    };
  } catch (error) {
    server.close();
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

async function takeName(draft: string, path: string): Promise<void> {
  const deadline = performance.now() + TAKE_WITHIN_MS;
  while (performance.now() < deadline) {
    try {
      await link(draft, path);
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') {
        throw error;
      }
    }
    if (await isListenedTo(path)) {
      throw new ControlSocketTaken(`${path} is held by another host`);
    }
    await takeAwayDead(path);
  }
  throw new ControlSocketTaken(`${path} is taken by one host after the other; try again`);
}

/**
 * Takes a dead host's name away. Whoever may is decided by a second link to the same socket, which only one can make. It
 * also shows what was found: were the name looked at and then removed, another host could have taken it in between.
 */
async function takeAwayDead(path: string): Promise<void> {
  const claim = join(dirname(path), '.taking');
  try {
    await link(path, claim);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      await letOthersTake(claim);
    } else if (codeOf(error) !== 'ENOENT') {
      throw error;
    }
    return;
  }
  try {
    const [claimed, named] = await Promise.all([lstat(claim), lstat(path).catch(() => null)]);
    // Nobody else removes it while the claim stands, and its number cannot be another's.
    if (claimed.ino === named?.ino && !(await isListenedTo(claim))) {
      await rm(path, { force: true });
    }
  } finally {
    await rm(claim, { force: true });
  }
}

/** Another host is at it. One that was killed in the midst of it has left its claim. */
async function letOthersTake(claim: string): Promise<void> {
  const found = await lstat(claim).catch(() => null);
  if (found !== null && Date.now() - found.ctimeMs > CLAIM_IS_OLD_MS) {
    await rm(claim, { force: true });
  } else {
    await setTimeout(LOOK_AGAIN_MS);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Whether a process listens there. What is no socket, or of nobody, is not. */
function isListenedTo(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT' || error.code === 'ENOTSOCK') {
        resolve(false);
      } else if (error.code === 'EAGAIN') {
        // Its queue of connections is full: it is there, and busy.
        resolve(true);
      } else {
        reject(error);
      }
    });
  });
}
