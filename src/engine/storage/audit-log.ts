import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from '../../shared/logger.ts';

/** Bytes of the file; then it becomes `….1`, and the one that was that is gone. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Who decided what about agents' commands, and who typed into which session when, a line of JSON each, in a file for its
 * owner only. It has no value of a variable, no input and no output. Writing never throws: a full disk is told to the log once.
 */
export class AuditLog {
  readonly #path: string;
  readonly #log: Logger;
  #hasFailed = false;

  constructor(path: string, log: Logger) {
    this.#path = path;
    this.#log = log;
  }

  /** Adds a line for each of the events. */
  note(...events: readonly object[]): void {
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      if ((statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) {
        renameSync(this.#path, `${this.#path}.1`);
      }
      const at = new Date().toISOString();
      const lines = events.map((event) => `${JSON.stringify({ at, ...event })}\n`);
      appendFileSync(this.#path, lines.join(''), { mode: 0o600 });
    } catch (error) {
      if (!this.#hasFailed) {
        this.#hasFailed = true;
        this.#log.error('decisions about commands, and who types, cannot be recorded', { why: String(error) });
      }
    }
  }
}
