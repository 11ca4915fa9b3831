import { settingsFields } from '../../shared/settings-fields.ts';
import { windowSettingsSchema } from '../../shared/settings-schema.ts';
import type { SettingsSnapshot } from '../../shared/settings.ts';

const FIELDS = settingsFields(windowSettingsSchema);

/** The settings of somebody who has changed none, with whatever a test wants otherwise. */
export function usualSettings(over: Partial<SettingsSnapshot> = {}): SettingsSnapshot {
  return {
    file: '/home/ada/.local/state/shellscope/settings.json',
    values: windowSettingsSchema.parse({}),
    shown: Object.fromEntries(FIELDS.map((field) => [field.path, field.default])),
    fields: FIELDS,
    changed: [],
    problems: [],
    hints: [],
    hasScreenReader: false,
    ...over,
  };
}
