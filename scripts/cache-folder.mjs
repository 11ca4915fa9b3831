// @ts-check
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** What an interrupted run has left is removed after this. Longer than any run. Milliseconds. */
const leftoverAgeMs = 24 * 60 * 60 * 1000;

/**
 * The user's cache folder of Shellscope (XDG Base Directory Specification).
 * @param {NodeJS.ProcessEnv} env
 * @param {string} [home]
 */
export function cacheFolder(env, home = homedir()) {
  const given = env['XDG_CACHE_HOME'];
  // The specification: a relative path is to be ignored.
  return join(given?.startsWith('/') ? given : join(home, '.cache'), 'shellscope');
}

/**
 * Makes a folder of the cache. It gets its name as the last step, so that it is there wholly or not at all.
 * @param {string} folder
 * @param {(work: string) => Promise<string>} make Answers the folder that it made below `work`, which is gone afterwards.
 */
export async function makeCachedFolder(folder, make) {
  const cache = dirname(folder);
  mkdirSync(cache, { recursive: true });
  removeLeftovers(cache, Date.now());
  const work = mkdtempSync(join(cache, 'partial-'));
  try {
    renameIntoPlace(await make(work), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} made
 * @param {string} folder
 */
function renameIntoPlace(made, folder) {
  try {
    renameSync(made, folder);
  } catch (error) {
    // Another process was faster (rename(2): ENOTEMPTY or EEXIST). Both made the same.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') {
      throw error;
    }
  }
}

/**
 * @param {string} cache
 * @param {number} now Milliseconds since the epoch.
 */
function removeLeftovers(cache, now) {
  for (const name of readdirSync(cache)) {
    if (!name.startsWith('partial-')) {
      continue;
    }
    const folder = join(cache, name);
    if (now - statSync(folder).mtimeMs > leftoverAgeMs) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
