import { mkdir, mkdtemp, realpath, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import type { StartRequest } from '../../src/engine/engine.ts';
import type { SessionId } from '../../src/shared/session.ts';
import { test } from '../support/engine-world.ts';

const id = (text: string) => text as SessionId;
const bytes = (text: string) => Buffer.from(text);

const BACKENDS: readonly (readonly [string, Partial<StartRequest>])[] = [
  ['pty', {}],
  ['pipe', { backend: { kind: 'pipe', stdin: true } }],
];

describe.each(BACKENDS)('the registry, for a session on %s', (_kind, request) => {
  test('E2 E6: input answers the bytes accepted, appends Enter on request, and is refused after the end', async ({
    world,
  }) => {
    await world.start(['/bin/sh', '-c', 'read a; echo got $a; read b'], { ...request, id: id('x') });
    expect(await world.engine.write(id('x'), bytes('word'), { enter: true })).toEqual({
      deliveredBytes: 5,
      outcome: 'delivered',
    });
    await world.printed(id('x'), 'got word');
    await world.engine.terminate(id('x'), 'person');
    await expect(world.engine.write(id('x'), bytes('late'))).rejects.toMatchObject({
      code: 'session-not-writable',
      message: "exec session 'x' is no longer writable",
    });
  });

  test('E7: terminate keeps the record, close removes it and answers it, prune closes only what has ended', async ({
    world,
  }) => {
    for (const name of ['a', 'b', 'c']) {
      await world.start(['/bin/sleep', '300'], { ...request, id: id(name) });
    }
    expect((await world.engine.get(id('a'))).exit).toBeNull();
    expect(await world.engine.terminate(id('a'), 'person')).toBe(true);
    expect(await world.engine.get(id('a'))).toMatchObject({ state: 'closed', exit: { signal: 'SIGTERM' } });
    expect(await world.engine.close(id('b'), 'person')).toMatchObject({
      id: 'b',
      state: 'closed',
      exit: { exitCode: null, signal: 'SIGTERM' },
      endedBy: 'person',
    });
    await expect(world.engine.get(id('b'))).rejects.toMatchObject({ code: 'session-not-found' });
    expect((await world.engine.prune()).map((info) => info.id)).toEqual(['a']);
    expect((await world.engine.list()).map((info) => info.id)).toEqual(['c']);
  });

  test('E5 A5: what came while nobody read is given once, by the next read of that reader', async ({ world }) => {
    await world.start(['/bin/sh', '-c', 'printf one; read a; printf two; read b'], { ...request, id: id('x') });
    await world.printed(id('x'), 'one');
    const read = (reader: string, drain: boolean) =>
      world.engine.text(id('x'), { reader, drain, maxBytes: 1_000, waitMs: 0 });
    expect((await read('first', false)).text).toBe('one');
    expect(await read('first', true)).toMatchObject({ text: 'one', goneBytes: 0, closed: false, exit: null });
    expect((await read('first', true)).text).toBeNull();
    await world.engine.write(id('x'), bytes(''), { enter: true });
    await world.printed(id('x'), 'two');
    expect((await read('first', true)).text).toMatch(/^(\r\n)?two$/);
    expect((await read('second', true)).text).toMatch(/^one(\r\n)?two$/);
    await expect(
      world.engine.page(id('x'), { cursor: { epoch: 'another', offset: 0 }, maxBytes: 1, waitMs: 0 }),
    ).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  test('E9: an activity counter rises on output and on exit, and wakes who watches it', async ({ world }) => {
    const { activity } = await world.start(['/bin/sh', '-c', 'read a; printf x; read b; exit 3'], {
      ...request,
      id: id('x'),
    });
    const watched = world.engine.nextActivity(id('x'), activity);
    await world.engine.write(id('x'), bytes(''), { enter: true });
    const afterOutput = await watched;
    expect(afterOutput).toBeGreaterThan(activity);
    await world.printed(id('x'), 'x');
    const { activity: beforeExit } = await world.engine.get(id('x'));
    const exit = world.engine.nextActivity(id('x'), beforeExit);
    await world.engine.write(id('x'), bytes(''), { enter: true });
    expect(await exit).toBeGreaterThan(beforeExit);
    const { exit: status, activity: last } = await world.closed(id('x'));
    expect(status).toEqual({ exitCode: 3, signal: null });
    // Nothing more can come: it is answered, not waited for.
    expect(await world.engine.nextActivity(id('x'), last)).toBe(last);
  });

  test('a start and a write are done once, however often the same request is heard', async ({ world }) => {
    const start = () => world.start(['/bin/sh', '-c', 'read a; echo "<$a>"; read b'], { ...request, requestId: 'r1' });
    const [first, second] = await Promise.all([start(), start()]);
    const third = await start();
    expect([second.id, third.id]).toEqual([first.id, first.id]);
    expect(await world.engine.list()).toHaveLength(1);
    const write = () => world.engine.write(first.id, bytes('once'), { requestId: 'w1', enter: true });
    expect(await Promise.all([write(), write()])).toEqual([
      { deliveredBytes: 5, outcome: 'delivered' },
      { deliveredBytes: 5, outcome: 'delivered' },
    ]);
    await world.printed(first.id, '<once>');
    await write();
    expect(await world.text(first.id)).not.toContain('onceonce');
    await expect(world.start([], { requestId: 'r2' })).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(await world.start(['/bin/true'], { requestId: 'r2' })).toMatchObject({ argv: ['/bin/true'] });
  });

  test('a child that does not read holds up its own input alone, and a deadline takes the rest back', async ({
    world,
  }) => {
    const deaf = await world.start(
      ['/bin/sh', '-c', 'stty raw -echo 2>/dev/null; echo ready; exec sleep 300'],
      request,
    );
    const other = await world.start(['/bin/sh', '-c', 'read a; echo "<$a>"'], request);
    await world.printed(deaf.id, 'ready');
    const large = Buffer.alloc(4 * 1024 * 1024, 'x');
    const [blocked, behind] = await Promise.all([
      world.engine.write(deaf.id, large, { timeoutMs: 200 }),
      world.engine.write(deaf.id, bytes('behind'), { timeoutMs: 100 }),
      world.engine.write(other.id, bytes('through'), { enter: true }),
    ]);
    expect(blocked.outcome).toBe('timed-out');
    expect(blocked.deliveredBytes).toBeGreaterThan(0);
    expect(blocked.deliveredBytes).toBeLessThan(large.length);
    expect(behind).toEqual({ deliveredBytes: 0, outcome: 'timed-out' });
    await world.printed(other.id, '<through>');
    const cut = world.engine.write(deaf.id, large);
    await world.engine.terminate(deaf.id, 'person');
    expect((await cut).outcome).toBe('ended');
  });

  test('E11: lists all, sorted by id, each with its state', async ({ world }) => {
    for (const name of ['s10', 's2', 's1']) {
      await world.start(['/bin/sleep', '300'], { ...request, id: id(name) });
    }
    await world.engine.terminate(id('s2'), 'person');
    await expect(world.start(['/no/such/program'], { ...request, id: id('s3') })).rejects.toMatchObject({
      code: 'spawn-failed',
    });
    expect((await world.engine.list()).map((info) => `${info.id} ${info.state}`)).toEqual([
      's1 running',
      's2 closed',
      's3 failed',
      's10 running',
    ]);
  });

  test('S14: a child says where its variables came from, by name', async ({ world }) => {
    const { id: session } = await world.start(['/bin/sh', '-c', 'echo "[$GIVEN]"'], {
      ...request,
      environment: {
        kind: 'inherit',
        from: 'core',
        excludeCredentials: true,
        exclude: [],
        set: { RULED: '1' },
        includeOnly: [],
        overlay: { GIVEN: 'yes' },
      },
    });
    const facts = await world.engine.environment(session);
    expect(facts?.origins).toMatchObject({ PATH: 'host', RULED: 'rule', GIVEN: 'client' });
    expect(facts?.leftOut).toEqual(expect.arrayContaining(['NODE_ENV', 'VITEST']));
    await world.printed(session, '[yes]');
  });

  describe('beside secrets of the host', () => {
    test.override({
      engineOptions: {
        hostEnvironment: {
          PATH: '/usr/bin:/bin',
          EDITOR: 'vi',
          AWS_SECRET_ACCESS_KEY: 'hidden-1',
          GITHUB_TOKEN: 'hidden-2',
          NODE_OPTIONS: '--hidden-3',
          ELECTRON_RUN_AS_NODE: 'hidden-4',
          SHELLSCOPE_TOKEN: 'hidden-5',
        },
      },
    });

    test('S14: a child has none of them unless it is asked for by name', async ({ world }) => {
      const rules = { kind: 'inherit', from: 'all', excludeCredentials: true, exclude: [], includeOnly: [] } as const;
      const printed = async (set: Record<string, string>, overlay: Record<string, string>) => {
        const { id: session } = await world.start(['/usr/bin/env'], {
          ...request,
          environment: { ...rules, set, overlay },
        });
        await world.closed(session);
        return world.text(session);
      };
      const plain = await printed({}, {});
      expect(plain).toContain('EDITOR=vi');
      expect(plain).not.toMatch(/hidden|AWS_|GITHUB_|NODE_OPTIONS|ELECTRON|SHELLSCOPE_TOKEN/);
      expect(await printed({}, { GITHUB_TOKEN: 'asked for' })).toContain('GITHUB_TOKEN=asked for');
    });
  });
});

describe('the registry', () => {
  test('the stdin of a pipe child can be closed after what is queued; a terminal says how else', async ({ world }) => {
    const { id: piped } = await world.start(['/bin/cat'], { backend: { kind: 'pipe', stdin: true } });
    void world.engine.write(piped, bytes('all of it'));
    await world.engine.closeInput(piped);
    expect((await world.closed(piped)).exit).toEqual({ exitCode: 0, signal: null });
    expect(await world.text(piped)).toBe('all of it');
    const { id: terminal } = await world.start(['/bin/cat']);
    await expect(world.engine.closeInput(terminal)).rejects.toMatchObject({
      code: 'not-supported',
      message: expect.stringContaining('send Ctrl-D'),
    });
    const { id: mute } = await world.start(['/bin/sleep', '300'], { backend: { kind: 'pipe', stdin: false } });
    await expect(world.engine.write(mute, bytes('x'))).rejects.toMatchObject({
      message: `stdin is closed for process ${mute}`,
    });
  });
});

describe('a limit on ptys', () => {
  test.override({ engineOptions: { maxPtySessions: 2 } });

  test('E8: one more is refused, pipes are not, and a place is free when one is closed', async ({ world }) => {
    const first = await world.start(['/bin/sleep', '300']);
    await world.start(['/bin/sleep', '300']);
    await expect(world.start(['/bin/true'])).rejects.toMatchObject({
      code: 'limit-reached',
      message: expect.stringContaining('Maximum PTY sessions reached: 2 of 2 are live'),
    });
    expect(await world.engine.list()).toHaveLength(2);
    await world.start(['/bin/true'], { backend: { kind: 'pipe', stdin: false } });
    await world.engine.close(first.id, 'person');
    expect(await world.start(['/bin/true'])).toMatchObject({ backend: 'pty' });
  });
});

describe('retention in all', () => {
  test.override({ engineOptions: { retainedBytes: 4 * 1024 * 1024, retainedBytesInAll: 4 * 1024 * 1024 } });

  test('is shared by all sessions in equal parts, the oldest output leaves first', async ({ world }) => {
    const flood = ['/bin/sh', '-c', 'head -c 3000000 /dev/zero; printf end; read a'];
    const retained = async (session: SessionId) =>
      Buffer.byteLength(
        (await world.engine.text(session, { reader: 'r', drain: false, maxBytes: 1e9, waitMs: 0 })).text ?? '',
      );
    const pipes = { backend: { kind: 'pipe', stdin: true } } as const;
    const first = await world.start(flood, pipes);
    await world.printed(first.id, 'end');
    expect(await retained(first.id)).toBe(3_000_003);
    const second = await world.start(flood, pipes);
    await world.printed(second.id, 'end');
    expect([await retained(first.id), await retained(second.id)]).toEqual([2 * 1024 * 1024, 2 * 1024 * 1024]);
    expect((await world.text(first.id)).endsWith('end')).toBe(true);
  });
});

describe('a reader that fell behind', () => {
  test.override({ engineOptions: { retainedBytes: 100_000 } });

  for (const [kind, request] of BACKENDS) {
    test(`has a cursor of its own, and is told how many bytes are gone (${kind})`, async ({ world }) => {
      const script = 'stty -opost 2>/dev/null; printf first; read a; head -c 300000 /dev/zero; printf last; read b';
      const { id: session, epoch } = await world.start(['/bin/sh', '-c', script], request);
      await world.printed(session, 'first');
      const page = (cursor: { readonly epoch: string; readonly offset: number } | null) =>
        world.engine.page(session, { cursor, maxBytes: 1_000_000, waitMs: 0 });
      const before = await page(null);
      expect(before).toMatchObject({ cursor: { epoch, offset: 5 }, goneBytes: 0 });
      await world.engine.write(session, bytes(''), { enter: true });
      await world.printed(session, 'last');
      const { outputBytes } = await world.engine.get(session);
      const behind = await page(before.cursor);
      expect(behind).toMatchObject({
        cursor: { epoch, offset: outputBytes },
        goneBytes: outputBytes - 100_000 - 5,
        more: false,
      });
      // Another reader is where it was.
      expect(await page({ epoch, offset: outputBytes - 4 })).toMatchObject({ goneBytes: 0 });
      expect((await page(null)).pieces[0]?.offset).toBe(outputBytes - 100_000);
    });
  }
});

describe('a signal', () => {
  for (const [kind, request] of BACKENDS) {
    test(`reaches what is in the foreground, and an end can be asked for by another one (${kind})`, async ({
      world,
    }) => {
      const script = 'trap "echo heard" USR1; trap "echo asked; exit 9" INT; echo ready; while :; do sleep 0.05; done';
      const { id: session } = await world.start(['/bin/sh', '-c', script], request);
      await world.printed(session, 'ready');
      expect(await world.engine.signal(session, 'SIGUSR1')).toBe(true);
      await world.printed(session, 'heard');
      await world.engine.terminate(session, 'agent', { signal: 'SIGINT' });
      expect((await world.engine.get(session)).exit).toEqual({ exitCode: 9, signal: null });
      expect(await world.engine.signal(session, 'SIGUSR1')).toBe(false);
    });
  }
});

describe('a workspace', () => {
  async function workspace() {
    const base = await realpath(await mkdtemp(join(tmpdir(), 'shellscope-')));
    onTestFinished(() => rm(base, { recursive: true }));
    await mkdir(join(base, 'root', 'inner', 'deep'), { recursive: true });
    await mkdir(join(base, 'root-not'));
    await mkdir(join(base, 'outside'));
    return { base, root: join(base, 'root') };
  }

  for (const [kind, request] of BACKENDS) {
    test(`E3: holds the working directory, links followed, and is shown relative (${kind})`, async ({ world }) => {
      const { base, root } = await workspace();
      await symlink(join(root, 'inner'), join(root, 'link-in'));
      await symlink(join(base, 'outside'), join(root, 'link-out'));
      const start = (cwd: string) => world.start(['/bin/pwd'], { ...request, cwd, workspace: root });
      expect(await start(root)).toMatchObject({ cwd: root, shownCwd: '.' });
      const linked = await start(join(root, 'link-in', 'deep'));
      expect(linked).toMatchObject({ cwd: join(root, 'inner', 'deep'), shownCwd: 'inner/deep' });
      await world.closed(linked.id);
      expect((await world.text(linked.id)).trim()).toBe(join(root, 'inner', 'deep'));
      for (const outside of [base, join(base, 'root-not'), join(root, 'link-out'), join(root, '..', 'outside')]) {
        await expect(start(outside)).rejects.toMatchObject({ code: 'outside-workspace' });
      }
      const states = (await world.engine.list()).map(({ state, pid }) => [state === 'failed', pid === null]);
      expect(states.filter(([failed]) => failed)).toEqual([
        [true, true],
        [true, true],
        [true, true],
        [true, true],
      ]);
    });

    test(`E3: a link put in the place of a folder after the look leads nowhere else (${kind})`, async ({ world }) => {
      const { base, root } = await workspace();
      const folder = join(root, 'inner');
      let refused = 0;
      for (let run = 0; run < 40; run += 1) {
        const outcome = world.start(['/bin/pwd', '-P'], { ...request, cwd: folder, workspace: root }).then(
          async (info) => {
            await world.closed(info.id);
            return (await world.text(info.id)).trim();
          },
          (error: unknown) => (error as { readonly code: string }).code,
        );
        // While the start is under way: sometimes before the look, sometimes between the look and the spawn.
        for (let turn = 0; turn < run % 8; turn += 1) {
          await new Promise(setImmediate);
        }
        await rename(folder, join(root, 'moved'));
        await symlink(join(base, 'outside'), folder);
        refused += (await outcome) === 'outside-workspace' ? 1 : 0;
        expect([folder, join(root, 'moved'), 'outside-workspace', 'spawn-failed']).toContain(await outcome);
        await rm(folder);
        await rename(join(root, 'moved'), folder);
      }
      // Else the exchange never came in between.
      expect(refused).toBeLessThan(40);
    });
  }
});
