import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createEngine } from '../../src/engine/engine.ts';
import { Random } from '../random.ts';
import { holdings, leftSince, type Holdings } from './leftovers.ts';
import { courseOfMemory, type MemoryCourse, type MemorySample } from './memory.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { planSession } from './plan.ts';
import { SoakSession } from './soak-session.ts';
import { Tally } from './tally.ts';

/** A fault that is made in the harness, to see the soak find it. */
export const plants = ['loss', 'gap', 'descriptor', 'child', 'timer'] as const;
export type Plant = (typeof plants)[number];

export interface SoakOptions {
  readonly seconds: number;
  /** Live at any time. */
  readonly sessions: number;
  /** Of all choices. */
  readonly seed: number;
  readonly plant: Plant | null;
  /** Gets one line about every ten seconds. */
  readonly onProgress: (line: string) => void;
}

export interface SoakResult {
  readonly tally: Tally;
  readonly left: Holdings;
  readonly memory: MemoryCourse | null;
  /** 99th percentile of what the event loop was late, in milliseconds: part of each latency. */
  readonly loopDelayMs: number;
  readonly seconds: number;
}

/** Retained per session, in bytes: little, so that readers that are slow fall behind. */
const RETAINED_BYTES = 256 * 1024;

/** Of all transcripts: little, so that the oldest leave all the time. */
const BYTES_ON_DISK = 256 * 1024 * 1024;

/** A run that is shorter has shorter sessions, so that it sees their ends too. */
const FULL_PACE_SECONDS = 30;

const PROGRESS_EVERY_MS = 10_000;
const SAMPLE_EVERY_MS = 1_000;

/** The session that a loss is planted in. */
const LOSSY_SESSION = 2;

/** Keeps so many sessions going for so long, then disposes of the engine under them and looks what is left. */
export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const mark = `SHELLSCOPE_SOAK=${randomUUID()}`;
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
  const folder = await mkdtemp(join(tmpdir(), 'shellscope-soak-'));
  await openFirstStream();
  const before = holdings(mark);
  const removePlant = plantFault(options.plant, mark);
  const tally = new Tally();
  const samples: MemorySample[] = [];
  const loop = monitorEventLoopDelay({ resolution: 5 });
  try {
    loop.enable();
    const startedAt = performance.now();
    await keepGoing(options, tally, { mark, python, folder, samples });
    loop.disable();
    return {
      tally,
      left: await leftSince(before, mark),
      memory: courseOfMemory(samples),
      loopDelayMs: loop.percentile(99) / 1e6,
      seconds: (performance.now() - startedAt) / 1_000,
    };
  } finally {
    removePlant();
    await rm(folder, { recursive: true });
  }
}

/**
 * libuv keeps a spare descriptor (/dev/null) from the first stream of a loop on, for accept(2) when there are no others
 * (uv__stream_init). It is nobody's leftover. Where stdout is a pipe it is there already.
 */
async function openFirstStream(): Promise<void> {
  await once(spawn('true', { stdio: 'pipe' }), 'close');
}

async function keepGoing(
  { seconds, sessions, seed, plant, onProgress }: SoakOptions,
  tally: Tally,
  { mark, python, folder, samples }: { mark: string; python: string; folder: string; samples: MemorySample[] },
): Promise<void> {
  const [markName = '', markValue = ''] = mark.split('=');
  const random = new Random(seed);
  const engine = createEngine({
    hostEnvironment: {},
    retainedBytes: RETAINED_BYTES,
    transcripts: { folder: join(folder, 'transcripts'), bytesInAll: BYTES_ON_DISK },
  });
  const checks = new OneAtATime();
  const live = new Map<SoakSession, Promise<void>>();
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const isOver = () => elapsedMs() >= seconds * 1_000;
  let number = 0;
  let faultsShown = 0;
  const open = () => {
    number += 1;
    const session = new SoakSession({
      engine,
      tally,
      plan: planSession(number, random, Math.min(1, seconds / FULL_PACE_SECONDS)),
      python,
      folder,
      environment: { [markName]: markValue },
      checks,
      planted: {
        droppedBytes: plant === 'loss' && number === LOSSY_SESSION ? 1 : 0,
        gapErrorBytes: plant === 'gap' ? 1 : 0,
      },
    });
    const run = session.run().then(() => {
      live.delete(session);
      if (!isOver()) {
        open();
      }
    });
    live.set(session, run);
  };
  for (let count = 0; count < sessions; count += 1) {
    open();
  }
  for (let nextProgressMs = PROGRESS_EVERY_MS; !isOver();) {
    await delay(Math.min(SAMPLE_EVERY_MS, Math.max(0, seconds * 1_000 - elapsedMs())));
    samples.push({ atMs: elapsedMs(), bytes: process.memoryUsage.rss() });
    if (elapsedMs() >= nextProgressMs) {
      nextProgressMs += PROGRESS_EVERY_MS;
      onProgress(progressLine(elapsedMs(), live.size, tally, samples));
      for (const fault of tally.told.slice(faultsShown)) {
        onProgress(`       ${fault}`);
      }
      faultsShown = tally.told.length;
    }
  }
  for (const session of live.keys()) {
    session.engineEnds();
  }
  await engine.dispose();
  await Promise.all(live.values());
}

function progressLine(elapsedMs: number, live: number, tally: Tally, samples: readonly MemorySample[]): string {
  const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
  return [
    `${String(Math.round(elapsedMs / 1_000)).padStart(4)} s`,
    `${live} live`,
    `${tally.ended} ended`,
    `${mib(tally.bytesBySum)} by checksum`,
    `${mib(tally.bytesByPlace)} by place`,
    `${tally.gaps} gaps`,
    `${tally.faults} faults`,
    `RSS ${mib(samples.at(-1)?.bytes ?? 0)}`,
  ].join('  ');
}

/** Makes the fault, where it is one of this process's own; answers the function that takes it away again. */
function plantFault(plant: Plant | null, mark: string): () => void {
  switch (plant) {
    case 'descriptor':
      openSync('/dev/null', 'r');
      return () => {};
    case 'timer': {
      const timer = setTimeout(() => {}, 2 ** 31 - 1);
      return () => clearTimeout(timer);
    }
    case 'child': {
      const [name = '', value = ''] = mark.split('=');
      const child = spawn('sleep', ['600'], {
        stdio: 'ignore',
        detached: true,
        env: { PATH: '/usr/bin:/bin', [name]: value },
      });
      // Left running, not held open.
      child.unref();
      return () => child.kill('SIGKILL');
    }
    case 'loss':
    case 'gap':
    case null:
      return () => {};
  }
}
