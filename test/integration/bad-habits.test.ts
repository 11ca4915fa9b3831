import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import type { FollowEvent } from '../../src/engine/engine.ts';
import type { SessionId } from '../../src/shared/session.ts';
import { test, untilTrue, type HabitWorld } from '../support/habit-world.ts';
import { isRunning } from '../support/is-running.ts';

const kinds = ['pty', 'pipe'] as const;

/** Programs that do not end by themselves while a test runs, and what they have printed when they are at it. */
const livingOn: readonly { habit: string; program: string; args: readonly string[]; ready: string }[] = [
  { habit: 'floods', program: 'floods.py', args: [], ready: '0000000 ' },
  { habit: 'ignores SIGTERM', program: 'ignores-sigterm.sh', args: [], ready: 'ready' },
  { habit: 'has a daemon in a session of its own', program: 'forks-and-setsids.py', args: [], ready: '\n' },
  { habit: 'closed its streams', program: 'closes-stdout.py', args: [], ready: 'last words' },
  { habit: 'printed half a character', program: 'half-a-character.py', args: [], ready: '\ufffd' },
  { habit: 'forks a bomb', program: 'forks-a-bomb.py', args: ['48', '30'], ready: '.'.repeat(48) },
];

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** What `floods.py` and `exits-after-1mb.py` print: the words from one number on. */
function words(from: number, count: number): Buffer {
  return Buffer.from(
    Array.from({ length: count }, (_value, index) => `${String(from + index).padStart(7, '0')} `).join(''),
  );
}

/** Settings of the terminal that is a process's stdin, as stty(1) prints them. */
function terminalSettings(pid: number | null): string {
  return execFileSync('stty', ['-g', '-F', readlinkSync(`/proc/${pid}/fd/0`)], { encoding: 'utf8' });
}

/** Resolves when the child and its output have ended; both are told, in that order, and once. */
async function ended(habits: HabitWorld, id: SessionId) {
  const info = await habits.closed(id);
  expect(habits.states(id)).toEqual(['running', 'exited', 'closed']);
  return { exit: info.exit, endedBy: info.endedBy };
}

