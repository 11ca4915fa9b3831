import { resolve } from 'node:path';
import { describe, expect, test as base, type TestContext } from 'vitest';
import type { ChildProcess, SpawnRequest } from '../../src/engine/backend/backend.ts';
import { joiningCgroup } from '../../src/engine/backend/launcher.ts';
import { startPipes } from '../../src/engine/backend/pipe-backend.ts';
import { startPty } from '../../src/engine/backend/pty-backend.ts';
import {
  openCgroups,
  type Cgroups,
  type CgroupEnforcement,
  type SessionCgroup,
} from '../../src/engine/budget/cgroup.ts';
import type { ExitStatus } from '../../src/shared/session.ts';
import { isRunning } from '../support/is-running.ts';
import { withoutLeftovers } from '../support/leftovers.ts';

const MIB = 1024 * 1024;
const NO_GROUPS = 'this machine lets no control group be made';

/** The host's real place for groups, undone after the test; null where this machine does not permit it. */
const test = base.extend<{ cgroups: Cgroups | null }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names a fixture uses from this pattern
  cgroups: async ({}, use) => {
    await withoutLeftovers(async () => {
      const opened = openCgroups();
      if (!opened.usable) {
        process.stdout.write(`${NO_GROUPS}: ${opened.reason}\n`);
      }
      const cgroups = opened.usable ? opened.cgroups : null;
      try {
        await use(cgroups);
      } finally {
        await cgroups?.dispose();
      }
    });
  },
});

interface Started {
  readonly child: ChildProcess;
  /** Resolves when the leader has ended. */
  readonly exited: Promise<ExitStatus>;
  /** Resolves with all output when it has ended. */
  readonly closed: Promise<string>;
  /** Resolves when the output contains the text. */
  readonly printed: (text: string) => Promise<string>;
}

async function start(backend: 'pty' | 'pipe', request: SpawnRequest): Promise<Started> {
  let output = '';
  const waiting = new Set<() => void>();
  const { promise: exited, resolve: onExited } = promiseOf<ExitStatus>();
  const { promise: closed, resolve: onClosed } = promiseOf<string>();
  const events = {
    output: (_: unknown, bytes: Uint8Array) => {
      output += Buffer.from(bytes).toString('latin1');
      waiting.forEach((look) => look());
    },
    exited: onExited,
    isAwaited: () => false,
    closed: () => onClosed(output),
  };
  const child =
    backend === 'pty'
      ? startPty(request, { cols: 80, rows: 24 }, events)
      : await startPipes(request, { stdin: false }, events);
  const printed = (text: string) =>
    new Promise<string>((done) => {
      const look = () => {
        if (output.includes(text)) {
          waiting.delete(look);
          done(output);
        }
      };
      waiting.add(look);
      look();
    });
  return { child, exited, closed, printed };
}

function promiseOf<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let settle: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    settle = done;
  });
  return { promise, resolve: settle };
}

const sh = (script: string, more: Partial<SpawnRequest> = {}): SpawnRequest => ({
  program: 'sh',
  file: '/bin/sh',
  arg0: 'sh',
  args: ['-c', script],
  cwd: '/tmp',
  env: { PATH: '/usr/bin:/bin' },
  ...more,
});

/** Skips with the reason where the kernel cannot enforce what the test is about. */
function needing(skip: TestContext['skip'], cgroups: Cgroups | null, what?: keyof CgroupEnforcement): Cgroups {
  if (cgroups === null) {
    return skip(NO_GROUPS);
  }
  if (what !== undefined && !cgroups.enforces[what]) {
    const reason = `cgroup v2 has no controller for ${what} here (the old hierarchy may hold it)`;
    process.stdout.write(`skipped: ${reason}\n`);
    return skip(reason);
  }
  return cgroups;
}

describe('a real control group', () => {
  for (const backend of ['pty', 'pipe'] as const) {
    test(`holds a ${backend} child from before its program, with all it starts, and ends it whole`, async ({
      cgroups,
      skip,
    }) => {
      const group = needing(skip, cgroups).create({ processes: 10, memoryBytes: 64 * MIB });
      // A daemon at once: it leaves the session and its parent, and nothing but the group knows it.
      const request = sh('(setsid sleep 60 >/dev/null 2>&1 & echo daemon $!); cat /proc/self/cgroup; sleep 60');
      const { child, exited, printed } = await start(backend, joiningCgroup(request, group.procsFile));
      const daemon = Number(/daemon (\d+)/.exec(await printed('0::'))?.[1]);
      const members = group.members();
      expect(members).toContain(child.pid);
      expect(members).toContain(daemon);
      group.kill();
      expect(await exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
      expect(await group.remove()).toBe(true);
      expect(isRunning(daemon)).toBe(false);
      child.dispose();
    });

    test(`a ${backend} child that enters a group sees what it would see without one`, async ({ cgroups, skip }) => {
      const group = needing(skip, cgroups).create({});
      const request = sh('', {
        arg0: 'another name',
        args: ['-c', 'echo "$0"; tr "\\0" "|" < /proc/$$/cmdline; echo; env | sort; exit 3', 'a b', '$c'],
        env: { PATH: '/usr/bin:/bin', A: 'x y' },
      });
      const outputs: string[] = [];
      for (const each of [request, joiningCgroup(request, group.procsFile)]) {
        const { exited, closed } = await start(backend, each);
        outputs.push(await closed);
        expect(await exited).toEqual({ exitCode: 3, signal: null });
      }
      expect(outputs[0]).toContain('another name|-c|');
      expect(outputs[1]).toBe(outputs[0]);
    });
  }

  test('a child runs also where the group cannot be entered, and the group shows that it did not', async ({
    cgroups,
    skip,
  }) => {
    const group = needing(skip, cgroups).create({});
    const { exited, closed } = await start('pipe', joiningCgroup(sh('echo ran'), `${group.folder}/no-such-file`));
    expect(await closed).toBe('ran\n');
    expect(await exited).toEqual({ exitCode: 0, signal: null });
    expect(group.members()).toEqual([]);
  });

  test('counts the CPU time of everything that ran in it', async ({ cgroups, skip }) => {
    const group = needing(skip, cgroups).create({});
    // Short-lived children that nobody waits for: in no sample of the process table, and in no parent's figures.
    const burn = 'import time\\nwhile time.process_time() < 0.3: pass';
    const script = `trap "" CHLD; for i in 1 2; do (setsid python3 -c "$(printf '${burn}')" &); done; `;
    const { closed } = await start('pipe', joiningCgroup(sh(script), group.procsFile));
    await closed;
    expect(group.read().cpuMs).toBeGreaterThan(600);
  });

  test('that is out of memory is ended whole, and says so', async ({ cgroups, skip }) => {
    const group = needing(skip, cgroups, 'memory').create({ memoryBytes: 64 * MIB });
    const hog = resolve('test/fixtures/programs/memory-hog.py');
    const { exited } = await start('pipe', joiningCgroup(sh(`python3 ${hog} 300; echo survived`), group.procsFile));
    expect(await exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
    expect(group.read().oomKills).toBeGreaterThan(0);
  });

  test('stops a fork bomb at its fence', async ({ cgroups, skip }) => {
    const group: SessionCgroup = needing(skip, cgroups, 'processes').create({ processes: 1 });
    const bomb = resolve('test/fixtures/programs/fork-bomb.py');
    const { child, closed } = await start('pipe', joiningCgroup(sh(`python3 ${bomb} 9; :`), group.procsFile));
    await expect.poll(() => group.read().refusedForks).toBeGreaterThan(0);
    expect(await group.remove()).toBe(true);
    await closed;
    child.dispose();
  });
});
