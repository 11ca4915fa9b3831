import type { SessionId, SessionInfo } from '../../shared/session.ts';
import type { Question } from '../approval/pending-questions.ts';
import type { WriteOptions } from '../session/session-input.ts';
import type { SessionManager, StartRequest } from '../session/session-manager.ts';
import type { Session } from '../session/session.ts';
import type { StartSafety } from './start-safety.ts';

/** One submission of input with what an agent's must be judged by. */
export interface InputOptions extends WriteOptions {
  /** The client's own id of the call, by which its question is found (D7). */
  readonly callId?: string | null;
  /** Of the call: what is asked for it goes with it. */
  readonly signal?: AbortSignal;
  /** Told of a question about it that waits for a person. */
  readonly onWaiting?: (question: Question) => void;
  /** Told when it may be typed, and is about to be. */
  readonly onLetThrough?: () => void;
}

/** By what an agent's front reaches sessions. What it starts and types goes by these two; the manager is for the rest. */
export interface AgentDoors {
  readonly sessions: SessionManager;
  /** The only way to a child: approvals and the sandbox are on it. */
  readonly start: (request: StartRequest, safety?: Partial<StartSafety>) => Promise<SessionInfo>;
  /** The only way to a child's input. */
  readonly write: (id: SessionId, bytes: Uint8Array, options?: InputOptions) => ReturnType<Session['write']>;
}
