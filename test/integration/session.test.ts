import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, vi } from 'vitest';
import type { SessionId, SessionInfo } from '../../src/shared/session.ts';
import { test } from '../support/engine-world.ts';
import { isRunning } from '../support/is-running.ts';
import { whileDiskIsSlow } from '../support/slow-disk.ts';

/** Command lines of all processes, words joined by spaces. */
function runningCommands(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isRunning(Number(name)))
    .map((pid) => commandLine(pid));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    // It ended between the listing and the look.
    return '';
  }
}

const pipe = { backend: { kind: 'pipe', stdin: false } } as const;

describe('a session', () => {
  for (const kind of ['pty', 'pipe'] as const) {
    const backend = kind === 'pty' ? ({ kind } as const) : ({ kind, stdin: false } as const);

    test(`E4: the facts of a ${kind} session are complete, its working directory canonical`, async ({ world }) => {
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'shellscope-')));
      const link = `${folder}-link`;
      await symlink(folder, link);
      onTestFinished(async () => {
        await rm(link);
        await rm(folder, { recursive: true });
      });
      const info = await world.start(['sh', '-c', 'pwd -P; exit 2'], { cwd: link, backend });
      expect(info).toMatchObject({
        id: 'session-1',
        backend: kind,
        argv: ['sh', '-c', 'pwd -P; exit 2'],
        cwd: folder,
        size: kind === 'pty' ? { cols: 80, rows: 24 } : null,
        state: 'running',
        exit: null,
        endedBy: null,
        origin: { kind: 'person' },
      });
      expect(info.pid).toBeGreaterThan(1);
      expect(await world.closed(info.id)).toMatchObject({
        state: 'closed',
        exit: { exitCode: 2, signal: null },
        endedBy: 'child',
      });
      expect(await world.text(info.id)).toBe(`${folder}${kind === 'pty' ? '\r\n' : '\n'}`);
    });

    test(`a ${kind} child that a signal killed has that signal and no code`, async ({ world }) => {
      const { id } = await world.start(['/bin/sh', '-c', 'kill -9 $$'], { backend });
      expect((await world.closed(id)).exit).toEqual({ exitCode: null, signal: 'SIGKILL' });
    });

    test(`E2: a ${kind} child gets exactly the environment and the name it was asked to have`, async ({ world }) => {
      const { id } = await world.start(['/usr/bin/env'], {
        backend,
        environment: { kind: 'exact', variables: { 'odd-name': 'a b', ZETA: 'é', IFS: ':', PWD: '/x' } },
      });
      await world.closed(id);
      expect((await world.text(id)).trim().split(/\r?\n/).toSorted()).toEqual([
        'IFS=:',
        'PWD=/x',
        // The mark by which its processes are found again.
        expect.stringMatching(/^SHELLSCOPE_SESSION=[\da-f]{32}:\d+-session-\d+$/),
        'ZETA=é',
        'odd-name=a b',
      ]);
      const named = await world.start(['/bin/sh', '-c', 'cat /proc/$$/cmdline | tr "\\0" " "'], {
        backend,
        arg0: 'my shell',
      });
      await world.closed(named.id);
      expect(await world.text(named.id)).toMatch(/^my shell -c /);
      // Whatever name a client chooses, it is the program that was asked for that runs.
      for (const arg0 of ['--cgroup', '--stdin-from', '--', '']) {
        const { id } = await world.start(['/bin/sh', '-c', 'echo "asked for"', '/bin/sh', '-c', 'echo another'], {
          backend,
          arg0,
        });
        const { exit } = await world.closed(id);
        expect([exit?.exitCode, (await world.text(id)).trim()]).toEqual([0, 'asked for']);
      }
    });

    test(`a ${kind} child whose file has no format is a script for the shell`, async ({ world }) => {
      const folder = await mkdtemp(join(tmpdir(), 'shellscope-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const script = join(folder, 'script');
      await writeFile(script, 'echo "script $1"; exit 5\n', { mode: 0o755 });
      const { id } = await world.start([script, 'one'], { backend });
      expect((await world.closed(id)).exit?.exitCode).toBe(5);
      expect((await world.text(id)).trim()).toBe('script one');
    });

    test(`E1: an id in use is refused before anything is spawned (${kind})`, async ({ world }) => {
      const id = 'chosen' as SessionId;
      await world.start(['/bin/sleep', '300'], { id, backend });
      await expect(world.start(['/bin/sleep', '300'], { id, backend })).rejects.toMatchObject({
        code: 'session-exists',
        message: "exec session 'chosen' already exists",
      });
      expect(await world.engine.list()).toHaveLength(1);
    });
  }

  for (const [kind, request] of [
    ['pty', {}],
    ['pipe', { backend: { kind: 'pipe', stdin: true } }],
  ] as const) {
    test(`D6: reading never consumes: two readers get the same (${kind})`, async ({ world }) => {
      const { id } = await world.start(['/bin/sh', '-c', 'stty -onlcr 2>/dev/null; echo once'], request);
      await world.closed(id);
      expect([await world.text(id), await world.text(id)]).toEqual(['once\n', 'once\n']);
    });

    test(`A10: a long poll ends by output, by the end, by its deadline and by abort (${kind})`, async ({ world }) => {
      const { id } = await world.start(['/bin/sh', '-c', 'stty raw -echo 2>/dev/null; echo ready; exec cat'], request);
      await world.printed(id, 'ready');
      const poll = (afterSeq: number, waitMs: number, signal?: AbortSignal) =>
        world.engine.read(id, { afterSeq, maxBytes: 1_000, waitMs, ...(signal === undefined ? {} : { signal }) });
      const begun = (await poll(0, 0)).nextSeq;
      const woken = poll(begun - 1, 60_000);
      await world.engine.write(id, Buffer.from('x'));
      expect((await woken).chunks.length).toBeGreaterThan(0);
      const { nextSeq } = await poll(0, 0);
      expect((await poll(nextSeq - 1, 20)).chunks).toEqual([]);
      const abort = new AbortController();
      const aborted = poll(nextSeq - 1, 60_000, abort.signal);
      abort.abort();
      expect((await aborted).chunks).toEqual([]);
      const ended = poll(nextSeq - 1, 60_000);
      await world.engine.terminate(id, 'person');
      expect((await ended).exit).not.toBeNull();
    });

    test(`A9: two sessions share no variable and no output (${kind})`, async ({ world }) => {
      const script = 'echo "$WHO $OTHER"; read line; echo "$WHO heard $line"; cd /; WHO=nobody; export WHO';
      const start = (name: string, variables: Record<string, string>) =>
        world.start(['/bin/sh', '-c', script], {
          ...request,
          id: name as SessionId,
          environment: { kind: 'exact', variables: { PATH: '/usr/bin:/bin', ...variables } },
        });
      const [first, second] = await Promise.all([
        start('a', { WHO: 'first' }),
        start('b', { WHO: 'second', OTHER: '2' }),
      ]);
      await Promise.all([world.printed(first.id, 'first '), world.printed(second.id, 'second 2')]);
      await world.engine.write(first.id, Buffer.from('one'), { enter: true });
      await world.engine.write(second.id, Buffer.from('two'), { enter: true });
      await Promise.all([world.closed(first.id), world.closed(second.id)]);
      const [ofFirst, ofSecond] = [await world.text(first.id), await world.text(second.id)];
      expect(ofFirst).toContain('first heard one');
      expect(ofSecond).toContain('second heard two');
      expect(ofFirst).not.toMatch(/second|two|nobody/);
      expect(ofSecond).not.toMatch(/first|one|nobody/);
    });
  }

  test('a resize reaches the child and is remembered with the output', async ({ world }) => {
    const { id } = await world.start([
      '/bin/bash',
      '-c',
      'trap "stty size" WINCH; echo ready; while :; do sleep 0.02; done',
    ]);
    await world.printed(id, 'ready');
    await world.engine.resize(id, { cols: 132, rows: 50 });
    await world.printed(id, '50 132');
    expect((await world.engine.get(id)).size).toEqual({ cols: 132, rows: 50 });
    expect([world.engine.sizeAt(id, 0), world.engine.sizeAt(id, 100)]).toEqual([
      { cols: 80, rows: 24 },
      { cols: 132, rows: 50 },
    ]);
  });

  test('writing to an ended child is an error that says so; on pipes a resize is not supported', async ({ world }) => {
    const { id } = await world.start(['/bin/true']);
    await world.closed(id);
    await expect(world.engine.write(id, Buffer.from('x'))).rejects.toMatchObject({ code: 'session-not-writable' });
    const piped = await world.start(['/bin/sleep', '300'], pipe);
    await expect(world.engine.resize(piped.id, { cols: 1, rows: 1 })).rejects.toMatchObject({ code: 'not-supported' });
  });

  test('a megabyte of input reaches a child that reads slowly, whole and in order', async ({ world }) => {
    const { id } = await world.start([
      '/bin/sh',
      '-c',
      'stty raw -echo; echo ready; sleep 0.2; head -c 1000000 | sha256sum',
    ]);
    await world.printed(id, 'ready');
    const input = Buffer.from(Array.from({ length: 1_000_000 }, (_value, index) => index % 251));
    await world.engine.write(id, input);
    await world.printed(id, createHash('sha256').update(input).digest('hex'));
  });

  test('terminate ends the whole tree, also what called setsid and what ignores SIGTERM', async ({ world }) => {
    const script = 'setsid sleep 301 & (trap "" TERM HUP; sleep 302) & trap "" TERM; echo ready; wait';
    const { id, pid } = await world.start(['/bin/bash', '-c', script]);
    await world.printed(id, 'ready');
    expect(await world.engine.terminate(id, 'person')).toBe(true);
    expect(await world.engine.get(id)).toMatchObject({ state: 'closed', endedBy: 'person' });
    expect(runningCommands().filter((command) => /^sleep 30[12]$/.test(command))).toEqual([]);
    expect(isRunning(pid ?? 0)).toBe(false);
    expect(await world.engine.terminate(id, 'person')).toBe(false);
  });

  test('an interactive shell, which ignores SIGTERM, is ended without waiting for the grace', async ({ world }) => {
    const { id } = await world.start(['/bin/bash', '--norc', '-i'], {
      environment: { kind: 'exact', variables: { PS1: 'ready> ' } },
    });
    await world.printed(id, 'ready> ');
    await world.engine.terminate(id, 'person');
    expect((await world.engine.get(id)).exit).toEqual({ exitCode: null, signal: 'SIGHUP' });
  });

  test('close ends a running child and forgets the session; the list says so in order', async ({ world }) => {
    const events: string[] = [];
    world.engine.onEvent((event) =>
      events.push(event.type === 'changed' ? `${event.session.id} ${event.session.state}` : `${event.id} removed`),
    );
    const { id } = await world.start(['/bin/sleep', '300'], pipe);
    await world.engine.close(id, 'person');
    // That nothing of its tree is left is told, too, and changes no state.
    expect(events.filter((event, index) => event !== events[index - 1])).toEqual([
      'session-1 running',
      'session-1 exited',
      'session-1 closed',
      'session-1 removed',
    ]);
    await expect(world.engine.get(id)).rejects.toMatchObject({ code: 'session-not-found' });
  });

  test('A9: ids rise and are not used again', async ({ world }) => {
    const first = await world.start(['/bin/true']);
    await world.engine.close(first.id, 'person');
    expect((await world.start(['/bin/true'])).id).toBe('session-2');
  });

  test('A12: disposing ends every child, and starts nothing afterwards', async ({ world }) => {
    const pids = await Promise.all(
      [{}, pipe].map(async (request) => (await world.start(['/bin/sleep', '300'], request)).pid ?? 0),
    );
    await world.engine.dispose();
    expect(pids.filter(isRunning)).toEqual([]);
    await expect(world.start(['/bin/true'])).rejects.toMatchObject({ code: 'engine-disposed' });
  });
});

