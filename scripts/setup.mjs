// @ts-check
// What `npm test` runs first: all that the tests need of this machine.
import { resolveElectronRuntime } from './electron-runtime.mjs';
import { ensureInstalled } from './installed-packages.mjs';
import { runScript } from './messages.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

await runScript(async () => {
  await ensureInstalled();
  const { executable } = await resolveElectronRuntime();
  await ensureSystemPackages({ executable, needXvfb: true, forTests: true });
});
