// @ts-check
// Runs Playwright on the built app, on a display of its own. Arguments go to `playwright test`.
//
// The specs get: SHELLSCOPE_ELECTRON (the executable), SHELLSCOPE_NO_SANDBOX=1 as root on Linux, and
// ELECTRON_OVERRIDE_DIST_PATH for whoever looks for Electron by the electron package.
import { join } from 'node:path';
import { buildIfStale } from './build.mjs';
import { needsNoSandbox } from './chromium-sandbox.mjs';
import { withDisplay } from './display.mjs';
import { resolveElectronRuntime } from './electron-runtime.mjs';
import { ensureInstalled } from './installed-packages.mjs';
import { runScript } from './messages.mjs';
import { withoutNpmEnvironment } from './npm-environment.mjs';
import { installedPackage, projectRoot } from './project.mjs';
import { runForeground } from './run-command.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

await runScript(async () => {
  await ensureInstalled();
  await buildIfStale(['app', 'cli']);
  const runtime = await resolveElectronRuntime();
  await ensureSystemPackages({ executable: runtime.executable, needXvfb: true, forTests: false });
  const playwright = join(installedPackage(projectRoot, '@playwright/test'), 'cli.js');
  return withDisplay(
    (change) =>
      runForeground(process.execPath, [playwright, 'test', ...process.argv.slice(2)], {
        cwd: projectRoot,
        env: {
          ...withoutNpmEnvironment(process.env, projectRoot),
          ...change,
          SHELLSCOPE_ELECTRON: runtime.executable,
          ELECTRON_OVERRIDE_DIST_PATH: runtime.distPath,
          ...(needsNoSandbox() ? { SHELLSCOPE_NO_SANDBOX: '1' } : {}),
        },
      }),
    { isolate: true },
  );
});
