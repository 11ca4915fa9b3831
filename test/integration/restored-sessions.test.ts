import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { afterAll, describe, expect, vi } from 'vitest';
import { createEngine, type Engine, type EngineOptions, type FollowEvent } from '../../src/engine/engine.ts';
import type { SessionId, SessionInfo } from '../../src/shared/session.ts';
import { test } from '../support/engine-world.ts';
import { ExecClient } from '../support/exec-client.ts';
import { withoutLeftovers } from '../support/leftovers.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'shellscope-restored-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const MEBIBYTE = 1024 * 1024;

/**
 * An engine that begins where the earlier ones of this state folder have ended; it ends with the deed. They ran in this
 * process, which is still there: their records are made to name one that is not.
 */
async function inNextRun<T>(
  folder: string,
  deed: (engine: Engine) => Promise<T>,
  more: Partial<EngineOptions> = {},
): Promise<T> {
  for (const host of await readdir(folder)) {
    const file = join(folder, host, 'host.json');
    const record = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...record, startTime: '1' }));
  }
  const engine = createEngine({ hostEnvironment: process.env, transcripts: { folder }, ...more });
  try {
    return await deed(engine);
  } finally {
    await engine.dispose();
  }
}

async function restoredOf(engine: Engine, epochs: readonly string[]): Promise<readonly SessionInfo[]> {
  await engine.findEarlier(epochs);
  return engine.restore(epochs);
}

function startTrue(engine: Engine): Promise<SessionInfo> {
  return engine.start({
    argv: ['/bin/true'],
    cwd: '/tmp',
    environment: { kind: 'exact', variables: {} },
    backend: { kind: 'pty' },
    origin: { kind: 'person' },
  });
}

/** All that a follower is told at once of a session that has ended. */
function told(engine: Engine, id: SessionId): readonly FollowEvent[] {
  const events: FollowEvent[] = [];
  engine
    .follow(id, {
      afterSeq: engine.replayFrom(id, Number.MAX_SAFE_INTEGER),
      creditBytes: Number.MAX_SAFE_INTEGER,
      holdsChildMs: 0,
      onEvent: (event) => void events.push(event),
    })
    .close();
  return events;
}

const textOf = (events: readonly FollowEvent[]): string =>
  Buffer.concat(events.flatMap((event) => (event.kind === 'output' ? [event.bytes] : []))).toString();

