/** What a session wants a person for. Pure. */
import { isLive, type SessionInfo } from './session.ts';

/**
 * What a running session cannot go on without:
 * - `asked`: its agent asked for a person;
 * - `password`: something that must be typed and is not shown, which is no agent's to know;
 * - `line`: a line in an agent's session, which the agent may type itself.
 */
export type PersonWant = 'asked' | 'password' | 'line';

/** Null for a session that wants nobody. A person's own shell that waits for a line is at work. */
export function personWant({
  attention,
  waitingFor,
  origin,
  state,
}: Pick<SessionInfo, 'attention' | 'waitingFor' | 'origin' | 'state'>): PersonWant | null {
  if (!isLive(state)) {
    return null;
  }
  if (attention !== null) {
    return 'asked';
  }
  if (waitingFor?.kind === 'password') {
    return 'password';
  }
  return waitingFor?.kind === 'line' && origin.kind === 'agent' ? 'line' : null;
}
