import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../shared/logger.ts';
import { TurnoverMap } from '../../shared/turnover.ts';

/** Which process a host is; see `HostIdentity` of the backend, which makes it. */
export interface LedgerHost {
  readonly hostId: string;
  readonly pid: number;
  readonly startTime: string;
  readonly machine: string;
  readonly boot: string | null;
}

/** One session of which something may run. */
export interface LedgerSession {
  readonly sessionId: string;
  /** The leader's. */
  readonly pid: number;
  readonly startTime: string | null;
  readonly mark: string;
}

export interface LedgerRecord extends LedgerHost {
  readonly sessions: readonly LedgerSession[];
}

/** One line of a ledger. */
type LedgerLine =
  | { readonly version: 1; readonly host: LedgerHost }
  | { readonly started: LedgerSession }
  | { readonly ended: string };

/** Only the owner may read and write: what runs here is nobody else's business. */
const OWNER_ONLY = 0o600;

/** Lines of sessions that ended before the file is written anew without them: some 100 kB. */
const MAX_ENDED_LINES = 500;

const ENDING = '.jsonl';

/** Added to the name of a file that is being written anew. */
const DRAFT_ENDING = '.new';

/**
 * What a host started and has not seen the end of, in a file that outlives it: one file per host and run, which only
 * that host writes, so that any number of hosts share a folder. A line per fact, in the file before the call returns.
 *
 * ```
 * {"version":1,"host":{"hostId":…,"pid":…,"startTime":…,"machine":…,"boot":…}}
 * {"started":{"sessionId":…,"pid":…,"startTime":…,"mark":…}}
 * {"ended":"session-1"}
 * ```
 *
 * A line that was cut short, by a full disk or a crash, is skipped by who reads; its session is still found by its
 * mark. Writing never throws after `open`: a full disk must not stop a session, and is told to the log once.
 */
export class ProcessLedger {
  readonly #folder: string;
  readonly #host: LedgerHost;
  readonly #log: Logger;
  readonly #sessions = new TurnoverMap<string, LedgerSession>();
  #fd: number | null;
  #endedLines = 0;
  #isLineOpen = false;
  #hasFailed = false;

  private constructor(folder: string, host: LedgerHost, log: Logger) {
    this.#folder = folder;
    this.#host = host;
    this.#log = log;
    this.#fd = openSync(this.#file, 'wx', OWNER_ONLY);
    this.#append({ version: 1, host });
  }

  /** Begins the file of this host. Throws what the system says when the folder or the file cannot be made. */
  static open(folder: string, host: LedgerHost, log: Logger): ProcessLedger {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return new ProcessLedger(folder, host, log);
  }

  get #file(): string {
    return join(this.#folder, this.#host.hostId + ENDING);
  }

  /** The session's leader runs. */
  sessionStarted(session: LedgerSession): void {
    this.#sessions.set(session.sessionId, session);
    this.#append({ started: session });
  }

  /** Nothing of the session's tree is left; not only its leader has ended. */
  sessionEnded(sessionId: string): void {
    if (!this.#sessions.delete(sessionId)) {
      return;
    }
    this.#append({ ended: sessionId });
    this.#endedLines += 1;
    if (this.#endedLines >= MAX_ENDED_LINES) {
      this.#rewrite();
    }
  }