describe('sessions of a host that has ended', () => {
  const folder = join(FOLDER, 'ended');
  test.override({ engineOptions: { transcripts: { folder } } });

  test('are in the list of the next one as they ended, and everybody reads them as any other', async ({ world }) => {
    const failing = await world.start(['/bin/sh', '-c', 'echo first; exit 7'], { title: 'the build' });
    await world.closed(failing.id);
    const shell = await world.start(['/bin/sh', '-c', 'stty -echo; echo ready; exec cat'], {
      backend: { kind: 'pty', size: { cols: 61, rows: 17 } },
    });
    await world.printed(shell.id, 'ready');
    await world.engine.write(shell.id, Buffer.from('typed\r'));
    await world.printed(shell.id, 'typed');
    await world.engine.resize(shell.id, { cols: 100, rows: 30 });
    await world.engine.write(shell.id, Buffer.from('wider\r'));
    const printed = await world.printed(shell.id, 'wider');
    const before = await world.engine.list();
    const timeline = await world.engine.timeline(shell.id);
    await world.engine.dispose();

    await inNextRun(folder, async (engine) => {
      const found = await engine.findEarlier([shell.epoch, failing.epoch, 'of nobody']);
      expect(found).toMatchObject({ gone: ['of nobody'], damaged: [] });
      expect(new Map(found.found.map(({ session, wasTyped }) => [session.id, wasTyped]))).toEqual(
        new Map([
          [shell.id, true],
          [failing.id, false],
        ]),
      );
      const [first, second] = await engine.restore([failing.epoch, shell.epoch, 'of nobody']);
      const [failingBefore] = before;
      // That the output has ended is the last thing done, and not written any more.
      expect(first).toEqual({ ...failingBefore, pid: null, treeEmpty: null, timelineNumber: 2, timelineActs: 0 });
      expect(second).toMatchObject({
        id: shell.id,
        state: 'closed',
        exit: { exitCode: null, signal: expect.stringMatching(/^SIG/) },
        endedBy: 'host',
        size: { cols: 100, rows: 30 },
        startedAtMs: shell.startedAtMs,
        epoch: shell.epoch,
        pid: null,
      });
      expect(await engine.restore([failing.epoch])).toEqual([]);
      expect(await engine.list()).toEqual([first, second]);

      // By pages, as chunks, as text of a reader and of a model, and as a pane does.
      const { pieces, closed } = await engine.page(shell.id, { cursor: null, maxBytes: MEBIBYTE, waitMs: 0 });
      expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()).toBe(printed);
      const { chunks, exit } = await engine.read(shell.id, { afterSeq: 0, maxBytes: MEBIBYTE, waitMs: 0 });
      expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toBe(printed);
      expect([closed, exit]).toEqual([true, second?.exit]);
      const asked = { reader: 'one', drain: true, maxBytes: MEBIBYTE, waitMs: 0 };
      expect(await engine.text(shell.id, asked)).toMatchObject({ text: printed, goneBytes: 0 });
      expect((await engine.screen(shell.id)).rows.join('\n')).toContain('wider');
      expect((await engine.load(shell.id)).outputBytes).toBe(printed.length);
      const events = told(engine, shell.id);
      expect(textOf(events)).toBe(printed);
      expect(events.slice(-2)).toMatchObject([{ kind: 'exited', exit: second?.exit }, { kind: 'closed' }]);
      const sizes = events.flatMap((event) => (event.kind === 'output' ? [engine.sizeAt(shell.id, event.offset)] : []));
      expect(sizes[0]).toEqual({ cols: 61, rows: 17 });
      expect(sizes.at(-1)).toEqual({ cols: 100, rows: 30 });
      expect((await engine.timeline(shell.id)).slice(0, timeline.length)).toEqual(timeline);

      // A wait that is the first to look into one finds what is there.
      const text = { kind: 'text', session: failing.id, text: 'first', from: null } as const;
      expect(await engine.wait({ condition: { kind: 'any', of: [text] }, timeoutMs: 10_000 })).toMatchObject({
        outcome: 'met',
        met: [{ match: 'first' }],
      });

      // Nothing runs in it, and its id is not given again.
      await expect(engine.write(shell.id, Buffer.from('x'))).rejects.toMatchObject({ code: 'session-not-writable' });
      expect(await engine.signal(shell.id, 'SIGINT')).toBe(false);
      const next = await startTrue(engine);
      expect(Number(next.id.slice('session-'.length))).toBeGreaterThan(Number(shell.id.slice('session-'.length)));

      // Closing it leaves what it printed on the disk.
      await engine.close(shell.id, 'person');
      await expect(engine.get(shell.id)).rejects.toMatchObject({ code: 'session-not-found' });
      const page = await engine.transcriptPage(shell.epoch, { offset: 0, maxBytes: MEBIBYTE });
      expect(Buffer.concat(page.pieces.map(({ bytes }) => bytes)).toString()).toBe(printed);
    });
    // And can be had by the run after that.
    await inNextRun(folder, async (engine) => {
      expect(await restoredOf(engine, [shell.epoch])).toMatchObject([{ id: shell.id, state: 'closed' }]);
      const next = await startTrue(engine);
      // Not one that stood for another session in the earlier run.
      expect(Number(next.id.slice('session-'.length))).toBeGreaterThan(Number(shell.id.slice('session-'.length)));
    });
  });

  test('are taken again in the run in which they were closed, with all that they printed', async ({ world }) => {
    const { id, epoch } = await world.start(['/bin/sh', '-c', 'echo once more; exit 7']);
    await world.closed(id);
    await world.engine.findEarlier([epoch]);
    expect(await world.engine.restore([epoch])).toEqual([]);
    await world.engine.close(id, 'person');
    for (let round = 0; round < 2; round += 1) {
      expect(await world.engine.findEarlier([epoch])).toMatchObject({ found: [{ session: { epoch } }], gone: [] });
      const [again] = await world.engine.restore([epoch]);
      expect(again).toMatchObject({ state: 'closed', exit: { exitCode: 7 } });
      const text = await world.engine.text(again?.id ?? id, { reader: 'r', drain: true, maxBytes: 1_000, waitMs: 0 });
      expect(text.text).toContain('once more');
      await world.engine.close(again?.id ?? id, 'person');
    }
  });

  test('have no id that was given in this run, though its session is gone', async ({ world }) => {
    const { id, epoch } = await world.start(['/bin/echo', 'earlier']);
    await world.closed(id);
    await world.engine.dispose();
    await inNextRun(folder, async (engine) => {
      const given = await startTrue(engine);
      expect(given.id).toBe(id);
      await engine.close(given.id, 'person');
      const [restored] = await restoredOf(engine, [epoch]);
      expect(restored?.epoch).toBe(epoch);
      expect(restored?.id).not.toBe(id);
    });
  });

  test('keep a name that they were given after their end, over every run that follows', async ({ world }) => {
    const ended = await world.start(['/bin/sh', '-c', 'echo printed; exit 7'], { title: 'before' });
    const cut = await world.start(['/bin/sh', '-c', 'echo cut; exit 0']);
    const other = await world.start(['/bin/echo', 'other'], { title: 'stays' });
    const { outputBytes } = await world.closed(ended.id);
    await world.closed(cut.id);
    await world.closed(other.id);
    await world.engine.rename(ended.id, 'in its own run');
    await world.engine.dispose();
    const [host = ''] = await hostsOf(folder, cut.epoch);
    const file = join(folder, host, cut.epoch, '0000000000000000.out');
    const last = await readFile(file);
    // By a machine that lost its power: what is added does not go on with what was cut short.
    await writeFile(file, last.subarray(0, last.indexOf('SS1', last.indexOf('cut\r\n')) + 10));

    const epochs = [ended.epoch, cut.epoch, other.epoch];
    const titlesIn = async (engine: Engine) => (await restoredOf(engine, epochs)).map(({ title }) => title);
    const printedIn = async (engine: Engine, id: SessionId) => textOf((await engine.load(id), told(engine, id)));
    const namesIn = async (engine: Engine) =>
      (await engine.timeline(ended.id)).flatMap(({ act }) => (act.kind === 'titled' ? [act.title] : []));
    await inNextRun(folder, async (engine) => {
      expect(await titlesIn(engine)).toEqual(['in its own run', null, 'stays']);
      await engine.rename(ended.id, 'in the next run');
      await engine.rename(cut.id, 'was cut');
      expect(await namesIn(engine)).toEqual(['in its own run', 'in the next run']);
    });
    await inNextRun(folder, async (engine) => {
      expect(await titlesIn(engine)).toEqual(['in the next run', 'was cut', 'stays']);
      expect(await engine.get(ended.id)).toMatchObject({ state: 'closed', exit: { exitCode: 7 }, outputBytes });
      expect(await engine.get(cut.id)).toMatchObject({ state: 'lost' });
      expect(await printedIn(engine, ended.id)).toBe('printed\r\n');
      expect(await printedIn(engine, cut.id)).toBe('cut\r\n');
      await engine.rename(ended.id, null);
      expect(await namesIn(engine)).toEqual(['in its own run', 'in the next run', null]);
    });
    await inNextRun(folder, async (engine) => {
      expect(await titlesIn(engine)).toEqual([null, 'was cut', 'stays']);
    });
  });

  test('say that they ended with the host also where an agent’s door was closed before', async ({ world }) => {
    const { id, epoch } = await world.start(['/bin/cat']);
    world.engine.beginEnd();
    await world.engine.terminate(id, 'agent');
    await world.engine.dispose();
    await inNextRun(folder, async (engine) => {
      expect(await restoredOf(engine, [epoch])).toMatchObject([{ state: 'closed', endedBy: 'host' }]);
    });
  });

  test('that printed much have their end in memory, and the rest is read from the disk', async ({ world }) => {
    const { id, epoch } = await world.start(['/bin/sh', '-c', "seq -f '%09.0f' 500000"], {
      backend: { kind: 'pipe', stdin: false },
    });
    await world.closed(id);
    const all = await world.text(id);
    await world.engine.dispose();
    await inNextRun(folder, async (engine) => {
      await restoredOf(engine, [epoch]);
      const events = (await engine.load(id), told(engine, id));
      const tail = textOf(events);
      expect(tail.length).toBeGreaterThanOrEqual(MEBIBYTE);
      expect(tail.length).toBeLessThan(1.2 * MEBIBYTE);
      expect(all.endsWith(tail)).toBe(true);
      let text = '';
      let cursor: { epoch: string; offset: number } | 'begin' = 'begin';
      for (let isMore = true; isMore;) {
        const page = await engine.page(id, { cursor, maxBytes: 700_000, waitMs: 0 });
        expect(page.goneBytes).toBe(0);
        text += Buffer.concat(page.pieces.map(({ bytes }) => bytes)).toString();
        cursor = page.cursor;
        isMore = page.more;
      }
      expect(text === all).toBe(true);
    });
  });

  test('take no memory from those that run', async ({ world }) => {
    const epochs: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      const { id, epoch } = await world.start(['/bin/echo', String(count)]);
      await world.closed(id);
      epochs.push(epoch);
    }
    await world.engine.dispose();
    await inNextRun(
      folder,
      async (engine) => {
        await restoredOf(engine, epochs);
        const { id } = await engine.start({
          argv: ['/bin/sh', '-c', 'head -c 4000000 /dev/zero'],
          cwd: '/tmp',
          environment: { kind: 'exact', variables: { PATH: '/usr/bin:/bin' } },
          backend: { kind: 'pipe', stdin: false },
          origin: { kind: 'person' },
        });
        await engine.wait({ condition: { kind: 'closed', session: id }, timeoutMs: 10_000 });
        const asked = { reader: 'all', drain: true, maxBytes: 8 * MEBIBYTE, waitMs: 0 };
        expect((await engine.text(id, asked)).text).toHaveLength(4_000_000);
      },
      { retainedBytesInAll: 10 * MEBIBYTE },
    );
  });

  test('whose ids are in use get others, and those that a client chose are free for it', async ({ world }) => {
    const chosen = await world.start(['/bin/echo', 'chosen'], { id: 'build' as SessionId });
    const made = await world.start(['/bin/echo', 'made']);
    await world.closed(chosen.id);
    await world.closed(made.id);
    await world.engine.dispose();
    await inNextRun(folder, async (engine) => {
      const start = (id: SessionId) =>
        engine.start({
          id,
          argv: ['/bin/true'],
          cwd: '/tmp',
          environment: { kind: 'exact', variables: {} },
          backend: { kind: 'pty' },
          origin: { kind: 'person' },
        });
      await start(made.id);
      const restored = await restoredOf(engine, [chosen.epoch, made.epoch]);
      expect(restored.map(({ epoch }) => epoch)).toEqual([chosen.epoch, made.epoch]);
      expect(new Set([...restored.map(({ id }) => id), made.id, chosen.id]).size).toBe(4);
      expect(await start(chosen.id)).toMatchObject({ id: 'build' });
    });
  });

  test('cost nothing but themselves where they are damaged or gone', async ({ world }) => {
    const sessions = [];
    for (const word of ['whole', 'broken', 'gone', 'forged', 'cut']) {
      const { id } = await world.start(['/bin/echo', word]);
      sessions.push(await world.closed(id));
    }
    await world.engine.dispose();
    const [whole, broken, gone, forged, cut] = sessions.map(({ epoch }) => epoch) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const [host = ''] = await hostsOf(folder, whole);
    const fileOf = (epoch: string) => join(folder, host, epoch, '0000000000000000.out');
    const bytes = await readFile(fileOf(broken));
    await writeFile(fileOf(broken), bytes.fill('x', 40, 60).fill('y', bytes.length >> 1));
    await rm(join(folder, host, gone), { recursive: true });
    const said = (await readFile(fileOf(forged))).toString('latin1');
    await writeFile(fileOf(forged), said.replaceAll('"/bin/echo"', '{"/bin/ec":1}'.slice(0, 11)), 'latin1');
    // By a machine that lost its power: the end was not written.
    const last = await readFile(fileOf(cut));
    await writeFile(fileOf(cut), last.subarray(0, last.indexOf('SS1', last.indexOf('cut\r\n')) + 10));

    await inNextRun(folder, async (engine) => {
      const epochs = [whole, broken, gone, forged, cut];
      const found = await engine.findEarlier(epochs);
      expect({ gone: found.gone, damaged: [...found.damaged].sort() }).toEqual({
        gone: [gone],
        damaged: [broken, forged].sort(),
      });
      expect(await engine.restore(epochs)).toMatchObject([
        { epoch: whole, state: 'closed', exit: { exitCode: 0, signal: null } },
        { epoch: cut, state: 'lost', exit: { exitCode: null, signal: null }, endedAtMs: null },
      ]);
    });
  });
});