describe.for(kinds)('a %s child', (kind) => {
  test('that floods loses no byte to a reader that holds it', async ({ habits }) => {
    const hash = createHash('sha256');
    const { id } = await habits.run(kind, 'floods.py', '2000000');
    await new Promise<void>((resolve) => {
      const handle = habits.engine.follow(id, {
        afterSeq: 0,
        creditBytes: 128 * 1024,
        holdsChildMs: 10_000,
        onEvent: (event) => {
          if (event.kind === 'output') {
            hash.update(event.bytes);
            setImmediate(() => handle.ack(event.offset + event.bytes.length));
          } else if (event.kind === 'closed') {
            resolve();
          }
        },
      });
    });
    expect(hash.digest('hex')).toBe(sha256(words(0, 2_000_000)));
    expect(await ended(habits, id)).toEqual({ exit: { exitCode: 0, signal: null }, endedBy: 'child' });
    expect((await habits.engine.get(id)).outputBytes).toBe(16_000_000);
  });

  test('that floods without end holds up no other session, and a reader that stood still is told the bytes gone', async ({
    habits,
  }) => {
    const { id } = await habits.run(kind, 'floods.py');
    const events: FollowEvent[] = [];
    const handle = habits.engine.follow(id, {
      afterSeq: 0,
      creditBytes: 1,
      holdsChildMs: 0,
      onEvent: (event) => events.push(event),
    });
    // Three times what is retained.
    for (let { nextSeq } = await habits.engine.read(id, { afterSeq: 0, maxBytes: 1, waitMs: 10_000 }); ;) {
      if ((await habits.engine.get(id)).outputBytes > 24 * 1024 * 1024) {
        break;
      }
      ({ nextSeq } = await habits.engine.read(id, { afterSeq: nextSeq - 1, maxBytes: 1_000_000, waitMs: 10_000 }));
    }
    await habits.othersAnswer();
    const [first] = events;
    expect(events).toHaveLength(1);
    expect(first).toMatchObject({ kind: 'output', offset: 0 });
    const had = first?.kind === 'output' ? first.bytes.length : 0;
    handle.ack(had);
    const [, gap, next] = events;
    expect([gap?.kind, next?.kind]).toEqual(['gap', 'output']);
    if (gap?.kind !== 'gap' || next?.kind !== 'output') {
      return;
    }
    expect(next.offset).toBe(had + (gap.bytes ?? Number.NaN));
    // The very bytes that the child printed at that offset.
    const word = Math.floor(next.offset / 8);
    const expected = words(word, Math.ceil(next.bytes.length / 8) + 1).subarray(next.offset - word * 8);
    expect(Buffer.from(next.bytes)).toEqual(expected.subarray(0, next.bytes.length));
    handle.close();
  });

  test('E10: that writes 1 MB and exits at once has every byte retained', async ({ habits }) => {
    const { id } = await habits.run(kind, 'exits-after-1mb.py');
    expect(await ended(habits, id)).toEqual({ exit: { exitCode: 0, signal: null }, endedBy: 'child' });
    expect(sha256(await habits.bytes(id))).toBe(sha256(words(0, 125_000)));
  });

  test('that ignores SIGTERM is killed after the grace, and that is told', async ({ habits }) => {
    const { id } = await habits.run(kind, 'ignores-sigterm.sh');
    await habits.printed(id, 'ready');
    expect(await habits.engine.terminate(id, 'person')).toBe(true);
    expect(await ended(habits, id)).toEqual({ exit: { exitCode: null, signal: 'SIGKILL' }, endedBy: 'person' });
    expect(habits.running()).toEqual([]);
  });

  test('that left a daemon in a session of its own has exited, and its output is open as long as the daemon holds it', async ({
    habits,
  }) => {
    const { id } = await habits.run(kind, 'forks-and-setsids.py', '--leave');
    const daemon = Number(/daemon (\d+)\s/.exec(await habits.printed(id, '\n'))?.[1]);
    onTestFinished(() => {
      // A test that failed earlier must not leave it.
      if (isRunning(daemon)) {
        process.kill(daemon, 'SIGKILL');
      }
    });
    await exited(habits, id);
    expect(await habits.engine.get(id)).toMatchObject({
      state: 'exited',
      exit: { exitCode: 0, signal: null },
      endedBy: 'child',
    });
    expect(habits.running()).toEqual([daemon]);
    process.kill(daemon, 'SIGKILL');
    await ended(habits, id);
  });

  test('that closed its streams is running until it exits, with everything it printed', async ({ habits }) => {
    const { id, pid } = await habits.run(kind, 'closes-stdout.py');
    await habits.printed(id, 'last words');
    await untilTrue(() => !readdirSync(`/proc/${pid}/fd`).some((descriptor) => Number(descriptor) <= 2));
    await habits.othersAnswer();
    expect(await habits.engine.get(id)).toMatchObject({ state: 'running', exit: null, endedBy: null });
    process.kill(pid ?? 0, 'SIGUSR1');
    expect(await ended(habits, id)).toEqual({ exit: { exitCode: 3, signal: null }, endedBy: 'child' });
    expect((await habits.bytes(id)).toString()).toBe('last words');
  });

  test('E10: whose grandchild prints after its exit is exited, not closed, until that was retained', async ({
    habits,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'shellscope-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { id } = await habits.run(kind, 'prints-after-exit.py', join(folder, 'go'));
    await exited(habits, id);
    expect(await habits.engine.get(id)).toMatchObject({
      state: 'exited',
      exit: { exitCode: 4, signal: null },
      outputBytes: 'early '.length,
    });
    await writeFile(join(folder, 'go'), '');
    expect(await ended(habits, id)).toEqual({ exit: { exitCode: 4, signal: null }, endedBy: 'child' });
    expect((await habits.bytes(id)).toString()).toBe('early late');
  });

  test('that prints half a UTF-8 character and waits has both halves retained as they came', async ({ habits }) => {
    const { id } = await habits.run(kind, 'half-a-character.py');
    const { chunks } = await habits.engine.read(id, { afterSeq: 0, maxBytes: 100, waitMs: 10_000 });
    expect(Buffer.concat(chunks.map(({ bytes }) => bytes))).toEqual(Buffer.from([0xe2, 0x82]));
    // On a terminal the end of input: a line would be echoed between the halves.
    await habits.engine.write(id, Buffer.from(kind === 'pty' ? '\x04' : '\n'));
    expect((await ended(habits, id)).exit).toEqual({ exitCode: 0, signal: null });
    const all = await habits.engine.read(id, { afterSeq: 0, maxBytes: 100, waitMs: 0 });
    expect(all.chunks.map(({ bytes }) => Buffer.from(bytes))).toEqual([Buffer.from([0xe2, 0x82]), Buffer.from([0xac])]);
  });

  describe.for(livingOn)('that $habit', ({ program, args, ready }) => {
    test('leaves nothing behind when it is terminated, and stays listed', async ({ habits }) => {
      const { id } = await habits.run(kind, program, ...args);
      await habits.printed(id, ready);
      expect(await habits.engine.terminate(id, 'agent')).toBe(true);
      expect(habits.running()).toEqual([]);
      expect((await ended(habits, id)).endedBy).toBe('agent');
    });

    test('leaves nothing behind when its session is closed', async ({ habits }) => {
      const { id } = await habits.run(kind, program, ...args);
      await habits.printed(id, ready);
      await habits.engine.close(id, 'person');
      expect(habits.running()).toEqual([]);
      expect((await habits.engine.list()).map((session) => session.id)).not.toContain(id);
      await habits.othersAnswer();
    });
  });
});

describe('a terminal', () => {
  test("that a child changed before it died is that child's own", async ({ habits }) => {
    const before = terminalSettings(habits.witness.pid);
    const { id } = await habits.run('pty', 'changes-termios.py');
    expect(await ended(habits, id)).toEqual({ exit: { exitCode: null, signal: 'SIGKILL' }, endedBy: 'child' });
    // Raw: the newline came as it was printed.
    expect((await habits.bytes(id)).toString()).toBe('raw\n');
    expect(terminalSettings(habits.witness.pid)).toBe(before);
    const next = await habits.start(['/bin/sh', '-c', 'stty -g']);
    await habits.closed(next.id);
    expect((await habits.text(next.id)).trim()).toBe(before.trim());
  });

  test('is what a child on pipes has not got', async ({ habits }) => {
    const { id } = await habits.run('pipe', 'changes-termios.py');
    expect(await ended(habits, id)).toEqual({ exit: { exitCode: 1, signal: null }, endedBy: 'child' });
  });
});

describe('disposing of the engine', () => {
  test('A12: ends every child, whatever its habits', async ({ habits }) => {
    const children = kinds.flatMap((kind) => livingOn.map((habit) => ({ kind, ...habit })));
    await Promise.all(
      children.map(async ({ kind, program, args, ready }) => {
        const { id } = await habits.run(kind, program, ...args);
        await habits.printed(id, ready);
      }),
    );
    expect(habits.running().length).toBeGreaterThanOrEqual(children.length);
    await habits.engine.dispose();
    expect(habits.running()).toEqual([]);
    expect(await habits.engine.list()).toEqual([]);
  });
});

/** Resolves when the child has ended, whatever becomes of its output. */
async function exited(habits: HabitWorld, id: SessionId): Promise<void> {
  for (let afterSeq = 0; ;) {
    const { exit, nextSeq } = await habits.engine.read(id, { afterSeq, maxBytes: 1_000_000, waitMs: 10_000 });
    if (exit !== null) {
      return;
    }
    afterSeq = nextSeq - 1;
  }
}
