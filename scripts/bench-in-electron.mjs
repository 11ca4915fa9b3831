// @ts-check
// Runs a program of bench/ in Electron's main process, whose event loop is Chromium's: `npm run bench -- --electron`.
import { pathToFileURL } from 'node:url';
// oxlint-disable-next-line no-restricted-imports -- this file is run by Electron, as scripts/electron-default-app is
import { app } from 'electron';

const program = process.env['SHELLSCOPE_BENCH_PROGRAM'] ?? '';
const options = /** @type {string[]} */ (JSON.parse(process.env['SHELLSCOPE_BENCH_ARGS'] ?? '[]'));

// Not awaited here: Electron is ready only when this module has been run.
void app.whenReady().then(async () => {
  process.argv = [process.execPath, program, ...options];
  try {
    await import(pathToFileURL(program).href);
    app.exit(0);
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    app.exit(1);
  }
});
