// @ts-check
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** How much of a program's output is kept for the case that it fails; the end is what tells. Bytes. */
const maxKeptBytes = 256 * 1024;

/**
 * After a Ctrl-C the terminal and npm (@npmcli/run-script's signal-manager) both send SIGINT, within
 * some milliseconds. What comes later than this is a person who presses it again. Milliseconds.
 */
const sameSignalWithinMs = 500;

/**
 * @typedef {object} FinishedCommand
 * @property {number | null} exitCode null when a signal ended it.
 * @property {NodeJS.Signals | null} signal
 * @property {boolean} timedOut It was killed because its time was up.
 * @property {string} stdout The last 256 KiB.
 * @property {string} output stdout and stderr as they came, the last 256 KiB.
 */

/**
 * Runs a program without showing anything of it. A failure of the program is data; only a program
 * that cannot be started (ENOENT, EACCES) rejects.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number }} [options] timeoutMs: killed with SIGKILL after it.
 * @returns {Promise<FinishedCommand>}
 */
export function runQuietly(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let timedOut = false;
    const timer =
      options.timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            child.kill('SIGKILL');
            // A grandchild may hold the pipes; 'close' must not wait for it.
            child.stdout.destroy();
            child.stderr.destroy();
          }, options.timeoutMs);
    const stdout = new Tail(maxKeptBytes);
    const output = new Tail(maxKeptBytes);
    child.stdout.on('data', (chunk) => {
      stdout.push(chunk);
      output.push(chunk);
    });
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', (exitCode, signal) => {
      clearTimeout(timer);
      resolve({ exitCode, signal, timedOut, stdout: stdout.text(), output: output.text() });
    });
  });
}

/**
 * Runs a program in the foreground with this process's stdout and stderr, until it ends.
 *
 * It gets a process group of its own, and SIGINT, SIGTERM and SIGHUP are forwarded, so that each
 * reaches it exactly once: Chromium and Playwright take a second one as an order to die at once.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<number>} The exit code, or 128 + signal number as a shell has it.
 */
export function runForeground(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ['ignore', 'inherit', 'inherit'],
      // On Windows this would open a console window; there the console tells both of Ctrl-C.
      detached: process.platform !== 'win32',
    });
    /** @type {readonly NodeJS.Signals[]} */
    const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    /** @type {Map<NodeJS.Signals, number>} */
    const forwardedAt = new Map();
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => {
      const now = performance.now();
      if (now - (forwardedAt.get(signal) ?? -Infinity) < sameSignalWithinMs) {
        return;
      }
      forwardedAt.set(signal, now);
      child.kill(signal);
    };
    for (const signal of forwarded) {
      process.on(signal, forward);
    }
    const stopForwarding = () => {
      for (const signal of forwarded) {
        process.off(signal, forward);
      }
    };
    child.on('error', (error) => {
      stopForwarding();
      reject(error);
    });
    child.on('exit', (exitCode, signal) => {
      stopForwarding();
      resolve(exitCode ?? (signal === null ? 1 : 128 + constants.signals[signal]));
    });
  });
}

/** The last bytes of a stream. */
class Tail {
  /** @type {Buffer[]} */
  #chunks = [];
  #bytes = 0;
  #maxBytes;

  /** @param {number} maxBytes */
  constructor(maxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** @param {Buffer} chunk */
  push(chunk) {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    let first = this.#chunks[0];
    while (first !== undefined && this.#bytes - first.length >= this.#maxBytes) {
      this.#bytes -= first.length;
      this.#chunks.shift();
      first = this.#chunks[0];
    }
  }

  text() {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
