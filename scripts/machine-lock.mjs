// @ts-check
import { createHash } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SetupError, say } from './messages.mjs';

/**
 * Runs a function while no other process of this machine and user runs one under the same key.
 *
 * The lock is a listening socket, so that the kernel frees it when its holder dies, and a waiter
 * learns of the end by its connection being closed:
 *
 *     listen(address) ── ok ──► run ──► close
 *        └ EADDRINUSE ──► connect, wait for close ──► listen again
 *
 * It keeps processes from doing the same work twice and in the same place. It does not reach over
 * containers or machines that share a folder: what is kept there is written atomically besides.
 * @template T
 * @param {string} key What is guarded: the absolute path of a folder.
 * @param {() => Promise<T>} run
 * @param {{ waitMs: number, waitingFor: string }} options waitingFor: named in the line that says that we wait.
 * @returns {Promise<T>} What `run` answers.
 * @throws {SetupError} When the lock is not free after waitMs.
 */
export async function withLock(key, run, options) {
  const address = lockAddress(key);
  const deadline = Date.now() + options.waitMs;
  let server = await tryListen(address);
  if (server === undefined) {
    say(`waiting for another process: ${options.waitingFor}`);
  }
  while (server === undefined) {
    const leftMs = deadline - Date.now();
    if (leftMs <= 0) {
      throw new SetupError(
        `another process has been busy with ${options.waitingFor} for ${Math.round(options.waitMs / 1000)} s; end it and try again`,
      );
    }
    await holderGone(address, leftMs);
    server = await tryListen(address);
  }
  try {
    return await run();
  } finally {
    await server.release();
  }
}

/**
 * Where the lock of a key listens.
 * @param {string} key
 * @param {NodeJS.Platform} [platform]
 */
function lockAddress(key, platform = process.platform) {
  const uid = process.getuid?.() ?? 0;
  const name = `shellscope-${createHash('sha256').update(`${uid}\0${key}`).digest('hex').slice(0, 24)}`;
  // Linux: an abstract socket, which has no file that a dead holder could leave behind (unix(7)).
  if (platform === 'linux') {
    return `\0${name}`;
  }
  if (platform === 'win32') {
    return `\\\\.\\pipe\\${name}`;
  }
  return join(tmpdir(), `${name}.lock`);
}

/**
 * @param {string} address
 * @returns {Promise<{ release: () => Promise<void> } | undefined>} undefined when another process has it.
 */
function tryListen(address) {
  return new Promise((resolve, reject) => {
    /** @type {Set<import('node:net').Socket>} */
    const waiters = new Set();
    const server = createServer((socket) => {
      waiters.add(socket);
      socket.unref();
      // A waiter that dies resets its connection, which changes nothing for the holder.
      socket.on('error', () => {});
      socket.on('close', () => waiters.delete(socket));
    });
    server.unref();
    server.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'EADDRINUSE') {
        resolve(undefined);
      } else {
        reject(error);
      }
    });
    server.listen(address, () => {
      resolve({
        release: () =>
          new Promise((released) => {
            server.close(() => released());
            for (const socket of waiters) {
              socket.destroy();
            }
          }),
      });
    });
  });
}

/**
 * Waits until the holder has let go, at most leftMs. Answers at once when there is none.
 * @param {string} address
 * @param {number} leftMs
 * @returns {Promise<void>}
 */
function holderGone(address, leftMs) {
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    const timer = setTimeout(() => socket.destroy(), leftMs);
    socket.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      // Only macOS has a file: nobody listens behind it, so its holder died. Two waiters that see
      // this together could both get in; then each does work that the other does too.
      if (error.code === 'ECONNREFUSED' && !address.startsWith('\0')) {
        unlinkSync(address);
      } else if (error.code !== 'ECONNREFUSED' && error.code !== 'ECONNRESET' && error.code !== 'ENOENT') {
        reject(error);
      }
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.resume();
  });
}
