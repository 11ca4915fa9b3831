/**
 * The wire of `codex exec-server` 0.169: JSON-RPC without the `jsonrpc` member, one message per frame. Field names,
 * defaults and texts are those that the real binary showed; docs/exec-server.md has the table.
 */
import { z } from 'zod';

/** Error codes on the wire. */
export const WireErrorCode = {
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  sessionAttached: -32_010,
  /** Ours: too many requests at once. */
  overloaded: -32_001,
} as const;

/** Paths travel as file URIs; only this machine's own. Answers the path. */
const pathUri = z.string().transform((uri, context) => {
  const url = URL.canParse(uri) ? new URL(uri) : null;
  const problem =
    url === null
      ? 'invalid URI: relative URL without a base'
      : url.protocol !== 'file:'
        ? `unsupported path URI scheme \`${url.protocol.slice(0, -1)}\``
        : url.hostname !== '' && url.hostname !== 'localhost'
          ? `'${uri}' is invalid on '${process.platform}'`
          : url.search !== '' || url.hash !== ''
            ? `'${uri}' has a query or a fragment; write ? as %3F and # as %23 in a path`
            : null;
  if (url === null || problem !== null) {
    context.addIssue({ code: 'custom', message: problem ?? 'invalid URI' });
    return z.NEVER;
  }
  return decodedPath(url, context);
});

function decodedPath(url: URL, context: z.core.$RefinementCtx<string>): string {
  try {
    return decodeURIComponent(url.pathname);
  } catch {
    // A % that begins no escape.
    context.addIssue({ code: 'custom', message: `invalid percent-encoding in URI '${url.href}'` });
    return z.NEVER;
  }
}

/** Standard base64 with padding. Answers the bytes. */
const base64 = z.string().transform((text, context) => {
  const bytes = Buffer.from(text, 'base64');
  // Buffer passes over what is not base64. A pattern for the whole text would overflow the stack at some megabytes.
  if (bytes.toString('base64') !== text) {
    context.addIssue({ code: 'custom', message: base64Problem(text) });
    return z.NEVER;
  }
  return bytes;
});

function base64Problem(text: string): string {
  const symbols = text.replace(/={0,2}$/, '');
  const stray = /[^A-Za-z0-9+/=]/.exec(text) ?? /=/.exec(symbols);
  if (stray !== null) {
    return `Invalid symbol ${stray[0].charCodeAt(0)}, offset ${stray.index}.`;
  }
  if (symbols.length % 4 === 1) {
    return `Invalid input length: ${text.length}`;
  }
  // Bits of the last symbol that belong to no byte must be 0.
  return text.length % 4 === 0
    ? `Invalid last symbol ${symbols.charCodeAt(symbols.length - 1)}, offset ${symbols.length - 1}.`
    : 'Invalid padding';
}

const variables = z.record(z.string(), z.string());

const envPolicy = z.object({
  inherit: z.enum(['core', 'all', 'none']),
  ignoreDefaultExcludes: z.boolean(),
  exclude: z.array(z.string()),
  set: variables,
  includeOnly: z.array(z.string()),
});

/** Parameters of each method that is served, by its name. */
export const methodParams = {
  initialize: z.object({ clientName: z.string(), resumeSessionId: z.string().nullish() }),
  'environment/info': z.strictObject({}),
  'environment/status': z.strictObject({}),
  'process/start': z.object({
    processId: z.string(),
    argv: z.array(z.string()),
    cwd: pathUri,
    env: variables,
    tty: z.boolean(),
    pipeStdin: z.boolean().default(false),
    arg0: z.string().nullish(),
    envPolicy: envPolicy.nullish(),
    sandbox: z.unknown().optional(),
    enforceManagedNetwork: z.boolean().default(false),
    managedNetwork: z.unknown().optional(),
    networkProxy: z.unknown().optional(),
    metadata: z.object({ threadId: z.string().nullish(), toolCallId: z.string().nullish() }).nullish(),
  }),
  'process/read': z.object({
    processId: z.string(),
    afterSeq: z.number().int().min(0).nullish(),
    maxBytes: z.number().int().min(0).nullish(),
    waitMs: z.number().int().min(0).nullish(),
  }),
  'process/write': z.object({ processId: z.string(), chunk: base64, writeId: z.string().min(1) }),
  'process/signal': z.object({ processId: z.string(), signal: z.literal('interrupt') }),
  'process/terminate': z.object({ processId: z.string() }),
} as const;

export type Method = keyof typeof methodParams;
export type Params<M extends Method> = z.output<(typeof methodParams)[M]>;

/** True for a method that is served. */
export function isMethod(name: string): name is Method {
  return Object.hasOwn(methodParams, name);
}

/** The first problem of refused parameters, in the words of the real server where it has words for it. */
export function describeIssue(error: z.ZodError, params: unknown): string {
  const issue = error.issues[0];
  if (issue === undefined) {
    return 'invalid params';
  }
  const path = issue.path.map(String).join('.');
  if (issue.code === 'custom') {
    return path === '' ? issue.message : `${issue.message} (\`${path}\`)`;
  }
  if (path === '') {
    return `invalid params: ${issue.message}`;
  }
  return valueAt(params, issue.path) === undefined
    ? `missing field \`${path}\``
    : `invalid value for \`${path}\`: ${issue.message}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) {
      return undefined;
    }
    current = (current as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return current;
}
