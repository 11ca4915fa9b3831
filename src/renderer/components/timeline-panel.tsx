import { memo, useMemo, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import type { SessionAct, TimelineEntry } from '../../shared/timeline.ts';
import { differencesOf } from '../text/session-differences.ts';
import { commandTitle, fullTitle } from '../text/session-text.ts';
import { keyLabel } from '../window/app-keys.ts';
import { useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';
import { SidePanel } from './side-panel.tsx';
import { TimelineList, type TimelineRow } from './timeline-list.tsx';

/** What was done to the session in view, or to all of them, by whom: oldest above, as in the terminal. */
export function TimelinePanel(): ReactNode {
  const isOpen = useWindowState((state) => state.panels.timeline);
  const isOfAll = useWindowState((state) => state.isTimelineOfAll);
  const selected = useWindowState((state) => state.selected);
  const session = useSessions().find(({ id }) => id === selected);
  if (!isOpen || session === undefined) {
    return null;
  }
  return (
    <SidePanel name="timeline" title="Timeline" choice={<OfAllButton isOfAll={isOfAll} />}>
      {isOfAll ? <AllActs /> : <ActsOnOne key={session.id} session={session} />}
    </SidePanel>
  );
}

function OfAllButton({ isOfAll }: { readonly isOfAll: boolean }): ReactNode {
  const { controller, platform } = useWindowModel();
  return (
    <button
      type="button"
      aria-pressed={isOfAll}
      title={keyLabel('timeline-of-all', platform)}
      onClick={() => controller.panels.setTimelineOfAll(!isOfAll)}
    >
      All sessions
    </button>
  );
}

function ActsOnOne({ session }: { readonly session: SessionInfo }): ReactNode {
  const { timeline } = useWindowModel();
  const view = useStore(timeline.store);
  const command = commandTitle(session);
  const { id } = session;
  const rows = useMemo(
    () => (view.of === id ? view.entries.map((entry) => ({ id, entry, command, name: null })) : []),
    [view, id, command],
  );
  return <Acts rows={rows} />;
}

/** Drawn anew with new acts and names, and not with all that changes of the session in view. */
const AllActs = memo(function AllActs(): ReactNode {
  const { recentActs, sessions } = useWindowModel();
  const { entries } = useStore(recentActs.store);
  const titles = useStore(
    sessions,
    useShallow((list) => titlesOf(list.sessions)),
  );
  const rows = useMemo(() => entries.flatMap((act) => rowsOf(act, titles)), [entries, titles]);
  return <Acts rows={rows} />;
});

/** None where the session was closed a moment ago. */
function rowsOf({ session: id, entry }: SessionAct, titles: ReadonlyMap<SessionId, string>): readonly TimelineRow[] {
  const title = titles.get(id);
  const isNamedByAct = entry.act.kind === 'started';
  return title === undefined ? [] : [{ id, entry, command: title, name: isNamedByAct ? null : title }];
}

function titlesOf(sessions: readonly SessionInfo[]): ReadonlyMap<SessionId, string> {
  const differences = differencesOf(sessions);
  return new Map(sessions.map((session) => [session.id, fullTitle(session, differences.get(session.id) ?? null)]));
}

function Acts({ rows }: { readonly rows: readonly TimelineRow[] }): ReactNode {
  const { controller, deck, state } = useWindowModel();
  const [problem, setProblem] = useState('');

  /** In the pane's terminal, or in what is kept of the output that has left it. */
  const goTo = async (id: SessionId, { offset }: TimelineEntry): Promise<void> => {
    if (id !== state.getState().selected) {
      // Its terminal is asked for the place: it must be there.
      flushSync(() => controller.select(id, 'stays'));
    }
    if (state.getState().elsewhere.has(id)) {
      // The window that has its tab has come to the person.
      return;
    }
    const isInPane = await deck.reveal(id, offset);
    if (isInPane) {
      controller.earlier.back(id);
    }
    const isThere = isInPane || (await controller.earlier.goTo(id, offset));
    setProblem(isThere ? '' : 'That output is no longer kept.');
  };

  return (
    <>
      <TimelineList rows={rows} onGo={({ id, entry }) => void goTo(id, entry)} />
      <p className="side-panel-note" role="status">
        {problem}
      </p>
    </>
  );
}
