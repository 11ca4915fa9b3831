import { z } from 'zod';
import { parseHostPattern } from '../../shared/host-pattern.ts';

/** What models call our fields when they think of another host's tools. Ours wins where both are given. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  command: ['cmd', 'script'],
  cwd: ['workdir', 'working_directory'],
  yield_ms: ['yield_time_ms', 'timeout_ms', 'timeout', 'wait_ms'],
  background: ['run_in_background', 'isBackground', 'is_background'],
  session_id: ['bash_id', 'shell_id', 'pid', 'id', 'task_id', 'terminal_id', 'sessionId'],
  session_ids: ['session_id', 'ids', 'terminal_ids'],
  text: ['chars', 'input', 'data', 'command'],
  cursor: ['after', 'since', 'from'],
  grep: ['filter', 'pattern'],
  pattern: ['match', 'regex'],
  message: ['prompt', 'question', 'reason'],
  env: ['environment'],
};

/** Said by models for the reader of the call: it changes nothing. */
const IGNORED = new Set(['description', 'explanation', 'goal', 'justification', 'verbose_timing', 'origin']);

const UNTIL = "must be a list of 'exit', 'idle', 'match', 'input'";

const sessionId = z
  .union([z.string().min(1).max(200), z.int().min(1)], 'must be the session_id of an earlier answer')
  .describe('The session_id of an earlier answer (session-7, or its number 7).');
const yieldMs = z.number('must be a time in milliseconds').min(0);
const requestId = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Your own id of this call: the same id again does nothing twice, also after a lost answer.');
const maxBytes = z
  .int('must be a whole number of bytes')
  .min(0)
  .max(1_000_000)
  .default(40_000)
  .describe('Bytes of output in the answer; of more the middle is left out.');
const maxTokens = z
  .int('must be a whole number of tokens')
  .min(0)
  .max(250_000)
  .optional()
  .describe('Tokens (of four bytes) of output in the answer; default 10000.');
const cwd = z
  .string()
  .regex(/^(?:\/|[A-Za-z]:[\\/])/, 'must be an absolute path')
  .optional()
  .describe('Absolute path of the working directory.');
const env = z
  .record(z.string(), z.string('must be a text'))
  .default({})
  .describe('Variables on top of the host’s, which come without credentials.');
