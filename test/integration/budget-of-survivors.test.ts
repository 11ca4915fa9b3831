import { resolve } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import type { StartRequest } from '../../src/engine/engine.ts';
import type { SessionInfo } from '../../src/shared/session.ts';
import { groupOf, machineGroups } from '../support/control-groups.ts';
import { test } from '../support/engine-world.ts';
import { isRunning } from '../support/is-running.ts';
import { sessionWhen } from '../support/session-when.ts';

const MIB = 1024 * 1024;
const HOG = resolve('test/fixtures/programs/memory-hog.py');
/** What holds no stream of its session, so that a terminal that is hung up is nothing to it. */
const QUIET = '</dev/null >/dev/null 2>&1';

const BACKENDS: readonly (readonly ['pty' | 'pipe', Partial<StartRequest>])[] = [
  ['pty', {}],
  ['pipe', { backend: { kind: 'pipe', stdin: true } }],
];

const isSettled = ({ limitHit, treeEmpty }: SessionInfo) => limitHit?.ended != null && treeEmpty === true;

const HAS_GROUPS = (await machineGroups()) !== null;

for (const cgroups of [false, true]) {
  describe.skipIf(cgroups && !HAS_GROUPS)(
    `limits watched by ${cgroups ? 'groups and samples' : 'samples alone'}`,
    () => {
      test.override({ engineOptions: { cgroups } });

      for (const [kind, request] of BACKENDS) {
        const survivors = [
          ['lifetime', { lifetimeMs: 500 }, `sleep 300 ${QUIET} &`],
          ['idle', { idleMs: 500 }, `sleep 300 ${QUIET} &`],
          ['cpu', { cpuSeconds: 1 }, `(while :; do :; done) ${QUIET} &`],
          ['memory', { memoryBytes: 64 * MIB }, `(sleep 0.3; exec python3 ${HOG} 300) ${QUIET} &`],
          [
            'processes',
            { processes: 20 },
            `(sleep 0.3; for i in $(seq 40); do setsid sleep 300 & done; wait) ${QUIET} &`,
          ],
          // What a terminal's session leaves behind can print nothing: the terminal is hung up at the leader's exit.
          ...(kind === 'pipe' ? ([['output', { outputBytes: 100_000 }, '(sleep 0.3; exec yes) &']] as const) : []),
        ] as const;
        test.for(survivors)(
          `%s holds for what outlives the child, whose exit stays its own (${kind})`,
          async ([limit, limits, script], { world }) => {
            const argv = ['/bin/sh', '-c', `trap "" HUP; ${script} exit 0`];
            const { id } = await world.start(argv, { ...request, limits });
            const ended = await sessionWhen(world.engine, id, isSettled);
            expect(ended).toMatchObject({
              exit: { exitCode: 0, signal: null },
              endedBy: 'child',
              limitHit: {
                limit,
                ended: 'survivors',
                message: expect.stringMatching(/^What outlived its child was ended by its \w+ limit: .*the limit is/),
              },
            });
            const acts = (await world.engine.timeline(id)).filter(({ act }) => act.kind === 'hit-limit');
            expect(acts).toEqual([
              expect.objectContaining({
                by: { kind: 'host' },
                act: { kind: 'hit-limit', message: expect.stringMatching(/^Over its \w+ limit: /) },
              }),
            ]);
            expect(ended.outputBytes).toBeLessThan(10_000_000);
          },
        );

        const deserters = [
          ['memory', { memoryBytes: 64 * MIB }, `setsid -f python3 ${HOG} 300 ${QUIET}; exec sleep 300`],
          ['processes', { processes: 20 }, `for i in $(seq 40); do setsid -f sleep 300 ${QUIET}; done; exec sleep 300`],
          ['cpu', { cpuSeconds: 1 }, `setsid -f sh -c 'while :; do :; done' ${QUIET}; exec sleep 300`],
        ] as const;
        test.for(deserters)(
          `%s counts what called setsid and lost its parent (${kind})`,
          async ([limit, limits, script], { world }) => {
            const argv = ['/bin/sh', '-c', `echo up; read go; ${script}`];
            const started = await world.start(argv, { ...request, limits });
            // A child enters its group on its way to its program.
            await world.printed(started.id, 'up');
            expect(await groupOf(started)).toEqual(cgroups ? expect.stringContaining('/session-') : null);
            await world.engine.write(started.id, Buffer.alloc(0), { enter: true });
            const ended = await sessionWhen(world.engine, started.id, isSettled);
            expect(ended).toMatchObject({ endedBy: 'limit', limitHit: { limit, ended: 'child' } });
            expect(ended.exit?.exitCode).toBeNull();
          },
        );

        test(`what a person keeps of a session counts for its budget no more (${kind})`, async ({ world, skip }) => {
          if (cgroups) {
            skip('nothing can leave a control group');
          }
          const script = `trap "" HUP; setsid -f sleep 297 ${QUIET}; sleep 298 ${QUIET} & exit 0`;
          const { id } = await world.start(['/bin/sh', '-c', script], { ...request, limits: { cpuSeconds: 1_000 } });
          await sessionWhen(world.engine, id, ({ treeEmpty }) => treeEmpty === false);
          const [left] = await world.engine.survivors();
          const kept = left?.processes.find(({ command }) => command === 'sleep 297')?.pid ?? 0;
          onTestFinished(() => void process.kill(kept, 'SIGKILL'));
          expect((await world.engine.usage()).get(id)?.processes).toBe(2);
          expect(await world.engine.adopt(id, kept)).toBe(true);
          expect((await world.engine.usage()).get(id)?.processes).toBe(1);
          await world.engine.close(id, 'person');
          expect(isRunning(kept)).toBe(true);
        });
      }
    },
  );
}

for (const [kind, request] of BACKENDS) {
  test(`a child that ends as it goes over a limit keeps its own end, and one that is ended does not (${kind})`, async ({
    world,
  }) => {
    const seen = new Set<string>();
    for (let run = 0; run < 100; run += 1) {
      // The later runs end the later, so that the limit ends some of them.
      const script = `head -c 3000 /dev/zero; sleep 0.0${String(run % 10)}; exit 0`;
      const { id } = await world.start(['/bin/sh', '-c', script], { ...request, limits: { outputBytes: 1_000 } });
      const { exit, endedBy, limitHit } = await sessionWhen(
        world.engine,
        id,
        (session) => session.state === 'closed' && session.limitHit?.ended != null,
      );
      const came = exit?.exitCode === 0 && limitHit?.ended !== 'child' ? 'exit 0' : String(limitHit?.ended);
      seen.add(`${String(exit?.exitCode)} ${String(exit?.signal)} by ${String(endedBy)}: ${came}`);
      await world.engine.close(id, 'person');
    }
    const possible = ['0 null by child: exit 0', 'null SIGKILL by limit: child'];
    expect(seen.size).toBeGreaterThan(0);
    expect([...seen].filter((end) => !possible.includes(end))).toEqual([]);
  });

  test(`a child that answers the signal of its limit by an exit of its own was ended by the limit (${kind})`, async ({
    world,
  }) => {
    const script = 'trap "exit 3" TERM; echo up; while :; do sleep 0.05; done';
    const { id } = await world.start(['/bin/sh', '-c', script], { ...request, limits: { lifetimeMs: 500 } });
    expect(await sessionWhen(world.engine, id, isSettled)).toMatchObject({
      exit: { exitCode: 3, signal: null },
      endedBy: 'limit',
      limitHit: { limit: 'lifetime', ended: 'child' },
    });
  });
}
