import type { z } from 'zod';
import type { SettingsProblem } from './settings.ts';

type Json = Readonly<Record<string, unknown>>;

/** What can be used of a settings file. */
export interface CheckedSettings<T> {
  readonly values: T;
  /** Without lines: only the text knows them. */
  readonly problems: readonly Omit<SettingsProblem, 'line'>[];
  /** The file without what cannot be used, for the next check to fall back on. */
  readonly usable: Json;
}

/**
 * Takes of a file what the schema allows; of a setting that it does not allow, what `before` had, else the default. A
 * setting is section and key: one wrong colour keeps its whole scheme out, and nothing else.
 *
 * @throws Error when the schema does not allow an empty file: that is a fault of ours.
 */
export function checkSettings<T>(schema: z.ZodType<T>, file: unknown, before: Json): CheckedSettings<T> {
  if (!isObject(file)) {
    const usable = before;
    return {
      values: schema.parse(usable),
      problems: [{ path: null, why: 'must be an object: { … }' }],
      usable,
    };
  }
  const parsed = schema.safeParse(file);
  if (parsed.success) {
    return { values: parsed.data, problems: [], usable: file };
  }
  const problems = parsed.error.issues.map((issue) => ({ path: pathText(issue.path), why: issueWords(issue) }));
  let usable: Json = file;
  for (const { path } of parsed.error.issues) {
    usable = withFormer(usable, before, path.map(String));
  }
  const values = schema.safeParse(usable);
  // What was put back may not fit the rest: then all of it is as it was before.
  return values.success
    ? { values: values.data, problems, usable }
    : { values: schema.parse(before), problems, usable: before };
}

/** What is wrong with a value, to go on after its name: `must be at least 6`. */
function issueWords(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeWords(issue.expected)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => `"${String(value)}"`).join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : amountWords(issue, `at least ${issue.minimum}`);
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${issue.maximum} characters`
        : amountWords(issue, `at most ${issue.maximum}`);
    case 'unrecognized_keys':
      return `has what is not known there: ${issue.keys.join(', ')}`;
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return issue.message;
  }
}

/** Of a list the schema says it best. */
function amountWords(
  { origin, message }: { readonly origin: string; readonly message: string },
  bound: string,
): string {
  return origin === 'array' ? message : `must be ${bound}`;
}

function typeWords(expected: string): string {
  const words: Readonly<Record<string, string>> = {
    int: 'a whole number',
    number: 'a number',
    string: 'a text in quotation marks',
    boolean: 'true or false',
    array: 'a list: [ … ]',
    object: 'an object: { … }',
    record: 'an object: { … }',
  };
  return words[expected] ?? expected;
}

/** `colourSchemes.Mine.ansi[3]`. */
function pathText(path: readonly PropertyKey[]): string | null {
  return path.length === 0
    ? null
    : path
        .map((step, index) => {
          const text = String(step);
          return typeof step === 'number' ? `[${text}]` : `${index === 0 ? '' : '.'}${text}`;
        })
        .join('');
}

/** The file with one setting as it was before, or without it. */
function withFormer(file: Json, before: Json, [section = '', key]: readonly string[]): Json {
  const inFile = file[section];
  const former = before[section];
  if (key === undefined || !isObject(inFile)) {
    return withEntry(file, section, former);
  }
  return withEntry(file, section, withEntry(inFile, key, isObject(former) ? former[key] : undefined));
}

function withEntry(object: Json, key: string, value: unknown): Json {
  const others = Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
  return value === undefined ? others : { ...others, [key]: value };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
