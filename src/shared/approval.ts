/** What a person is asked about agents' commands, and what she can answer. Plain data. */
import { z } from 'zod';
import type { SessionId } from './session.ts';

/** A question as it is shown. */
export interface ShownQuestion {
  readonly id: string;
  /** `start`: may it run? `retry`: may it run again, without its sandbox? `input`: may that be typed? */
  readonly kind: 'start' | 'retry' | 'input';
  readonly client: string;
  /** The session it is about; null before a first start. */
  readonly session: SessionId | null;
  /** The whole command, unwrapped; for `input` the text. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Names of the variables that the child gets otherwise than the host has them. */
  readonly changedVariables: readonly string[];
  /** The sandbox it would run in, in words. */
  readonly sandbox: string;
  readonly why: string;
  /** What "always" would write into the settings, a rule a line; empty where that cannot be answered. */
  readonly rules: readonly string[];
  /** Could a "yes" also cover a second run without the sandbox? */
  readonly offersRetry: boolean;
  /** When it is refused for want of an answer, in milliseconds since 1970; null: never. */
  readonly until: number | null;
}

export const questionAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['once', 'session']), withoutSandbox: z.boolean() }),
  z.object({ kind: z.literal('always') }),
  z.object({ kind: z.literal('refuse'), words: z.string().max(2_000).nullable() }),
]);
export type QuestionAnswer = z.output<typeof questionAnswerSchema>;