describe('a session that is still starting', () => {
  for (const [kind, request] of [
    ['pty', {}],
    ['pipe', pipe],
  ] as const) {
    test(`is ended by a terminate and by a close that come before its child (${kind})`, async ({ world }) => {
      const first = world.start(['/bin/sleep', '300'], { ...request, id: 'first' as SessionId });
      const second = world.start(['/bin/sleep', '300'], { ...request, id: 'second' as SessionId });
      const [terminated] = await Promise.all([
        world.engine.terminate('first' as SessionId, 'person'),
        world.engine.close('second' as SessionId, 'person'),
      ]);
      expect(terminated).toBe(true);
      const pids = [(await first).pid, (await second).pid].map((pid) => pid ?? 0);
      expect(pids.map(isRunning)).toEqual([false, false]);
      expect((await world.engine.list()).map(({ id, state }) => `${id} ${state}`)).toEqual(['first closed']);
    });

    test(`A12: is not left behind by a host that ends meanwhile (${kind})`, async ({ world }) => {
      const start = world.start(['/bin/sleep', '300'], request);
      const settled = start.then(
        ({ pid }) => isRunning(pid ?? 0),
        (error: unknown) => (error as { readonly code: string }).code,
      );
      await world.engine.dispose();
      expect([false, 'engine-disposed']).toContain(await settled);
    });
  }

  test('is told of when its start takes long, and again when its child runs', async ({ world }) => {
    const told: string[] = [];
    world.engine.onEvent((event) => told.push(event.type === 'changed' ? event.session.state : event.type));
    let start: Promise<SessionInfo> | undefined;
    await whileDiskIsSlow(async () => {
      start = world.start(['/bin/sleep', '300']);
      await vi.waitUntil(() => told.length > 0, { timeout: 10_000 });
    });
    expect((await start)?.state).toBe('running');
    expect(told).toEqual(['starting', 'running']);
  });

  test('gets the size that it is given before its child runs', async ({ world }) => {
    const start = world.start(['/bin/sh', '-c', 'stty size'], { id: 'sized' as SessionId });
    await world.engine.resize('sized' as SessionId, { cols: 111, rows: 33 });
    const { id } = await start;
    await world.closed(id);
    expect(await world.text(id)).toBe('33 111\r\n');
  });
});

