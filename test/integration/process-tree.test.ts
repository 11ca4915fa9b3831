import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { survivorsOf } from '../../src/engine/backend/process-facts.ts';
import { isAlive, lookAtProcess, terminalNumber } from '../../src/engine/backend/process-table.ts';
import { ProcessTree } from '../../src/engine/backend/process-tree.ts';
import { startPty } from '../../src/engine/backend/pty-backend.ts';
import { stopProcesses, terminateTree } from '../../src/engine/backend/terminate-tree.ts';
import { isRunning } from '../support/is-running.ts';
import { test, until, type StartedTree } from '../support/tree-world.ts';

const RESPAWN = fileURLToPath(new URL('../fixtures/programs/respawn.py', import.meta.url));

/** Forks twice, with a session of its own in between, as a daemon does; prints its number when it is on its own. */
const DAEMON = `
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while os.getppid() == os.getsid(0):
            time.sleep(0.002)
        print(os.getpid(), flush=True)
        time.sleep(1000)
    os._exit(0)
os.wait()
`;

/** Looks like an interactive shell. Its first SIGHUP does nothing but what the argument says; the second ends it. */
const SHELL_LIKE = `
import os, signal, subprocess, sys, time
heard = []
def hang_up(*_):
    heard.append(1)
    if len(heard) == 2:
        os._exit(7)
    if sys.argv[1:] == ['cleans up']:
        subprocess.run(['sh', '-c', 'trap "" TERM HUP; sleep 0.4'])
        os._exit(8)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
signal.signal(signal.SIGTERM, lambda *_: None)
signal.signal(signal.SIGHUP, hang_up)
print('ready', flush=True)
while True:
    time.sleep(1000)
`;

const treeOf = ({ leader, mark }: StartedTree) => new ProcessTree({ leader, mark });

const pidsOf = (processes: readonly { readonly pid: number }[]) => processes.map(({ pid }) => pid);

const identityOf = (pid: number) => ({ pid, startTime: lookAtProcess(pid)?.startTime ?? '' });

