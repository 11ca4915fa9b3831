// @ts-check
// `npm run test:mcp-inspector`: the MCP inspector's command line against our server. Arguments go to `vitest run`.
//
// Not part of `npm test`, since the inspector is large. It is installed once, then nothing outside this machine is asked.
import { join } from 'node:path';
import { buildIfStale } from './build.mjs';
import { ensureInstalled } from './installed-packages.mjs';
import { resolveMcpInspector } from './mcp-inspector-client.mjs';
import { runScript } from './messages.mjs';
import { installedPackage, projectRoot } from './project.mjs';
import { runForeground } from './run-command.mjs';

await runScript(async () => {
  await ensureInstalled();
  await buildIfStale(['cli']);
  return runForeground(
    process.execPath,
    [
      join(installedPackage(projectRoot, 'vitest'), 'vitest.mjs'),
      'run',
      '--project=integration',
      'test/conformance/mcp-inspector.test.ts',
      ...process.argv.slice(2),
    ],
    { cwd: projectRoot, env: { ...process.env, SHELLSCOPE_MCP_INSPECTOR: await resolveMcpInspector() } },
  );
});
