/**
 * The wire of `codex exec-server` 0.169: JSON-RPC without the `jsonrpc` member, one message per frame. Field names,
 * defaults and texts are those that the real binary showed; docs/exec-server.md has the table.
 */
import { z } from 'zod';
import { percentDecoded, trimmedPath, type FilePath } from './exec-file-path.ts';

/** Error codes on the wire. */
export const WireErrorCode = {
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  notFound: -32_004,
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
  const problem = base64Problem(text, bytes);
  if (problem !== null) {
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  }
  return bytes;
});

/** The real server (0.169) decodes this one after it has taken the parameters, and so with another code. */
const writeFileBase64 = z.string().transform((text, context) => {
  const bytes = Buffer.from(text, 'base64');
  const problem = base64Problem(text, bytes);
  if (problem !== null) {
    context.addIssue({
      code: 'custom',
      message: `fs/writeFile requires valid base64 dataBase64: ${problem}`,
      params: { wireCode: WireErrorCode.invalidRequest },
    });
    return z.NEVER;
  }
  return bytes;
});

/** What is wrong with a text that decoded to these bytes, in the words of the real server; null when nothing is. */
function base64Problem(text: string, bytes: Buffer): string | null {
  // Buffer passes over what is not base64. A pattern for the whole text would overflow the stack at some megabytes.
  if (bytes.toString('base64') === text) {
    return null;
  }
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

/** As `pathUri`; answers the path's bytes, so that also names that are not UTF-8 can be said. */
const filePath = z.string().transform((uri, context): FilePath => {
  const url = URL.canParse(uri) ? new URL(uri) : null;
  const refusal = url === null ? 'invalid URI: relative URL without a base' : filePathRefusal(uri, url);
  const bytes = url === null || refusal !== null ? null : percentDecoded(url.pathname);
  if (bytes !== null && !bytes.includes(0)) {
    return trimmedPath(bytes);
  }
  const isOtherHost = url !== null && url.protocol === 'file:' && url.hostname !== '';
  context.addIssue({
    code: 'custom',
    message:
      refusal ??
      (bytes === null ? `invalid percent-encoding in URI '${uri}'` : `'${uri}' is invalid on '${process.platform}'`),
    // The real server (0.169) takes it for a wrong request, not for wrong parameters.
    ...(isOtherHost ? { params: { wireCode: WireErrorCode.invalidRequest } } : {}),
  });
  return z.NEVER;
});

function filePathRefusal(uri: string, { protocol, hostname, search, hash }: URL): string | null {
  if (protocol !== 'file:') {
    return `unsupported path URI scheme \`${protocol.slice(0, -1)}\``;
  }
  if (hostname !== '' && hostname !== 'localhost') {
    return `'${uri}' is invalid on '${process.platform}'`;
  }
  return search !== ''
    ? 'query parameters are not allowed in path URIs'
    : hash !== ''
      ? 'fragments are not allowed in path URIs'
      : null;
}

/** The fence that a file call asks for; see `sandboxFromContext`. */
const fileSandbox = z.unknown().optional();

const fullAccess = z.object({
  permissions: z.union([
    z.object({ type: z.literal('disabled') }),
    z.object({ type: z.literal('managed'), file_system: z.object({ type: z.literal('unrestricted') }) }),
  ]),
});

/** Whether a file call's `sandbox` fences no files in. */
export function isFullAccess(sandbox: unknown): boolean {
  return fullAccess.safeParse(sandbox).success;
}

const count = z.number().int().min(0);
/** Absent and null are true, as with the real server (0.169). */
const trueByDefault = z
  .boolean()
  .nullish()
  .transform((value) => value ?? true);

const httpHeader = z.object({ name: z.string(), value: z.string(), valueEnvVar: z.string().nullish() });

/** A condition of `shellscope/wait`; see `WaitCondition` of the engine. */
const waitCondition = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), processId: z.string(), text: z.string() }),
  z.object({
    kind: z.literal('pattern'),
    processId: z.string(),
    pattern: z.string(),
    ignoreCase: z.boolean().default(false),
  }),
  z.object({ kind: z.literal('idle'), processId: z.string(), idleMs: z.number().min(0) }),
  z.object({ kind: z.enum(['exit', 'closed', 'input']), processId: z.string() }),
]);

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
    /** Beyond the protocol; see `docs/exec-server.md`. Strict, so that a misspelt wish is none. */
    shellscope: z
      .strictObject({
        requestId: z.string().min(1).max(256).nullish(),
        limits: z.record(z.string(), z.number()).nullish(),
      })
      .nullish(),
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
  'shellscope/list': z.strictObject({ all: z.boolean().default(false) }),
  'shellscope/attach': z.object({
    sessionId: z.string(),
    processId: z.string(),
    afterSeq: z.union([z.number().int().min(0), z.literal('now')]).nullish(),
  }),
  'shellscope/setTitle': z.object({ processId: z.string(), title: z.string().nullable() }),
  'shellscope/resize': z.object({ processId: z.string(), cols: z.number().int(), rows: z.number().int() }),
  'shellscope/closeStdin': z.object({ processId: z.string() }),
  'shellscope/wait': z.object({
    conditions: z.array(waitCondition).min(1).max(1_000),
    mode: z.enum(['any', 'all']),
    timeoutMs: z.number().min(0),
  }),
  'fs/readFile': z.object({ path: filePath, followSymlinks: trueByDefault, sandbox: fileSandbox }),
  'fs/writeFile': z.object({
    path: filePath,
    dataBase64: writeFileBase64,
    followSymlinks: trueByDefault,
    sandbox: fileSandbox,
  }),
  'fs/createDirectory': z.object({ path: filePath, recursive: trueByDefault, sandbox: fileSandbox }),
  'fs/getMetadata': z.object({ path: filePath, followSymlinks: trueByDefault, sandbox: fileSandbox }),
  'fs/canonicalize': z.object({ path: filePath, sandbox: fileSandbox }),
  'fs/readDirectory': z.object({ path: filePath, sandbox: fileSandbox }),
  'fs/walk': z.object({
    path: filePath,
    options: z.object({
      maxDepth: count,
      maxDirectories: count,
      maxEntries: count,
      followDirectorySymlinks: z.boolean(),
      /** Directories whose name begins with a dot are told and not entered. */
      pruneHiddenDirectories: z.boolean().default(false),
    }),
    sandbox: fileSandbox,
  }),
  'fs/remove': z.object({ path: filePath, recursive: trueByDefault, force: trueByDefault, sandbox: fileSandbox }),
  'fs/copy': z.object({
    sourcePath: filePath,
    destinationPath: filePath,
    recursive: z.boolean(),
    sandbox: fileSandbox,
  }),
  'fs/open': z.object({
    handleId: z.string(),
    path: filePath,
    mode: z.enum(['read', 'replace']).default('read'),
    followSymlinks: trueByDefault,
    sandbox: fileSandbox,
  }),
  'fs/readBlock': z.object({ handleId: z.string(), offset: count, len: count }),
  'fs/writeBlock': z.object({ handleId: z.string(), offset: count, chunk: base64 }),
  'fs/close': z.object({ handleId: z.string() }),
  'fs/watchMissing': z.object({
    watchId: count,
    missing: z.array(filePath),
    present: filePath.nullish().transform((path) => path ?? null),
    sandbox: fileSandbox,
  }),
  'http/request': z.object({
    method: z.string(),
    url: z.string(),
    headers: z.array(httpHeader).default([]),
    bodyBase64: base64.nullish().transform((body) => body ?? null),
    timeoutMs: count.nullish().transform((timeoutMs) => timeoutMs ?? null),
    redirectPolicy: z.enum(['follow', 'stop']).default('follow'),
    requestId: z.string(),
    streamResponse: z.boolean().default(false),
  }),
} as const;

export type Method = keyof typeof methodParams;
export type Params<M extends Method> = z.output<(typeof methodParams)[M]>;

/** True for a method that is served. */
export function isMethod(name: string): name is Method {
  return Object.hasOwn(methodParams, name);
}

/** The code that refused parameters are answered with. */
export function issueCode(error: z.ZodError): number {
  const issue = error.issues[0];
  const code: unknown = issue?.code === 'custom' ? issue.params?.['wireCode'] : undefined;
  return typeof code === 'number' ? code : WireErrorCode.invalidParams;
}

/** The first problem of refused parameters, in the words of the real server where it has words for it. */
export function describeIssue(error: z.ZodError, params: unknown): string {
  const issue = error.issues[0];
  if (issue === undefined) {
    return 'invalid params';
  }
  const path = issue.path.map(String).join('.');
  if (issue.code === 'custom') {
    // A text that is the real server's with its code, too, or names its field by itself, is left as it is.
    return path === '' || issue.params?.['wireCode'] !== undefined || issue.message.includes(`\`${path}\``)
      ? issue.message
      : `${issue.message} (\`${path}\`)`;
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
