import { access, mkdtemp, realpath, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished } from 'vitest';
import { workspaceWriteContext } from '../support/exec-sandbox-context.ts';
import { test } from '../support/exec-world.ts';
import { NO_SANDBOX } from '../support/sandbox-here.ts';

const KINDS = [
  ['pty', { tty: true }],
  ['pipes', { tty: false }],
] as const;

/** Not below a temporary folder, which a fence replaces. */
async function folder(): Promise<string> {
  const path = await realpath(await mkdtemp(join(homedir(), '.shellscope-fenced-')));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe.runIf(process.platform === 'linux')(
  `a process that asks for a sandbox${NO_SANDBOX === null ? '' : `: not here, ${NO_SANDBOX}`}`,
  () => {
    for (const [kind, connected] of KINDS) {
      test.skipIf(NO_SANDBOX !== null)(`runs in it, and is told to be denied (${kind})`, async ({ world }) => {
        const [root, outside] = [await folder(), await folder()];
        const client = await world.client();
        const start = (processId: string, script: string, sandbox: object | null) =>
          client.start(processId, ['/bin/bash', '-c', script], {
            ...connected,
            cwd: pathToFileURL(root).href,
            sandbox,
          });
        const script = `echo in > ${root}/in && echo out > ${outside}/out`;
        expect(await start('fenced', script, workspaceWriteContext(root))).toMatchObject({
          result: { sandboxType: 'linuxSeccomp' },
        });
        expect((await client.closedProcess('fenced')).exitCode).not.toBe(0);
        expect([await isThere(`${root}/in`), await isThere(`${outside}/out`)]).toEqual([true, false]);
        const told = client.notifications.find(
          ({ method, params }) => method === 'process/exited' && params.processId === 'fenced',
        );
        expect(told?.params).toMatchObject({ sandboxDenied: true });
        expect(await client.request('process/read', { processId: 'fenced' })).toMatchObject({
          result: { sandboxDenied: true },
        });
        const [session] = await world.engine.list();
        expect(session).toMatchObject({ sandbox: 'workspace-write, no network', argv: ['/bin/bash', '-c', script] });

        // The same without it is done, so that this test can fail.
        expect(await start('free', script, null)).toMatchObject({ result: { sandboxType: 'none' } });
        expect((await client.closedProcess('free')).exitCode).toBe(0);
        expect(await isThere(`${outside}/out`)).toBe(true);
      });

      test.skipIf(NO_SANDBOX !== null)(`that fails by itself is not called denied (${kind})`, async ({ world }) => {
        const root = await folder();
        const client = await world.client();
        await client.start('p1', ['/bin/sh', '-c', 'echo no such thing; exit 1'], {
          ...connected,
          cwd: pathToFileURL(root).href,
          sandbox: workspaceWriteContext(root),
        });
        expect((await client.closedProcess('p1')).exitCode).toBe(1);
        expect(await client.request('process/read', { processId: 'p1' })).toMatchObject({
          result: { exitCode: 1, sandboxDenied: false },
        });
        expect(
          await client.start('p2', ['no-such-program'], { ...connected, sandbox: workspaceWriteContext(root) }),
        ).toMatchObject({ error: { code: -32_603 } });
      });
    }
  },
);
