import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { leftOverProcesses, thisHost, type HostIdentity } from '../../src/engine/backend/left-over-processes.ts';
import { lookAtProcess } from '../../src/engine/backend/process-table.ts';
import { newHostId, sessionMark } from '../../src/engine/backend/session-mark.ts';
import { stopProcesses } from '../../src/engine/backend/terminate-tree.ts';
import { ProcessLedger } from '../../src/engine/storage/process-ledger.ts';
import { silentLogger } from '../../src/shared/logger.ts';
import { isRunning } from '../support/is-running.ts';
import { test, type StartedTree, type TreeWorld } from '../support/tree-world.ts';

/**
 * A host in a process of its own: for each argument it starts a session with that mark, which prints its leader's
 * number and that of a daemon it started; `none:none` is left out of the environment.
 */
const HOST = `
const UNMARKED = 'none:none';
const { spawn } = require('node:child_process');
for (const mark of process.argv.slice(1)) {
  spawn('/bin/bash', ['-c', '(setsid sleep 1000 >/dev/null & echo $$ $!); exec sleep 1000'], {
    detached: true,
    env: { PATH: process.env.PATH, ...(mark === UNMARKED ? {} : { SHELLSCOPE_SESSION: mark }) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
setInterval(() => {}, 1000);
`;

interface RunningHost {
  readonly identity: HostIdentity;
  readonly process: StartedTree;
  readonly sessions: readonly { readonly leader: number; readonly daemon: number }[];
}

/**
 * Starts a host with sessions of these marks. It runs in a session of the test's own, so that nothing is left; or, to
 * the eye, in that of `hostsMark`.
 */
async function startHost(
  world: TreeWorld,
  own: HostIdentity,
  marks: readonly string[],
  hostsMark?: string,
): Promise<RunningHost> {
  const marking = hostsMark === undefined ? [] : ['/usr/bin/env', `SHELLSCOPE_SESSION=${hostsMark}`];
  const started = world.start([...marking, process.execPath, '-e', HOST, ...marks]);
  const sessions: { leader: number; daemon: number }[] = [];
  for (let left = marks.length; left > 0; left -= 1) {
    const [leader = 0, daemon = 0] = (await started.line()).split(' ').map(Number);

    [leader, daemon].forEach((pid) => world.killAfterwards(pid));
    sessions.push({ leader, daemon });
  }
  const { pid, startTime } = started.leader;
  const hostId = marks[0]?.split(':')[0] ?? '';
  return { identity: { ...own, hostId, pid, startTime: startTime ?? '' }, process: started, sessions };
}

const record = (ledger: ProcessLedger, mark: string, pid: number) =>
  ledger.sessionStarted({
    sessionId: mark.split(':')[1] ?? '',
    pid,
    startTime: lookAtProcess(pid)?.startTime ?? null,
    mark,
  });

const crash = async ({ process: host }: RunningHost) => {
  host.child.kill('SIGKILL');
  await host.exited;
};

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shellscope-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'hosts');
}

