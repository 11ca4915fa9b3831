/** What tells apart sessions of one and the same name: where their shortened commands differ, or a number. */
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import { LineDifferences } from './line-differences.ts';
import { commandLine, shortText } from './session-text.ts';
import { ShellNumbers } from './shell-numbers.ts';

/** One answer for one list, whoever asks; and one line for a session as long as that is unchanged. */
const answers = new WeakMap<readonly SessionInfo[], ReadonlyMap<SessionId, string>>();
const lines = new WeakMap<SessionInfo, string | null>();
const lineDifferences = new LineDifferences();
const shellNumbers = new ShellNumbers();

/**
 * Of each session whose shortened name another one has for another command: where its command differs, `--target=web`, and a
 * number where that is alike as well, or comes too late to be looked for. Names are shortened in their middle, and scripts often begin and end alike.
 * Of the person's own live shells of one name the later ones: `(2)`.
 */
export function differencesOf(sessions: readonly SessionInfo[]): ReadonlyMap<SessionId, string> {
  const known = answers.get(sessions);
  if (known !== undefined) {
    return known;
  }
  const linesByName = new Map<string, string[]>();
  const idsByName = new Map<string, SessionId[]>();
  for (const session of sessions) {
    const line = longLine(session);
    if (line !== null) {
      const name = shortText(line);
      addTo(linesByName, name, line);
      addTo(idsByName, name, session.id);
    }
  }
  const found = new Map<SessionId, string>();
  for (const [name, differences] of lineDifferences.of(linesByName)) {
    for (const [at, id] of (idsByName.get(name) ?? []).entries()) {
      const difference = differences[at] ?? null;
      if (difference !== null) {
        found.set(id, difference);
      }
    }
  }
  for (const [id, number] of shellNumbers.of(sessions)) {
    if (!found.has(id)) {
      found.set(id, `(${number})`);
    }
  }
  answers.set(sessions, found);
  return found;
}

function addTo<Value>(all: Map<string, Value[]>, name: string, value: Value): void {
  const named = all.get(name);
  if (named === undefined) {
    all.set(name, [value]);
  } else {
    named.push(value);
  }
}

/** A session's command, where it is called by that and shortened; else null. */
function longLine(session: SessionInfo): string | null {
  const known = lines.get(session);
  if (known !== undefined) {
    return known;
  }
  const line = session.title === null ? commandLine(session) : '';
  const long = shortText(line) === line ? null : line;
  lines.set(session, long);
  return long;
}
