import { accessSync, constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './backend/run-program.ts';
import type { SandboxMachine } from './sandbox/sandbox-report.ts';

/** Where the system keeps programs. PATH may name folders that an agent writes to. */
const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/run/current-system/sw/bin'];

/** A sandbox with nothing in it starts in some milliseconds; what takes longer hangs. Milliseconds. */
const TRIAL_TIMEOUT_MS = 10_000;

/** The machine that this process runs on, for a look whether it can fence commands in. */
export const thisMachine: SandboxMachine = {
  platform: process.platform,
  isRoot: process.geteuid?.() === 0,
  find: (program) => SYSTEM_FOLDERS.map((folder) => join(folder, program)).find(isExecutable) ?? null,
  run: (program, args) => runProgram(program, args, TRIAL_TIMEOUT_MS),
  read: (path) => readFile(path, 'utf8').catch(() => null),
};

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there or not ours to run: the next place is tried.
    return false;
  }
}
