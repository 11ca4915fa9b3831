import { z } from 'zod';
import type { SettingsField, SettingsInput, SettingValue } from './settings.ts';

/** The part of JSON Schema that is read here. */
interface SchemaNode {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: unknown;
  // Of our own, by `meta`.
  readonly choices?: string;
  readonly placeholder?: string;
  readonly unit?: string;
  readonly step?: number;
  readonly protects?: boolean;
}

/** The form: whatever has a title in a section that has one, in the schema's order. */
export function settingsFields(schema: z.ZodType): readonly SettingsField[] {
  return Object.entries(nodeOf(schema).properties ?? {}).flatMap(([sectionKey, section]) =>
    Object.entries(section.properties ?? {}).flatMap(([key, node]) => {
      const input = inputOf(node);
      return section.title === undefined || node.title === undefined || input === null
        ? []
        : [
            {
              path: `${sectionKey}.${key}`,
              section: section.title,
              title: node.title,
              description: node.description ?? '',
              input,
              default: node.default as SettingValue,
              protects: node.protects === true,
            },
          ];
    }),
  );
}

/** Paths in a settings file of which the schema knows nothing. Two levels deep, as far as the window's part has them. */
export function unknownPaths(schema: z.ZodType, file: unknown): readonly string[] {
  const known = nodeOf(schema).properties ?? {};
  return entriesOf(file).flatMap(([sectionKey, section]) => {
    const node = Object.hasOwn(known, sectionKey) ? known[sectionKey] : undefined;
    if (node === undefined) {
      return [sectionKey];
    }
    const keys = node.properties;
    // A record has keys of the person's own.
    return keys === undefined
      ? []
      : entriesOf(section).flatMap(([key]) => (Object.hasOwn(keys, key) ? [] : [`${sectionKey}.${key}`]));
  });
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

function nodeOf(schema: z.ZodType): SchemaNode {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
}

function inputOf(node: SchemaNode): SettingsInput | null {
  if (node.enum !== undefined) {
    return { kind: 'choice', values: node.enum.map(String) };
  }
  if (node.type === 'boolean') {
    return { kind: 'switch' };
  }
  if (node.type === 'string') {
    return node.choices === 'colour-schemes'
      ? { kind: 'colour-scheme' }
      : { kind: 'text', placeholder: node.placeholder ?? '' };
  }
  if (node.type === 'integer' || node.type === 'number') {
    return {
      kind: 'number',
      least: node.minimum ?? Number.MIN_SAFE_INTEGER,
      most: node.maximum ?? Number.MAX_SAFE_INTEGER,
      step: node.step ?? 1,
      unit: node.unit ?? '',
      isWhole: node.type === 'integer',
    };
  }
  return null;
}
