import { z } from 'zod';
import { approvalSettingsSchema } from './policy.ts';

const patternSchema = z.string().min(1).max(200);

/** Variables that look like credentials and that agents' children inherit all the same, by wildcard patterns of names. */
const inheritedSecretsSchema = z.strictObject({
  all: z.array(patternSchema).max(100).default([]),
  clients: z.record(z.string().min(1), z.array(patternSchema).max(100)).default({}),
});

/**
 * The settings file. Without `approvals` nobody is asked about a command: agents that speak the exec-server protocol
 * bring approvals of their own.
 */
export const settingsSchema = z.strictObject({
  approvals: approvalSettingsSchema.default({ mode: 'never-ask', rules: [], clients: {}, workspaces: {} }),
  inheritedSecrets: inheritedSecretsSchema.default({ all: [], clients: {} }),
});
export type Settings = z.output<typeof settingsSchema>;

/** What is meant by a settings file. Throws an error that names the field and what would be right. */
export function parseSettings(value: unknown): Settings {
  const parsed = settingsSchema.safeParse(value);
  if (parsed.success) {
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it cannot be read'}`);
}
