import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import type { ChildEvents, SpawnRequest } from '../../src/engine/backend/backend.ts';
import { ForkServer } from '../../src/engine/backend/fork-server.ts';
import { lookAtMember } from '../../src/engine/backend/input-waiter.ts';
import { startPipesBy } from '../../src/engine/backend/pipe-backend.ts';
import { lookAtProcess } from '../../src/engine/backend/process-table.ts';
import { startPtyBy } from '../../src/engine/backend/pty-backend.ts';
import type { ExitStatus } from '../../src/shared/session.ts';
import { test } from '../support/engine-world.ts';
import { isRunning } from '../support/is-running.ts';
import { withoutLeftovers } from '../support/leftovers.ts';
import { until } from '../support/tree-world.ts';

const KINDS = ['pty', 'pipe'] as const;
type Kind = (typeof KINDS)[number];

const backendOf = (kind: Kind) => (kind === 'pty' ? ({ kind } as const) : ({ kind, stdin: true } as const));

function server(answerMs?: number): ForkServer {
  const started = ForkServer.start(null, answerMs);
  if (started === null) {
    throw new Error('there is no fork server: npm run build');
  }
  onTestFinished(() => started.dispose());
  return started;
}

/** A child of the server that runs a script of bash. */
async function start(by: ForkServer, kind: Kind, script: string, change: Partial<SpawnRequest> = {}) {
  let printed = '';
  const told: string[] = [];
  let tellExited: (status: ExitStatus) => void = () => {};
  const exited = new Promise<ExitStatus>((resolve) => {
    tellExited = resolve;
  });
  const events: ChildEvents = {
    output: (_stream, bytes) => {
      printed += Buffer.from(bytes).toString();
      told.push('output');
    },
    isAwaited: () => false,
    exited: (status) => {
      told.push('exited');
      tellExited(status);
    },
    closed: () => told.push('closed'),
  };
  const request = {
    program: 'bash',
    file: '/bin/bash',
    arg0: 'a name',
    args: ['--norc', '-c', script],
    cwd: '/tmp',
    env: { PATH: '/usr/bin:/bin', EMPTY: '', WORD: 'wörd' },
    ...change,
  };
  const child = await (kind === 'pty'
    ? startPtyBy(by, request, { cols: 91, rows: 17 }, events)
    : startPipesBy(by, request, { stdin: true }, events));
  const closed = () => until(() => told.at(-1) === 'closed', 'its end');
  return { child, told, closed, exited, printed: () => printed.replaceAll('\r\n', '\n') };
}

