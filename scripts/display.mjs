// @ts-check
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { SetupError, say } from './messages.mjs';

/** Big enough for the window at its largest in the tests; 24 bits, as Chromium wants. */
const screen = '1600x1000x24';
/** Xvfb is ready in 50 ms; a machine that compiles on all cores may need some seconds. Milliseconds. */
const startTimeoutMs = 20_000;
/** How long it may take to end after SIGTERM before it is killed. Milliseconds. */
const endTimeoutMs = 5_000;
/** A display that is there answers at once; a forwarded one (ssh -X) over the network. Milliseconds. */
const connectTimeoutMs = 3_000;

/**
 * @typedef {Record<string, string | undefined>} EnvironmentChange undefined: to be removed.
 */

/**
 * Calls a function with a display to open windows on, and ends the display after it if we made it.
 * @template T
 * @param {(change: EnvironmentChange) => Promise<T>} run change: what the environment of a window's program needs.
 * @param {{ isolate: boolean, env?: NodeJS.ProcessEnv }} options isolate: on Linux always an Xvfb of our own, so
 *   that tests do not open windows on the person's desktop.
 * @returns {Promise<T>}
 * @throws {SetupError} When Xvfb is needed and does not start.
 */
export async function withDisplay(run, options) {
  if (process.platform !== 'linux') {
    return run({});
  }
  if (!options.isolate && (await findDisplay(options.env ?? process.env)) !== null) {
    return run({});
  }
  const xvfb = await startXvfb();
  try {
    return await run({ DISPLAY: xvfb.display, WAYLAND_DISPLAY: undefined, XDG_SESSION_TYPE: 'x11' });
  } finally {
    await xvfb.end();
  }
}

/**
 * The kind of display that answers; on macOS and Windows there is always one.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<'x11' | 'wayland' | 'native' | null>} null: none.
 */
export async function findDisplay(env) {
  if (process.platform !== 'linux') {
    return 'native';
  }
  for (const address of x11Addresses(env['DISPLAY'])) {
    if (await answers(address)) {
      return 'x11';
    }
  }
  const wayland = waylandAddress(env);
  return wayland !== undefined && (await answers(wayland)) ? 'wayland' : null;
}

/** @typedef {{ path: string } | { host: string, port: number }} SocketAddress */

/**
 * Where an X display listens, best first (X(7), DISPLAY NAMES: `[host]:display[.screen]`).
 * @param {string | undefined} display The value of DISPLAY.
 * @returns {SocketAddress[]} Empty when it names none.
 */
export function x11Addresses(display) {
  const parts = /^(?:(?<host>[^:]*)):(?<number>\d+)(?:\.\d+)?$/.exec(display ?? '')?.groups;
  if (parts === undefined) {
    return [];
  }
  const { host, number } = parts;
  if (host === '' || host === 'unix') {
    const path = `/tmp/.X11-unix/X${number}`;
    return [{ path }, { path: `\0${path}` }];
  }
  return [{ host: host ?? '', port: 6000 + Number(number) }];
}

/**
 * Where the Wayland compositor listens (wl_display_connect(3)).
 * @param {NodeJS.ProcessEnv} env
 * @returns {SocketAddress | undefined}
 */
export function waylandAddress(env) {
  const name = env['WAYLAND_DISPLAY'];
  if (name === undefined || name === '') {
    return undefined;
  }
  if (name.startsWith('/')) {
    return { path: name };
  }
  const folder = env['XDG_RUNTIME_DIR'];
  return folder === undefined ? undefined : { path: join(folder, name) };
}

/**
 * @param {SocketAddress} address
 * @returns {Promise<boolean>}
 */
function answers(address) {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.setTimeout(connectTimeoutMs);
    const answer = (/** @type {boolean} */ yes) => {
      socket.destroy();
      resolve(yes);
    };
    socket.on('connect', () => answer(true));
    socket.on('timeout', () => answer(false));
    // Nobody listens there, which is the answer.
    socket.on('error', () => answer(false));
  });
}

/**
 * Starts an X server without a screen on a display number that it finds itself.
 * @returns {Promise<{ display: string, end: () => Promise<void> }>}
 */
async function startXvfb() {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', screen, '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // Of its own process group: a Ctrl-C is for the program that uses it, it is ended after that.
    detached: true,
  });
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let ending = false;
  const end = async () => {
    ending = true;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
      return;
    }
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs);
    await ended;
    clearTimeout(timer);
  };
  try {
    const number = await displayNumber(child);
    child.once('exit', () => {
      if (!ending) {
        say('Xvfb ended while it was in use');
      }
    });
    return { display: `:${number}`, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/**
 * Waits for the number that Xvfb writes when it takes connections.
 * @param {ReturnType<typeof spawn>} child
 * @returns {Promise<string>}
 */
function displayNumber(child) {
  return new Promise((resolve, reject) => {
    let written = '';
    let complaints = '';
    const fail = (/** @type {string} */ message, /** @type {unknown} */ cause) => {
      clearTimeout(timer);
      reject(new SetupError(message, { cause, details: complaints }));
    };
    const timer = setTimeout(
      () => fail(`Xvfb was not ready after ${startTimeoutMs / 1000} s`, undefined),
      startTimeoutMs,
    );
    child.stdio[3]?.on('data', (chunk) => {
      written += String(chunk);
      const number = /^(\d+)\n/.exec(written)?.[1];
      if (number === undefined) {
        return;
      }
      clearTimeout(timer);
      resolve(number);
    });
    child.stderr?.on('data', (chunk) => {
      complaints = (complaints + String(chunk)).slice(-4096);
    });
    child.once('error', (error) => fail(`Xvfb cannot be started: ${error.message}`, error));
    child.once('exit', (code, signal) => fail(`Xvfb ended at its start (${signal ?? `exit code ${code}`})`, undefined));
  });
}
