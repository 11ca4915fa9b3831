import type { SessionId } from '../../shared/session.ts';
import type { SessionAct, TimelineEntry } from '../../shared/timeline.ts';

/** What was done to one session, in order. */
interface SessionActs {
  readonly id: SessionId;
  readonly acts: readonly TimelineEntry[];
}

/**
 * The newest acts on several sessions, at most so many, oldest first. Those of one session keep their order, also where
 * the clock was set back between them.
 */
export function recentActs(sessions: Iterable<SessionActs>, most: number): readonly SessionAct[] {
  const left = Array.from(sessions, ({ id, acts }) => ({ id, acts, count: acts.length }));
  const recent: SessionAct[] = [];
  while (recent.length < most) {
    let newest: { readonly from: (typeof left)[number]; readonly entry: TimelineEntry } | null = null;
    for (const from of left) {
      const entry = from.acts[from.count - 1];
      if (entry !== undefined && (newest === null || entry.atMs > newest.entry.atMs)) {
        newest = { from, entry };
      }
    }
    if (newest === null) {
      break;
    }
    newest.from.count -= 1;
    recent.push({ session: newest.from.id, entry: newest.entry });
  }
  return recent.reverse();
}