describe.runIf(process.platform === 'linux')('the fork server', () => {
  for (const kind of KINDS) {
    test(`a ${kind} child is a child of it, and all that was asked for`, async () => {
      const by = server();
      const { child, closed, printed, exited } = await start(
        by,
        kind,
        'echo "$0|$PWD|$EMPTY|$WORD|$(env | wc -l)"; ps -o pid=,sid=,ppid= $$; exit 3',
      );
      await closed();
      const [name, ids = ''] = printed().trim().split('\n');
      expect(name).toBe('a name|/tmp||wörd|6');
      const [pid, sid, parent] = ids.trim().split(/ +/).map(Number);
      expect([pid, sid]).toEqual([child.pid, child.pid]);
      expect(parent).not.toBe(process.pid);
      expect(lookAtProcess(parent!)).toMatchObject({ parentPid: process.pid });
      expect(await exited).toEqual({ exitCode: 3, signal: null });
    });

    test(`a ${kind} child begins with no signal blocked or ignored`, async () => {
      const { closed, printed } = await start(server(), kind, '', { file: '/bin/cat', args: ['/proc/self/status'] });
      await closed();
      expect(printed()).toMatch(/^SigBlk:\t0+\nSigIgn:\t0+$/m);
    });

    test(`a directory that is not there is an error with its name, and no ${kind} child`, async () => {
      const by = server();
      await withoutLeftovers(async () => {
        await expect(start(by, kind, 'true', { cwd: '/nowhere' })).rejects.toMatchObject({
          code: 'spawn-failed',
          systemCode: 'ENOENT',
        });
      });
    });

    test(`a ${kind} child that is written to at once is in its directory`, async ({ world }) => {
      const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'shellscope-')));
      onTestFinished(() => rmSync(cwd, { recursive: true }));
      for (let times = 0; times < 20; times += 1) {
        const { id } = await world.start(['/bin/sh', '-c', 'read line; pwd'], {
          cwd,
          workspace: cwd,
          backend: backendOf(kind),
        });
        await world.engine.write(id, Buffer.from('x\n'));
        expect((await world.closed(id)).exit).toEqual({ exitCode: 0, signal: null });
        expect(await world.text(id)).toContain(cwd);
      }
    });

    test(`what it answered before it was killed holds: no ${kind} child is started and not told of`, async () => {
      const by = server();
      const first = await start(by, kind, 'read');
      const serverPid = lookAtProcess(first.child.pid)!.parentPid;
      const asked = Array.from({ length: 24 }, () => start(by, kind, 'trap "" HUP; exec sleep 1000'));
      // The requests go out in this turn; the answers wait for the next one.
      const children = () => readFileSync(`/proc/${serverPid}/task/${serverPid}/children`, 'utf8').trim().split(' ');
      // A child is there before it is answered for; the server sleeps when it has answered for all.
      const hasAnswered = () => children().length === 25 && lookAtMember(serverPid)?.state === 'S';
      // The loop stands still, as a busy host's does: no timer of the test could end this one.
      for (const deadline = performance.now() + 10_000; !hasAnswered();) {
        expect(performance.now()).toBeLessThan(deadline);
      }
      const pids = children().map(Number);
      process.kill(serverPid, 'SIGKILL');
      const started = await Promise.allSettled(asked);
      const told = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value.child.pid] : []));
      const untold = pids.filter((pid) => pid !== first.child.pid && !told.includes(pid));
      // On pipes nobody can open their streams any more: they are ended instead.
      await until(() => !untold.some(isRunning), 'the end of those that could not be told of');
      told.forEach((pid) => process.kill(pid, 'SIGKILL'));
      expect(kind === 'pty' ? told.length : pids.length - 1).toBe(24);
      await Promise.all(started.map(async (one) => one.status === 'fulfilled' && (await one.value.closed())));
    });

    test(`a file that is no program is said on the ${kind}, as sh says it`, async () => {
      const { closed, exited, printed } = await start(server(), kind, '', { file: '/etc/passwd' });
      await closed();
      expect(printed()).toBe('shellscope: cannot execute /etc/passwd: Permission denied\n');
      expect(await exited).toEqual({ exitCode: 126, signal: null });
    });

    test(`forty ${kind} children at once: each has its own output, whole, and its own exit`, async () => {
      const by = server();
      const numbers = Array.from({ length: 40 }, (_, number) => number);
      const children = await Promise.all(
        numbers.map((number) => start(by, kind, `printf '${number} %.0s' {1..3000}; exit ${number}`)),
      );
      await Promise.all(children.map(({ closed }) => closed()));
      for (const [number, { printed, exited, told }] of children.entries()) {
        expect(printed()).toBe(`${number} `.repeat(3000));
        expect(await exited).toEqual({ exitCode: number, signal: null });
        expect(told.filter((word) => word !== 'output')).toEqual(['exited', 'closed']);
      }
    });

    test(`when it is killed, a ${kind} child lives on, its end is told as unknown, and another server starts the next`, async ({
      world,
    }) => {
      const { id, pid } = await world.start(['/bin/bash', '-c', 'read line; echo "got $line"; read'], {
        backend: backendOf(kind),
      });
      const parent = lookAtProcess(pid!)!.parentPid;
      process.kill(parent, 'SIGKILL');
      await until(() => !isRunning(parent), 'its end');
      await world.engine.write(id, Buffer.from('word\n'));
      await world.printed(id, 'got word');
      const next = await world.start(['/bin/bash', '-c', 'exit 5'], { backend: backendOf(kind) });
      expect((await world.closed(next.id)).exit).toEqual({ exitCode: 5, signal: null });
      await world.engine.write(id, Buffer.from('\n'));
      expect((await world.closed(id)).exit).toEqual({ exitCode: null, signal: null });
    });
  }

  test('what the system refuses it is an error with its name, and the next start is as ever', async () => {
    const by = server();
    const first = await start(by, 'pipe', 'read');
    const serverPid = String(lookAtProcess(first.child.pid)!.parentPid);
    const allow = (descriptors: number) =>
      execFileSync('prlimit', ['--pid', serverPid, `--nofile=${descriptors}:1024`]);
    allow(5);
    await expect(start(by, 'pipe', 'true')).rejects.toMatchObject({ code: 'spawn-failed', systemCode: 'EMFILE' });
    allow(1024);
    const next = await start(by, 'pipe', 'echo here');
    await next.closed();
    expect(next.printed()).toBe('here\n');
    first.child.closeInput();
    await first.closed();
  });

  test('one that gives no answer is killed, and the start fails', async () => {
    const by = server(300);
    const { child, exited, closed } = await start(by, 'pipe', 'read');
    const serverPid = lookAtProcess(child.pid)!.parentPid;
    process.kill(serverPid, 'SIGSTOP');
    await expect(start(by, 'pipe', 'true')).rejects.toMatchObject({
      code: 'spawn-failed',
      message: 'cannot start `bash`: the fork server has ended',
    });
    expect(by.isOver).toBe(true);
    expect(isRunning(serverPid)).toBe(false);
    child.closeInput();
    expect(await exited).toEqual({ exitCode: null, signal: null });
    await closed();
  });

  test('one that has answered while the host stood still is not killed', async () => {
    const by = server(100);
    const starting = start(by, 'pipe', 'echo here');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    const { closed, printed } = await starting;
    await closed();
    expect(printed()).toBe('here\n');
    expect(by.isOver).toBe(false);
  });

  test('a host without descriptors ends the child that it cannot watch, also one that has ended, and goes on', async () => {
    const by = server();
    const first = await start(by, 'pipe', 'read');
    const allow = (soft: string) => execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${soft}:`]);
    const before = execFileSync('prlimit', ['--pid', String(process.pid), '--nofile', '-o', 'SOFT', '--noheadings']);
    allow(String(Math.max(...readdirSync('/proc/self/fd').map(Number)) + 40));
    const fillers: number[] = [];
    let isKeptFull = true;
    // Each turn: what earlier tests had open may be closed meanwhile.
    const keepFull = (): void => {
      try {
        while (isKeptFull) {
          fillers.push(openSync('/dev/null', 'r'));
        }
      } catch {
        setImmediate(keepFull);
      }
    };
    keepFull();
    const refused = await Promise.allSettled(['true', 'exec sleep 1000'].map((script) => start(by, 'pipe', script)));
    isKeptFull = false;
    fillers.forEach((fd) => closeSync(fd));
    allow(before.toString().trim());
    const failed = { status: 'rejected', reason: expect.objectContaining({ systemCode: 'EMFILE' }) };
    expect(refused).toEqual([failed, failed]);
    expect(by.canPipe).toBe(true);
    const next = await start(by, 'pipe', 'echo here');
    await next.closed();
    expect(next.printed()).toBe('here\n');
    first.child.closeInput();
    await first.closed();
  });

  test('a pipe in a flood holds more from then on, and nothing of it is lost', async () => {
    const program = `
import fcntl, os, sys
F_GETPIPE_SZ, lots = 1032, 0
while fcntl.fcntl(1, F_GETPIPE_SZ) == 65536:
    os.write(1, b"x" * 65536)
    lots += 1
sys.stderr.write(f"{fcntl.fcntl(1, F_GETPIPE_SZ)} {lots * 65536}")
`;
    const { closed, printed } = await start(server(), 'pipe', '', {
      file: '/usr/bin/env',
      args: ['python3', '-c', program],
    });
    await closed();
    const [, size, written] = /(\d+) (\d+)/.exec(printed()) ?? [];
    expect(Number(size)).toBe(1024 * 1024);
    expect(printed().match(/x/g)?.length).toBe(Number(written));
  });

  test('a signal that comes before the child is its program ends it', async () => {
    const by = server();
    for (let times = 0; times < 20; times += 1) {
      const { child, exited } = await start(by, 'pipe', 'exec sleep 1000');
      process.kill(child.pid, 'SIGTERM');
      expect(await exited).toEqual({ exitCode: null, signal: 'SIGTERM' });
    }
  });
});
