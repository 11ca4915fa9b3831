// @ts-check
// The default_app.asar of the substitute runtime: loads the app whose folder or file is given on
// the command line, as Electron's own does (electron/electron default_app/main.ts).
//
// It is an ES module and awaits the app's main at its top level: Electron holds `ready` back until
// this module is done, so that an app can still call what must be called before `ready`.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { app } from 'electron';
import { parseArguments } from './arguments.js';

/**
 * Two setters that Electron has for its default app alone, and so does not declare.
 * @typedef {{ setAppPath(path: string): void, setVersion(version: string): void }} ForDefaultApp
 */
const described = /** @type {typeof app & ForDefaultApp} */ (app);

const require = createRequire(join(process.cwd(), 'electron'));
const request = parseArguments(process.argv.slice(1));

if (request.action === 'print') {
  console.log(request.text === 'version' ? `v${process.versions['electron']}` : process.versions.modules);
  process.exit(0);
} else if (request.action === 'refuse') {
  fail(request.reason);
} else {
  for (const module of request.preload) {
    require(module);
  }
  await load(resolve(request.app));
}

/** @param {string} path Absolute: a folder with a package.json or an index.js, or a file. */
async function load(path) {
  Object.defineProperty(process, 'defaultApp', { configurable: false, enumerable: true, value: true });
  const main = resolveMain(path);
  const packageJson = join(path, 'package.json');
  if (existsSync(packageJson)) {
    introduce(JSON.parse(readFileSync(packageJson, 'utf8')));
  }
  described.setAppPath(statSync(path).isDirectory() ? path : dirname(main));
  try {
    await import(pathToFileURL(main).href);
  } catch (error) {
    // Electron's own shows a dialog, which on a display that nobody sees waits for ever.
    fail('the app threw an error while it was loaded', error);
  }
}

/** @param {string} path */
function resolveMain(path) {
  try {
    return require.resolve(path);
  } catch (error) {
    return fail(`no Electron app at ${path}`, error);
  }
}

/**
 * Gives Electron the app's name and version.
 * @param {{ name?: string, productName?: string, version?: string, desktopName?: string, v8Flags?: string }} about
 */
function introduce(about) {
  if (about.version !== undefined) {
    described.setVersion(about.version);
  }
  const name = about.productName ?? about.name;
  if (name !== undefined) {
    app.name = name;
  }
  if (process.platform === 'linux') {
    app.setDesktopName(about.desktopName ?? `${app.name}.desktop`);
  }
  if (about.v8Flags !== undefined) {
    setFlagsFromString(about.v8Flags);
  }
}

/**
 * @param {string} reason
 * @param {unknown} [error]
 * @returns {never}
 */
function fail(reason, error) {
  console.error(`electron: ${reason}`);
  if (error !== undefined) {
    console.error(error);
  }
  process.exit(1);
}