describe('what a session leaves', () => {
  test('nothing is told of a session after it was removed', async ({ world }) => {
    const events: string[] = [];
    world.engine.onEvent((event) =>
      events.push(`${event.type} ${event.type === 'removed' ? event.id : event.session.id}`),
    );
    const { id } = await world.start(['/bin/sh', '-c', 'setsid sleep 0.2 & while :; do echo flood; done']);
    await world.printed(id, 'flood');
    await world.engine.close(id, 'person');
    const other = await world.start(['/bin/true']);
    await world.closed(other.id);
    expect(events.filter((event) => event === `removed ${id}`)).toHaveLength(1);
    const afterRemoval = events.slice(events.indexOf(`removed ${id}`) + 1);
    // The other one's: running, exited, closed.
    expect(afterRemoval.length).toBeGreaterThanOrEqual(3);
    expect(new Set(afterRemoval)).toEqual(new Set([`changed ${other.id}`]));
  });

  test('what bash complains of at its own start is not in the stderr of a pipe child', async ({ world }) => {
    const { id } = await world.start(['/bin/true'], {
      ...pipe,
      environment: { kind: 'exact', variables: { LC_ALL: 'xx_XX.UTF-8' } },
    });
    await world.closed(id);
    expect(await world.text(id)).toBe('');
  });
});

