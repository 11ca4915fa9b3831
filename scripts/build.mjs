// @ts-check
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  fingerprint,
  fingerprintBeside,
  looksOf,
  readStamp,
  reasonToBuild,
  removeStamp,
  writeStamp,
} from './build-stamp.mjs';
import { substitute } from './electron-substitute.mjs';
import { findOnPath } from './find-program.mjs';
import { withLock } from './machine-lock.mjs';
import { SetupError, isProgram, runScript, say } from './messages.mjs';
import { installedPackage, projectRoot } from './project.mjs';
import { runQuietly } from './run-command.mjs';

/**
 * @typedef {'native' | 'floodReader' | 'relay' | 'app' | 'cli' | 'bench' | 'lastWords' | 'bareTerminal'} BuildTarget native: the program that children are started
 *   through; always built with another. floodReader: what reads a terminal in a flood; Linux. relay: what runs beside a command in a sandbox that may reach some hosts; Linux. app: main, preload and renderer, for Electron. cli: for plain Node. bench: the soak and the
 *   figures, for plain Node; built when they are asked for. lastWords: a child of the figures. bareTerminal: what the exec-server is
 *   measured beside; Linux.
 *
 * @typedef {object} BuildPlan
 * @property {(root: string) => string[]} command The tool and its first arguments.
 * @property {readonly string[]} args
 * @property {readonly string[]} inputs What it depends on, relative to the project.
 * @property {readonly string[]} outputs What a good build leaves, relative to the project.
 */

/** What each bundle depends on. They share the engine, and a build takes a second: no finer division. */
const inputs = ['src', 'package.json', 'package-lock.json', 'tsconfig.base.json', 'vite.wasm-file.config.ts'];

const launchSources = ['launch', 'become', 'fork-server'].map((name) => `src/engine/backend/${name}.c`);

/** @type {Record<BuildTarget, BuildPlan>} */
const plans = {
  native: {
    command: () => [findCompiler()],
    args: ['-O2', '-Wall', '-Wextra', '-Werror', '-o', 'out/native/launch', ...launchSources],
    inputs: [...launchSources, 'src/engine/backend/become.h', 'src/engine/backend/fork-server.h'],
    outputs: ['out/native/launch'],
  },
  floodReader: {
    command: () => [findCompiler()],
    args: ['-O2', '-Wall', '-Wextra', '-Werror', '-o', 'out/native/flood-reader', 'src/engine/backend/flood-reader.c'],
    inputs: ['src/engine/backend/flood-reader.c'],
    outputs: ['out/native/flood-reader'],
  },
  relay: {
    command: () => [findCompiler()],
    args: ['-O2', '-Wall', '-Wextra', '-Werror', '-o', 'out/native/relay', 'src/engine/sandbox/relay.c'],
    inputs: ['src/engine/sandbox/relay.c'],
    outputs: ['out/native/relay'],
  },
  app: {
    command: nodeTool('electron-vite', 'bin/electron-vite.js'),
    args: ['build'],
    inputs: [...inputs, 'electron.vite.config.ts'],
    outputs: ['out/main/index.js', 'out/preload', 'out/renderer/index.html'],
  },
  cli: {
    command: nodeTool('vite', 'bin/vite.js'),
    args: ['build', '--config', 'vite.cli.config.ts'],
    inputs: [...inputs, 'vite.cli.config.ts'],
    outputs: ['out/cli/main.js'],
  },
  lastWords: {
    command: () => [findCompiler()],
    args: ['-O2', '-Wall', '-Wextra', '-Werror', '-o', 'out/native/last-words', 'bench/figures/last-words.c'],
    inputs: ['bench/figures/last-words.c'],
    outputs: ['out/native/last-words'],
  },
  bareTerminal: {
    command: () => [findCompiler()],
    args: ['-O2', '-Wall', '-Wextra', '-Werror', '-o', 'out/native/bare-terminal', 'bench/exec-server/bare-terminal.c'],
    inputs: ['bench/exec-server/bare-terminal.c'],
    outputs: ['out/native/bare-terminal'],
  },
  bench: {
    command: nodeTool('vite', 'bin/vite.js'),
    args: ['build', '--config', 'vite.bench.config.ts'],
    inputs: [...inputs, 'vite.bench.config.ts', 'bench', 'test/support'],
    outputs: ['out/bench/soak.js', 'out/bench/figures.js', 'out/bench/exec-server.js'],
  },
};

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
  /** @type {BuildTarget[]} */
  const all = [...nativeTargets(), ...targets];
  if (all.every((target) => reasonFor(root, target, force) === undefined)) {
    return;
  }
  const out = join(root, 'out');
  await withLock(out, () => build(root, all, force), {
    waitMs: buildTimeoutMs,
    waitingFor: 'a build of this folder',
  });
}

/** @returns {readonly BuildTarget[]} */
function nativeTargets() {
  if (process.platform === 'win32') {
    return [];
  }
  return process.platform === 'linux' ? ['native', 'floodReader', 'relay'] : ['native'];
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
  const builtFrom = { looks: looksOf(root, plan.inputs), fingerprint: fingerprint(root, plan.inputs) };
  const stamp = stampFile(root, target);
  removeStamp(stamp);
  mkdirSync(join(root, dirname(plan.outputs[0] ?? 'out/-')), { recursive: true });
  const [tool = '', ...first] = plan.command(root);
  const result = await runQuietly(tool, [...first, ...plan.args], {
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
    throw new SetupError(`the build of ${target} (${[...first, ...plan.args].join(' ')}) ${why}${left}`, {
      details: result.output,
    });
  }
  mkdirSync(join(root, 'out'), { recursive: true });
  writeStamp(stamp, builtFrom);
}

/**
 * A program of an installed package, run with Node.
 * @param {string} name
 * @param {string} file
 * @returns {(root: string) => string[]}
 */
function nodeTool(name, file) {
  return (root) => [process.execPath, join(installedPackage(root, name), file)];
}

/**
 * The C compiler: what CC names, else the first that is there. It is needed for node-pty as well.
 * @returns {string}
 * @throws {SetupError} When there is none.
 */
function findCompiler() {
  const names = [process.env['CC'] ?? '', 'cc', 'gcc', 'clang'].filter((name) => name !== '');
  const found = names.map((name) => findOnPath(name)).find((path) => path !== undefined);
  if (found === undefined) {
    throw new SetupError(
      'a C compiler is needed to build what children are started through (Debian, Ubuntu: apt-get install g++)',
    );
  }
  return found;
}

/**
 * @param {string} root
 * @param {BuildTarget} target
 * @param {boolean} force
 */
function reasonFor(root, target, force) {
  const stamp = stampFile(root, target);
  return reasonToBuild({
    force,
    stamp: readStamp(stamp)?.fingerprint,
    fingerprint: fingerprintBeside(root, plans[target].inputs, stamp),
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
