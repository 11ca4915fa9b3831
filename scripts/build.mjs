// @ts-check
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, readStamp, reasonToBuild, removeStamp, writeStamp } from './build-stamp.mjs';
import { substitute } from './electron-substitute.mjs';
import { withLock } from './machine-lock.mjs';
import { SetupError, isProgram, runScript, say } from './messages.mjs';
import { installedPackage, projectRoot } from './project.mjs';
import { runQuietly } from './run-command.mjs';

/**
 * @typedef {'app' | 'cli' | 'bench'} BuildTarget app: main, preload and renderer, for Electron. cli: for plain Node. bench:
 *   the soak and the figures, for plain Node; built when they are asked for.
 *
 * @typedef {object} BuildPlan
 * @property {readonly [string, string]} tool The package of the tool, and the file in it to run with Node.
 * @property {readonly string[]} args
 * @property {readonly string[]} inputs What it depends on beside `inputs`, relative to the project.
 * @property {readonly string[]} outputs What a good build leaves, relative to the project.
 */

/** @type {Record<BuildTarget, BuildPlan>} */
const plans = {
  app: {
    tool: ['electron-vite', 'bin/electron-vite.js'],
    args: ['build'],
    inputs: ['electron.vite.config.ts'],
    outputs: ['out/main/index.js', 'out/preload', 'out/renderer/index.html'],
  },
  cli: {
    tool: ['vite', 'bin/vite.js'],
    args: ['build', '--config', 'vite.cli.config.ts'],
    inputs: ['vite.cli.config.ts'],
    outputs: ['out/cli/main.js'],
  },
  bench: {
    tool: ['vite', 'bin/vite.js'],
    args: ['build', '--config', 'vite.bench.config.ts'],
    inputs: ['vite.bench.config.ts', 'bench', 'test/support'],
    outputs: ['out/bench/soak.js', 'out/bench/figures.js', 'out/bench/exec-server.js'],
  },
};

/** What each build depends on. All targets share the engine, and a build takes a second: no finer division. */
const inputs = ['src', 'package.json', 'package-lock.json', 'tsconfig.base.json'];

/** A build takes some seconds on two busy cores; what takes longer hangs. Milliseconds. */
const buildTimeoutMs = 5 * 60 * 1000;

/**
 * Builds what is not up to date. Another process that builds the same tree is waited for.
 * @param {readonly BuildTarget[]} targets
 * @param {{ root?: string, force?: boolean }} [options]
 * @returns {Promise<void>}
 * @throws {SetupError} With the tool's output, when a build fails.
 */
export async function buildIfStale(targets, options = {}) {
  const root = options.root ?? projectRoot;
  const force = options.force ?? false;
  if (targets.every((target) => reasonFor(root, target, force) === undefined)) {
    return;
  }
  const out = join(root, 'out');
  await withLock(out, () => build(root, targets, force), {
    waitMs: buildTimeoutMs,
    waitingFor: 'a build of this folder',
  });
}

/**
 * @param {string} root
 * @param {readonly BuildTarget[]} targets
 * @param {boolean} force
 */
async function build(root, targets, force) {
  const startedAt = Date.now();
  const built = [];
  for (const target of targets) {
    const reason = reasonFor(root, target, force);
    if (reason === undefined) {
      continue;
    }
    await buildTarget(root, target);
    built.push(`${target} (${reason})`);
  }
  if (built.length > 0) {
    say(`built ${built.join(' and ')} in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  }
}

/**
 * @param {string} root
 * @param {BuildTarget} target
 */
async function buildTarget(root, target) {
  const plan = plans[target];
  // Taken before the build: what changes during it makes the next one due.
  const builtFrom = fingerprint(root, [...inputs, ...plan.inputs]);
  const stamp = stampFile(root, target);
  removeStamp(stamp);
  const [name, file] = plan.tool;
  const result = await runQuietly(process.execPath, [join(installedPackage(root, name), file), ...plan.args], {
    cwd: root,
    timeoutMs: buildTimeoutMs,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      // The oldest Electron that the code is run on; electron-vite would aim at the installed package's.
      ELECTRON_MAJOR_VER: substitute.version.split('.')[0],
    },
  });
  const missing = missingOutputs(root, target);
  if (result.exitCode !== 0 || missing.length > 0) {
    const why = result.timedOut ? `was not done after ${buildTimeoutMs / 1000} s` : 'failed';
    const left = result.exitCode === 0 ? `: it made no ${missing.join(', ')}` : '';
    throw new SetupError(`the build of ${target} (${name} ${plan.args.join(' ')}) ${why}${left}`, {
      details: result.output,
    });
  }
  mkdirSync(join(root, 'out'), { recursive: true });
  writeStamp(stamp, builtFrom);
}

/**
 * @param {string} root
 * @param {BuildTarget} target
 * @param {boolean} force
 */
function reasonFor(root, target, force) {
  return reasonToBuild({
    force,
    stamp: readStamp(stampFile(root, target)),
    fingerprint: fingerprint(root, [...inputs, ...plans[target].inputs]),
    missingOutputs: missingOutputs(root, target),
  });
}

/**
 * @param {string} root
 * @param {BuildTarget} target
 */
function stampFile(root, target) {
  return join(root, 'out', `.${target}-built-from`);
}

/**
 * @param {string} root
 * @param {BuildTarget} target
 */
function missingOutputs(root, target) {
  return plans[target].outputs.filter((output) => !existsSync(join(root, output)));
}

if (isProgram(import.meta.url)) {
  await runScript(() => buildIfStale(['app', 'cli'], { force: process.argv.includes('--force') }));
}
