// @ts-check
import { existsSync } from 'node:fs';
import { resolveElectronRuntime } from './electron-runtime.mjs';
import { findOnPath } from './find-program.mjs';
import {
  chooseArchPackages,
  chooseDebianPackages,
  chooseRpmProvides,
  debianNames,
  parseAptCandidates,
  parseMissingLibraries,
} from './library-packages.mjs';
import { withLock } from './machine-lock.mjs';
import { SetupError, isProgram, runScript, say } from './messages.mjs';
import { runQuietly } from './run-command.mjs';

/** @typedef {import('./library-packages.mjs').Missing} Missing */

/** From Electron 36 on GTK is loaded with dlopen, where ldd cannot see it; either will do. */
const gtkLibraries = ['libgtk-3.so.0', 'libgtk-4.so.1'];

/** For the tests of the sandbox, and of what terminals show of programs that draw. */
const packagesOfTests = [
  { name: 'bubblewrap', program: 'bwrap' },
  ...['htop', 'less', 'tmux', 'vim'].map((name) => ({ name, program: name })),
];

/** How long another apt (unattended upgrades, a second run of ours) may hold dpkg's lock. Seconds. */
const aptLockWaitSeconds = 300;
/** Waiting for another of our own runs, which may wait for apt itself. Milliseconds. */
const lockWaitMs = 15 * 60 * 1000;

/**
 * Sees to it that the machine has what the runtime needs. Linux only; elsewhere there is nothing to do.
 * As root on Debian and its kin it installs what is missing.
 * @param {{ executable: string, needXvfb: boolean, forTests: boolean }} needs needXvfb: tests do, a window on a display
 *   does not. forTests: the programs that tests run, which
 *   say so themselves where one is not there.
 * @returns {Promise<void>}
 * @throws {SetupError} With the exact command, where it is not ours to install, or when that failed.
 */
export async function ensureSystemPackages(needs) {
  if (process.platform !== 'linux') {
    return;
  }
  const missing = await findMissing(needs);
  if (nothing(missing)) {
    return;
  }
  const command = await installCommand(missing);
  if (process.getuid?.() !== 0 || findOnPath('apt-get') === undefined) {
    if (nothing({ ...missing, programs: [] })) {
      say(adviceFor(missing, command));
      return;
    }
    throw new SetupError(adviceFor(missing, command));
  }
  await withLock('apt-get', () => installWithApt(needs), { waitMs: lockWaitMs, waitingFor: 'system packages' });
}

/**
 * @param {{ executable: string, needXvfb: boolean, forTests: boolean }} needs
 * @returns {Promise<Missing>}
 */
async function findMissing(needs) {
  const [libraries, gtk] = await Promise.all([missingLibraries(needs.executable), gtkIsMissing()]);
  if (gtk) {
    libraries.push('libgtk-3.so.0');
  }
  return {
    libraries: [...new Set(libraries)],
    xvfb: needs.needXvfb && findOnPath('Xvfb') === undefined,
    programs: needs.forTests
      ? packagesOfTests.filter(({ program }) => findOnPath(program) === undefined).map(({ name }) => name)
      : [],
  };
}

/** @param {string} executable */
async function missingLibraries(executable) {
  const env = inEnglish();
  const listed = await runQuietly('ldd', [executable], { env }).catch((error) => {
    throw new SetupError('ldd is not on PATH; it tells which libraries are missing', { cause: error });
  });
  if (listed.exitCode !== 0) {
    throw new SetupError(`ldd cannot read ${executable}`, { details: listed.output });
  }
  return parseMissingLibraries(listed.output);
}

async function gtkIsMissing() {
  // Not on an ordinary user's PATH in Debian; where neither is there (NixOS), nothing can be said.
  const ldconfig = ['/sbin/ldconfig', '/usr/sbin/ldconfig'].find((file) => existsSync(file));
  if (ldconfig === undefined) {
    return false;
  }
  const cache = await runQuietly(ldconfig, ['-p'], { env: inEnglish() });
  return cache.exitCode === 0 && !gtkLibraries.some((library) => cache.stdout.includes(`\t${library} `));
}

