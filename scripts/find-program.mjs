// @ts-check
import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, join } from 'node:path';
import { SetupError } from './messages.mjs';

/**
 * Finds a program on PATH.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | undefined} Its absolute path.
 */
export function findOnPath(name, env = process.env) {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') {
      continue;
    }
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder: the next one is asked.
    }
  }
  return undefined;
}

/**
 * The JavaScript file of npm itself: of the npm that runs us, or of the one on PATH.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string}
 * @throws {SetupError} When there is no npm.
 */
export function findNpm(env = process.env) {
  const running = env['npm_execpath'];
  // pnpm and yarn set it too, to themselves.
  if (running !== undefined && basename(running) === 'npm-cli.js' && existsSync(running)) {
    return running;
  }
  const onPath = findOnPath('npm', env);
  if (onPath === undefined) {
    throw new SetupError('npm is not on PATH; install Node.js with npm and try again');
  }
  return realpathSync(onPath);
}

/**
 * The JavaScript file of the node-gyp that npm brings along.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string}
 * @throws {SetupError} When npm has none.
 */
export function findNodeGyp(env = process.env) {
  const given = env['npm_config_node_gyp'];
  if (given !== undefined && existsSync(given)) {
    return given;
  }
  const npm = findNpm(env);
  try {
    return createRequire(npm).resolve('node-gyp/bin/node-gyp.js');
  } catch (error) {
    throw new SetupError(`npm at ${npm} has no node-gyp; run \`npm rebuild\` in this folder instead`, { cause: error });
  }
}
