// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from './atomic-file.mjs';
import { SetupError } from './messages.mjs';
import { installedPackage, readJson } from './project.mjs';
import { runQuietly } from './run-command.mjs';

/**
 * Where a refusal is not told at once (a firewall that drops packets) the download ends here. A real
 * download of 120 MB needs 3.2 Mbit/s to be done by then. Milliseconds.
 */
const downloadTimeoutMs = 5 * 60 * 1000;

/**
 * The Electron that the project supports: the version of its electron package.
 * @param {string} root
 * @returns {string}
 * @throws {SetupError} When the package is not installed.
 */
export function supportedElectronVersion(root) {
  const file = join(installedPackage(root, 'electron'), 'package.json');
  if (!existsSync(file)) {
    throw new SetupError('the electron package is not installed; run `npm ci`');
  }
  return readJson(file).version;
}

/**
 * Where a runtime's folder has its executable, as the electron package names it in path.txt.
 * @param {NodeJS.Platform} [platform]
 */
export function executableInDist(platform = process.platform) {
  if (platform === 'darwin') {
    return 'Electron.app/Contents/MacOS/Electron';
  }
  return platform === 'win32' ? 'electron.exe' : 'electron';
}

/**
 * The runtime that the electron package has downloaded, by the package's own rule: dist/version is
 * the package's version and the executable is there.
 * @param {string} root
 * @returns {{ distPath: string, version: string } | undefined}
 */
export function installedElectron(root) {
  const distPath = join(installedPackage(root, 'electron'), 'dist');
  const version = distVersion(distPath);
  if (version !== supportedElectronVersion(root) || !existsSync(join(distPath, executableInDist()))) {
    return undefined;
  }
  return { distPath, version };
}

/**
 * The version a runtime's folder names.
 * @param {string} distPath
 * @returns {string | undefined} undefined when it names none.
 */
export function distVersion(distPath) {
  const file = join(distPath, 'version');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().replace(/^v/, '') : undefined;
}

/**
 * Runs the electron package's own download (its install.js, which its index.js runs too).
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env Mirrors and proxies are the package's business.
 * @returns {Promise<{ refusal: string } | { distPath: string, version: string }>} refusal: in one line, why there is none.
 */
export async function downloadElectron(root, env) {
  const script = join(installedPackage(root, 'electron'), 'install.js');
  const done = await runQuietly(process.execPath, [script], { cwd: root, env, timeoutMs: downloadTimeoutMs });
  const installed = installedElectron(root);
  if (done.exitCode === 0 && installed !== undefined) {
    return installed;
  }
  if (done.timedOut) {
    return { refusal: `not done after ${downloadTimeoutMs / 1000} s` };
  }
  return { refusal: firstErrorLine(done.output) ?? `its install.js ended with ${done.exitCode ?? done.signal}` };
}

/**
 * The line of a Node stack trace that says what went wrong.
 * @param {string} output
 * @returns {string | undefined}
 */
export function firstErrorLine(output) {
  return output
    .split('\n')
    .map((line) => line.trim())
    .find((line) => /^\w*Error\b/.test(line));
}

/**
 * Names the executable in the electron package's path.txt. Without it the package tries a download
 * even when ELECTRON_OVERRIDE_DIST_PATH is set, for whoever asks it: `electron .`, electron-vite, Playwright.
 * @param {string} root
 */
export function writePathFile(root) {
  const file = join(installedPackage(root, 'electron'), 'path.txt');
  const wanted = executableInDist();
  if (existsSync(file) && readFileSync(file, 'utf8') === wanted) {
    return;
  }
  writeAtomically(file, wanted);
}
