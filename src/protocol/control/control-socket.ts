import { randomBytes } from 'node:crypto';
import { chmod, link, lstat, rename, rm } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { join } from 'node:path';
import { controlSocketPath, prepareFolder } from './control-place.ts';

/** Times that a host tries to take the place when others take it and go at the same time. */
const MAX_TRIES = 5;

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
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    try {
      await link(draft, path);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
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

/** Between the look and the removal another host may have come: what was taken away is looked at once more. */
async function takeAwayDead(path: string): Promise<void> {
  const aside = join(path, '..', `.${randomBytes(4).toString('hex')}`);
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return;
    }
    throw error;
  }
  if (await isListenedTo(aside)) {
    // EEXIST: a third host has the name by now, and this one lost it; it serves those who are connected.
    await link(aside, path).catch(() => {});
  }
  await rm(aside, { force: true });
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
