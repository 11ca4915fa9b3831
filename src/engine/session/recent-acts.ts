import type { SessionId } from '../../shared/session.ts';
import type { SessionAct, TimelineEntry } from '../../shared/timeline.ts';

interface ActedSession {
  readonly id: SessionId;
  /** The newest of what was done to it, at most so many acts, in order. */
  newestActs(most: number): readonly TimelineEntry[];
}

/**
 * The newest acts on several sessions, at most so many, oldest first. Those of one session keep their order, also where
 * the clock was set back between them.
 */
export function recentActs(sessions: Iterable<ActedSession>, most: number): readonly SessionAct[] {
  const left = Array.from(sessions, (session) => ({ id: session.id, acts: [...session.newestActs(most)] }));
  const recent: SessionAct[] = [];
  while (recent.length < most) {
    const newest = left.reduce<ActsLeft | null>(newerOf, null);
    const entry = newest?.acts.pop();
    if (newest === null || entry === undefined) {
      break;
    }
    recent.push({ session: newest.id, entry });
    if (newest.acts.length === 0) {
      left.splice(left.indexOf(newest), 1);
    }
  }
  return recent.reverse();
}

interface ActsLeft {
  readonly id: SessionId;
  readonly acts: TimelineEntry[];
}

/** Of two that were acted on at once the one that is listed later. */
function newerOf(best: ActsLeft | null, one: ActsLeft): ActsLeft {
  return best === null || timeOfLast(one) >= timeOfLast(best) ? one : best;
}

function timeOfLast({ acts }: ActsLeft): number {
  return acts.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
}