/** Addresses are for the person's settings: by one a client could reach this machine and its network. */
const publicHost = z.string().superRefine((text, context) => {
  const pattern = parseHostPattern(text);
  const wrong =
    'wrong' in pattern
      ? pattern.wrong
      : pattern.kind === 'range'
        ? `'${text}' is an address, and only the settings may allow one (network.allowed); write a name`
        : null;
  if (wrong !== null) {
    context.addIssue({ code: 'custom', message: wrong });
  }
});
const fence = {
  sandbox: z
    .enum(['none', 'read-only', 'workspace-write'], "must be 'none', 'read-only' or 'workspace-write'")
    .default('none')
    .describe(
      'A fence around it: workspace-write lets it write in the workspace alone; both are without network but for allowed hosts.',
    ),
  workspace: z
    .string()
    .regex(/^\//, 'must be an absolute path')
    .optional()
    .describe('For workspace-write: absolute path of the folder; default: cwd.'),
  allowed_hosts: z
    .array(publicHost)
    .max(50, 'must be at most 50 hosts')
    .default([])
    .describe(
      'With a sandbox: hosts that it may reach through the proxy that HTTP_PROXY names, e.g. registry.npmjs.org, *.example.org, example.org:8443.',
    ),
};
const cells = (usual: number, what: string) =>
  z.int().min(1).max(1_000).default(usual).describe(`${what} of the terminal, in cells.`);

const title = z
  .string()
  .max(100)
  .regex(/^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$/u, 'must be a line of text')
  .optional()
  .describe('What the person sees on the tab.');

const view = z
  .enum(['text', 'screen', 'raw'], "must be 'text', 'screen' or 'raw'")
  .default('text')
  .describe('text: as a person would have seen it. screen: what the terminal shows now. raw: with control sequences.');

const outputFields = { max_bytes: maxBytes };

/** What each tool takes, and the arguments' names in the words of others. */
export const toolArguments = {
  shell_exec: fields({
    command: z
      .string('must be a command line')
      .min(1, 'must not be empty')
      .describe('The command line, for the shell.'),
    cwd,
    env,
    ...fence,
    shell: z.string().min(1).optional().describe('Path of the shell; default: the person’s own.'),
    login: z.boolean().default(true).describe('Whether the shell reads its login files.'),
    tty: z.boolean().default(true).describe('false: pipes and no stdin in place of a terminal.'),
    title,
    background: z.boolean().default(false).describe('Answer at once, while it runs.'),
    mode: z.enum(['sync', 'async']).optional().describe('async: the same as background.'),
    yield_ms: yieldMs
      .optional()
      .describe('Longest wait for the end, up to 24000 ms; default 10000. It never ends the command.'),
    request_id: requestId,
    ...outputFields,
  }),
  shell_open: fields({
    command: z.string().min(1).optional().describe('A command line; default: an interactive shell.'),
    cwd,
    env,
    ...fence,
    title,
    cols: cells(80, 'Width'),
    rows: cells(24, 'Height'),
    yield_ms: yieldMs.optional().describe('Longest wait for its first prompt, up to 24000 ms; default 2000.'),
    request_id: requestId,
    ...outputFields,
  }),
  shell_write: fields({
    session_id: sessionId,
    text: z.string('must be a text').default('').describe('Typed as it is, with nothing appended.'),
    keys: z
      .array(z.string('must be the name of a key'), 'must be a list of key names')
      .max(1_000)
      .default([])
      .describe('Named keys typed after the text: enter, tab, escape, up, pagedown, f5, ctrl-c, alt-x, …'),
    submit: z.boolean().default(false).describe('Press Enter at the end.'),
    yield_ms: yieldMs.optional().describe('Longest wait for the answer, up to 24000 ms; default 2000.'),
    request_id: requestId,
    ...outputFields,
  }),
  shell_read: fields({
    session_id: sessionId,
    cursor: z
      .string('must be a cursor of an earlier answer, `unread`, `now` or `start`')
      .default('unread')
      .describe(
        'unread: what you were not given yet. start: all retained. now. Or a next_cursor of an earlier answer.',
      ),
    view,
    grep: z.string().min(1).optional().describe('Only lines in which this pattern (RE2 syntax) is found.'),
    ignore_case: z.boolean().default(false),
    yield_ms: yieldMs.default(0).describe('Longest wait for output when there is none, up to 24000 ms.'),
    ...outputFields,
  }),
  shell_wait: fields({
    session_ids: listOf(z.array(sessionId, 'must be a list of session ids').min(1).max(256)),
    mode: z.enum(['any', 'all'], "must be 'any' or 'all'").default('any').describe('Of the sessions.'),
    until: listOf(z.array(z.enum(['exit', 'idle', 'match', 'input'], UNTIL), UNTIL).min(1))
      .default(['exit'])
      .describe('Any of these, for one session. input: it waits for input, by the kernel’s word.'),
    pattern: z.string().min(1).optional().describe('For match, RE2 syntax; looked for in what you were not given yet.'),
    ignore_case: z.boolean().default(false),
    idle_ms: yieldMs.default(1_000).describe('For idle: silence of so many milliseconds.'),
    yield_ms: yieldMs.default(20_000).describe('Longest wait, up to 24000 ms; call again to go on waiting.'),
  }),
  shell_signal: fields({
    session_id: sessionId,
    signal: z
      .string('must be the name of a signal')
      .regex(/^(?:SIG)?[A-Z0-9]+$/i, 'must be the name of a signal, e.g. INT')
      .default('INT')
      .describe('INT, TERM, HUP, KILL, …: sent to what is in the foreground.'),
  }),
  shell_close: fields({
    session_id: sessionId,
    grace_ms: yieldMs.max(15_000).optional().describe('Time between asking and killing, in milliseconds.'),
  }),
  shell_list: fields({}),
  shell_request_human: fields({
    session_id: sessionId,
    message: z.string('must say what a person shall do').min(1).max(2_000).describe('What the person shall do.'),
    kind: z
      .enum(['ask', 'secret'], "must be 'ask' or 'secret'")
      .default('ask')
      .describe('secret: something must be typed that you may not know, e.g. a password.'),
    limit_ms: yieldMs.max(3_600_000).default(300_000).describe('How long the wish stands.'),
    yield_ms: yieldMs.default(20_000).describe('Longest wait of this call; the same call again goes on waiting.'),
  }),
  exec_command: fields(
    {
      cmd: z.string('must be a command line').min(1, 'must not be empty').describe('The command line, for the shell.'),
      workdir: cwd,
      shell: z.string().min(1).optional(),
      login: z.boolean().default(true),
      tty: z.boolean().default(true),
      ...fence,
      yield_time_ms: yieldMs.optional(),
      max_output_tokens: maxTokens,
      request_id: requestId,
    },
    { cmd: ['command'], workdir: ['cwd'], yield_time_ms: ['yield_ms', 'timeout_ms'] },
  ),
  write_stdin: fields(
    {
      session_id: sessionId,
      chars: z.string('must be a text').default('').describe('Typed as they are; empty only polls.'),
      yield_time_ms: yieldMs.optional(),
      max_output_tokens: maxTokens,
      read_from: z
        .enum(['last_read', 'now'], "must be 'last_read' or 'now'")
        .default('last_read')
        .describe('now: only what comes after this call.'),
      request_id: requestId,
    },
    { session_id: ALIASES['session_id'] ?? [], chars: ['text', 'input'], yield_time_ms: ['yield_ms', 'timeout_ms'] },
  ),
} as const;

export type ToolName = keyof typeof toolArguments;

export type ToolArguments<T extends ToolName> = z.output<(typeof toolArguments)[T]>;

/** One of them stands for a list of it. */
function listOf<S extends z.ZodType>(list: S) {
  return z.preprocess((given) => (typeof given === 'string' || typeof given === 'number' ? [given] : given), list);
}

/** The fields of a tool, with their names in the words of others; what is neither is refused by its name. */
function fields<S extends z.ZodRawShape>(shape: S, aliases: Readonly<Record<string, readonly string[]>> = ALIASES) {
  const known = Object.keys(shape);
  return z.preprocess((given: unknown, context) => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      return given;
    }
    const renamed = new Map<string, unknown>();
    for (const [name, value] of Object.entries(given)) {
      const ours = known.includes(name) ? name : known.find((field) => aliases[field]?.includes(name) === true);
      if (ours === undefined) {
        if (!IGNORED.has(name)) {
          context.addIssue({
            code: 'custom',
            path: [name],
            message: `there is no such field; there are: ${known.join(', ') || 'none'}`,
          });
        }
      } else if (name === ours || !renamed.has(ours)) {
        renamed.set(ours, value);
      }
    }
    return Object.fromEntries(renamed);
  }, z.object(shape));
}
