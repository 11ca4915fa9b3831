// @ts-check
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with package.json. */
export const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Reads a JSON file as plain data.
 * @param {string} file
 * @returns {any} Unchecked: the caller knows whose file it is.
 */
export function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * The folder of an installed package, directly below the project's node_modules.
 * @param {string} root
 * @param {string} name
 */
export function installedPackage(root, name) {
  return join(root, 'node_modules', ...name.split('/'));
}
