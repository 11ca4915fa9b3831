// @ts-check
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { runQuietly } from './run-command.mjs';

/**
 * Tells whether Chromium's sandbox has to be switched off: it refuses to start as root on Linux
 * otherwise. For nobody else.
 * @param {NodeJS.Platform} [platform]
 * @param {number} [uid] Windows has none.
 */
export function needsNoSandbox(platform = process.platform, uid = process.getuid?.()) {
  return platform === 'linux' && uid === 0;
}

/**
 * Why Chromium's sandbox may not start for an ordinary user: it needs user namespaces, which some
 * systems deny (Ubuntu 24.04's AppArmor, containers), or its helper set-uid root.
 * @param {string} distPath The runtime's folder.
 * @returns {Promise<string | undefined>} A line with what to do; undefined when all is well or it cannot be told.
 */
export async function sandboxObstacle(distPath) {
  if (process.platform !== 'linux') {
    return undefined;
  }
  const helper = join(distPath, 'chrome-sandbox');
  const about = statSync(helper, { throwIfNoEntry: false });
  if (about !== undefined && about.uid === 0 && (about.mode & 0o4000) !== 0) {
    return undefined;
  }
  try {
    // unshare(1) asks the kernel for the same as Chromium does.
    const tried = await runQuietly('unshare', ['--user', '--map-root-user', 'true']);
    if (tried.exitCode === 0) {
      return undefined;
    }
  } catch {
    // No unshare on this machine: nothing can be told, and Chromium itself says it if it cannot start.
    return undefined;
  }
  return `user namespaces are denied here; if Chromium says that its sandbox cannot start, run \`sudo chown root '${helper}' && sudo chmod 4755 '${helper}'\``;
}
