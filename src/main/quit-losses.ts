import { endsSomething, isLive, type SessionId, type SessionInfo } from '../shared/session.ts';

/** What the end of the app would end, of all sessions. */
export interface QuitLosses {
  /** Whose end loses something. */
  readonly lost: readonly SessionId[];
  /** Shells of the person's own at their prompt, with no other process. */
  readonly idle: readonly SessionId[];
}

/** What must be known of a session. */
export type QuitSession = Pick<SessionInfo, 'id' | 'origin' | 'argv' | 'pid' | 'state' | 'waitingFor' | 'treeEmpty'>;

/** Tells idle shells from what would be lost. What is not known of a session counts as lost. */
export function quitLosses(
  sessions: readonly QuitSession[],
  usage: ReadonlyMap<SessionId, { readonly processes: number }>,
  shellPath: string,
): QuitLosses {
  const ended = sessions.filter((session) => endsSomething(session));
  const isIdle = ({ id, origin, argv, pid, state, waitingFor }: QuitSession): boolean =>
    origin.kind === 'person' &&
    isLive(state) &&
    argv.length === 1 &&
    argv[0] === shellPath &&
    (waitingFor?.kind === 'repl' || waitingFor?.kind === 'line') &&
    waitingFor.pid === pid &&
    usage.get(id)?.processes === 1;
  return {
    lost: ended.filter((session) => !isIdle(session)).map(({ id }) => id),
    idle: ended.filter((session) => isIdle(session)).map(({ id }) => id),
  };
}
