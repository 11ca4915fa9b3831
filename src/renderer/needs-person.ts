/** Where a person is needed: pure, for the key that leads there and for the count in the status bar. */
import { personWant } from '../shared/person-wanted.ts';
import type { SessionId, SessionInfo } from '../shared/session.ts';

type Sessions = readonly SessionInfo[];

/** What is more urgent has the lower rank; null for a session that needs nobody. */
function rankOf(session: SessionInfo, unseen: ReadonlySet<SessionId>): number | null {
  switch (personWant(session)) {
    case 'asked':
      return 0;
    case 'password':
      return 1;
    case 'line':
      return 3;
    case null:
      return unseen.has(session.id) ? 2 : null;
  }
}

/**
 * What is there for a person, apart from a line that an agent may type itself: `2 sessions need you`, `3 failed` (and
 * nobody has looked), `1 needs you, 3 failed`. Null for nothing.
 */
export function needyText(sessions: Sessions, unseen: ReadonlySet<SessionId>): string | null {
  const ranks = sessions.map((session) => rankOf(session, unseen));
  const waiting = ranks.filter((rank) => rank === 0 || rank === 1).length;
  const failed = ranks.filter((rank) => rank === 2).length;
  if (waiting === 0) {
    return failed === 0 ? null : `${failed} failed`;
  }
  if (failed === 0) {
    return waiting === 1 ? '1 session needs you' : `${waiting} sessions need you`;
  }
  return `${waiting} ${waiting === 1 ? 'needs' : 'need'} you, ${failed} failed`;
}

/**
 * Where a person is needed most; from there the next place, in order of urgency, around the end. Null where she is
 * needed nowhere but where she is.
 */
export function nextNeedy(
  sessions: Sessions,
  unseen: ReadonlySet<SessionId>,
  selected: SessionId | null,
): SessionId | null {
  const ranked = sessions
    .map((session) => ({ id: session.id, rank: rankOf(session, unseen) }))
    .filter(({ rank }) => rank !== null)
    .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  const next = ranked[(ranked.findIndex(({ id }) => id === selected) + 1) % Math.max(1, ranked.length)];
  return next === undefined || next.id === selected ? null : next.id;
}
