import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { createEngine, type StartRequest } from '../../src/engine/engine.ts';
import type { SessionId } from '../../src/shared/session.ts';
import { test, type EngineWorld } from '../support/engine-world.ts';
import { ExecClient } from '../support/exec-client.ts';
import { isRunning } from '../support/is-running.ts';
import { sessionWhen } from '../support/session-when.ts';

const BACKENDS: readonly (readonly [string, Partial<StartRequest>])[] = [
  ['pty', {}],
  ['pipe', { backend: { kind: 'pipe', stdin: true } }],
];

/** The pid that the child printed after the word. */
async function printedPid(world: EngineWorld, id: SessionId, word: string): Promise<number> {
  await world.printed(id, '\n');
  const match = new RegExp(`${word}=(\\d+)`).exec(await world.text(id));
  return Number(match?.[1]);
}

for (const [kind, request] of BACKENDS) {
  describe(`the end of a session on ${kind}`, () => {
    test('S3: is told as separate facts: the leader’s exit, the output, the tree, and by whom', async ({ world }) => {
      const script =
        'setsid -f sh -c "echo daemon=\\$\\$; exec sleep 300 >/dev/null 2>&1 </dev/null"; sleep 0.1; exit 7';
      const { id } = await world.start(['/bin/sh', '-c', script], request);
      const daemon = await printedPid(world, id, 'daemon');
      const left = await sessionWhen(world.engine, id, ({ treeEmpty }) => treeEmpty !== null);
      expect(left).toMatchObject({
        state: 'closed',
        exit: { exitCode: 7, signal: null },
        endedBy: 'child',
        treeEmpty: false,
        limitHit: null,
      });
      expect(isRunning(daemon)).toBe(true);
      const emptied = sessionWhen(world.engine, id, ({ treeEmpty }) => treeEmpty === true);
      process.kill(daemon, 'SIGKILL');
      expect(await emptied).toMatchObject({ exit: { exitCode: 7, signal: null }, endedBy: 'child' });
    });

    test('S3: one that has ended by itself was ended by nobody else, however soon it is terminated', async ({
      world,
    }) => {
      const { id, pid } = await world.start(['/bin/sh', '-c', 'read line; exit 4'], {
        backend: kind === 'pty' ? { kind: 'pty' } : { kind: 'pipe', stdin: true },
      });
      await world.engine.write(id, Buffer.from(''), { enter: true });
      // It ends while the loop of this host stands still: nothing of that is told yet when somebody asks.
      for (const deadline = performance.now() + 10_000; isRunning(pid!);) {
        expect(performance.now()).toBeLessThan(deadline);
      }
      expect(await world.engine.terminate(id, 'agent')).toBe(false);
      expect(await world.closed(id)).toMatchObject({ endedBy: 'child', exit: { exitCode: 4, signal: null } });
    });

    test('S3: one that the host ends says so', async ({ world }) => {
      const { id } = await world.start(['/bin/sleep', '300'], request);
      await world.engine.terminate(id, 'host');
      expect(await world.engine.get(id)).toMatchObject({ endedBy: 'host', exit: { exitCode: null } });
    });

    test('S4: takes the whole tree, also what called setsid, was re-parented and ignores SIGTERM', async ({
      world,
    }) => {
      const script =
        'setsid -f sh -c "trap \\"\\" TERM HUP; echo daemon=\\$\\$; while :; do sleep 1; done >/dev/null 2>&1 </dev/null";' +
        'exec sleep 300';
      const { id, pid } = await world.start(['/bin/sh', '-c', script], request);
      const daemon = await printedPid(world, id, 'daemon');
      expect([pid ?? 0, daemon].map(isRunning)).toEqual([true, true]);
      expect(await world.engine.terminate(id, 'agent')).toBe(true);
      expect([pid ?? 0, daemon].map(isRunning)).toEqual([false, false]);
      expect(await world.engine.get(id)).toMatchObject({ treeEmpty: true, endedBy: 'agent' });
    });

    test('S4: survivors are listed with command, age, CPU, memory and ports, can be adopted, and are stopped', async ({
      world,
    }) => {
      const server = [
        'import http.server, time',
        's = http.server.HTTPServer(("127.0.0.1", 0), None)',
        'held = bytearray(b"x") * 50_000_000',
        'while time.process_time() < 0.5: pass',
        'print(f"port={s.server_port}", flush=True)',
        's.serve_forever()',
      ].join('\n');
      const script = `setsid -f /usr/bin/python3 -c '${server}' 2>/dev/null </dev/null; setsid -f sleep 299 >/dev/null 2>&1 </dev/null; read go`;
      const beforeStart = performance.now();
      const { id } = await world.start(['/bin/sh', '-c', script], request);
      const port = await printedPid(world, id, 'port');
      const sincePrinted = performance.now();
      await world.engine.write(id, Buffer.alloc(0), { enter: true });
      await sessionWhen(world.engine, id, ({ treeEmpty }) => treeEmpty === false);
      const beforeLook = performance.now();
      const [survivors] = await world.engine.survivors();
      expect(survivors?.session).toBe(id);
      const byCommand = [...(survivors?.processes ?? [])].sort((a, b) =>
        String(a.command).localeCompare(String(b.command)),
      );
      expect(byCommand).toEqual([
        expect.objectContaining({
          command: expect.stringMatching(/^\/usr\/bin\/python3 -c import http\.server/),
          listening: [{ protocol: 'tcp', address: '127.0.0.1', port }],
        }),
        expect.objectContaining({ command: 'sleep 299', listening: [] }),
      ]);
      const [python, sleeper] = byCommand;
      // The kernel counts both in steps of 10 ms.
      expect(python?.ageMs).toBeGreaterThanOrEqual(beforeLook - sincePrinted + 500 - 20);
      expect(python?.ageMs).toBeLessThanOrEqual(performance.now() - beforeStart + 20);
      expect(python?.cpuMs).toBeGreaterThanOrEqual(480);
      expect(python?.cpuMs).toBeLessThanOrEqual((python?.ageMs ?? 0) + 20);
      expect(python?.residentBytes).toBeGreaterThan(50_000_000);
      expect(python?.residentBytes).toBeLessThan(150_000_000);
      expect(sleeper?.residentBytes).toBeLessThan(20_000_000);
      expect(sleeper?.cpuMs).toBeLessThan(200);
      onTestFinished(() => void process.kill(sleeper?.pid ?? 0, 'SIGKILL'));
      expect(await world.engine.adopt(id, sleeper?.pid ?? 0)).toBe(true);
      expect(await world.engine.adopt(id, 1)).toBe(false);
      await world.engine.close(id, 'person');
      expect([python, sleeper].map((one) => isRunning(one?.pid ?? 0))).toEqual([false, true]);
    });

    test('S4: one survivor is stopped with what it starts, and the others run on', async ({ world }) => {
      const quiet = '>/dev/null 2>&1 </dev/null';
      const script = `setsid -f sh -c 'trap "" TERM; sleep 296; :' ${quiet}; setsid -f sleep 299 ${quiet}; read go`;
      const { id } = await world.start(['/bin/sh', '-c', script], request);
      // As the script waits both have left its session and terminal.
      await world.engine.wait({ condition: { kind: 'input', session: id }, timeoutMs: 10_000 });
      expect(await world.engine.stopSurvivor(id, (await world.engine.get(id)).pid ?? 0)).toBe(false);
      await world.engine.write(id, Buffer.alloc(0), { enter: true });
      await sessionWhen(world.engine, id, ({ treeEmpty }) => treeEmpty === false);
      const listed = async () => {
        const [left] = await world.engine.survivors();
        return new Map((left?.processes ?? []).map(({ command, pid }) => [command, pid]));
      };
      const before = await listed();
      expect(new Set([...before.keys()].filter((command) => command?.startsWith('sleep')))).toEqual(
        new Set(['sleep 296', 'sleep 299']),
      );
      const shell = [...before].find(([command]) => command?.startsWith('sh -c'))?.[1] ?? 0;
      expect(await world.engine.stopSurvivor(id, 1)).toBe(false);
      expect(await world.engine.stopSurvivor(id, shell, { graceMs: 50 })).toBe(true);
      expect([...(await listed()).keys()]).toEqual(['sleep 299']);
      expect(await world.engine.get(id)).toMatchObject({ treeEmpty: false, endedBy: 'child' });
      expect(await world.engine.stopSurvivor(id, before.get('sleep 299') ?? 0)).toBe(true);
      expect(await sessionWhen(world.engine, id, ({ treeEmpty }) => treeEmpty === true)).toMatchObject({
        endedBy: 'child',
      });
    });
  });

  describe(`a budget of a session on ${kind}`, () => {
    const cases = [
      ['output', { outputBytes: 100_000 }, 'while :; do echo flood; done'],
      ['lifetime', { lifetimeMs: 200 }, 'exec sleep 300'],
      ['idle', { idleMs: 200 }, 'echo one; exec sleep 300'],
      ['cpu', { cpuSeconds: 1 }, 'while :; do :; done'],
      ['processes', { processes: 20 }, 'for i in $(seq 40); do sleep 300 & done; wait'],
    ] as const;
    test.for(cases)('%s is enforced, and why is a fact of the end', async ([limit, limits, script], { world }) => {
      const { id, limits: shown } = await world.start(['/bin/sh', '-c', script], { ...request, limits });
      expect(shown).toEqual(limits);
      const ended = await world.closed(id);
      expect(ended).toMatchObject({
        endedBy: 'limit',
        limitHit: {
          limit,
          enforcedBy: 'host',
          message: expect.stringMatching(/^Ended by its \w+ limit: .*the limit is/),
        },
      });
      expect((await sessionWhen(world.engine, id, ({ treeEmpty }) => treeEmpty === true)).exit?.signal).not.toBeNull();
    });
  });
}