  /** Records of all other hosts of the folder, alive or not. */
  async otherHosts(): Promise<readonly LedgerRecord[]> {
    const records: LedgerRecord[] = [];
    for (const name of (await readdir(this.#folder)).toSorted()) {
      if (!name.endsWith(ENDING) || name === this.#host.hostId + ENDING) {
        continue;
      }
      // Another host that started may have forgotten it since.
      const text = await readFile(join(this.#folder, name), 'utf8').catch(() => '');
      const record = parseLedger(text);
      if (record !== null && record.hostId + ENDING === name) {
        records.push(record);
      }
    }
    return records;
  }

  /** Removes the record of a host that has ended and of which nothing is left, or what is left was dealt with. */
  async forget(hostId: string): Promise<void> {
    if (/^[\w-]+$/.test(hostId) && hostId !== this.#host.hostId) {
      const file = join(this.#folder, hostId + ENDING);
      await rm(file + DRAFT_ENDING, { force: true });
      await rm(file, { force: true });
    }
  }

  /** The host ends. Its file stays while a session of it did not end, for the next start to find. */
  close(): void {
    if (this.#fd === null) {
      return;
    }
    closeSync(this.#fd);
    this.#fd = null;
    if (this.#sessions.size === 0) {
      rmSync(this.#file, { force: true });
    }
  }

  #append(line: LedgerLine): void {
    if (this.#fd === null) {
      return;
    }
    // A line that was cut short is ended first, so that it spoils no other.
    const text = `${this.#isLineOpen ? '\n' : ''}${JSON.stringify(line)}\n`;
    this.#isLineOpen = true;
    try {
      this.#isLineOpen = writeSync(this.#fd, text) !== Buffer.byteLength(text);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Only what still counts, in a new file that takes the old one's place whole or not at all. */
  #rewrite(): void {
    this.#endedLines = 0;
    const draft = this.#file + DRAFT_ENDING;
    const lines: readonly LedgerLine[] = [
      { version: 1, host: this.#host },
      ...this.#sessions.values().map((started) => ({ started })),
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    let fd: number | null = null;
    try {
      fd = openSync(draft, 'w', OWNER_ONLY);
      if (writeSync(fd, text) !== Buffer.byteLength(text)) {
        throw new Error('the disk is full');
      }
      renameSync(draft, this.#file);
      const old = this.#fd;
      this.#fd = fd;
      fd = old;
      this.#isLineOpen = false;
    } catch (error) {
      this.#failed(error);
    } finally {
      if (fd !== null) {
        closeSync(fd);
      }
      rmSync(draft, { force: true });
    }
  }

  #failed(error: unknown): void {
    if (!this.#hasFailed) {
      this.#hasFailed = true;
      this.#log.warn('what runs cannot be recorded: after a crash it is found by its mark only', {
        code: (error as NodeJS.ErrnoException).code ?? String(error),
      });
    }
  }
}

/** The record in the text of a ledger; null when its first line, the host's, is not whole. */
export function parseLedger(text: string): LedgerRecord | null {
  const [first, ...rest] = text.split('\n').map(parseLine);
  if (first === undefined || first === null || !('host' in first)) {
    return null;
  }
  const sessions = new Map<string, LedgerSession>();
  for (const line of rest) {
    if (line !== null && 'started' in line) {
      sessions.set(line.started.sessionId, line.started);
    } else if (line !== null && 'ended' in line) {
      sessions.delete(line.ended);
    }
  }
  return { ...first.host, sessions: [...sessions.values()] };
}

/** Null for a line that is cut short, or that says what this version does not know. */
function parseLine(text: string): LedgerLine | null {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    // Cut short, or the empty end of the file.
    return null;
  }
  if (hasFields(line, { version: isOne, host: isHost })) {
    return { version: 1, host: line['host'] as LedgerHost };
  }
  if (hasFields(line, { started: isSession })) {
    return { started: line['started'] as LedgerSession };
  }
  return hasFields(line, { ended: isText }) ? { ended: line['ended'] as string } : null;
}

type Check = (value: unknown) => boolean;

function hasFields(value: unknown, fields: Readonly<Record<string, Check>>): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(fields).every(([name, isValid]) => isValid((value as Record<string, unknown>)[name]))
  );
}

const isOne: Check = (value) => value === 1;
const isText: Check = (value) => typeof value === 'string' && value !== '';
const isTextOrNull: Check = (value) => value === null || isText(value);
const isPid: Check = (value) => Number.isSafeInteger(value) && (value as number) > 1;
const isPidOfHost: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const isHost: Check = (value) =>
  hasFields(value, { hostId: isText, pid: isPidOfHost, startTime: isText, machine: isText, boot: isTextOrNull });
const isSession: Check = (value) =>
  hasFields(value, { sessionId: isText, pid: isPid, startTime: isTextOrNull, mark: isText });
