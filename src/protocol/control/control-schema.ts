import { z } from 'zod';
import type { WaitCondition } from '../../engine/engine.ts';
import type { SessionId } from '../../shared/session.ts';
import { MAX_MESSAGE_BYTES } from './control-wire.ts';

const sessionId = z
  .string()
  .min(1)
  .max(200)
  .transform((id) => id as SessionId);

/** A terminal's cells; the engine has the same limits. */
const size = z.strictObject({ cols: z.int().min(1).max(2_000), rows: z.int().min(1).max(2_000) });

const ms = z.number().min(0);
const requestId = z.string().min(1).max(200);
const variables = z.record(z.string(), z.string());
const cursor = z.strictObject({ epoch: z.string().max(100), offset: z.int().min(0) });
const followNumber = z.int().min(0);

/** Checked by decoding: a pattern over megabytes overflows the stack. */
const bytes = z
  .string()
  .max(Math.ceil((MAX_MESSAGE_BYTES * 4) / 3) + 4)
  .transform((text, context) => {
    const decoded = Buffer.from(text, 'base64');
    if (decoded.toString('base64') !== text) {
      context.addIssue({ code: 'custom', message: 'must be base64 with its padding (RFC 4648)' });
      return z.NEVER;
    }
    return decoded;
  });

const condition: z.ZodType<WaitCondition> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('text'),
      session: sessionId,
      text: z.string(),
      from: cursor.nullable().default(null),
    }),
    z.strictObject({
      kind: z.literal('pattern'),
      session: sessionId,
      pattern: z.string(),
      ignoreCase: z.boolean().default(false),
      from: cursor.nullable().default(null),
    }),
    z.strictObject({ kind: z.literal('idle'), session: sessionId, idleMs: ms }),
    z.strictObject({ kind: z.enum(['exit', 'closed', 'input']), session: sessionId }),
    z.strictObject({ kind: z.enum(['any', 'all']), of: z.array(condition) }),
  ]),
);

/** Characters of a word to an agent; the host keeps no more. */
const MAX_NOTE = 2_000;

const answerId = z.string().min(1).max(100);

/** `withoutSandbox`: a yes covers a second run without it, should the sandbox deny the first. */
const answer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['once', 'session']), withoutSandbox: z.boolean().default(false) }),
  z.strictObject({ kind: z.literal('always') }),
  z.strictObject({ kind: z.literal('refuse'), words: z.string().max(10_000).nullable().default(null) }),
]);

const ofSession = z.strictObject({ session: sessionId });

/** What each method takes. A field that is not known is refused: a misspelt one would be none. */
export const controlSchemas = {
  hello: z.strictObject({ protocol: z.number(), client: z.string().min(1).max(100) }),
  who: z.strictObject({}),
  start: z.strictObject({
    argv: z.array(z.string()).min(1),
    /** Absolute path. */
    cwd: z.string(),
    /** `exact`: these and no others. `inherit`: those of the host, and these over them. */
    environment: z.strictObject({ kind: z.enum(['exact', 'inherit']), variables }),
    /** `pipe`: stdout and stderr apart, stdin open. */
    backend: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('pty'), size: size.optional() }),
      z.strictObject({ kind: z.literal('pipe') }),
    ]),
    /** The id that the session shall have. */
    id: sessionId.optional(),
    /** What its tab shall be called. */
    title: z.string().optional(),
    requestId: requestId.optional(),
  }),
  list: z.strictObject({}),
  get: ofSession,
  read: z.strictObject({
    session: sessionId,
    /** `unread`: what the reader of that name has not had. `start`: the oldest retained byte. */
    from: z.union([z.enum(['unread', 'start', 'now']), cursor]),
    reader: z.string().min(1).max(100).optional(),
    form: z.enum(['raw', 'text']),
    maxBytes: z.int().min(4).max(MAX_MESSAGE_BYTES),
    waitMs: ms.default(0),
  }),
  write: z.strictObject({
    session: sessionId,
    base64: bytes,
    /** Appends what the Enter key sends. */
    enter: z.boolean().optional(),
    requestId: requestId.optional(),
    timeoutMs: ms.optional(),
  }),
  'close-input': ofSession,
  resize: z.strictObject({ session: sessionId, size }),
  signal: z.strictObject({ session: sessionId, signal: z.string().transform((name) => name as NodeJS.Signals) }),
  /** The person lets go of the keyboard of an agent's session, which she took by typing. */
  'hand-back': ofSession,
  terminate: z.strictObject({ session: sessionId, graceMs: ms.optional() }),
  close: ofSession,
  wait: z.strictObject({ condition, timeoutMs: ms }),
  follow: z.strictObject({
    session: sessionId,
    follow: followNumber,
    /** `tail`: about the last that many bytes, from the begin of a line on. */
    from: z.union([z.enum(['start', 'now']), cursor, z.strictObject({ tail: z.int().min(0) })]),
    /** Bytes that may be on their way, sent and not yet acknowledged. */
    creditBytes: z.int().min(1).max(MAX_MESSAGE_BYTES),
    /** True: the child waits for this follow as it would for a pipe that is full. */
    holdsChild: z.boolean(),
  }),
  /** Everything up to this absolute offset has been dealt with (cumulative). */
  ack: z.strictObject({ follow: followNumber, endOffset: z.int().min(0) }),
  unfollow: z.strictObject({ follow: followNumber }),
  survivors: z.strictObject({}),
  /** What waits for a person. `follow`: from then on this connection is told what is asked and how it is settled. */
  questions: z.strictObject({ follow: z.boolean().default(false) }),
  answer: z.strictObject({ question: answerId, answer }),
  /** What a person says to an agent that asked her to do something in a session. */
  'answer-attention': z.strictObject({
    session: sessionId,
    attention: answerId,
    state: z.enum(['done', 'declined']),
    /** A word to the agent. */
    note: z.string().max(MAX_NOTE).nullable(),
  }),
  grants: z.strictObject({}),
  revoke: z.strictObject({ grant: answerId }),
  /** Null: only the window. */
  open: z.strictObject({ session: sessionId.nullable() }),
  stream: z.strictObject({ name: z.string().max(100), params: z.unknown().optional() }),
} as const;

export type ControlMethod = keyof typeof controlSchemas;

/** What a method's handler gets. */
export type ControlParams<M extends ControlMethod> = z.output<(typeof controlSchemas)[M]>;

/** What a client sends. */
export type ControlArguments<M extends ControlMethod> = z.input<(typeof controlSchemas)[M]>;

/** What a line is. Without an id it is a notification, and is not answered. */
export const requestSchema = z.object({
  id: z.union([z.int(), z.string().max(100)]).optional(),
  method: z.string().max(100),
  params: z.unknown().optional(),
});