describe('a host that is killed', () => {
  test('leaves the next one its sessions with all that they printed, and no end is made up for them', async () => {
    const state = await mkdtemp(join(tmpdir(), 'shellscope-killed-'));
    const folder = join(state, 'transcripts');
    await withoutLeftovers(async () => {
      const host = spawn(process.execPath, [resolve('out/cli/main.js'), 'serve', '--no-auth'], {
        env: { ...process.env, SHELLSCOPE_STATE_DIR: state },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const [url] = (await once(createInterface(host.stdout), 'line')) as [string];
      const client = await ExecClient.ready(url, null);
      await client.start('failed', ['/bin/sh', '-c', 'echo before; exit 3']);
      await client.start('running', ['/bin/sh', '-c', 'echo so far; exec sleep 300']);
      await client.start('silent', ['/bin/sleep', '300']);
      const filesOf = async () => (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.out'));
      await vi.waitUntil(async () => {
        const texts = await Promise.all((await filesOf()).map((path) => readFile(join(folder, path), 'latin1')));
        const whole = texts.join('');
        return (
          texts.length === 3 &&
          ['"session"', 'so far', '"exitCode":3', '"/bin/sleep"'].every((part) =>
            part === '"session"' ? texts.every((text) => text.includes('"argv"')) : whole.includes(part),
          )
        );
      });
      host.kill('SIGKILL');
      await once(host, 'exit');
      const epochs = (await filesOf()).map((path) => path.split('/')[1] ?? '');
      await inNextRun(folder, async (engine) => {
        const restored = await restoredOf(engine, epochs);
        const lost = {
          state: 'lost',
          exit: { exitCode: null, signal: null },
          endedBy: null,
          endedAtMs: null,
          pid: null,
        };
        const of = (word: string) => restored.find(({ argv }) => argv.join(' ').includes(word));
        expect(of('before')).toMatchObject({ state: 'closed', exit: { exitCode: 3, signal: null } });
        expect(of('so far')).toMatchObject({ ...lost, outputBytes: 'so far\r\n'.length });
        expect(of('/bin/sleep 300')).toMatchObject({ ...lost, outputBytes: 0 });
        const running = of('so far')?.id as SessionId;
        await engine.load(running);
        expect(textOf(told(engine, running))).toBe('so far\r\n');
        expect(await engine.wait({ condition: { kind: 'exit', session: running }, timeoutMs: 10_000 })).toMatchObject({
          outcome: 'met',
        });
      });
    });
    await rm(state, { recursive: true });
  });
});

/** Ids of the hosts that have a transcript of this epoch. */
async function hostsOf(folder: string, epoch: string): Promise<readonly string[]> {
  const paths = await readdir(folder, { recursive: true });
  return paths.filter((path) => path.endsWith(`/${epoch}`)).map((path) => path.split('/')[0] ?? '');
}
