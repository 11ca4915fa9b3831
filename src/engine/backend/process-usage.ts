import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isOfKernel } from './process-table.ts';

/** What one process uses, at the moment of the look. */
export interface ProcessUsage {
  readonly pid: number;
  readonly parentPid: number;
  /** Id of its session (setsid(2)), which is the pid of the session's leader. */
  readonly sessionId: number;
  /** As `ProcessEntry.startTime`: differs between two processes that had the same pid one after the other. */
  readonly startTime: string;
  /** It has ended and waits to be reaped. Its CPU time still counts, and it still holds a place. */
  readonly zombie: boolean;
  /** CPU time of its own threads, user and system, in milliseconds, in steps of 10. */
  readonly cpuMs: number;
  /**
   * CPU time of its children that ended and that it waited for, and of theirs, in milliseconds. Children that a parent
   * does not wait for are in nobody's. 0 on macOS, whose ps does not tell it.
   */
  readonly childrenCpuMs: number;
  /**
   * Memory that is in RAM, in bytes. What is shared with other processes counts in each of them, so that a sum may be
   * far above what is used; see `proportionalBytes`.
   */
  readonly residentBytes: number;
}

/**
 * Ticks per second of the times in /proc/PID/stat (proc(5)). USER_HZ, which is 100 on every architecture that Node runs
 * on, whatever the kernel's own tick is.
 */
const TICKS_PER_SECOND = 100;

/** Processes read in one go before other work may come in between: 1 to 5 ms. */
const PROCESSES_PER_TURN = 100;

/** Time that ps(1) may take, in milliseconds. */
const PS_PATIENCE_MS = 5_000;

/** AT_PAGESZ of getauxval(3). */
const AUXV_PAGE_SIZE = 6n;

/**
 * All processes and what they use: from /proc on Linux, from ps(1) on macOS and other Unixes; null on Windows, where
 * it is not told. On Linux it costs 1 to 5 ms per 100 processes, in slices. Rejects with what the system says when
 * it cannot be told (out of descriptors).
 */
export async function readProcessUsage(): Promise<readonly ProcessUsage[] | null> {
  if (process.platform === 'linux') {
    return readProc();
  }
  return process.platform === 'win32' ? null : readPs();
}

/**
 * Memory of some processes with each shared page counted once in all, as a sum of shares (PSS of
 * /proc/PID/smaps_rollup, proc(5)): right also for a parent and its forks. The kernel walks all pages for it: 35 µs for
 * a small process, 8 ms per GiB in use; this thread does not wait meanwhile. Where it may not be read (another user's
 * process), the resident bytes stand in. Linux only; elsewhere always the resident bytes.
 */
export async function proportionalBytes(processes: readonly ProcessUsage[]): Promise<number> {
  let bytes = 0;
  // One after the other: side by side they would need as many descriptors, for no gain on a busy machine.
  for (const { pid, residentBytes } of processes) {
    bytes += (await readProportional(pid)) ?? residentBytes;
  }
  return bytes;
}

async function readProportional(pid: number): Promise<number | null> {
  if (process.platform !== 'linux') {
    return null;
  }
  try {
    return parseProportional(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It ended since the look: it uses nothing. Anything else: it may not be read.
    return code === 'ENOENT' || code === 'ESRCH' ? 0 : null;
  }
}

/** The line `Pss:` of smaps_rollup, in bytes; null without one. */
export function parseProportional(text: string): number | null {
  const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(text)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

/**
 * Reads one /proc/PID/stat (proc(5)); null when it is not one, and for a thread of the kernel, which is no session's. The
 * name in its second field may hold anything.
 */
export function parseUsage(stat: string, pageBytes: number): ProcessUsage | null {
  const nameEnd = stat.lastIndexOf(')');
  // Counted from 1 in proc(5), where the state is the third.
  const fields = stat.slice(nameEnd + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  const startTime = fields[22 - 3];
  if (nameEnd === -1 || startTime === undefined || fields.length <= 24 - 3 || isOfKernel(field(9))) {
    return null;
  }
  const ticksToMs = 1_000 / TICKS_PER_SECOND;
  return {
    pid: Number.parseInt(stat, 10),
    parentPid: field(4),
    sessionId: field(6),
    startTime,
    zombie: fields[0] === 'Z' || fields[0] === 'X',
    cpuMs: (field(14) + field(15)) * ticksToMs,
    childrenCpuMs: (field(16) + field(17)) * ticksToMs,
    residentBytes: field(24) * pageBytes,
  };
}

/** Reads one line of `ps -axo pid=,ppid=,sess=,state=,rss=,time=,lstart=`; null for what is not one. */
export function parsePsUsage(line: string): ProcessUsage | null {
  const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\d+)\s+([\d:.-]+)\s+(.+?)\s*$/.exec(line);
  if (match === null) {
    return null;
  }
  const [, pid = '', parentPid = '', sessionId = '', state = '', kibibytes = '', time = '', startTime = ''] = match;
  return {
    pid: Number(pid),
    parentPid: Number(parentPid),
    // macOS prints the session as an address, 0 for most.
    sessionId: Number.parseInt(sessionId, 10) || 0,
    startTime,
    zombie: state.startsWith('Z'),
    cpuMs: parsePsTime(time),
    childrenCpuMs: 0,
    residentBytes: Number(kibibytes) * 1024,
  };
}

/** `[days-][hours:]minutes:seconds[.hundredths]` in milliseconds. */
function parsePsTime(time: string): number {
  const [clock = '', days = '0'] = time.split('-').toReversed();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return Math.round((Number(days) * 86_400 + seconds) * 1_000);
}

let pageBytesOfSystem: number | null = null;

/** Bytes of a page of memory: 4,096 on x64, up to 65,536 on arm64. */
function pageBytes(): number {
  pageBytesOfSystem ??= pageBytesOf(readFileSync('/proc/self/auxv'));
  return pageBytesOfSystem;
}

/** The page size out of a 64-bit auxiliary vector (pairs of key and value, getauxval(3)). Exported for its test. */
export function pageBytesOf(auxv: Buffer): number {
  for (let at = 0; at + 16 <= auxv.length; at += 16) {
    if (auxv.readBigUInt64LE(at) === AUXV_PAGE_SIZE) {
      return Number(auxv.readBigUInt64LE(at + 8));
    }
  }
  return 4_096;
}

async function readProc(): Promise<readonly ProcessUsage[]> {
  const bytes = pageBytes();
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found: ProcessUsage[] = [];
  for (let at = 0; at < pids.length; at += PROCESSES_PER_TURN) {
    if (at > 0) {
      await nextTurn();
    }
    for (const pid of pids.slice(at, at + PROCESSES_PER_TURN)) {
      const stat = readOrGone(`/proc/${pid}/stat`);
      const usage = stat === null ? null : parseUsage(stat, bytes);
      if (usage !== null) {
        found.push(usage);
      }
    }
  }
  return found;
}

function readOrGone(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') {
      return null;
    }
    throw error;
  }
}

async function readPs(): Promise<readonly ProcessUsage[]> {
  // lstart has spaces, so it comes last.
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,ppid=,sess=,state=,rss=,time=,lstart='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: PS_PATIENCE_MS,
    // The form of a date is the locale's.
    env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' },
  });
  return stdout.split('\n').flatMap((line) => parsePsUsage(line) ?? []);
}
