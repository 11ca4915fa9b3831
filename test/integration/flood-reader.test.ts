import { createHash } from 'node:crypto';
import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ChildProcess } from '../../src/engine/backend/backend.ts';
import { FloodReader } from '../../src/engine/backend/flood-reader.ts';
import { ForkServer } from '../../src/engine/backend/fork-server.ts';
import { forkPty } from '../../src/engine/backend/native-pty.ts';
import { startPtyBy } from '../../src/engine/backend/pty-backend.ts';
import type { ExitStatus } from '../../src/shared/session.ts';
import { test as engineTest } from '../support/engine-world.ts';
import { until } from '../support/tree-world.ts';

const SIZE = { cols: 80, rows: 24 };

/** Milliseconds. It takes 3 s; a machine that does much else prints no flood for a while. */
const BUSY_TIMEOUT_MS = 60_000;

/** Prints some 19 MB as fast as they are taken, of which each line is another. */
const LINES = 2_500_000;
const PRINTED = Buffer.from(`${Array.from({ length: LINES }, (_each, index) => index + 1).join('\n')}\n`);
const PRINTS_LINES = `stty -onlcr; seq ${LINES}`;

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

interface Started {
  readonly child: ChildProcess;
  /** What happened, in order: bytes between two ends are one entry. */
  readonly events: string[];
  readonly printed: () => Buffer;
  readonly byteCount: () => number;
  readonly exited: Promise<ExitStatus>;
  readonly closed: Promise<void>;
}

let server: ForkServer;
beforeAll(() => {
  const started = ForkServer.start(null);
  if (started === null) {
    throw new Error('there is no fork server: npm run build');
  }
  server = started;
});
afterAll(() => server.dispose());

/** Whatever is left of it is killed after the test. */
async function start(
  script: string,
  onOutput: (child: () => Started['child']) => void = () => {},
  isAwaited = true,
): Promise<Started> {
  const pieces: Buffer[] = [];
  let byteCount = 0;
  const events: string[] = [];
  let tellExited: (exit: ExitStatus) => void = () => {};
  let tellClosed = () => {};
  const exited = new Promise<ExitStatus>((resolve) => {
    tellExited = resolve;
  });
  const closed = new Promise<void>((resolve) => {
    tellClosed = resolve;
  });
  const request = { program: 'bash', file: '/bin/bash', arg0: 'bash', args: ['--norc', '-c', script] };
  const spawnRequest = { ...request, cwd: '/', env: { PATH: '/usr/bin:/bin' } };
  const child = await startPtyBy(server, spawnRequest, SIZE, {
    output: (_stream, bytes) => {
      pieces.push(Buffer.from(bytes));
      byteCount += bytes.length;
      if (events.at(-1) !== 'output') {
        events.push('output');
      }
      onOutput(() => child);
    },
    exited: (exit) => {
      events.push('exited');
      tellExited(exit);
    },
    isAwaited: () => isAwaited,
    closed: () => {
      events.push('closed');
      tellClosed();
    },
  });
  onTestFinished(() => {
    child.dispose();
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended, as most do.
    }
  });
  return { child, events, printed: () => Buffer.concat(pieces), byteCount: () => byteCount, exited, closed };
}

/** Children of this process that read a flood. Looked up for each piece of a flood, so that it must cost little. */
function readers(): readonly number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'latin1');
  return children.split(' ').filter(isReader).map(Number);
}

/** The only other child of this process that runs throughout. */
function serverPid(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'latin1').trim().split(' ');
  return Number(children.find((pid) => isProgram(pid, 'launch')));
}

const isReader = (pid: string) => isProgram(pid, 'flood-reader');

function isProgram(pid: string, name: string): boolean {
  try {
    return pid !== '' && readFileSync(`/proc/${pid}/stat`, 'latin1').startsWith(`${pid} (${name}) `);
  } catch {
    return false;
  }
}

/** Takes a note when a reader was there. */
function watched() {
  let count = 0;
  return {
    look: () => {
      count = Math.max(count, readers().length);
    },
    count: () => count,
  };
}

