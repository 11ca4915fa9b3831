import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { promisify } from 'node:util';

/** One process of the system at the moment of the look. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  /** Id of its session (setsid(2)), which is the pid of the session's leader. */
  readonly sessionId: number;
  /** Id of the process group that its terminal's keyboard belongs to; null without a terminal, or when not known. */
  readonly foregroundGroup: number | null;
  /** Differs between two processes that had the same pid one after the other. Comparable only on one machine. */
  readonly startTime: string;
  /** It has ended and waits to be reaped. */
  readonly zombie: boolean;
}

const execFileAsync = promisify(execFile);

/** All processes: from /proc on Linux, from ps(1) elsewhere. */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  if (process.platform !== 'linux') {
    // lstart has spaces, so it comes last.
    const { stdout } = await execFileAsync('ps', ['-axo', 'pid=,ppid=,sess=,state=,lstart=']);
    return stdout.split('\n').flatMap(parsePsLine);
  }
  const names = await readdir('/proc');
  const entries = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(readStat));
  return entries.filter((entry) => entry !== null);
}

/** One process, or null when it has ended. On Linux only; elsewhere always null. */
export async function lookAtProcess(pid: number): Promise<ProcessEntry | null> {
  return process.platform === 'linux' ? readStat(String(pid)) : null;
}

/**
 * True for a shell with job control: it does not die of SIGTERM and may not be stopped by its terminal (SIGTTOU), as
 * bash, zsh and others set it up when they are interactive. On Linux only; elsewhere always false.
 */
export async function isInteractiveShell(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') {
    return false;
  }
  try {
    return isJobControlStatus(await readFile(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // It ended since it was listed.
    return false;
  }
}

/** The rule of `isInteractiveShell` for the text of /proc/PID/status (proc(5)). */
export function isJobControlStatus(status: string): boolean {
  const mask = (name: string) => BigInt(`0x${new RegExp(`^${name}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1] ?? '0'}`);
  const has = (set: bigint, signal: number) => (set >> BigInt(signal - 1)) % 2n === 1n;
  const ignored = mask('SigIgn');
  const handled = ignored | mask('SigCgt');
  return has(handled, constants.signals.SIGTERM) && has(ignored, constants.signals.SIGTTOU);
}

async function readStat(pid: string): Promise<ProcessEntry | null> {
  try {
    return parseStat(await readFile(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // It ended between the listing and the look.
    return null;
  }
}

/** Reads one /proc/PID/stat (proc(5)). The second field is the program's name in brackets and may hold anything. */
export function parseStat(stat: string): ProcessEntry | null {
  const nameEnd = stat.lastIndexOf(')');
  // Fields from the third on, counted from 1 in proc(5): state, ppid, pgrp, session, tty_nr, tpgid … starttime (22).
  const [state, parentPid, , sessionId, , foregroundGroup, ...rest] = stat.slice(nameEnd + 2).split(' ');
  const startTime = rest[22 - 9];
  if (nameEnd === -1 || startTime === undefined) {
    return null;
  }
  return {
    pid: Number.parseInt(stat, 10),
    parentPid: Number(parentPid),
    sessionId: Number(sessionId),
    foregroundGroup: Number(foregroundGroup) > 0 ? Number(foregroundGroup) : null,
    startTime,
    zombie: state === 'Z' || state === 'X',
  };
}

function parsePsLine(line: string): ProcessEntry[] {
  const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
  if (match === null) {
    return [];
  }
  const [, pid = '', parentPid = '', sessionId = '', state = '', startTime = ''] = match;
  return [
    {
      pid: Number(pid),
      parentPid: Number(parentPid),
      // macOS prints the session as an address, 0 for most: descendants are found by their parents there.
      sessionId: Number.parseInt(sessionId, 10) || 0,
      foregroundGroup: null,
      startTime,
      zombie: state.startsWith('Z'),
    },
  ];
}