/** @param {Missing} missing */
function nothing(missing) {
  return missing.libraries.length === 0 && !missing.xvfb && missing.programs.length === 0;
}

/**
 * The command that installs what is missing, with this machine's package manager.
 * @param {Missing} missing
 * @returns {Promise<{ text: string, unknown: readonly string[] } | undefined>} undefined: none that we know.
 */
async function installCommand(missing) {
  const sudo = process.getuid?.() === 0 ? '' : 'sudo ';
  if (findOnPath('apt-get') !== undefined) {
    const { packages, unknown } = chooseDebianPackages(missing, await knownToApt(debianNames(missing)));
    return {
      text: `${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends ${packages.join(' ')}`,
      unknown,
    };
  }
  if (findOnPath('dnf') !== undefined) {
    const { packages, unknown } = chooseRpmProvides(missing, process.arch.endsWith('64'));
    return { text: `${sudo}dnf install -y ${packages.map((name) => `'${name}'`).join(' ')}`, unknown };
  }
  if (findOnPath('pacman') !== undefined) {
    const { packages, unknown } = chooseArchPackages(missing);
    return { text: `${sudo}pacman -S --needed ${packages.join(' ')}`, unknown };
  }
  return undefined;
}

/**
 * @param {Missing} missing
 * @param {{ text: string, unknown: readonly string[] } | undefined} command
 */
function adviceFor(missing, command) {
  const things = [...missing.libraries, ...(missing.xvfb ? ['Xvfb'] : []), ...missing.programs].join(', ');
  if (command === undefined) {
    return `missing on this machine: ${things}; install them with its package manager`;
  }
  const rest = command.unknown.length === 0 ? '' : `, and what has ${command.unknown.join(', ')}`;
  return `missing on this machine: ${things}; run \`${command.text}\`${rest}`;
}

/** @param {{ executable: string, needXvfb: boolean, forTests: boolean }} needs */
async function installWithApt(needs) {
  const missing = await findMissing(needs);
  if (nothing(missing)) {
    return;
  }
  const startedAt = Date.now();
  const aptEnv = { ...inEnglish(), DEBIAN_FRONTEND: 'noninteractive' };
  say('updating the list of system packages (apt-get update)');
  // A third party's source that does not answer makes it fail, while Debian's own list is fine:
  // whether that matters shows at the install.
  const updated = await runQuietly('apt-get', ['-qq', 'update'], { env: aptEnv });
  const { packages, unknown } = chooseDebianPackages(missing, await knownToApt(debianNames(missing)));
  if (unknown.length > 0) {
    throw new SetupError(`no Debian package is known for ${unknown.join(', ')}; install it and try again`);
  }
  say(`installing ${packages.join(' ')}`);
  const installed = await runQuietly(
    'apt-get',
    ['-qq', '-y', '--no-install-recommends', '-o', `DPkg::Lock::Timeout=${aptLockWaitSeconds}`, 'install', ...packages],
    { env: aptEnv },
  );
  if (installed.exitCode !== 0) {
    throw new SetupError('apt-get could not install them', { details: `${updated.output}${installed.output}` });
  }
  const left = await findMissing(needs);
  if (!nothing(left)) {
    throw new SetupError(`apt-get has installed them, but ${adviceFor(left, undefined)}`);
  }
  say(`installed them in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

/** @param {readonly string[]} names */
async function knownToApt(names) {
  const policy = await runQuietly('apt-cache', ['policy', ...names], { env: inEnglish() });
  return parseAptCandidates(policy.stdout);
}

/** The environment in which tools answer in the language that we parse. */
function inEnglish() {
  return { ...process.env, LC_ALL: 'C' };
}

if (isProgram(import.meta.url)) {
  await runScript(async () => {
    const { executable } = await resolveElectronRuntime();
    await ensureSystemPackages({ executable, needXvfb: process.argv.includes('--xvfb'), forTests: false });
  });
}
