// @ts-check
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { applyEnvironment, withoutNpmEnvironment } from './npm-environment.mjs';
import { projectRoot } from './project.mjs';

/**
 * Runs the built command-line program in this process, so that signals reach it without a relay.
 * @param {readonly string[]} args
 */
export async function runCli(args) {
  const main = join(projectRoot, 'out', 'cli', 'main.js');
  applyEnvironment(process.env, withoutNpmEnvironment(process.env, projectRoot));
  process.argv = [process.execPath, main, ...args];
  await import(pathToFileURL(main).href);
}
