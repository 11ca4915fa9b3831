// @ts-check
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureNodePty } from './build-node-pty.mjs';
import { SetupError } from './messages.mjs';
import { projectRoot, readJson } from './project.mjs';

/** @typedef {{ packages?: Record<string, { version?: string, optional?: boolean }> }} Lockfile */

/**
 * Sees to it that this Node and the installed packages are those the project asks for.
 * @param {string} [root]
 * @returns {Promise<void>}
 * @throws {SetupError} With what to do.
 */
export async function ensureInstalled(root = projectRoot) {
  const wanted = String(readJson(join(root, 'package.json')).engines.node);
  if (!isAtLeast(process.versions.node, wanted)) {
    throw new SetupError(`this is Node ${process.versions.node}, Shellscope needs ${wanted}; install a newer Node.js`);
  }
  // npm's note of what it has installed.
  const note = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(note)) {
    throw new SetupError('the packages are not installed; run `npm ci`');
  }
  const differing = differingPackages(readJson(join(root, 'package-lock.json')), readJson(note));
  if (differing.length > 0) {
    const few = differing.slice(0, 3).join(', ');
    throw new SetupError(
      `${differing.length} of the installed packages are not as package-lock.json has them (${few}${differing.length > 3 ? ', …' : ''}); run \`npm ci\``,
    );
  }
  await ensureNodePty(root);
}

/**
 * The packages that are not installed in the version that the lock asks for. Those that are optional,
 * as binaries for other systems are, may be absent.
 * @param {Lockfile} lock package-lock.json
 * @param {Lockfile} installed node_modules/.package-lock.json
 * @returns {string[]} Their names, or paths when they are nested.
 */
export function differingPackages(lock, installed) {
  return Object.entries(lock.packages ?? {})
    .filter(([path, entry]) => {
      const found = installed.packages?.[path];
      if (path === '' || (found === undefined && entry.optional === true)) {
        return false;
      }
      return found?.version !== entry.version;
    })
    .map(([path]) => path.replace(/^node_modules\//, ''));
}

/**
 * Compares a version with a range of the form `>=20.19`, the only one that package.json uses.
 * @param {string} version
 * @param {string} range
 */
export function isAtLeast(version, range) {
  const wanted = range
    .replace(/^>=\s*/, '')
    .split('.')
    .map(Number);
  const found = version.split('.').map(Number);
  for (const [index, number] of wanted.entries()) {
    const other = found[index] ?? 0;
    if (other !== number) {
      return other > number;
    }
  }
  return true;
}
