import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseStatBytes, readStat, type ProcessStat } from './process-stat.ts';

/** One process of the system at the moment of the look. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  /** Id of its process group; 0 when not known. */
  readonly groupId: number;
  /** Id of its session (setsid(2)), which is the pid of the session's leader. */
  readonly sessionId: number;
  /** Id of the process group that its terminal's keyboard belongs to; null without a terminal, or when not known. */
  readonly foregroundGroup: number | null;
  /** Its controlling terminal as the kernel numbers it (`terminalNumber`); null without one, or when not known. */
  readonly terminal: number | null;
  /** Differs between two processes that had the same pid one after the other. Comparable only on one machine. */
  readonly startTime: string;
  /** It has ended and waits to be reaped. */
  readonly zombie: boolean;
  /** It is stopped by a signal and runs nothing until it is continued or killed. */
  readonly stopped: boolean;
}

/** What tells one process from all others on a machine until it restarts. */
export type ProcessIdentity = Pick<ProcessEntry, 'pid' | 'startTime'>;

/**
 * Least time between two looks, in milliseconds: a hundred sessions that end at once look together. A look costs about
 * 1 ms per 100 processes and blocks meanwhile; reading all files side by side would need as many descriptors.
 */
const LOOK_AT_MOST_EVERY_MS = 5;

/** `PF_KTHREAD` among the flags of a process (include/linux/sched.h). */
const KERNEL_THREAD_FLAG = 0x0020_0000;

/** The first of the eight major numbers of pty slaves, 256 terminals each (Documentation/admin-guide/devices.txt). */
const PTY_SLAVE_MAJOR = 136;

/** All processes but the kernel's own threads, at one look. */
export interface ProcessTable {
  readonly entries: readonly ProcessEntry[];
  /**
   * No process was started while this was looked at, so that none is missing. Else one may be: forked after the
   * numbers were listed, by a parent that ended before its own line was read. Elsewhere than on Linux always true: ps(1) asks the kernel once
   * for all (`KERN_PROC` of sysctl(3) on macOS).
   */
  readonly isComplete: boolean;
}

let nextLook: Promise<ProcessTable> | null = null;
let lastLookAtMs = Number.NEGATIVE_INFINITY;

/**
 * All processes, as they are after the call: from /proc on Linux, from ps(1) elsewhere. Who asks before the look is
 * taken shares it; one from before would not know a child that was just started. Rejects with what the system says
 * when it cannot be told (out of descriptors): an empty answer would mean that nothing runs.
 */
export function lookAtProcesses(): Promise<ProcessTable> {
  nextLook ??= delay(Math.max(0, lastLookAtMs + LOOK_AT_MOST_EVERY_MS - performance.now())).then(() => {
    nextLook = null;
    lastLookAtMs = performance.now();
    return process.platform === 'linux' ? readProc() : { entries: readPs(), isComplete: true };
  });
  return nextLook;
}

/** The entries of `lookAtProcesses`. */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  return (await lookAtProcesses()).entries;
}

/** One process, or null when it has ended. On Linux only; elsewhere always null. */
export function lookAtProcess(pid: number): ProcessEntry | null {
  const stat = process.platform === 'linux' ? readStat(pid) : null;
  return stat === null ? null : entryOf(stat);
}

/**
 * True while the process runs: the number was not given to another one, and it is no zombie. On Linux only; elsewhere
 * always false.
 */
export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  const entry = lookAtProcess(pid);
  return entry !== null && entry.startTime === startTime && !entry.zombie;
}

/** One text for each process, for sets and maps. */
export function identityKey({ pid, startTime }: ProcessIdentity): string {
  return `${pid} ${startTime}`;
}

/**
 * The number by which /proc/PID/stat names the terminal of a path such as /dev/pts/7; null for any other path. The
 * lower byte of the minor number stays below the major one, the rest goes above it (`new_encode_dev` in
 * include/linux/kdev_t.h).
 */
export function terminalNumber(slavePath: string): number | null {
  const match = /^\/dev\/pts\/(\d+)$/.exec(slavePath);
  if (match === null) {
    return null;
  }
  const index = Number(match[1]);
  return (PTY_SLAVE_MAJOR + Math.floor(index / 256)) * 256 + (index % 256);
}

