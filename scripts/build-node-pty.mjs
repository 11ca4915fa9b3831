// @ts-check
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findNodeGyp } from './find-program.mjs';
import { withLock } from './machine-lock.mjs';
import { SetupError, isProgram, runScript, say } from './messages.mjs';
import { installedPackage, projectRoot } from './project.mjs';
import { runQuietly } from './run-command.mjs';

/** A cold build takes 5 s on two cores; the rest is for a download of Node's headers. */
const buildTimeoutMs = 10 * 60 * 1000;

/**
 * On Linux, sees to it that node-pty is built from its source.
 *
 * node-pty's own install step is content with its prebuilt Linux binary, which closes inherited
 * descriptors only up to the first gap: a session could then write into the terminal of another.
 * The prebuilt one is removed after the build, since node-pty falls back to it without a word when
 * the built one cannot be loaded. macOS and Windows: nothing to do, their prebuilt ones are sound.
 * @param {string} [root]
 * @returns {Promise<void>}
 * @throws {SetupError} When it is not installed, or cannot be built or loaded.
 */
export async function ensureNodePty(root = projectRoot) {
  if (process.platform !== 'linux') {
    return;
  }
  const folder = installedPackage(root, 'node-pty');
  if (!existsSync(folder)) {
    throw new SetupError('node-pty is not installed; run `npm ci`');
  }
  if (existsSync(builtModule(folder))) {
    return;
  }
  await withLock(folder, () => build(folder), { waitMs: buildTimeoutMs, waitingFor: 'the build of node-pty' });
}

/** @param {string} folder */
function builtModule(folder) {
  return join(folder, 'build', 'Release', 'pty.node');
}

/** @param {string} folder */
async function build(folder) {
  if (existsSync(builtModule(folder))) {
    return;
  }
  const startedAt = Date.now();
  const args = [findNodeGyp(), 'rebuild', '--jobs=max', ...headerArguments(process.env, process.execPath)];
  const built = await runQuietly(process.execPath, args, { cwd: folder, timeoutMs: buildTimeoutMs });
  if (built.exitCode !== 0) {
    throw new SetupError(
      'node-pty could not be built from source; it needs python3, make and a C++ compiler (Debian, Ubuntu: apt-get install python3 make g++), ' +
        "and Node's headers (downloaded, or given with `npm_config_nodedir`). Then run `npm run postinstall`",
      { details: built.output },
    );
  }
  try {
    createRequire(import.meta.url)(builtModule(folder));
  } catch (error) {
    rmSync(join(folder, 'build'), { recursive: true, force: true });
    throw new SetupError(`node-pty was built but cannot be loaded: ${String(error)}`, { cause: error });
  }
  rmSync(join(folder, 'prebuilds', `linux-${process.arch}`), { recursive: true, force: true });
  say(`built node-pty from source in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/**
 * Tells node-gyp where Node's headers are, when they came with Node itself and nobody named a place.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} execPath The running Node.
 * @param {(file: string) => string | undefined} [read] The text of a file, undefined when there is none.
 * @returns {string[]} Nothing: node-gyp takes what npm's configuration says, or downloads them.
 */
export function headerArguments(env, execPath, read = readIfThere) {
  if (env['npm_config_nodedir'] !== undefined && env['npm_config_nodedir'] !== '') {
    return [];
  }
  const prefix = dirname(dirname(execPath));
  const header = read(join(prefix, 'include', 'node', 'node_version.h'));
  // A prefix like /usr may hold the headers of another Node (Debian's libnode-dev).
  return header !== undefined && headerVersion(header) === process.versions.node ? [`--nodedir=${prefix}`] : [];
}

/**
 * The version that a node_version.h declares.
 * @param {string} header
 * @returns {string | undefined}
 */
export function headerVersion(header) {
  const parts = ['MAJOR', 'MINOR', 'PATCH'].map(
    (part) => new RegExp(`^#define NODE_${part}_VERSION (\\d+)`, 'm').exec(header)?.[1],
  );
  return parts.includes(undefined) ? undefined : parts.join('.');
}

/** @param {string} file */
function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

if (isProgram(import.meta.url)) {
  await runScript(() => ensureNodePty());
}
