import { describe, expect } from 'vitest';
import type { SessionId } from '../../src/shared/session.ts';
import { groupOf, machineGroups } from '../support/control-groups.ts';
import { test } from '../support/exec-world.ts';

const KINDS = [
  ['pty', { tty: true }],
  ['pipes', { tty: false, pipeStdin: true }],
] as const;

/** Each waits for a line before it misbehaves, so that its control group can be looked at; with which limit ends it, in words. */
const BUDGETS = [
  [
    'memory',
    { memoryBytes: 60_000_000 },
    'exec python3 -c "a = bytearray(200000000); input()"',
    /^Ended by its memory/,
  ],
  [
    'processes',
    { processes: 20 },
    'for i in $(seq 40); do sleep 300 & done; wait',
    /: \d+ processes were there at once/,
  ],
  ['cpu', { cpuSeconds: 1 }, 'while :; do :; done', /: it used .* of CPU time/],
  ['output', { outputBytes: 100_000 }, 'exec yes', /: it printed /],
  ['lifetime', { lifetimeMs: 3_000 }, 'exec sleep 300', /: it ran for /],
] as const;

/** What the kernel can be asked to enforce or to measure. */
const FOR_GROUPS = new Set<string>(['memory', 'processes', 'cpu']);

const MACHINE = await machineGroups();

type Told = Readonly<Record<string, unknown>>;

for (const cgroups of [false, true]) {
  describe.skipIf(cgroups && MACHINE === null)(`budgets ${cgroups ? 'in control groups' : 'by samples'}`, () => {
    test.override({ engineOptions: { cgroups } });

    for (const [kind, connected] of KINDS) {
      test(`S15: each is seen and enforced, by what is said of it, and the reason reaches the agent (${kind})`, async ({
        world,
      }) => {
        const client = await world.client();
        const listed = async () =>
          ((await client.request('shellscope/list', {}))['result'] as { readonly processes: readonly Told[] })
            .processes;
        await Promise.all(
          BUDGETS.map(async ([name, limits, script]) => {
            const request = { ...connected, shellscope: { limits } };
            const argv = ['/bin/sh', '-c', `echo up; read go; ${script}`];
            expect(await client.start(name, argv, request)).toMatchObject({ result: {} });
            await client.printed(name, 'up');
            const told = (await listed()).find(({ processId }) => processId === name);
            const group = await groupOf(await world.engine.get(told?.['sessionId'] as SessionId));
            const isGrouped = cgroups && FOR_GROUPS.has(name);
            expect(group, name).toEqual(isGrouped ? expect.stringContaining('/session-') : null);
            await client.write(name, kind === 'pty' ? '\r' : '\n', 'go');
            await client.closedProcess(name);
          }),
        );
        const processes = await listed();
        for (const [name, limits, , reason] of BUDGETS) {
          const told = processes.find(({ processId }) => processId === name);
          const isByKernel = cgroups && name === 'memory' && MACHINE?.memory === true;
          expect(told).toMatchObject({
            limits,
            endedBy: 'limit',
            failure: expect.any(String),
            limitHit: { limit: name, ended: 'child', enforcedBy: isByKernel ? 'kernel' : 'host' },
          });
          expect(told?.['failure'], name).toMatch(reason);
          const read = await client.request('process/read', { processId: name, afterSeq: 1_000_000 });
          expect(read).toMatchObject({ result: { exited: true, failure: told?.['failure'] } });
        }
      });
    }
  });
}

test('a child that ended by itself has not failed by a limit that it went over, which is told beside its end', async ({
  world,
}) => {
  const client = await world.client();
  const script = '(sleep 0.3; exec yes) & exit 0';
  const limits = { outputBytes: 100_000 };
  await client.start('p1', ['/bin/sh', '-c', script], { tty: false, shellscope: { limits } });
  expect(await client.closedProcess('p1')).toMatchObject({ exitCode: 0 });
  const read = await client.request('process/read', { processId: 'p1', afterSeq: 1_000_000 });
  expect(read).toMatchObject({ result: { exited: true, exitCode: 0, failure: null } });
  expect(await client.request('shellscope/list', {})).toMatchObject({
    result: {
      processes: [{ endedBy: 'child', failure: null, limitHit: { limit: 'output', ended: 'survivors' } }],
    },
  });
});
