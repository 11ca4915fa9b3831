// @ts-check
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cacheFolder, makeCachedFolder } from './cache-folder.mjs';
import { withLock } from './machine-lock.mjs';
import { SetupError, isProgram, runScript, say } from './messages.mjs';
import { fetchPackage } from './registry-package.mjs';
import { runQuietly } from './run-command.mjs';

/** The version whose exec-server protocol ours follows (src/protocol/exec-server). */
const version = '0.169.0';

/**
 * Integrity of the build for each platform: `@openai/codex` itself is a launcher that takes one of
 * these as its optional dependency, under an alias.
 * @type {Readonly<Record<string, string>>}
 */
const integrities = {
  'linux-x64': 'sha512-o05NyAOCDygSPRo1yinzxvkRSdmsZyBD9E7mbpmjRanSfM8lypqWtQgEo4XfNkwhuCR2aFu8mlGOsQGFXVbVww==',
  'linux-arm64': 'sha512-NZ/DaQUpcQmxmqee7Z9uC1rzw3GhSbooawcaTe1LN5Yk+WlinUKGdTXJgClRT/9ogQEEM9TWxYzvxPfj5G/xFg==',
  'darwin-x64': 'sha512-K1FKSsSLl9v3z5TeagBQXyQRDBIGB5Jncy5dxsRxwT3aaTqN3AI8VrCfoxBxKMOOU9O2QX1vg7WkBwNVth/s9A==',
  'darwin-arm64': 'sha512-5WsWFBbVP78D+6FvNo1MMVxLPZdmcoQlqVJFrF4qx/TmvneLnMQKtLyXkUo54XOTDfoYKpNouTJ/F7gTVA8FnQ==',
};

/** Of the tarball for linux-x64; the others are of like size. */
const megabytes = 167;

/** A download and an unpacking, of another process that has the lock. Milliseconds. */
const lockWaitMs = 15 * 60 * 1000;

/**
 * The real Codex CLI: the program that SHELLSCOPE_CODEX names, or the pinned one in the user's cache,
 * which is downloaded once. Says in one line what was taken.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<string>} The path of the executable.
 * @throws {SetupError} When there is none for this platform, or it cannot be fetched.
 */
export async function resolveCodex(env = process.env) {
  const given = givenCodex(env);
  if (given !== undefined) {
    return given;
  }
  const pinned = pinnedCodex();
  const folder = cachedFolder(pinned, env);
  const executable = join(folder, 'bin', 'codex');
  if (!existsSync(executable)) {
    await withLock(folder, () => (existsSync(executable) ? Promise.resolve() : install(pinned, folder)), {
      waitMs: lockWaitMs,
      waitingFor: 'the Codex CLI',
    });
  }
  say(`Codex ${pinned.build} (${executable})`);
  return executable;
}

/**
 * As `resolveCodex`, but downloads nothing: for whoever can do without.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string} The path of the executable.
 * @throws {SetupError} When it is not here yet: how to get it.
 */
export function installedCodex(env = process.env) {
  const given = givenCodex(env);
  if (given !== undefined) {
    return given;
  }
  const executable = join(cachedFolder(pinnedCodex(), env), 'bin', 'codex');
  if (!existsSync(executable)) {
    throw new SetupError(
      `no Codex ${version} in the cache (${executable}): \`node scripts/codex-client.mjs\` downloads it (${megabytes} MB, once), or name an executable in SHELLSCOPE_CODEX`,
    );
  }
  return executable;
}

/** @param {NodeJS.ProcessEnv} env */
function givenCodex(env) {
  const given = env['SHELLSCOPE_CODEX'];
  if (given === undefined || given === '') {
    return undefined;
  }
  const executable = resolve(given);
  if (!existsSync(executable)) {
    throw new SetupError(`SHELLSCOPE_CODEX is ${given}, but there is no such file`);
  }
  say(`Codex, as SHELLSCOPE_CODEX says (${executable})`);
  return executable;
}

/**
 * @param {ReturnType<typeof pinnedCodex>} pinned
 * @param {NodeJS.ProcessEnv} env
 */
function cachedFolder({ build }, env) {
  return join(cacheFolder(env), `codex-${build}`);
}

/**
 * The package with the build for a platform.
 * @param {NodeJS.Platform} [platform]
 * @param {string} [arch]
 * @throws {SetupError} When none is pinned.
 */
export function pinnedCodex(platform = process.platform, arch = process.arch) {
  const integrity = integrities[`${platform}-${arch}`];
  if (integrity === undefined) {
    throw new SetupError(
      `no Codex is pinned for ${platform}-${arch}; name the executable of Codex ${version} in SHELLSCOPE_CODEX`,
    );
  }
  const build = `${version}-${platform}-${arch}`;
  return { build, package: `@openai/codex@${build}`, integrity, megabytes };
}

/**
 * @param {ReturnType<typeof pinnedCodex>} pinned
 * @param {string} folder
 */
async function install(pinned, folder) {
  await makeCachedFolder(folder, async (work) => {
    const tarball = await fetchPackage(pinned, work);
    say('unpacking');
    const unpacked = await runQuietly('tar', ['-xzf', tarball, '-C', work]).catch((error) => {
      throw new SetupError('tar cannot be started and is needed to unpack Codex', { cause: error });
    });
    const vendor = join(work, 'package', 'vendor');
    // One folder, named after the target triple.
    const [target] = unpacked.exitCode === 0 && existsSync(vendor) ? readdirSync(vendor) : [];
    if (target === undefined) {
      throw new SetupError(`${pinned.package} cannot be unpacked`, { details: unpacked.output });
    }
    return join(vendor, target);
  });
}

// `node scripts/codex-client.mjs` alone: puts it into the cache.
if (isProgram(import.meta.url)) {
  await runScript(async () => {
    await resolveCodex();
  });
}
