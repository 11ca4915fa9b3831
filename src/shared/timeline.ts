/** What was done to a session, by whom, on one clock. Plain data. */

import type { ExitStatus, SessionId, TerminalSize } from './session.ts';

/** Who does something. `host`: this program by itself (a limit, its own end). */
export type Actor =
  | { readonly kind: 'person' }
  | { readonly kind: 'agent'; readonly client: string }
  | { readonly kind: 'host' }
  | { readonly kind: 'child' }
  /** The session's terminal, which answers what its program asks it: nobody typed that. */
  | { readonly kind: 'terminal' };

/** What was done. No act has what was typed, only how much; of what was typed while nothing is shown not even that. */
export type Act =
  | { readonly kind: 'started'; readonly callId: string | null; readonly threadId: string | null }
  /** It could not be started: what is told of the session as its failure. */
  | { readonly kind: 'not-started'; readonly why: string }
  /**
   * Submissions that follow one another closely are one act, up to the end of a line. `bytes` is null when the terminal
   * does not show them; then `times` is 1, however many keys it were.
   */
  | { readonly kind: 'wrote'; readonly times: number; readonly bytes: number | null }
  /** The terminal's answers to questions of the program (device, cursor, modes, colours); close ones are one act. */
  | { readonly kind: 'replied'; readonly times: number; readonly bytes: number }
  /** An agent's write that was refused, since the person holds the keyboard. */
  | { readonly kind: 'write-refused' }
  /** Whether an agent's command may run; `decidedBy`: a rule, a grant, what is known to be safe, a doubt, or the mode. */
  | {
      readonly kind: 'judged';
      readonly verdict: 'allow' | 'ask' | 'forbid';
      readonly why: string;
      readonly decidedBy: string;
    }
  /** A question about it ended: `by` whom, `window`, `command line`, `time-limit`, `cancelled`, `policy`, or `host`. */
  | { readonly kind: 'answered'; readonly answer: 'once' | 'session' | 'always' | 'refuse'; readonly by: string }
  /** A sandbox was kept from a host: the first time, the tenth, the hundredth. */
  | {
      readonly kind: 'host-refused';
      readonly host: string;
      readonly port: number;
      readonly why: 'denied' | 'not-listed' | 'not-public';
      readonly times: number;
    }
  | { readonly kind: 'read'; readonly times: number; readonly bytes: number }
  | { readonly kind: 'took-keyboard' }
  | { readonly kind: 'gave-keyboard-back'; readonly why: 'asked' | 'idle' }
  | { readonly kind: 'resized'; readonly size: TerminalSize }
  | { readonly kind: 'titled'; readonly title: string | null }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'closed-input' }
  | { readonly kind: 'asked-to-end' }
  | { readonly kind: 'hit-limit'; readonly message: string }
  | { readonly kind: 'exited'; readonly exit: ExitStatus }
  | { readonly kind: 'output-closed' };

export interface TimelineEntry {
  /** From 1, rising by 1; an entry that grows keeps its number. */
  readonly number: number;
  /** Unix time in milliseconds: of the first of what is joined. */
  readonly atMs: number;
  readonly by: Actor;
  readonly act: Act;
  /** Bytes that the child had printed by then. */
  readonly offset: number;
}

/** An act on one of several sessions. */
export interface SessionAct {
  readonly session: SessionId;
  readonly entry: TimelineEntry;
}

/** Something was put in where the program reads: by an agent, by a person, or by the terminal as an answer. */
export function isInput({ act }: Pick<TimelineEntry, 'act'>): boolean {
  return act.kind === 'wrote' || act.kind === 'replied';
}
