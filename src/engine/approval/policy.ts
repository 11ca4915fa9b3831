import { z } from 'zod';

/**
 * When a person is asked:
 * - `never-ask`: never; what would be asked is refused;
 * - `ask-for-more-rights`: when a command asks to run with more rights than its sandbox gives, or has none;
 * - `ask-on-failure`: also when it failed in its sandbox, and the sandbox is likely why;
 * - `ask-unless-known-safe`: before everything that neither a rule allows nor is known to do no harm.
 */
export const approvalModeSchema = z.enum([
  'never-ask',
  'ask-for-more-rights',
  'ask-on-failure',
  'ask-unless-known-safe',
]);
export type ApprovalMode = z.output<typeof approvalModeSchema>;

const wordSchema = z.string().min(1).max(4096);

/**
 * One rule about commands. Each of `words` is a text in which `*` and `?` stand for any characters, or a list of such
 * texts of which one must fit. The first is the program: a bare name fits the system's program by that name, however it
 * is written; with `forbid` and `ask` it fits a program of that name anywhere.
 */
export const approvalRuleSchema = z.strictObject({
  decision: z.enum(['allow', 'ask', 'forbid']),
  words: z
    .array(z.union([wordSchema, z.array(wordSchema).min(1).max(100)]))
    .min(1)
    .max(100),
  /** `prefix`: a command may go on after them. `whole`: it may not. */
  match: z.enum(['prefix', 'whole']),
  /** Shown to whoever asks why. */
  reason: z.string().min(1).max(1000),
  /** With `allow`: also when the command asks to run without its sandbox. */
  withoutSandbox: z.boolean().optional(),
});
export type ApprovalRule = Readonly<z.output<typeof approvalRuleSchema>>;

const scopeSchema = z.strictObject({
  mode: approvalModeSchema.optional(),
  rules: z.array(approvalRuleSchema).max(1000).default([]),
});

/** The part of the settings file about approvals. Clients by their names; workspaces by absolute path. */
export const approvalSettingsSchema = z.strictObject({
  mode: approvalModeSchema.default('ask-unless-known-safe').meta({
    title: 'Ask about agents’ commands',
    description:
      'Never ask: refuse what would need an answer. Ask for more rights: before running without a sandbox. Ask on failure: also after its sandbox denied something. Ask unless known safe: before everything that no rule allows. Rules are in the settings file.',
    protects: true,
  }),
  rules: z.array(approvalRuleSchema).max(1000).default([]),
  clients: z.record(z.string().min(1), scopeSchema).default({}),
  workspaces: z.record(z.string().startsWith('/'), scopeSchema).default({}),
});
export type ApprovalSettings = z.output<typeof approvalSettingsSchema>;

/** What holds for one request. */
export interface ApprovalPolicy {
  readonly mode: ApprovalMode;
  readonly rules: readonly ApprovalRule[];
}

/** From the least to the most that is asked. */
const STRICTNESS: readonly ApprovalMode[] = [
  'never-ask',
  'ask-for-more-rights',
  'ask-on-failure',
  'ask-unless-known-safe',
];

/**
 * What the settings say for a client in a workspace (null: none). The client's mode wins over the general one, and the
 * workspace may only be stricter: never to ask is no property of a folder. Rules add up, and the strictest that fits
 * wins, so that none takes back another's `forbid`. Workspaces count for the folders in them.
 */
export function policyFor(settings: ApprovalSettings, client: string | null, workspace: string | null): ApprovalPolicy {
  const ofClient = client !== null && Object.hasOwn(settings.clients, client) ? settings.clients[client] : undefined;
  const ofWorkspaces = Object.entries(settings.workspaces)
    .filter(([path]) => workspace !== null && `${workspace}/`.startsWith(path.endsWith('/') ? path : `${path}/`))
    .map(([, scope]) => scope);
  const mode = [ofClient?.mode ?? settings.mode, ...ofWorkspaces.flatMap((scope) => scope.mode ?? [])].reduce(
    (one, other) => (STRICTNESS.indexOf(other) > STRICTNESS.indexOf(one) ? other : one),
  );
  return { mode, rules: [settings, ofClient, ...ofWorkspaces].flatMap((scope) => scope?.rules ?? []) };
}
