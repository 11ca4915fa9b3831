import { readlinkSync, realpathSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import type { SessionFolder, WaitingFor } from '../../shared/session.ts';
import { isInteractiveShell, lookAtProcess, type ProcessIdentity } from '../backend/process-table.ts';
import type { Leader } from '../backend/process-tree.ts';
import type { ToldFolder } from '../terminal/folder-note.ts';

export interface ShellFolderOptions {
  /** What was started. */
  readonly leader: Leader;
  /** Whether it sees the files that we see: in a sandbox the same path may be another folder. */
  readonly sharesFiles: boolean;
  /** What its programs say, and the way to forget that. */
  readonly told: () => ToldFolder | null;
  readonly forgetTold: () => void;
}

/**
 * Where a session's shell is. Nothing is guessed from what was typed:
 *
 * - the system tells the folder of the shell that was at its prompt last, which may be one inside another, else of the child
 *   (Linux: /proc/PID/cwd, proc(5));
 * - a program tells one (OSC 7). Of another machine that holds, until the shell here is at its prompt again; of this one only
 *   where the system tells nothing.
 *
 * It looks when `look` is called, which costs some 20 microseconds, and asks for nothing by itself.
 */
export class ShellFolder {
  readonly #options: ShellFolderOptions;
  readonly #home = realPath(homedir());
  /** The shell that was at its prompt last. */
  #shell: ProcessIdentity | null = null;
  /** By the system; null where it does not tell. */
  #path: string | null = null;
  #wasAsked = false;
  #last: SessionFolder | null = null;

  constructor(options: ShellFolderOptions) {
    this.#options = options;
  }

  /** Null where nothing is known. The same object while it is the same folder. */
  get current(): SessionFolder | null {
    const now = this.#found();
    if (now?.path !== this.#last?.path || now?.host !== this.#last?.host) {
      this.#last = now;
    }
    return this.#last;
  }

  /** Looks anew, knowing what the child waits for. */
  look({ kind, pid }: WaitingFor): void {
    const { leader, sharesFiles, forgetTold } = this.#options;
    this.#wasAsked = true;
    if (!sharesFiles) {
      return;
    }
    if (kind === 'repl' && pid !== null && isInteractiveShell(pid)) {
      this.#shell = identityOf(pid);
      const path = folderOf(this.#shell);
      if (path !== null) {
        // What was told is older, or by somebody who has ended.
        forgetTold();
        this.#path = path;
        return;
      }
    }
    this.#path = folderOf(this.#shell) ?? folderOf(leader) ?? this.#path;
  }

  #found(): SessionFolder | null {
    const told = this.#options.told();
    const isElsewhere = told !== null && !isThisMachine(told.host);
    if (isElsewhere) {
      return { path: told.path, host: told.host, isHome: false };
    }
    // What the system is yet to be asked for is not taken from somebody who may be wrong.
    const path = this.#path ?? (this.#wasAsked ? (told?.path ?? null) : null);
    return path === null ? null : { path, host: null, isHome: path === this.#home };
  }
}

/** The folder of a process; null when it has ended, is another user's, or the system does not tell. */
function folderOf(process: Leader | null): string | null {
  if (process === null || process.startTime === null) {
    return null;
  }
  try {
    const path = readlinkSync(`/proc/${process.pid}/cwd`);
    // Asked last: the path is of the process that has this start time. Of what is mounted elsewhere no path is told.
    return path.startsWith('/') && identityOf(process.pid)?.startTime === process.startTime ? path : null;
  } catch {
    return null;
  }
}

function identityOf(pid: number): ProcessIdentity | null {
  try {
    return lookAtProcess(pid);
  } catch {
    // Out of descriptors: not known this time.
    return null;
  }
}

/** Names are told with and without their domain. */
function isThisMachine(host: string): boolean {
  const short = (name: string): string => name.toLowerCase().replace(/\..*$/s, '');
  return host === '' || host === 'localhost' || short(host) === short(hostname());
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
