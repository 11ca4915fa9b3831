/** Which settings a query finds, and how their values are called. Pure. */
import type { SettingsField } from '../shared/settings.ts';

/** The fields that have each word of the query in their titles, descriptions, names or values; all for an empty one. */
export function fieldsMatching(fields: readonly SettingsField[], query: string): readonly SettingsField[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return fields.filter((field) => {
    const { title, description, section, path, input } = field;
    const values = input.kind === 'choice' ? input.values.map(valueLabel) : [];
    const text = [title, description, section, path, ...values].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** What is written otherwise than with one capital letter. */
const NAMES: Readonly<Record<string, string>> = { dom: 'DOM', webgl: 'WebGL' };

/** `high-contrast-light` as a person reads it. */
export function valueLabel(value: string): string {
  const name = NAMES[value];
  if (name !== undefined) {
    return name;
  }
  const words = value.replaceAll('-', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
