// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { writeAtomically } from './atomic-file.mjs';

/**
 * The stamp is a file that holds the hash of all that the last good build was made from. A hash and
 * not times, so that a switch of branches and back builds nothing. Beside it stands how those files
 * looked, as in git's index: while they look so, none has to be read.
 * @typedef {{ fingerprint: string, looks: string }} Stamp
 */

/**
 * Hashes the content and the names of files and of all files in folders.
 * @param {string} root
 * @param {readonly string[]} inputs Relative to root; one that does not exist counts as absent.
 * @returns {string}
 */
export function fingerprint(root, inputs) {
  const hash = createHash('sha256');
  for (const file of inputs.flatMap((input) => filesIn(join(root, input))).sort()) {
    const content = readFileSync(file);
    // The length keeps one file's end from being read as the next one's name.
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * How the same files look without being read: their names, sizes, times and inodes. What looks the same
 * is the same; what looks different need not be.
 * @param {string} root
 * @param {readonly string[]} inputs As for `fingerprint`.
 * @returns {string}
 */
export function looksOf(root, inputs) {
  const hash = createHash('sha256');
  for (const file of inputs.flatMap((input) => filesIn(join(root, input))).sort()) {
    const { size, mtimeNs, ctimeNs, ino } = statSync(file, { bigint: true });
    hash.update(`${relative(root, file)}\0${size} ${mtimeNs} ${ctimeNs} ${ino}\0`);
  }
  return hash.digest('hex');
}

/**
 * Why a build is due.
 * @param {{ force: boolean, stamp: string | undefined, fingerprint: string, missingOutputs: readonly string[] }} facts
 * @returns {string | undefined} undefined when the last one is still good.
 */
export function reasonToBuild(facts) {
  if (facts.force) {
    return 'forced';
  }
  if (facts.stamp === undefined) {
    return 'no finished build';
  }
  if (facts.stamp !== facts.fingerprint) {
    return 'sources changed';
  }
  return facts.missingOutputs.length > 0 ? `${facts.missingOutputs.join(', ')} missing` : undefined;
}

/**
 * @param {string} file
 * @returns {Stamp | undefined} Of the last good build.
 */
export function readStamp(file) {
  if (!existsSync(file)) {
    return undefined;
  }
  const [fingerprint = '', looks = ''] = readFileSync(file, 'utf8').split('\n');
  return { fingerprint, looks };
}

/** @param {string} file */
export function removeStamp(file) {
  rmSync(file, { force: true });
}

/**
 * @param {string} file Its folder exists.
 * @param {Stamp} stamp
 */
export function writeStamp(file, { fingerprint, looks }) {
  writeAtomically(file, `${fingerprint}\n${looks}\n`);
}

/**
 * The fingerprint of files of which the last build's stamp is at hand. Where they were touched and are the
 * same, the stamp is written anew.
 * @param {string} root
 * @param {readonly string[]} inputs
 * @param {string} stampFile
 * @returns {string}
 */
export function fingerprintBeside(root, inputs, stampFile) {
  const stamp = readStamp(stampFile);
  const looks = looksOf(root, inputs);
  if (stamp?.looks === looks) {
    return stamp.fingerprint;
  }
  const found = fingerprint(root, inputs);
  if (stamp?.fingerprint === found) {
    writeStamp(stampFile, { fingerprint: found, looks });
  }
  return found;
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesIn(path) {
  if (!existsSync(path)) {
    return [];
  }
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    // readdir(3): it is a file.
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') {
      return [path];
    }
    throw error;
  }
}
