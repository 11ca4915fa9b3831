// @ts-check
// `npm run soak -- …` and `npm run bench`: runs a program of bench/ from source, in this process, so that signals reach it
// without a relay.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildIfStale } from './build.mjs';
import { ensureInstalled } from './installed-packages.mjs';
import { runScript } from './messages.mjs';
import { projectRoot } from './project.mjs';

const [program, ...args] = process.argv.slice(2);
const prepared = await runScript(async () => {
  await ensureInstalled();
  await buildIfStale(['bench']);
});
// Outside runScript: from here on the exit code and the errors are the program's own.
if (prepared) {
  const file = join(projectRoot, 'out', 'bench', `${program}.js`);
  process.argv = [process.execPath, file, ...args];
  await import(pathToFileURL(file).href);
}
