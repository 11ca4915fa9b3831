// @ts-check
// `npm start`: builds what is stale and opens the app, or serves without a window where no display is.
import { buildIfStale } from './build.mjs';
import { needsNoSandbox, sandboxObstacle } from './chromium-sandbox.mjs';
import { findDisplay } from './display.mjs';
import { isOlder, resolveElectronRuntime } from './electron-runtime.mjs';
import { ensureInstalled } from './installed-packages.mjs';
import { runScript, say } from './messages.mjs';
import { withoutNpmEnvironment } from './npm-environment.mjs';
import { projectRoot } from './project.mjs';
import { runCli } from './run-cli.mjs';
import { runForeground } from './run-command.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

const args = process.argv.slice(2);
let headless = false;

const started = await runScript(async () => {
  await ensureInstalled();
  const display = await findDisplay(process.env);
  if (display !== null) {
    return openWindow(display);
  }
  headless = true;
  say(`no display (${whyNoDisplay(process.env)}): serving without a window, at the URL and with the token file below`);
  say('`npm run --silent shellscope -- connect NAME` prints what connects an agent; Ctrl-C ends it');
  return buildIfStale(['cli']);
});
// Outside runScript: from here on the exit code and the errors are the program's own.
if (started && headless) {
  await runCli(['serve', ...args]);
}

/**
 * @param {'x11' | 'wayland' | 'native'} display
 * @returns {Promise<number>} Electron's exit code.
 */
async function openWindow(display) {
  const runtime = await resolveElectronRuntime();
  // Side by side, and this one first: other programs tell which libraries are there while the sources are hashed here.
  const systemPackages = ensureSystemPackages({
    executable: runtime.executable,
    needXvfb: false,
    forTests: false,
  });
  await Promise.all([systemPackages, buildIfStale(['app', 'cli'])]);
  const switches = [];
  if (needsNoSandbox()) {
    say("running as root: Chromium's sandbox is off (--no-sandbox)");
    switches.push('--no-sandbox');
  } else {
    const obstacle = await sandboxObstacle(runtime.distPath);
    if (obstacle !== undefined) {
      say(obstacle);
    }
  }
  // Electron takes Wayland by itself from 38 on.
  if (display === 'wayland' && runtime.version !== null && isOlder(runtime.version, '38')) {
    switches.push('--ozone-platform=wayland');
  }
  return runForeground(runtime.executable, [...switches, '.', ...args], {
    cwd: projectRoot,
    env: withoutNpmEnvironment(process.env, projectRoot),
  });
}

/** @param {NodeJS.ProcessEnv} env */
function whyNoDisplay(env) {
  const named = ['DISPLAY', 'WAYLAND_DISPLAY'].filter((name) => (env[name] ?? '') !== '');
  return named.length === 0
    ? 'DISPLAY and WAYLAND_DISPLAY are not set'
    : `${named.map((name) => `${name}=${env[name]}`).join(', ')} does not answer`;
}
