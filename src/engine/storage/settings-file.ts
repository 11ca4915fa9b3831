import { statSync } from 'node:fs';
import type { Logger } from '../../shared/logger.ts';
import {
  readSettingsDocument,
  SettingsDocument,
  writeSettingsDocument,
  type SettingsPath,
} from './settings-document.ts';

export interface SettingsFileOptions<Settings> {
  /** Null: what is changed holds as long as the object. */
  readonly path: string | null;
  /** Throws an error that names the field. Of a file that is not there it is given an empty object. */
  readonly parse: (value: unknown) => Settings;
  /** Holds for a file that is there and could never be read: what a person wrote into it is not known. */
  readonly untilRead: Settings;
  /** Names of what nothing reads, to be told to the log. */
  readonly unknown: (value: unknown) => readonly string[];
  readonly log: Logger;
}

/** The state of a file that is not there. */
const ABSENT = 'none';

/**
 * A file of settings, as it is on the disk whenever it is asked: a person edits it while the host runs. One that cannot be
 * read is told to the log, and what held before holds on.
 */
export class SettingsFile<Settings> {
  readonly #options: SettingsFileOptions<Settings>;
  #current: Settings;
  #kept = new SettingsDocument('');
  #wasRead = false;
  #seen = '';

  constructor(options: SettingsFileOptions<Settings>) {
    this.#options = options;
    this.#current = options.parse({});
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

  /**
   * Writes one setting, made from what holds in the file at this moment; the rest of the file stays as it is. Throws what
   * the system says, and for a file that cannot be read or would not be valid.
   */
  change(path: SettingsPath, next: (settings: Settings) => unknown): void {
    const { path: file, parse } = this.#options;
    const document = file === null ? this.#kept : readSettingsDocument(file);
    const changed = document.with(path, next(parse(document.value)));
    const settings = parse(changed.value);
    if (file === null) {
      this.#kept = changed;
      this.#current = settings;
      return;
    }
    writeSettingsDocument(file, changed);
  }

  #read(): void {
    const { path, parse, unknown, untilRead, log } = this.#options;
    if (path === null) {
      return;
    }
    try {
      const { value } = readSettingsDocument(path);
      this.#current = parse(value);
      // That there is none says nothing of one that comes and cannot be read.
      this.#wasRead = this.#seen !== ABSENT;
      const unread = unknown(value);
      if (unread.length > 0) {
        log.warn('the settings have what nothing reads', { file: path, unread: unread.join(', ') });
      }
    } catch (error) {
      this.#current = this.#wasRead ? this.#current : untilRead;
      log.error(
        this.#wasRead
          ? 'the settings cannot be used; those from before hold on'
          : 'the settings cannot be used; until they can, agents’ commands are asked about',
        { file: path, why: error instanceof Error ? error.message : String(error) },
      );
    }
  }

  /** Differs after each change. */
  #state(): string {
    const { path } = this.#options;
    if (path === null) {
      return '';
    }
    try {
      // Asked before each command and key: to throw for a file that is not there would cost more than the look.
      const facts = statSync(path, { throwIfNoEntry: false });
      return facts === undefined ? ABSENT : `${facts.mtimeMs} ${facts.size} ${facts.ino}`;
    } catch (error) {
      // Not the state of one that is not there: that means the usual, and this is not known.
      return `unreadable ${(error as NodeJS.ErrnoException).code}`;
    }
  }
}
