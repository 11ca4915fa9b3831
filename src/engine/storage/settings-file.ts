import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from '../../shared/logger.ts';

/**
 * A file of settings, as it is on the disk whenever it is asked: a person edits it while the host runs. One that cannot be
 * read is told to the log, and what held before holds on.
 */
export class SettingsFile<Settings> {
  readonly #path: string | null;
  readonly #parse: (value: unknown) => Settings;
  readonly #log: Logger;
  #current: Settings;
  #seen = '';

  /**
   * `parse` throws an error that names the field. Of a file that is not there it is given an empty object. Without a path
   * what is changed holds as long as this.
   */
  constructor(path: string | null, parse: (value: unknown) => Settings, log: Logger) {
    this.#path = path;
    this.#parse = parse;
    this.#log = log;
    this.#current = parse({});
  }

  /** What holds now. */
  get current(): Settings {
    const seen = this.#state();
    if (seen !== this.#seen) {
      this.#seen = seen;
      this.#read();
    }
    return this.#current;
  }

  /** Writes it with a change, whole or not at all. Throws what the system says, and for a file that cannot be read. */
  change(edit: (settings: Settings) => Settings): void {
    if (this.#path === null) {
      this.#current = edit(this.#current);
      return;
    }
    const changed = edit(this.#parse(this.#json()));
    const draft = `${this.#path}.${randomBytes(4).toString('hex')}`;
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(changed, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, this.#path);
  }

  #read(): void {
    try {
      this.#current = this.#parse(this.#json());
    } catch (error) {
      this.#log.error('the settings cannot be used; those from before hold on', {
        file: this.#path,
        why: error instanceof Error ? error.message : String(error),
      });
    }
  }

  #json(): unknown {
    try {
      return this.#path === null ? {} : JSON.parse(readFileSync(this.#path, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        return {};
      }
      throw error;
    }
  }

  /** Differs after each change. */
  #state(): string {
    if (this.#path === null) {
      return '';
    }
    try {
      // Asked before each command and key: to throw for a file that is not there would cost more than the look.
      const facts = statSync(this.#path, { throwIfNoEntry: false });
      return facts === undefined ? 'none' : `${facts.mtimeMs} ${facts.size} ${facts.ino}`;
    } catch {
      return 'none';
    }
  }
}
