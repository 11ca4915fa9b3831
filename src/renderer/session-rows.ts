/** The session list as rows: groups of clients that run something, and below them what has ended. Pure. */
import { isLive, type SessionId, type SessionInfo } from '../shared/session.ts';
import { commandLine, commandText, originName, sessionTitle, shownFolder, stateWords } from './text/session-text.ts';

/** Groups are by client; all that ended is one group. */
export type GroupKey = `by ${string}` | 'ended';

export type SessionRow =
  | {
      readonly kind: 'group';
      readonly key: GroupKey;
      readonly name: string;
      readonly count: number;
      readonly isOpen: boolean;
    }
  | {
      readonly kind: 'session';
      readonly key: SessionId;
      readonly group: GroupKey;
      readonly session: SessionInfo;
      /** From 1, in its group of so many. */
      readonly position: number;
      readonly size: number;
    };

export interface RowsRequest {
  readonly sessions: readonly SessionInfo[];
  /** Words that must all be found in a session's title, command, client, folder or state. Empty: all sessions. */
  readonly filter: string;
  readonly closedGroups: ReadonlySet<GroupKey>;
}

/** Agents by name, then the person, each with the oldest first; what ended last is the first of the ended. */
export function sessionRows({ sessions, filter, closedGroups }: RowsRequest): readonly SessionRow[] {
  const isFiltered = filter.trim() !== '';
  const found = sessions.filter((session) => hasWords(session, filter));
  const groups = new Map<GroupKey, SessionInfo[]>();
  for (const session of found) {
    const key: GroupKey = isLive(session.state) ? `by ${originName(session.origin)}` : 'ended';
    groups.set(key, [...(groups.get(key) ?? []), session]);
  }
  groups.get('ended')?.sort((a, b) => (b.endedAtMs ?? 0) - (a.endedAtMs ?? 0));
  return [...groups]
    .sort(([a], [b]) => groupRank(a) - groupRank(b) || a.localeCompare(b))
    .flatMap(([key, members]) => {
      // What is looked for is shown, whatever was folded away.
      const isOpen = isFiltered || !closedGroups.has(key);
      const name = key === 'ended' ? 'ended' : key.slice('by '.length);
      const group: SessionRow = { kind: 'group', key, name, count: members.length, isOpen };
      const rows = members.map((session, index): SessionRow => {
        return { kind: 'session', key: session.id, group: key, session, position: index + 1, size: members.length };
      });
      return isOpen ? [group, ...rows] : [group];
    });
}

function groupRank(key: GroupKey): number {
  if (key === 'ended') {
    return 2;
  }
  return key === 'by you' ? 1 : 0;
}

/** True when all words of a filter are found in a session's title, command, client, folder or state. */
export function hasWords(session: SessionInfo, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => searchText(session).includes(word));
}

function searchText(session: SessionInfo): string {
  const { origin, cwd } = session;
  const names = [session.title ?? '', sessionTitle(session), commandLine(session), commandText(session)];
  return [...names, originName(origin), cwd, shownFolder(session), stateWords(session)].join('\n').toLowerCase();
}

/** The row that a key goes to from another one; null when the key does nothing there. */
export function rowAfterKey(rows: readonly SessionRow[], from: number, key: string): number | null {
  const row = rows[from];
  switch (key) {
    case 'ArrowDown':
      return Math.min(from + 1, rows.length - 1);
    case 'ArrowUp':
      return Math.max(from - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return rows.length - 1;
    case 'ArrowLeft':
      return row?.kind === 'session' ? rows.findIndex((other) => other.key === row.group) : null;
    case 'ArrowRight':
      return row?.kind === 'group' && row.isOpen ? Math.min(from + 1, rows.length - 1) : null;
    default:
      return null;
  }
}
