// @ts-check
// `npm run bench`, `npm run bench -- exec …` and its like, `npm run soak -- …`: runs a program of bench/ from source, in
// this process, so that signals reach it without a relay; with --electron in the main process of an Electron. `window` and
// `start` are processes of their own, and drive the built app.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildIfStale } from './build.mjs';
import { needsNoSandbox } from './chromium-sandbox.mjs';
import { installedCodex } from './codex-client.mjs';
import { withDisplay } from './display.mjs';
import { resolveElectronRuntime } from './electron-runtime.mjs';
import { ensureInstalled } from './installed-packages.mjs';
import { SetupError, runScript } from './messages.mjs';
import { withoutNpmEnvironment } from './npm-environment.mjs';
import { projectRoot } from './project.mjs';
import { runForeground } from './run-command.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

/** The first is meant where none is named. */
const programs = ['figures', 'exec', 'exec-server', 'soak', 'start', 'window'];

/** These drive the built app, on a display of their own. */
const windowPrograms = ['start', 'window'];

const [first = '', ...rest] = process.argv.slice(2);
const [program, given] = programs.includes(first) ? [first, rest] : ['figures', [first, ...rest].filter(Boolean)];
const args = given.filter((argument) => argument !== '--electron');
const file = join(projectRoot, 'out', 'bench', `${program}.js`);
const inElectron = args.length < given.length;
const prepared = await runScript(async () => {
  await ensureInstalled();
  if (program === 'exec-server') {
    if (inElectron) {
      throw new SetupError('the exec-server is measured in a process of its own, on Node: leave --electron out');
    }
    process.env['SHELLSCOPE_CODEX'] = installedCodex();
  }
  if (windowPrograms.includes(program)) {
    return driveApp();
  }
  // Servers are measured as they are shipped.
  await buildIfStale(['exec', 'exec-server'].includes(program) ? ['bench', 'cli'] : ['bench']);
  if (program === 'figures') {
    await buildIfStale(['lastWords']);
  }
  if (program === 'exec-server' && process.platform === 'linux') {
    await buildIfStale(['bareTerminal']);
  }
  if (!inElectron) {
    return 0;
  }
  const runtime = await resolveElectronRuntime();
  await ensureSystemPackages({ executable: runtime.executable, needXvfb: true, forTests: false });
  const electron = [
    ...(needsNoSandbox() ? ['--no-sandbox'] : []),
    join(projectRoot, 'scripts', 'bench-in-electron.mjs'),
  ];
  return withDisplay(
    (change) =>
      runForeground(runtime.executable, electron, {
        cwd: projectRoot,
        env: {
          ...withoutNpmEnvironment(process.env, projectRoot),
          ...change,
          SHELLSCOPE_BENCH_PROGRAM: file,
          SHELLSCOPE_BENCH_ARGS: JSON.stringify(args),
        },
      }),
    { isolate: true },
  );
});
/** @returns {Promise<number>} The program's exit code. */
async function driveApp() {
  await buildIfStale(['bench', 'app', 'cli']);
  const runtime = await resolveElectronRuntime();
  await ensureSystemPackages({ executable: runtime.executable, needXvfb: true, forTests: false });
  return withDisplay(
    (change) =>
      runForeground(process.execPath, [file, ...args], {
        cwd: projectRoot,
        env: {
          ...withoutNpmEnvironment(process.env, projectRoot),
          ...change,
          SHELLSCOPE_ELECTRON: runtime.executable,
          ...(needsNoSandbox() ? { SHELLSCOPE_NO_SANDBOX: '1' } : {}),
        },
      }),
    { isolate: true },
  );
}
// Outside runScript: from here on the exit code and the errors are the program's own.
if (prepared && !inElectron && !windowPrograms.includes(program)) {
  process.argv = [process.execPath, file, ...args];
  await import(pathToFileURL(file).href);
}