describe('ended sessions', () => {
  test.override({ engineOptions: { endedBytes: 2_500_000 } });

  test('S9: stay until the budget takes the oldest, and the list says so', async ({ world }) => {
    const removed: string[] = [];
    world.engine.onEvent((event) => {
      if (event.type === 'removed') {
        removed.push(event.id);
      }
    });
    for (const name of ['a', 'b', 'c', 'd'] as const) {
      const id = name as SessionId;
      const over = new Promise<void>((resolve) => {
        world.engine.onEvent((event) => {
          if (event.type === 'changed' && event.session.id === id && event.session.treeEmpty === true) {
            resolve();
          }
        });
      });
      await world.start(['/bin/sh', '-c', 'head -c 1000000 /dev/zero'], { ...pipe, id });
      await over;
    }
    await vi.waitFor(() => expect(removed).toEqual(['a', 'b']));
    expect((await world.engine.list()).map(({ id, outputBytes }) => `${id} ${outputBytes}`)).toEqual([
      'c 1000000',
      'd 1000000',
    ]);
  });
});

describe('output over what is retained', () => {
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  test.override({ engineOptions: { log: { info: note, warn: note, error: note } } });

  for (const [kind, request] of [
    ['pty', {}],
    ['pipe', pipe],
  ] as const) {
    test(`C5: leaves oldest first, is logged once, and more than 1 MiB stays (${kind})`, async ({ world }) => {
      logged.length = 0;
      const { id } = await world.start(['/bin/sh', '-c', 'head -c 12000000 /dev/zero; printf end'], request);
      await world.closed(id);
      const { chunks } = await world.engine.read(id, { afterSeq: 0, maxBytes: Number.POSITIVE_INFINITY, waitMs: 0 });
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
      expect(bytes).toBeGreaterThan(1024 * 1024);
      expect(bytes).toBeLessThan(12_000_003);
      expect(Buffer.from(chunks.at(-1)?.bytes ?? []).toString()).toMatch(/end$/);
      expect(logged.filter((message) => message.startsWith('output beyond the retained bytes'))).toHaveLength(1);
    });
  }
});