describe('a budget', () => {
  test('that is misspelt or no number is refused by its name, and nothing is started', async ({ world }) => {
    await expect(world.start(['/bin/true'], { limits: { memory: 5 } as object })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('limits.memory is no limit'),
    });
    await expect(world.start(['/bin/true'], { limits: { lifetimeMs: 0 } })).rejects.toThrow(
      'limits.lifetimeMs must be',
    );
    expect(await world.engine.list()).toEqual([]);
  });

  test('what running sessions use can be seen', async ({ world }) => {
    const { id } = await world.start(['/bin/sh', '-c', 'echo up; sleep 300 & while :; do :; done']);
    // Amid exec(2) a process has no memory yet.
    await world.printed(id, 'up');
    const usage = (await world.engine.usage()).get(id);
    expect(usage).toMatchObject({ processes: expect.any(Number), residentBytes: expect.any(Number) });
    expect(usage?.residentBytes).toBeGreaterThan(0);
  });
});

describe('a budget that the kernel may enforce', () => {
  test.override({ engineOptions: { cgroups: true } });

  for (const [kind, request] of BACKENDS) {
    test(`is enforced by a control group or by samples, as the system lets it (${kind})`, async ({ world }) => {
      const bomb = 'for i in $(seq 40); do setsid sleep 300 & done; wait';
      const { id } = await world.start(['/bin/bash', '-c', bomb], { ...request, limits: { processes: 20 } });
      const calm = await world.start(['/bin/sh', '-c', 'echo calm; read a'], { ...request, limits: { processes: 20 } });
      expect(await world.closed(id)).toMatchObject({ endedBy: 'limit', limitHit: { limit: 'processes' } });
      await world.printed(calm.id, 'calm');
      expect((await world.engine.get(calm.id)).state).toBe('running');
      await world.engine.close(calm.id, 'person');
    });
  }
});

