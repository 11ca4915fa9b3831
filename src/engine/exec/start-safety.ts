import type { SessionId, SessionInfo } from '../../shared/session.ts';
import type { DecidedBy } from '../approval/decide.ts';
import type { Question } from '../approval/pending-questions.ts';
import type { LikelyDenied } from '../sandbox/likely-denied.ts';
import type { SandboxPolicy } from '../sandbox/sandbox-policy.ts';

/** What an agent's start must be judged by, beside what it runs. */
export interface StartSafety {
  /** Name of the client, as the settings know it. */
  readonly client: string;
  /** The client's stay at this host, by an id that no other client has: an answer "for this session" ends with it. */
  readonly clientSession: string;
  /** The client's own name of the conversation, for which alone such an answer holds; null when it has none. */
  readonly conversation: string | null;
  /** The client's own id of the call (D7). */
  readonly callId: string | null;
  /** The sandbox that it shall run in. */
  readonly sandbox: SandboxPolicy;
  /** Does its sandbox reach hosts that only the client wishes for, and not the settings? */
  readonly asksForHosts: boolean;
  /** Does the call ask to run without it? */
  readonly asksMoreRights: boolean;
  /** May it run a second time, should the sandbox deny the first? Not for what a person or an agent types into. */
  readonly mayRetry: boolean;
  /** Of the call: what is asked for it goes with it. */
  readonly signal?: AbortSignal;
  /** Told of each question about it that waits for a person. */
  readonly onWaiting?: (question: Question) => void;
}

/** A start that was let through. */
export interface SafeStart {
  readonly session: SessionInfo;
  /** What became of a second run; settles when the first has ended. Never rejects. */
  readonly retry: Promise<Retry>;
}

/**
 * - `none` the sandbox did not deny it, or it was not to be run again
 * - `refused` it was likely denied, and nobody allowed to run it without its sandbox
 * - `started` it runs again, without
 * - `failed` it was allowed, and could not be started
 */
export type Retry =
  | { readonly kind: 'none'; readonly denied: LikelyDenied }
  | { readonly kind: 'refused'; readonly denied: LikelyDenied; readonly why: string }
  | { readonly kind: 'started'; readonly denied: LikelyDenied; readonly session: SessionInfo }
  | { readonly kind: 'failed'; readonly denied: LikelyDenied; readonly error: unknown };

/** For the audit log and the timeline: plain data, without values of variables and without output. */
export type SafetyEvent =
  | {
      readonly type: 'decided';
      readonly client: string;
      readonly callId: string | null;
      readonly verdict: 'allow' | 'ask' | 'forbid';
      readonly why: string;
      readonly decidedBy: DecidedBy | { readonly kind: 'grant'; readonly grant: string };
    }
  | {
      readonly type: 'started';
      readonly client: string;
      readonly callId: string | null;
      readonly session: SessionId;
      readonly sandbox: string;
      /** The session that this one repeats without its sandbox. */
      readonly retryOf: SessionId | null;
    }
  | { readonly type: 'denied'; readonly session: SessionId; readonly why: LikelyDenied }
  | {
      readonly type: 'host-refused';
      readonly client: string;
      readonly session: SessionId;
      readonly host: string;
      readonly port: number;
      readonly why: 'denied' | 'not-listed' | 'not-public';
      /** How often in all; the first, the tenth and the hundredth time are told. */
      readonly times: number;
    };
