// @ts-check
// `npm run --silent shellscope -- serve …`: the command-line program from source.
import { buildIfStale } from './build.mjs';
import { ensureInstalled } from './installed-packages.mjs';
import { runScript } from './messages.mjs';
import { runCli } from './run-cli.mjs';

const prepared = await runScript(async () => {
  await ensureInstalled();
  await buildIfStale(['cli']);
});
// Outside runScript: from here on the exit code and the errors are the program's own.
if (prepared) {
  await runCli(process.argv.slice(2));
}
