/** How the question before the app ends is put into words. */
import { endsSomething, isLive, type SessionId, type SessionInfo } from '../../shared/session.ts';
import { fullTitle, originName } from './session-text.ts';
import { clockText } from './timeline-text.ts';

/** Titles that are told of each client. */
const MAX_TITLES = 3;

/** What one client, or the person, would lose. */
export interface QuitLoss {
  /** `codex`, `you`. */
  readonly who: string;
  /** `2 sessions since 12:01`, `1 session since 12:01`. */
  readonly count: string;
  /** `npm test, psql, and 3 more`. */
  readonly titles: string;
}

/** Those whose end loses something: idle shells are not among them. */
export function lostSessions(sessions: readonly SessionInfo[], idle: readonly SessionId[]): readonly SessionInfo[] {
  return sessions.filter((session) => endsSomething(session) && !idle.includes(session.id));
}

/** What is lost, by whom it runs for, the longest at work first. `differences`: what tells sessions of one name apart. */
export function quitLosses(
  lost: readonly SessionInfo[],
  differences: ReadonlyMap<SessionId, string>,
): readonly QuitLoss[] {
  const byOwner = new Map<string, SessionInfo[]>();
  for (const session of lost.toSorted((a, b) => a.startedAtMs - b.startedAtMs)) {
    const who = originName(session.origin);
    byOwner.set(who, [...(byOwner.get(who) ?? []), session]);
  }
  return [...byOwner].map(([who, sessions]) => ({
    who,
    count: `${sessionCount(sessions.length)} since ${clockText(sessions[0]?.startedAtMs ?? 0)}`,
    titles: titlesText(sessions, differences),
  }));
}

/** `3 sessions are still running. Quitting ends them and everything they started.` */
export function quitSentence(count: number): string {
  if (count === 0) {
    return 'Nothing is left that quitting would end.';
  }
  return count === 1
    ? '1 session is still running. Quitting ends it and everything it started.'
    : `${count} sessions are still running. Quitting ends them and everything they started.`;
}

function sessionCount(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`;
}

function titlesText(sessions: readonly SessionInfo[], differences: ReadonlyMap<SessionId, string>): string {
  const titles = sessions.map((session) => {
    const title = fullTitle(session, differences.get(session.id) ?? null);
    return isLive(session.state) ? title : `what ${title} left running`;
  });
  const more = titles.length - MAX_TITLES;
  return more > 0 ? `${titles.slice(0, MAX_TITLES).join(', ')}, and ${more} more` : titles.join(', ');
}
