import type { SessionId, SessionInfo } from '../../shared/session.ts';
import type { Session } from '../session/session.ts';
import type { SessionManager, StartRequest } from '../session/session-manager.ts';

/** By what an agent's front reaches sessions. What it starts and types goes by these two; the manager is for the rest. */
export interface AgentDoors {
  readonly sessions: SessionManager;
  /** The only way to a child: approvals and the sandbox are on it. */
  readonly start: (request: StartRequest) => Promise<SessionInfo>;
  /** The only way to a child's input. */
  readonly write: (id: SessionId, ...input: Parameters<Session['write']>) => ReturnType<Session['write']>;
}
