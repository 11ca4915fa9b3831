/** The settings as the window is told them: plain data, made from the schema by the main process. */
import type { WindowSettings } from './settings-schema.ts';

export type SettingValue = string | number | boolean;

/** One row of the form. */
export interface SettingsField {
  /** Section and key, as in the file: `terminal.fontSize`. */
  readonly path: string;
  /** Title of its section. */
  readonly section: string;
  readonly title: string;
  readonly description: string;
  readonly input: SettingsInput;
  readonly default: SettingValue;
  /** It keeps agents from something: not reset together with the rest. */
  readonly protects: boolean;
}

export type SettingsInput =
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'colour-scheme' }
  | { readonly kind: 'switch' }
  | { readonly kind: 'text'; readonly placeholder: string }
  | {
      readonly kind: 'number';
      readonly least: number;
      readonly most: number;
      readonly step: number;
      readonly unit: string;
      readonly isWhole: boolean;
    };

/** Something in the file that cannot be used. What held before holds on. */
export interface SettingsProblem {
  /** `terminal.fontSize`; null when it is about the whole file. */
  readonly path: string | null;
  /** Counted from 1; null when the file has no such place. */
  readonly line: number | null;
  /** e.g. `must be at least 6`. */
  readonly why: string;
}

/** Something in the file that is worth knowing, though all of it can be used. */
export interface SettingsHint {
  readonly path: string;
  readonly text: string;
}

export interface SettingsSnapshot {
  /** Absolute path of the file. */
  readonly file: string;
  readonly values: WindowSettings;
  /** What the form shows of each field, by its path. */
  readonly shown: Readonly<Record<string, SettingValue>>;
  readonly fields: readonly SettingsField[];
  /** Paths of fields that stand in the file with another value than the default. */
  readonly changed: readonly string[];
  readonly problems: readonly SettingsProblem[];
  readonly hints: readonly SettingsHint[];
  /** A screen reader or its like runs, as the system tells. */
  readonly hasScreenReader: boolean;
}

/** What a person is told of a file that cannot be used as it is. */
export function problemSentence(file: string, { path, line, why }: SettingsProblem): string {
  const name = file.split(/[/\\]/).at(-1) ?? file;
  const place = line === null ? name : `${name}, line ${line}`;
  return path === null
    ? `${place}: ${why}. The settings from before hold on, and nothing was overwritten.`
    : `${place}: ${path} ${why}. The previous value stays in effect; the file was not changed.`;
}
