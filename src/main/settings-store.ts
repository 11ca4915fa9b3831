import { existsSync, mkdirSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import {
  engineSettingsSchema,
  readSettingsDocument,
  SettingsDocument,
  SettingsSyntaxError,
  writeSettingsDocument,
} from '../engine/engine.ts';
import { BUNDLED_SCHEMES, THEME_COLOURS } from '../shared/colour-schemes.ts';
import { contrastHint } from '../shared/contrast.ts';
import type { Disposable } from '../shared/disposable.ts';
import { EngineError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { checkSettings, type CheckedSettings } from '../shared/settings-check.ts';
import { settingsFields, unknownPaths } from '../shared/settings-fields.ts';
import { windowSettingsSchema } from '../shared/settings-schema.ts';
import type { SettingsHint, SettingsProblem, SettingsSnapshot, SettingValue } from '../shared/settings.ts';

/** Everything that the one file may say: the window's sections and the engine's. */
const settingsSchema = windowSettingsSchema.extend(engineSettingsSchema.shape);

const FIELDS = settingsFields(settingsSchema);

type AllSettings = ReturnType<(typeof settingsSchema)['parse']>;
type Checked = CheckedSettings<AllSettings>;

/** Milliseconds for an editor to be done: some write a file in several steps. */
const QUIET_MS = 30;

export interface SettingsStoreOptions {
  /** Absolute path; made by the first change. */
  readonly file: string;
  readonly log: Logger;
  /** The settings are others now, or something else is wrong with the file. */
  readonly onChange: () => void;
}

/**
 * The settings file as windows see it: read, watched, and changed one setting at a time. What is wrong in it is told with
 * its line; what was there before holds on for that setting, and the file is left alone.
 */
export class SettingsStore implements Disposable {
  readonly #options: SettingsStoreOptions;
  readonly #watcher: FSWatcher | null;
  #checked: Checked = checkSettings(settingsSchema, {}, {});
  #document: SettingsDocument | null = null;
  #problems: readonly SettingsProblem[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SettingsStoreOptions) {
    this.#options = options;
    this.#read();
    this.#watcher = this.#watch();
  }

  get values(): AllSettings {
    return this.#checked.values;
  }

  snapshot(hasScreenReader: boolean): SettingsSnapshot {
    const { appearance, terminal, notifications, accessibility, colourSchemes } = this.values;
    return {
      file: this.#options.file,
      values: { appearance, terminal, notifications, accessibility, colourSchemes },
      shown: Object.fromEntries(FIELDS.map(({ path }) => [path, this.#shown(path)])),
      fields: FIELDS,
      changed: FIELDS.filter((field) => this.#isChanged(field.path, field.default)).map(({ path }) => path),
      problems: this.#problems,
      hints: this.#hints(),
      hasScreenReader,
    };
  }

  /**
   * Writes one setting. Throws `invalid-argument` for a value that is not allowed, and when the file cannot be read: then
   * nothing is written.
   */
  change(path: string, value: SettingValue): void {
    const field = FIELDS.find((candidate) => candidate.path === path);
    if (field === undefined) {
      throw new EngineError('invalid-argument', `there is no setting ${path}`);
    }
    const isDefault = value === field.default && !field.protects;
    this.#write((document) => {
      const changed = document.with(path.split('.'), isDefault ? undefined : value);
      const { problems } = checkSettings(settingsSchema, changed.value, {});
      const refused = problems.find((problem) => problem.path === path);
      if (refused !== undefined) {
        throw new EngineError('invalid-argument', `${field.title} ${refused.why}`);
      }
      if (field.input.kind === 'colour-scheme' && !this.#schemeNames.has(String(value))) {
        throw new EngineError('invalid-argument', `there is no colour scheme “${String(value)}”`);
      }
      return changed;
    });
  }

  /** Takes one setting out of the file; of null all fields but those that keep agents from something. */
  reset(path: string | null): void {
    const paths = FIELDS.filter((field) => (path === null ? !field.protects : field.path === path));
    this.#write((document) =>
      paths.reduce((changed, field) => changed.with(field.path.split('.'), undefined), document),
    );
  }

  /** Makes the file if there is none, for an editor to open. */
  makeFile(): void {
    if (!existsSync(this.#options.file)) {
      this.#write(() => new SettingsDocument('{}\n'));
    }
  }

  /** Looks at the file, for where it is changed without the folder telling: a link, a folder on another machine. */
  look(): void {
    this.#readAndTell();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  get #schemeNames(): ReadonlySet<string> {
    return new Set([THEME_COLOURS, ...Object.keys(BUNDLED_SCHEMES), ...Object.keys(this.values.colourSchemes)]);
  }

  #shown(path: string): SettingValue {
    const [section = '', key = ''] = path.split('.');
    const values: Readonly<Record<string, Readonly<Record<string, unknown>>>> = this.values;
    return values[section]?.[key] as SettingValue;
  }

  #isChanged(path: string, usual: SettingValue): boolean {
    return this.#document?.has(path.split('.')) === true && this.#shown(path) !== usual;
  }

  #hints(): readonly SettingsHint[] {
    const { terminal, colourSchemes } = this.values;
    const unknown = unknownPaths(settingsSchema, this.#document?.value).map((path) => ({
      path,
      text: 'Nothing is known of this setting. It is kept as it is, and has no effect.',
    }));
    const named = ['terminal.lightColours', 'terminal.darkColours'].flatMap((path) => {
      const name = String(this.#shown(path));
      return this.#schemeNames.has(name)
        ? []
        : [{ path, text: `There is no colour scheme “${name}”, so the theme’s colours are shown.` }];
    });
    const weak = Object.entries(colourSchemes).flatMap(([name, scheme]) => {
      const text = contrastHint(scheme, terminal.minimumContrast);
      return text === null ? [] : [{ path: `colourSchemes.${name}`, text }];
    });
    return [...unknown, ...named, ...weak];
  }

  #write(edit: (document: SettingsDocument) => SettingsDocument): void {
    const { file } = this.#options;
    try {
      const document = readSettingsDocument(file);
      const changed = edit(document);
      if (changed !== document) {
        writeSettingsDocument(file, changed);
      }
    } catch (error) {
      throw asEngineError(error);
    }
    this.#readAndTell();
  }

  #readAndTell(): void {
    const before = this.#document?.text ?? null;
    const problemsBefore = JSON.stringify(this.#problems);
    this.#read();
    if (before !== (this.#document?.text ?? null) || problemsBefore !== JSON.stringify(this.#problems)) {
      this.#options.onChange();
    }
  }

  #read(): void {
    const { file, log } = this.#options;
    try {
      const document = readSettingsDocument(file);
      this.#checked = checkSettings(settingsSchema, document.value, this.#checked.usable);
      this.#document = document;
      this.#problems = this.#checked.problems.map(({ path, why }) => ({
        path,
        line: path === null ? 1 : document.lineOf(stepsOf(path)),
        why,
      }));
    } catch (error) {
      this.#document = null;
      this.#problems =
        error instanceof SettingsSyntaxError
          ? [{ path: null, line: error.line, why: error.why }]
          : [{ path: null, line: null, why: `it cannot be read: ${reasonOf(error)}` }];
    }
    for (const { path, line, why } of this.#problems) {
      log.warn('something in the settings cannot be used', { file, line, path, why });
    }
  }

  /** The folder, since most editors put another file in the place of the old one. */
  #watch(): FSWatcher | null {
    const { file, log } = this.#options;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
        if (name === null || name === basename(file)) {
          clearTimeout(this.#timer);
          this.#timer = setTimeout(() => this.#readAndTell(), QUIET_MS);
        }
      });
      watcher.on('error', (error) => log.warn('the settings are watched no longer', { why: error.message }));
      return watcher;
    } catch (error) {
      log.warn('the settings cannot be watched: a change counts from the next start on', { why: reasonOf(error) });
      return null;
    }
  }
}

/** `colourSchemes.Mine.ansi[3]` as steps. */
function stepsOf(path: string): readonly (string | number)[] {
  return path.split(/\.|(?=\[)/).map((step) => (step.startsWith('[') ? Number(step.slice(1, -1)) : step));
}

function asEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) {
    return error;
  }
  const where = error instanceof SettingsSyntaxError ? `in line ${error.line} of the settings file ${error.why}` : null;
  return new EngineError(
    'invalid-argument',
    where === null
      ? `the settings file cannot be written: ${reasonOf(error)}`
      : `${where}. Mend that first: nothing was written`,
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