describe('a host that was killed', () => {
  async function ledgerFolder() {
    const folder = await mkdtemp(join(tmpdir(), 'shellscope-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  test.for([
    ['pty', true],
    ['pipes', false],
  ] as const)('S4: leaves nothing that the next one does not find, list and end (%s)', async ([, tty]) => {
    const folder = await ledgerFolder();
    const host = spawn(process.execPath, ['out/cli/main.js', 'serve', '--no-auth'], {
      env: { ...process.env, SHELLSCOPE_STATE_DIR: folder },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(host.stdout, 'data')) as [Buffer];
    const agent = await ExecClient.ready(line.toString().split('\n')[0] ?? '', null);
    await agent.start(
      'p1',
      ['/bin/sh', '-c', 'trap "" HUP; setsid -f sleep 298 >/dev/null 2>&1 </dev/null; echo up; exec sleep 297'],
      {
        tty,
      },
    );
    await agent.printed('p1', 'up');
    host.kill('SIGKILL');
    await once(host, 'exit');
    const engine = createEngine({ hostEnvironment: process.env, ledgerFolder: join(folder, 'hosts') });
    onTestFinished(() => engine.dispose());
    const [left, ...others] = await engine.leftOvers();
    expect(others).toEqual([]);
    const processes = left?.sessions.flatMap((session) => session.processes) ?? [];
    expect(new Set(processes.map(({ command }) => command))).toEqual(new Set(['sleep 297', 'sleep 298']));
    await engine.settleLeftOvers(left?.hostId ?? '', 'stop');
    expect(processes.map(({ pid }) => isRunning(pid))).toEqual([false, false]);
    expect(await engine.leftOvers()).toEqual([]);
  });

  test('that ended as it should leaves no record', async () => {
    const folder = await ledgerFolder();
    const first = createEngine({ hostEnvironment: process.env, ledgerFolder: folder });
    await first.start({
      argv: ['/bin/sleep', '300'],
      cwd: '/',
      environment: { kind: 'exact', variables: { PATH: '/bin' } },
      backend: { kind: 'pty' },
      origin: { kind: 'person' },
    });
    await first.dispose();
    const second = createEngine({ hostEnvironment: process.env, ledgerFolder: folder });
    expect(await second.leftOvers()).toEqual([]);
    await second.dispose();
  });
});

describe('what a session waits for', () => {
  test('S5 S6: on pipes, too, a wait for input ends when the child waits', async ({ world }) => {
    const { id } = await world.start(['/bin/bash', '-c', 'sleep 0.1; read line; exec sleep 300'], {
      backend: { kind: 'pipe', stdin: true },
    });
    const wait = () => world.engine.wait({ condition: { kind: 'input', session: id }, timeoutMs: 10_000 });
    expect((await wait()).outcome).toBe('met');
    await world.engine.write(id, Buffer.from('x'), { enter: true });
    expect((await sessionWhen(world.engine, id, ({ waitingFor }) => waitingFor?.kind === 'busy')).state).toBe(
      'running',
    );
  });

  test('S5 S6: is shown, and a wait for input ends when the child waits', async ({ world }) => {
    const { id } = await world.start(['/bin/bash', '-c', 'read -s secret; echo got; sleep 300']);
    const outcome = await world.engine.wait({ condition: { kind: 'input', session: id }, timeoutMs: 10_000 });
    expect(outcome).toEqual({ outcome: 'met', met: [{ kind: 'input', session: id, match: null }] });
    expect((await world.engine.get(id)).waitingFor).toMatchObject({ kind: 'password', echo: false, canonical: true });
    await world.engine.write(id, Buffer.from('x'), { enter: true });
    expect((await world.engine.get(id)).waitingFor).toBeNull();
    expect((await sessionWhen(world.engine, id, ({ waitingFor }) => waitingFor !== null)).waitingFor?.kind).toBe(
      'busy',
    );
    const never = world.engine.wait({ condition: { kind: 'input', session: id }, timeoutMs: 60_000 });
    await world.engine.terminate(id, 'person');
    expect((await never).outcome).toBe('impossible');
    expect((await world.engine.get(id)).waitingFor).toBeNull();
  });
});

test('a program that asks its terminal is answered, though no window shows it', async ({ world }) => {
  const script = `stty raw -echo; printf 'abc\\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -tx1; stty sane`;
  const { id } = await world.start(['/bin/sh', '-c', script]);
  await world.closed(id);
  // ESC [ 1 ; 4 R
  expect(await world.text(id)).toContain('1b 5b 31 3b 34 52');
});