describe('a reader that must not lose a byte', () => {
  test.override({ engineOptions: { retainedBytes: 512 * 1024 } });

  for (const kind of ['pty', 'pipe'] as const) {
    test(`holds back a flooding ${kind} child, and has every byte in the end`, async ({ world }) => {
      const backend = kind === 'pty' ? ({ kind } as const) : ({ kind, stdin: false } as const);
      const total = 3_000_000;
      const { id } = await world.start(['/bin/sh', '-c', `head -c ${total} /dev/zero`], { backend });
      let received = 0;
      const gaps: number[] = [];
      await new Promise<void>((resolve) => {
        const handle = world.engine.follow(id, {
          afterSeq: 0,
          creditBytes: 16_384,
          holdsChildMs: 10_000,
          onEvent: (event) => {
            if (event.kind === 'output') {
              received += event.bytes.length;
              setImmediate(() => handle.ack(event.offset + event.bytes.length));
            } else if (event.kind === 'gap') {
              gaps.push(event.bytes ?? 0);
            } else if (event.kind === 'closed') {
              resolve();
            }
          },
        });
      });
      expect({ received, gaps }).toEqual({ received: total, gaps: [] });
    });
  }

  for (const kind of ['pty', 'pipe'] as const) {
    test(`gets each byte of a ${kind} child that ends while it is held, once`, async ({ world }) => {
      const backend = kind === 'pty' ? ({ kind } as const) : ({ kind, stdin: false } as const);
      // Over the half of what is retained, so that it is held, and within what the kernel takes after that.
      const total = 265_000;
      const script = `i=0; while [ $i -lt 26500 ]; do printf '%010d' $i; i=$((i+1)); done`;
      const { id } = await world.start(['/bin/bash', '-c', script], { backend });
      const received: Buffer[] = [];
      await new Promise<void>((resolve) => {
        const unacknowledged: number[] = [];
        const handle = world.engine.follow(id, {
          afterSeq: 0,
          creditBytes: 1,
          holdsChildMs: 10_000,
          onEvent: (event) => {
            if (event.kind === 'output') {
              received.push(Buffer.from(event.bytes));
              unacknowledged.push(event.offset + event.bytes.length);
            } else if (event.kind === 'closed') {
              resolve();
            }
          },
        });
        // Stands still until the child has ended, as far as it can while it is held.
        world.engine.onEvent((event) => {
          if (event.type === 'changed' && event.session.id === id && event.session.exit !== null) {
            const acknowledge = () => {
              handle.ack(unacknowledged.at(-1) ?? 0);
              setImmediate(acknowledge);
            };
            acknowledge();
          }
        });
      });
      const expected = Array.from({ length: 26_500 }, (_value, index) => String(index).padStart(10, '0')).join('');
      const text = Buffer.concat(received).toString();
      expect(text.length).toBe(total);
      expect(text).toBe(expected);
    });
  }

  test('is told all of a child that is closed while it is held: what came, and what is gone', async ({ world }) => {
    const { id } = await world.start(['/bin/sh', '-c', 'while :; do head -c 65536 /dev/zero; done'], pipe);
    let received = 0;
    let gone = 0;
    const held = new Promise<void>((resolve) => {
      world.engine.onEvent((event) => {
        // Over the half of what is retained: from here on it is held.
        if (event.type === 'changed' && event.session.outputBytes > 256 * 1024) {
          resolve();
        }
      });
    });
    const closed = new Promise<void>((resolve) => {
      world.engine.follow(id, {
        afterSeq: 0,
        creditBytes: 1,
        holdsChildMs: 60_000,
        onEvent: (event) => {
          if (event.kind === 'output') {
            received += event.bytes.length;
          } else if (event.kind === 'gap') {
            gone += event.bytes ?? Number.NaN;
          } else if (event.kind === 'closed') {
            resolve();
          }
        },
      });
    });
    await held;
    const { outputBytes, state } = await world.engine.close(id, 'person');
    await closed;
    expect({ state, told: received + gone }).toEqual({ state: 'closed', told: outputBytes });
  });

  test('that stands still holds the child only so long, and is then told what it lost', async ({ world }) => {
    const { id } = await world.start(['/bin/sh', '-c', 'head -c 1000000 /dev/zero'], pipe);
    const handle = world.engine.follow(id, {
      afterSeq: 0,
      creditBytes: 1,
      holdsChildMs: 50,
      onEvent: (event) => {
        if (event.kind === 'gap') {
          lost += event.bytes ?? 0;
        } else if (event.kind === 'output') {
          received += event.bytes.length;
        }
      },
    });
    let lost = 0;
    let received = 0;
    await world.closed(id);
    for (let before = -1; before !== received;) {
      before = received;
      handle.ack(Number.MAX_SAFE_INTEGER);
    }
    expect(lost).toBeGreaterThan(0);
    expect(lost + received).toBe(1_000_000);
  });
});