/**
 * True for a shell with job control: it does not die of SIGTERM and may not be stopped by its terminal (SIGTTOU), as
 * bash, zsh and others set it up when they are interactive. On Linux only; elsewhere always false.
 */
export function isInteractiveShell(pid: number): boolean {
  const status = process.platform === 'linux' ? readOrGone(`/proc/${pid}/status`) : null;
  return status !== null && isJobControlStatus(status);
}

/** The rule of `isInteractiveShell` for the text of /proc/PID/status (proc(5)). */
export function isJobControlStatus(status: string): boolean {
  const mask = (name: string) => BigInt(`0x${new RegExp(`^${name}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1] ?? '0'}`);
  const has = (set: bigint, signal: number) => (set >> BigInt(signal - 1)) % 2n === 1n;
  const ignored = mask('SigIgn');
  const handled = ignored | mask('SigCgt');
  return has(handled, constants.signals.SIGTERM) && has(ignored, constants.signals.SIGTTOU);
}

/**
 * Fields of one /proc/PID/stat from the third on, which proc(5) counts from 1: state, ppid, pgrp, session, tty_nr,
 * tpgid … starttime (22). The second field is the program's name in brackets and may hold anything.
 */
export function statFields(stat: string): readonly string[] {
  const nameEnd = stat.lastIndexOf(')');
  return nameEnd === -1 ? [] : stat.slice(nameEnd + 2).split(' ');
}

/** The text of one /proc/PID/stat as an entry; null when it is none. */
export function parseStat(stat: string): ProcessEntry | null {
  const bytes = Buffer.from(stat);
  const read = parseStatBytes(bytes, bytes.length);
  return read === null ? null : entryOf(read);
}

function entryOf(stat: ProcessStat): ProcessEntry {
  const { pid, state, parentPid, groupId, sessionId, foregroundGroup, terminal, startTime } = stat;
  return {
    pid,
    parentPid,
    groupId,
    sessionId,
    foregroundGroup: foregroundGroup > 0 ? foregroundGroup : null,
    terminal: terminal === 0 ? null : terminal,
    startTime: String(startTime),
    zombie: state === 'Z' || state === 'X',
    stopped: state === 'T',
  };
}

/** By the flags of a process: a thread of the kernel. No session has any, it has no environment and takes no signals. */
export function isOfKernel(flags: number): boolean {
  return Math.floor(flags / KERNEL_THREAD_FLAG) % 2 === 1;
}

function readProc(): ProcessTable {
  const newestBefore = newestPid();
  const entries: ProcessEntry[] = [];
  // The youngest first, as a rule: of a chain of processes that fork and end, the last one still runs then.
  for (const name of readdirSync('/proc').toReversed()) {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? readStat(pid) : null;
    if (stat !== null && !isOfKernel(stat.flags)) {
      entries.push(entryOf(stat));
    }
  }
  return { entries: entries.reverse(), isComplete: newestBefore !== null && newestBefore === newestPid() };
}

/** The number that was given away last: the last field of /proc/loadavg (proc(5)). */
function newestPid(): string | null {
  return readOrGone('/proc/loadavg')?.trim().split(' ').at(-1) ?? null;
}

/** The file of a process, or null when the process has ended since it was listed. */
export function readOrGone(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') {
      return null;
    }
    throw error;
  }
}

function readPs(): readonly ProcessEntry[] {
  // lstart has spaces, so it comes last.
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid=,pgid=,sess=,state=,lstart='], { encoding: 'utf8' });
  return lines.split('\n').flatMap(parsePsLine);
}

function parsePsLine(line: string): ProcessEntry[] {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
  if (match === null) {
    return [];
  }
  const [, pid = '', parentPid = '', groupId = '', sessionId = '', state = '', startTime = ''] = match;
  return [
    {
      pid: Number(pid),
      parentPid: Number(parentPid),
      groupId: Number(groupId),
      // macOS prints the session as an address, 0 for most: descendants are found by their parents there.
      sessionId: Number.parseInt(sessionId, 10) || 0,
      foregroundGroup: null,
      terminal: null,
      startTime,
      zombie: state.startsWith('Z'),
      stopped: state.startsWith('T'),
    },
  ];
}
