import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import type { SessionInfo } from '../../shared/session.ts';
import { differencesOf } from '../text/session-differences.ts';
import { fullTitle, originName, stateWords } from '../text/session-text.ts';
import { useSessions, useWindowModel } from '../window/window-model.ts';

/** Changes of state that are kept for a screen reader to go back to. */
const KEPT = 5;

/** Says politely what sessions come to, while a screen reader reads the window. Heard and not seen. */
export function Announcer(): ReactNode {
  const isReadAloud = useStore(useWindowModel().isReadAloud);
  return isReadAloud ? <Announcements /> : null;
}

/** Not each percent of a progress: whoever wants to know has it at the tab. */
function announcedWords(session: SessionInfo): string {
  const isNews = session.progress?.kind === 'error' || session.progress?.kind === 'paused';
  return stateWords(isNews ? session : { ...session, progress: null });
}

function Announcements(): ReactNode {
  const sessions = useSessions();
  const known = useRef<ReadonlyMap<string, string> | null>(null);
  const count = useRef(0);
  const [said, setSaid] = useState<readonly { readonly id: number; readonly text: string }[]>([]);

  useEffect(() => {
    const now = new Map(sessions.map((session): [string, string] => [session.id, announcedWords(session)]));
    const before = known.current;
    known.current = now;
    if (before === null) {
      // What was there before is in the list of tabs.
      return;
    }
    const news = sessions
      .filter(({ id }) => before.get(id) !== now.get(id))
      .map((session) => {
        count.current += 1;
        const text = `${fullTitle(session, differencesOf(sessions).get(session.id) ?? null)}, ${originName(session.origin)}: ${now.get(session.id) ?? ''}`;
        return { id: count.current, text };
      });
    if (news.length > 0) {
      setSaid((old) => [...old, ...news].slice(-KEPT));
    }
  }, [sessions]);

  return (
    <div className="visually-hidden" role="log" aria-label="What sessions came to">
      {said.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