describe('a flood through a terminal', () => {
  test('is read by a process of its own, whole and in order, and that process goes with it', async () => {
    const seen = watched();
    const { events, printed, exited, closed } = await start(`${PRINTS_LINES}; exit 7`, seen.look);
    expect(await exited).toEqual({ exitCode: 7, signal: null });
    await closed;
    expect(seen.count()).toBe(1);
    expect(hash(printed())).toBe(hash(PRINTED));
    expect(events).toEqual(['output', 'exited', 'closed']);
    await until(() => readers().length === 0, 'the end of its reader');
  });

  test('is left to this process again when it is over, and the next one has a reader again', async () => {
    const seen = watched();
    const { child, printed, byteCount, closed } = await start(
      `${PRINTS_LINES}; read -r line; echo "got $line"; read -r; ${PRINTS_LINES}`,
      seen.look,
    );
    await until(() => byteCount() >= PRINTED.length, 'the first flood');
    await until(() => readers().length === 0, 'the end of its reader');
    await child.write(Buffer.from('hello\n'), null);
    await until(() => printed().subarray(PRINTED.length).includes('got hello'), 'the answer');
    expect(readers()).toEqual([]);
    const before = seen.count();
    await child.write(Buffer.from('\n'), null);
    await closed;
    expect(before).toBe(1);
    expect(hash(printed().subarray(-PRINTED.length))).toBe(hash(PRINTED));
  });

  test('that nobody waits for is read by this process', async () => {
    const seen = watched();
    const { printed, closed } = await start(PRINTS_LINES, seen.look, false);
    await closed;
    expect(seen.count()).toBe(0);
    expect(hash(printed())).toBe(hash(PRINTED));
  });

  test('stands still while it is held, and loses nothing', async () => {
    let held: (() => void) | null = null;
    let atMs = 0;
    let whileHeld = 0;
    const { child, printed, closed } = await start(PRINTS_LINES, (started) => {
      if (held !== null) {
        whileHeld += 1;
      } else if (atMs === 0 && readers().length === 1) {
        atMs = performance.now();
        started().pause();
        held = () => started().resume();
      }
    });
    await until(() => atMs > 0 && performance.now() - atMs > 500, 'half a second after it was held');
    expect(whileHeld).toBe(0);
    whileHeld = Number.NEGATIVE_INFINITY;
    child.resume();
    await closed;
    expect(hash(printed())).toBe(hash(PRINTED));
  });

  test('of a leader that is killed while it is held is told without a hole', async () => {
    let isHeld = false;
    const { child, events, printed, closed } = await start(
      `stty -echo; ${PRINTS_LINES} & read -r; kill -9 $$`,
      (started) => {
        if (!isHeld && readers().length === 1) {
          isHeld = true;
          started().pause();
        }
      },
    );
    await until(() => isHeld, 'a reader');
    await child.write(Buffer.from('\n'), null);
    await until(() => events.includes('exited'), 'the exit');
    // The terminal is still held by what prints: the rest comes once it is let go.
    child.resume();
    await closed;
    expect(events.at(-1)).toBe('closed');
    const all = printed();
    expect(all.length).toBeGreaterThan(1024 * 1024);
    expect(hash(all)).toBe(hash(PRINTED.subarray(0, all.length)));
  });

  test('goes on after the exit where something else prints it, and then it is closed', async () => {
    const { events, printed, exited, closed } = await start(`trap '' HUP; ${PRINTS_LINES} & exit 3`);
    expect(await exited).toEqual({ exitCode: 3, signal: null });
    await closed;
    expect(hash(printed())).toBe(hash(PRINTED));
    expect(events.slice(-2)).toEqual(['output', 'closed']);
  });

  test('is let go of at once', async () => {
    let isReading = false;
    const { child, exited } = await start(`${PRINTS_LINES}; sleep 1000`, () => {
      isReading ||= readers().length === 1;
    });
    await until(() => isReading, 'a reader');
    child.dispose();
    await until(() => readers().length === 0, 'the end of its reader');
    expect(await exited).toEqual({ exitCode: null, signal: 'SIGHUP' });
  });

  test('goes on without a reader that somebody killed', async () => {
    let killed = 0;
    const { exited, closed } = await start(`${PRINTS_LINES}; exit 4`, () => {
      const [reader] = killed === 0 ? readers() : [];
      if (reader !== undefined) {
        killed = reader;
        process.kill(reader, 'SIGKILL');
      }
    });
    expect(await exited).toEqual({ exitCode: 4, signal: null });
    await closed;
    expect(killed).toBeGreaterThan(0);
  });

  test('beside eight others that have a reader has none, and is whole', { timeout: BUSY_TIMEOUT_MS }, async () => {
    const held: Started['child'][] = [];
    while (held.length < 8) {
      held.push(
        await new Promise<Started['child']>((resolve) => {
          void start('while :; do seq 100000; done', (child) => {
            if (readers().length > held.length) {
              child().pause();
              resolve(child());
            }
          });
        }),
      );
    }
    const seen = watched();
    const { printed, closed } = await start(PRINTS_LINES, seen.look);
    await closed;
    expect(seen.count()).toBe(8);
    expect(hash(printed())).toBe(hash(PRINTED));
    held.forEach((child) => child.dispose());
    await until(() => readers().length === 0, 'the end of the readers');
  });
});