describe('after a crash of the host', () => {
  test('the next one lists what it left, by session, and nothing of a host that lives', async ({ world }) => {
    const folder = temporaryFolder();
    const own = await thisHost(newHostId());
    const [crashedId, liveId] = [newHostId(), newHostId()];
    const marks = [sessionMark(crashedId, 'session-1')];
    const crashed = await startHost(world, own, marks);
    const live = await startHost(world, own, [sessionMark(liveId, 'session-1')]);
    const crashedLedger = ProcessLedger.open(folder, crashed.identity, silentLogger);
    record(crashedLedger, marks[0] ?? '', crashed.sessions[0]?.leader ?? 0);
    const liveLedger = ProcessLedger.open(folder, live.identity, silentLogger);
    record(liveLedger, sessionMark(liveId, 'session-1'), live.sessions[0]?.leader ?? 0);
    const ledger = ProcessLedger.open(folder, own, silentLogger);

    expect(await leftOverProcesses(await ledger.otherHosts(), own)).toEqual([]);
    await crash(crashed);
    const dead = await leftOverProcesses(await ledger.otherHosts(), own);
    const { leader = 0, daemon = 0 } = crashed.sessions[0] ?? {};
    expect(dead).toEqual([
      {
        hostId: crashedId,
        sessions: [
          {
            sessionId: 'session-1',
            processes: expect.toSatisfy((processes: readonly { readonly pid: number }[]) => {
              expect(new Set(processes.map(({ pid }) => pid))).toEqual(new Set([leader, daemon]));
              return true;
            }),
          },
        ],
      },
    ]);
    expect(dead[0]?.sessions[0]?.processes[0]).toMatchObject({ command: 'sleep 1000', listening: [] });

    expect(await stopProcesses(dead[0]?.sessions[0]?.processes ?? [])).toEqual([]);
    expect([leader, daemon].filter(isRunning)).toEqual([]);
    expect(await leftOverProcesses(await ledger.otherHosts(), own)).toEqual([{ hostId: crashedId, sessions: [] }]);
    await ledger.forget(crashedId);
    expect((await ledger.otherHosts()).map(({ hostId }) => hostId)).toEqual([liveId]);
    expect(Object.values(live.sessions[0] ?? {}).filter(isRunning)).toHaveLength(2);
    for (const each of [crashedLedger, liveLedger, ledger]) {
      each.close();
    }
  });

  test('a session that was not recorded is found by its mark, one that dropped it by its leader', async ({ world }) => {
    const own = await thisHost(newHostId());
    const hostId = newHostId();
    const host = await startHost(world, own, [`${hostId}:session-1`, `${hostId}:session-2`, 'none:none']);
    const { leader: pid = 0 } = host.sessions[2] ?? {};
    const startTime = lookAtProcess(pid)?.startTime ?? null;
    await crash(host);
    const sessions = [{ sessionId: 'session-3', pid, startTime, mark: `${hostId}:session-3` }];
    const [dead] = await leftOverProcesses([{ ...host.identity, sessions }], own);
    expect(dead?.sessions.map(({ sessionId, processes }) => [sessionId, processes.length]).toSorted()).toEqual([
      ['session-1', 2],
      ['session-2', 2],
      ['session-3', 1],
    ]);
  });

  test('a leader whose number another process has by now is not listed, nor that one', async ({ world }) => {
    const own = await thisHost(newHostId());
    const hostId = newHostId();
    const host = await startHost(world, own, []);
    const stranger = world.script('sleep 1000 & echo ready; wait');
    await stranger.line();
    await crash(host);
    const { pid } = stranger.leader;
    for (const startTime of ['1', null]) {
      const sessions = [{ sessionId: 'session-1', pid, startTime, mark: `${hostId}:session-1` }];
      expect(await leftOverProcesses([{ ...host.identity, hostId, sessions }], own)).toEqual([
        { hostId, sessions: [] },
      ]);
    }
  });

  test('a host that was started in its session and lives is not left over, nor is what that started', async ({
    world,
  }) => {
    const own = await thisHost(newHostId());
    const [outerId, innerId] = [newHostId(), newHostId()];
    const outer = await startHost(world, own, [`${outerId}:session-1`]);
    const around = `${outerId}:session-1`;
    const inner = await startHost(world, own, [`${around},${innerId}:session-1`], around);
    await crash(outer);
    const hosts = [
      { ...outer.identity, sessions: [] },
      { ...inner.identity, hostId: innerId, sessions: [] },
    ];
    const listed = async () =>
      (await leftOverProcesses(hosts, own)).map(({ hostId, sessions }) => [
        hostId,
        new Set(sessions.flatMap(({ processes }) => processes.map(({ pid }) => pid))),
      ]);
    const pids = ({ sessions }: RunningHost) => sessions.flatMap(({ leader, daemon }) => [leader, daemon]);
    expect(await listed()).toEqual([[outerId, new Set(pids(outer))]]);
    await crash(inner);
    expect(await listed()).toEqual([
      [outerId, new Set([...pids(outer), ...pids(inner)])],
      [innerId, new Set(pids(inner))],
    ]);
  });

  test('a host of another machine is not judged; one from before a restart has left nothing', async ({ world }) => {
    const own = await thisHost(newHostId());
    const hostId = newHostId();
    const host = await startHost(world, own, [`${hostId}:session-1`]);
    await crash(host);
    const recorded = { ...host.identity, sessions: [] };
    expect(await leftOverProcesses([{ ...recorded, machine: 'another' }], own)).toEqual([]);
    expect(await leftOverProcesses([{ ...recorded, boot: 'another' }], own)).toEqual([{ hostId, sessions: [] }]);
    expect((await leftOverProcesses([recorded], own))[0]?.sessions).toHaveLength(1);
  });
});