describe('a reader that must not lose a byte, of a child that is ended', () => {
  // Less than what the kernel holds of a pipe.
  test.override({ engineOptions: { retainedBytes: 64 * 1024 } });

  for (const kind of ['pty', 'pipe'] as const) {
    test(`loses nothing of what a ${kind} child leaves that is ended while it is held`, async ({ world }) => {
      const backend = kind === 'pty' ? ({ kind } as const) : ({ kind, stdin: false } as const);
      const { id } = await world.start(['/bin/sh', '-c', 'while :; do head -c 65536 /dev/zero; done'], { backend });
      let received = 0;
      let dealtWith = 0;
      const gaps: unknown[] = [];
      await new Promise<void>((resolve) => {
        const handle = world.engine.follow(id, {
          afterSeq: 0,
          creditBytes: 1,
          holdsChildMs: 60_000,
          onEvent: (event) => {
            if (event.kind === 'output') {
              received += event.bytes.length;
              dealtWith = event.offset + event.bytes.length;
            } else if (event.kind === 'gap') {
              gaps.push(event.bytes);
            } else if (event.kind === 'closed') {
              resolve();
            }
          },
        });
        // Takes nothing until everything that is to come is there.
        world.engine.onEvent((event) => {
          if (event.type === 'changed' && event.session.id === id && event.session.state === 'closed') {
            const acknowledge = () => {
              handle.ack(dealtWith);
              setImmediate(acknowledge);
            };
            acknowledge();
          }
        });
        const held = world.engine.wait({ condition: { kind: 'idle', session: id, idleMs: 200 }, timeoutMs: 20_000 });
        void held.then(() => world.engine.terminate(id, 'agent'));
      });
      const { outputBytes } = await world.engine.get(id);
      expect({ received, gaps }).toEqual({ received: outputBytes, gaps: [] });
    });
  }
});
