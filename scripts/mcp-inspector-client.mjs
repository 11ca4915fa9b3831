// @ts-check
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cacheFolder, makeCachedFolder } from './cache-folder.mjs';
import { findNpm } from './find-program.mjs';
import { withLock } from './machine-lock.mjs';
import { SetupError, isProgram, runScript, say } from './messages.mjs';
import { projectRoot, readJson } from './project.mjs';
import { runQuietly } from './run-command.mjs';

/** What is installed, with the integrity of every package in its lock. */
const manifests = join(projectRoot, 'scripts', 'mcp-inspector');

/** Of what npm unpacks. */
const megabytes = 77;

/** An installation over a slow line. Milliseconds. */
const installTimeoutMs = 10 * 60 * 1000;
/** That of another process that has the lock, and more. Milliseconds. */
const lockWaitMs = 15 * 60 * 1000;

/**
 * The Model Context Protocol's inspector: the package's folder that SHELLSCOPE_MCP_INSPECTOR names, or the pinned one in the
 * user's cache, where it is installed once. Says in one line what was taken.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<string>} The folder of `@modelcontextprotocol/inspector`.
 * @throws {SetupError} When it is not where it is said to be, or cannot be installed.
 */
export async function resolveMcpInspector(env = process.env) {
  const given = env['SHELLSCOPE_MCP_INSPECTOR'];
  if (given !== undefined && given !== '') {
    const folder = resolve(given);
    if (!existsSync(join(folder, 'package.json'))) {
      throw new SetupError(`SHELLSCOPE_MCP_INSPECTOR is ${given}, but no package is there`);
    }
    say(`MCP inspector, as SHELLSCOPE_MCP_INSPECTOR says (${folder})`);
    return folder;
  }
  const { build } = pinnedMcpInspector();
  const folder = join(cacheFolder(env), `mcp-inspector-${build}`);
  const inspector = join(folder, 'node_modules', '@modelcontextprotocol', 'inspector');
  if (!existsSync(inspector)) {
    await withLock(folder, () => (existsSync(inspector) ? Promise.resolve() : install(folder)), {
      waitMs: lockWaitMs,
      waitingFor: 'the MCP inspector',
    });
  }
  say(`MCP inspector ${build} (${inspector})`);
  return inspector;
}

/** Which one it is: another lock is another build. */
export function pinnedMcpInspector() {
  const lock = readFileSync(join(manifests, 'package-lock.json'));
  const version = String(readJson(join(manifests, 'package.json')).dependencies['@modelcontextprotocol/inspector']);
  return { version, build: `${version}-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}` };
}

/** @param {string} folder */
async function install(folder) {
  await makeCachedFolder(folder, async (work) => {
    const made = join(work, 'made');
    // The manifests alone: npm must not take it for a part of the project.
    mkdirSync(made);
    for (const name of ['package.json', 'package-lock.json']) {
      copyFileSync(join(manifests, name), join(made, name));
    }
    say(`installing the MCP inspector from the npm registry (${megabytes} MB, once)`);
    const installed = await runQuietly(
      process.execPath,
      [
        findNpm(),
        'ci',
        '--ignore-scripts',
        // Keyrings and bundlers of its window, for each platform; the command line does without.
        '--omit=optional',
        // Kept out of the person's npm cache, which would hold all of it a second time and for ever.
        `--cache=${join(work, 'npm-cache')}`,
        '--no-audit',
        '--no-fund',
      ],
      { cwd: made, timeoutMs: installTimeoutMs },
    );
    if (installed.exitCode !== 0) {
      const why = installed.timedOut ? `was not done after ${installTimeoutMs / 1000} s` : 'failed';
      throw new SetupError(`\`npm ci\` for the MCP inspector ${why}`, { details: installed.output });
    }
    return made;
  });
}

// `node scripts/mcp-inspector-client.mjs` alone: puts it into the cache.
if (isProgram(import.meta.url)) {
  await runScript(async () => {
    await resolveMcpInspector();
  });
}