describe('a reader', () => {
  test('that was told to stop ends, though it is held meanwhile', async () => {
    const { fd, pid } = forkPty(
      { file: '/bin/sh', args: ['-c', 'while :; do seq 100000; done'], env: [], cwd: '/', ...SIZE },
      () => {},
    );
    onTestFinished(() => {
      process.kill(pid, 'SIGKILL');
      closeSync(fd);
    });
    let reader: FloodReader | null = null;
    let tellEnded = () => {};
    const ended = new Promise<void>((resolve) => {
      tellEnded = resolve;
    });
    await FloodReader.start(server, () => fd, {
      started: (started) => {
        reader = started;
      },
      output: () => reader?.pause(),
      ended: tellEnded,
    });
    await until(() => readers().length === 1, 'the reader');
    const [readerPid = 0] = readers();
    // It can hand on nothing more.
    await until(() => readFileSync(`/proc/${readerPid}/wchan`, 'latin1').includes('pipe'), 'a full pipe');
    (reader as FloodReader | null)?.stop();
    await ended;
    await until(() => readers().length === 0, 'its end');
  });
});

describe('where there is no reader', () => {
  const events = { started: () => {}, output: () => {}, ended: () => {} };
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const ofServer = () => readdirSync(`/proc/${serverPid()}/fd`).length;

  test('since the terminal is not to be read any more, nothing is left open, however often', async () => {
    const [before, beforeOfServer] = [descriptors(), ofServer()];
    for (let times = 0; times < 20; times += 1) {
      expect(await FloodReader.start(server, () => null, events)).toBe(false);
    }
    expect(descriptors()).toBe(before);
    await until(() => ofServer() === beforeOfServer, 'the server to close what the host has taken');
    expect(readers()).toEqual([]);
  });

  test('since its server has ended, the host reads on', async () => {
    const over = ForkServer.start(null);
    await over?.dispose();
    for (let times = 0; times < 20; times += 1) {
      expect(over && (await FloodReader.start(over, () => 0, events))).toBe(false);
    }
  });
});

describe('the flood of a session', () => {
  for (const [whom, holdsChildMs, readerCount] of [
    ['a follower that takes every byte has a reader, and it gets each', 10_000, 1],
    ['one that takes what it can has none', 0, 0],
  ] as const) {
    engineTest(`with ${whom}`, async ({ world }) => {
      const seen = watched();
      const pieces: Buffer[] = [];
      const { id } = await world.start(['/bin/bash', '--norc', '-c', `read -r; ${PRINTS_LINES}`]);
      const isClosed = new Promise<void>((resolve) => {
        const handle = world.engine.follow(id, {
          afterSeq: 0,
          creditBytes: 1024 * 1024,
          holdsChildMs,
          onEvent: (event) => {
            if (event.kind === 'output') {
              seen.look();
              pieces.push(Buffer.from(event.bytes));
              handle.ack(event.offset + event.bytes.length);
            } else if (event.kind === 'closed') {
              resolve();
            }
          },
        });
      });
      await world.engine.write(id, Buffer.from('\n'));
      await isClosed;
      expect(seen.count()).toBe(readerCount);
      expect(hash(Buffer.concat(pieces).subarray(-PRINTED.length))).toBe(hash(PRINTED));
    });
  }
});