describe('ending a tree', () => {
  const escapes = {
    'called setsid': 'setsid sleep 1000 & echo $!; wait',
    'called setsid and lost its parent': '(setsid sleep 1000 >/dev/null & echo $!); exec sleep 1000',
    'was started by nohup, after the leader has ended': 'nohup sleep 1000 >/dev/null 2>&1 & echo $!',
    'forked twice, as a daemon does, after the leader has ended': `python3 -c '${DAEMON}'`,
  };

  for (const [what, script] of Object.entries(escapes)) {
    test(`also ends what ${what}`, async ({ world }) => {
      const started = world.script(script);
      const pid = Number(await started.line());
      expect(isRunning(pid)).toBe(true);
      if (what.includes('leader has ended')) {
        await started.exited;
      } else if (what.includes('setsid')) {
        await until(() => lookAtProcess(pid)?.sessionId === pid, 'its setsid');
      }
      expect(await terminateTree(treeOf(started))).toEqual([]);
      expect(isRunning(pid)).toBe(false);
      expect(world.marked()).toEqual([]);
    });
  }

  for (const [what, argument, code] of [
    ['slept on it is asked again', 'sleeps', 7],
    ['cleans up is let be', 'cleans up', 8],
  ] as const) {
    test(`a shell that was asked and ${what}`, async ({ world }) => {
      const started = world.start(['python3', '-c', SHELL_LIKE, argument]);
      expect(await started.line()).toBe('ready');
      expect(await terminateTree(treeOf(started))).toEqual([]);
      expect(await started.exited).toEqual({ code, signal: null });
    });
  }

  test('also ends what dropped the mark, when it was looked at before it lost its parent', async ({ world }) => {
    const started = world.script('env -i setsid sleep 1000 >/dev/null & echo $!; read');
    const pid = Number(await started.line());
    world.killAfterwards(pid);
    await until(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep'), 'its exec');
    const tree = treeOf(started);
    await tree.look();
    started.child.stdin?.end();
    await started.exited;
    expect(await terminateTree(tree)).toEqual([]);
    expect(isRunning(pid)).toBe(false);
  });

  test('what dropped the mark, its session and its parent before any look is the one that escapes', async ({
    world,
  }) => {
    const started = world.script('env -i setsid sleep 1000 >/dev/null & echo $!; read');
    const pid = Number(await started.line());
    world.killAfterwards(pid);
    await until(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep'), 'its exec');
    started.child.stdin?.end();
    await started.exited;
    expect(await terminateTree(treeOf(started))).toEqual([]);
    expect(isRunning(pid)).toBe(true);
  });

  test('also ends what took over the terminal without a mark', async ({ world }) => {
    let output = '';
    let hasExited = false;
    let isClosed = false;
    const script = 'tty; (env -i setsid -c sleep 1000 <"$(tty)" & echo $! ready); exec sleep 1000';
    const child = startPty(
      {
        program: '/bin/bash',
        file: '/bin/bash',
        arg0: '/bin/bash',
        args: ['-c', script],
        cwd: '/tmp',
        env: { PATH: '/usr/bin:/bin' },
      },
      { cols: 80, rows: 24 },
      {
        output: (_stream, bytes) => {
          output += Buffer.from(bytes).toString();
        },
        exited: () => {
          hasExited = true;
        },
        isAwaited: () => false,
        closed: () => {
          isClosed = true;
        },
      },
    );
    const leader = { pid: child.pid, startTime: lookAtProcess(child.pid)?.startTime ?? null };
    await until(() => output.includes('ready'), 'its output');
    const [, slavePath = '', pidText] = /^(\S+)\s+(\d+) ready/.exec(output) ?? [];
    const pid = Number(pidText);
    world.killAfterwards(pid);
    const terminal = terminalNumber(slavePath);
    await until(() => lookAtProcess(pid)?.sessionId === pid && lookAtProcess(pid)?.terminal === terminal, 'the theft');
    expect(pidsOf((await new ProcessTree({ leader }).look()).members)).toEqual([child.pid]);
    expect(await terminateTree(new ProcessTree({ leader, terminal: () => (hasExited ? null : terminal) }))).toEqual([]);
    expect(isRunning(pid)).toBe(false);
    await until(() => isClosed, 'the end of the output');
  });

  test('ends what ignores SIGTERM, after the grace', async ({ world }) => {
    const started = world.script('trap "" TERM HUP INT; echo ready; while :; do sleep 1000; done');
    await started.line();
    expect(await terminateTree(treeOf(started), { graceMs: 50 })).toEqual([]);
    expect(await started.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(world.marked()).toEqual([]);
  });

  test('a stopped process hears what it is asked, and needs no SIGKILL', async ({ world }) => {
    const started = world.script('trap "exit 7" TERM; echo ready; kill -STOP $$; while :; do sleep 0.01; done');
    await started.line();
    await until(() => lookAtProcess(started.leader.pid)?.stopped === true, 'its stop');
    expect(await terminateTree(treeOf(started))).toEqual([]);
    expect(await started.exited).toEqual({ code: 7, signal: null });
  });

  test('asks with the signal it was given', async ({ world }) => {
    const started = world.script('trap "exit 9" INT; echo ready; while :; do sleep 0.01; done');
    await started.line();
    expect(await terminateTree(treeOf(started), { signal: 'SIGINT' })).toEqual([]);
    expect(await started.exited).toEqual({ code: 9, signal: null });
  });

  test('asks nobody when the signal is SIGKILL', async ({ world }) => {
    const started = world.script('trap "exit 9" TERM; echo ready; while :; do sleep 0.01; done');
    await started.line();
    expect(await terminateTree(treeOf(started), { signal: 'SIGKILL' })).toEqual([]);
    expect(await started.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('ends fifty processes, each in a session of its own, that start each other anew', async ({ world }) => {
    const started = world.start(['python3', RESPAWN, '50', '15']);
    expect(await started.line()).toBe('ready');
    const [victim = 0] = world.marked().filter((pid) => pid !== started.leader.pid);
    const before = new Set(world.marked());
    process.kill(victim, 'SIGKILL');
    await until(() => world.marked().some((pid) => !before.has(pid)), 'a replacement');
    expect(await terminateTree(treeOf(started), { graceMs: 20 })).toEqual([]);
    expect(world.marked()).toEqual([]);
  });

  test('leaves alone what has the number of a process it knew and another start time', async ({ world }) => {
    const started = world.script('echo ready; exec sleep 1000');
    await started.line();
    const { pid } = started.leader;
    const earlier = { pid, startTime: '1' };
    expect(await terminateTree({ pid, startTime: '1' })).toEqual([]);
    expect(await stopProcesses([earlier])).toEqual([]);
    expect(isAlive(earlier)).toBe(false);
    expect(isRunning(pid)).toBe(true);
  });

  test('leaves another session of the same host alone', async ({ world }) => {
    const first = world.script('(setsid sleep 1000 >/dev/null & echo $!)');
    const second = world.script('(setsid sleep 1000 >/dev/null & echo $!)');
    const [ended, kept] = [Number(await first.line()), Number(await second.line())];
    expect(await terminateTree(treeOf(first))).toEqual([]);
    expect([isRunning(ended), isRunning(kept)]).toEqual([false, true]);
  });
});

describe('what is left of a session', () => {
  test('is listed with command, age, CPU, memory and ports, and can be stopped or adopted', async ({ world }) => {
    const server = `
import http.server, os, socket, time
while time.process_time() < 0.3:
    pass
tcp = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
udp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
udp.bind(("::1", 0))
print(os.getpid(), tcp.server_port, udp.getsockname()[1], flush=True)
tcp.serve_forever()
`;
    const startedAtMs = Date.now();
    const started = world.script(`(setsid python3 -c '${server}' &); (setsid sleep 1000 >/dev/null & echo sleep $!)`);
    const printed = [await started.line(), await started.line()].toSorted();
    const [pid = 0, tcpPort = 0, udpPort = 0] = (printed[0] ?? '').split(' ').map(Number);
    const sleeper = Number((printed[1] ?? '').split(' ')[1]);
    await started.exited;
    await until(() => lookAtProcess(sleeper)?.sessionId === sleeper, 'its setsid');
    const survivors = await survivorsOf(treeOf(started));
    const ageMs = Date.now() - startedAtMs;

    expect(new Set(pidsOf(survivors))).toEqual(new Set([pid, sleeper]));
    const listed = survivors.find((survivor) => survivor.pid === pid);
    expect(listed).toEqual({
      ...identityOf(pid),
      parentPid: lookAtProcess(pid)?.parentPid,
      command: expect.stringMatching(/^\S*python3 -c \ufffdimport http\.server/),
      ageMs: expect.any(Number),
      cpuMs: expect.any(Number),
      residentBytes: expect.any(Number),
      listening: [
        { protocol: 'tcp', address: '127.0.0.1', port: tcpPort },
        { protocol: 'udp', address: '::1', port: udpPort },
      ],
    });
    // The kernel counts in hundredths of a second.
    expect(listed?.ageMs).toBeGreaterThanOrEqual(250);
    expect(listed?.ageMs).toBeLessThanOrEqual(ageMs + 20);
    expect(listed?.cpuMs).toBeGreaterThanOrEqual(290);
    expect(listed?.cpuMs).toBeLessThanOrEqual(ageMs + 20);
    expect(listed?.residentBytes).toBeGreaterThan(4_000_000);
    expect(listed?.residentBytes).toBeLessThan(200_000_000);
    expect(survivors.find((survivor) => survivor.pid === sleeper)).toMatchObject({
      command: 'sleep 1000',
      listening: [],
    });

    const adopted = [identityOf(sleeper)];
    const tree = new ProcessTree({ leader: started.leader, mark: started.mark, adopted });
    expect(pidsOf(await survivorsOf(tree))).toEqual([pid]);
    expect(await stopProcesses(survivors, { adopted })).toEqual([]);
    expect([isRunning(pid), isRunning(sleeper)]).toEqual([false, true]);
    expect(await tree.ended()).toBe(true);
    expect(await stopProcesses(survivors)).toEqual([]);
    expect(isRunning(sleeper)).toBe(false);
  });
});

describe('the end of a tree', () => {
  test('is told when the last process has ended, and not before', async ({ world }) => {
    const started = world.script('(setsid sleep 1000 >/dev/null & echo $!)');
    const pid = Number(await started.line());
    await started.exited;
    const tree = treeOf(started);
    let isTold = false;
    const ended = tree.ended().then((answer) => {
      isTold = true;
      return answer;
    });
    expect(pidsOf(await survivorsOf(treeOf(started)))).toEqual([pid]);
    expect(isTold).toBe(false);
    process.kill(pid, 'SIGKILL');
    expect(await ended).toBe(true);
    expect(world.marked()).toEqual([]);
  });

  test('is no longer waited for when that is aborted', async ({ world }) => {
    const started = world.script('echo ready; exec sleep 1000');
    await started.line();
    const abort = new AbortController();
    const ended = treeOf(started).ended(abort.signal);
    abort.abort();
    expect(await ended).toBe(false);
    expect(isRunning(started.leader.pid)).toBe(true);
  });
});
