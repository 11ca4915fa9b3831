import { closeSync, constants, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * node-pty's native binding, used beside its `spawn` because `spawn` cannot give what sessions need:
 * - the exit at the moment it happens (`spawn` tells it only after its own 200 ms timer or a close of the stream, and
 *   drops what was not read by then: microsoft/node-pty#72),
 * - an environment that is exactly the one asked for (`spawn` adds TERM and PWD),
 * - IUTF8 on the line discipline together with output as bytes (`spawn` ties one to the other).
 *
 * The version of node-pty is pinned; `fork` checks its own arguments and throws its usage when they changed.
 */
interface PtyBinding {
  fork(
    file: string,
    args: readonly string[],
    env: readonly string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: (exitCode: number, signal: number) => void,
  ): { readonly fd: number; readonly pid: number; readonly pty: string };
  open(cols: number, rows: number): { readonly master: number; readonly slave: number; readonly pty: string };
  resize(fd: number, cols: number, rows: number, xPixel: number, yPixel: number): void;
}

interface NativeModule {
  readonly dir: string;
  readonly module: PtyBinding;
}

/** A child in a new pseudo terminal. */
export interface ForkedPty {
  readonly pid: number;
  /** Descriptor of the master, non-blocking; the caller owns it. */
  readonly fd: number;
  /** Path of the slave, e.g. `/dev/pts/4`. */
  readonly slavePath: string;
}

export interface ForkOptions {
  readonly file: string;
  readonly args: readonly string[];
  /** `NAME=value` each. */
  readonly env: readonly string[];
  readonly cwd: string;
  readonly cols: number;
  readonly rows: number;
}

const require = createRequire(import.meta.url);
let loaded: NativeModule | null = null;

function nativeModule(): NativeModule {
  loaded ??= (require('node-pty/lib/utils') as { loadNativeModule(name: string): NativeModule }).loadNativeModule(
    'pty',
  );
  return loaded;
}

/** Starts the program in a new pty. `onExit` gets the code, or the number of the signal, as soon as the child is reaped. */
export function forkPty(options: ForkOptions, onExit: (exitCode: number, signal: number) => void): ForkedPty {
  const { dir, module } = nativeModule();
  // Only macOS uses the helper. Outside an archive, since a program cannot be executed from inside one.
  const helper = join(require.resolve('node-pty/lib/utils'), '..', dir, 'spawn-helper').replace(
    'app.asar/',
    'app.asar.unpacked/',
  );
  const keepUser = -1;
  const { fd, pid, pty } = module.fork(
    options.file,
    options.args,
    options.env,
    options.cwd,
    options.cols,
    options.rows,
    keepUser,
    keepUser,
    true,
    helper,
    onExit,
  );
  return { fd, pid, slavePath: pty };
}

/** Opens a new pty, the master non-blocking; the caller owns both ends. A child opens the slave anew, by its path. */
export function openPty(
  cols: number,
  rows: number,
): { readonly fd: number; readonly slave: number; readonly slavePath: string } {
  const { master, slave: inheritable, pty } = nativeModule().module.open(cols, rows);
  try {
    // Held by a program that is started meanwhile, it would keep the terminal open after its child.
    return { fd: master, slave: openSync(pty, constants.O_RDWR | constants.O_NOCTTY), slavePath: pty };
  } catch (error) {
    closeSync(master);
    throw error;
  } finally {
    closeSync(inheritable);
  }
}

/** Sets the size of the terminal behind a master descriptor, in cells. */
export function resizePty(fd: number, cols: number, rows: number): void {
  nativeModule().module.resize(fd, cols, rows, 0, 0);
}
