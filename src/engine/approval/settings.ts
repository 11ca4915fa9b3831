import { z } from 'zod';
import { parseHostPattern } from '../../shared/host-pattern.ts';
import { windowSettingsSchema } from '../../shared/settings-schema.ts';
import { approvalSettingsSchema } from './policy.ts';

const patternSchema = z.string().min(1).max(200);

/** Variables that look like credentials and that agents' children inherit all the same, by wildcard patterns of names. */
const inheritedSecretsSchema = z.strictObject({
  all: z.array(patternSchema).max(100).default([]),
  clients: z.record(z.string().min(1), z.array(patternSchema).max(100)).default({}),
});

const hostSchema = z
  .string()
  .max(300)
  .superRefine((text, context) => {
    const pattern = parseHostPattern(text);
    if ('wrong' in pattern) {
      context.addIssue({ code: 'custom', message: pattern.wrong });
    }
  });
const hostListSchema = z.array(hostSchema).max(1000).default([]);

/** Hosts that commands in a sandbox without network may reach all the same, and hosts that they never may. */
const networkSchema = z.strictObject({
  allowed: hostListSchema,
  denied: hostListSchema,
  /** By their names; what they are allowed adds up. */
  clients: z.record(z.string().min(1), z.strictObject({ allowed: hostListSchema, denied: hostListSchema })).default({}),
});

/**
 * The engine's part of the settings file; the window has sections of its own in it (`shared/settings-schema.ts`). Without
 * `approvals` nobody is asked about a command: agents that speak the exec-server protocol bring approvals of their own.
 */
export const engineSettingsSchema = z.object({
  approvals: approvalSettingsSchema
    .default({ mode: 'never-ask', rules: [], clients: {}, workspaces: {} })
    .meta({ title: 'Agents' }),
  inheritedSecrets: inheritedSecretsSchema.default({ all: [], clients: {} }),
  network: networkSchema.default({ allowed: [], denied: [], clients: {} }),
});
export type Settings = z.output<typeof engineSettingsSchema>;

/** What is meant by a settings file. Throws an error that names the field and what would be right. */
export function parseSettings(value: unknown): Settings {
  const parsed = engineSettingsSchema.safeParse(value);
  if (parsed.success) {
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it cannot be read'}`);
}

const SECTIONS: ReadonlySet<string> = new Set([
  ...Object.keys(engineSettingsSchema.shape),
  ...Object.keys(windowSettingsSchema.shape),
]);

/** Sections that nothing reads: perhaps a slip, perhaps another version's. */
export function unknownSections(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value).filter((key) => !SECTIONS.has(key)) : [];
}
