// @ts-check
// `npm run test:codex`: the real Codex CLI against the app. Arguments go to `playwright test`.
//
// Not part of `npm test`, since the CLI is large. It is downloaded once, then nothing outside this machine is asked.
import { join } from 'node:path';
import { resolveCodex } from './codex-client.mjs';
import { runScript } from './messages.mjs';
import { projectRoot } from './project.mjs';
import { runForeground } from './run-command.mjs';

await runScript(async () =>
  runForeground(
    process.execPath,
    [join(projectRoot, 'scripts', 'e2e.mjs'), '--project=codex', ...process.argv.slice(2)],
    { cwd: projectRoot, env: { ...process.env, SHELLSCOPE_CODEX: await resolveCodex() } },
  ),
);
