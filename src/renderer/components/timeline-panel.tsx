import { memo, useMemo, useRef, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import type { SessionAct } from '../../shared/timeline.ts';
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
  const sessions = useSessions();
  const session = sessions.find(({ id }) => id === selected);
  const hasSubject = isOfAll ? sessions.length > 0 : session !== undefined;
  return isOpen && hasSubject ? (
    <SidePanel name="timeline" title="Timeline" choice={<OfAllButton isOfAll={isOfAll} />}>
      {isOfAll || session === undefined ? <AllActs /> : <ActsOnOne key={session.id} session={session} />}
    </SidePanel>
  ) : null;
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
  const acted = useMemo(() => new Set(entries.map(({ session }) => session)), [entries]);
  const commands = useStore(
    sessions,
    useShallow((list) => commandsOf(list.sessions, acted)),
  );
  const titles = useStore(
    sessions,
    useShallow((list) => titlesOf(list.sessions, acted)),
  );
  const rows = useMemo(() => entries.flatMap((act) => rowsOf(act, commands, titles)), [entries, commands, titles]);
  return <Acts rows={rows} />;
});

/** None where the session was closed a moment ago. */
function rowsOf(
  { session: id, entry }: SessionAct,
  commands: ReadonlyMap<SessionId, string>,
  titles: ReadonlyMap<SessionId, string>,
): readonly TimelineRow[] {
  const [command, title] = [commands.get(id), titles.get(id)];
  if (command === undefined || title === undefined) {
    return [];
  }
  const isNamedByAct = entry.act.kind === 'started' && title === command;
  return [{ id, entry, command, name: isNamedByAct ? null : title }];
}

function commandsOf(sessions: readonly SessionInfo[], acted: ReadonlySet<SessionId>): ReadonlyMap<SessionId, string> {
  return new Map(sessions.filter(({ id }) => acted.has(id)).map((session) => [session.id, commandTitle(session)]));
}

function titlesOf(sessions: readonly SessionInfo[], acted: ReadonlySet<SessionId>): ReadonlyMap<SessionId, string> {
  const differences = differencesOf(sessions);
  return new Map(
    sessions
      .filter(({ id }) => acted.has(id))
      .map((session) => [session.id, fullTitle(session, differences.get(session.id) ?? null)]),
  );
}

const Acts = memo(function Acts({ rows }: { readonly rows: readonly TimelineRow[] }): ReactNode {
  const { controller, deck, state, sessions } = useWindowModel();
  const [problem, setProblem] = useState('');
  const goes = useRef(0);

  /** In the pane's terminal, or in what is kept of the output that has left it. */
  const goTo = async ({ id, entry: { offset } }: TimelineRow): Promise<void> => {
    goes.current += 1;
    const go = goes.current;
    const isWanted = (): boolean => go === goes.current && state.getState().selected === id;
    setProblem('');
    if (id !== state.getState().selected) {
      // Its terminal is asked for the place: it must be there.
      flushSync(() => controller.select(id, 'stays'));
    }
    const session = sessions.getState().sessions.find((one) => one.id === id);
    // Where it printed nothing there is no other place; and the window that has its tab has come to the person.
    if (!isWanted() || session === undefined || session.outputBytes === 0) {
      return;
    }
    const outcome = await deck.reveal(id, offset);
    if (!isWanted() || outcome === 'not-drawn') {
      return;
    }
    if (outcome === 'shown') {
      controller.earlier.back(id);
    } else if (!(await controller.earlier.goTo(id, offset)) && isWanted()) {
      setProblem('That output is no longer kept.');
    }
  };

  return (
    <>
      <TimelineList rows={rows} onGo={(row) => void goTo(row)} />
      <p className="side-panel-note" role="status">
        {problem}
      </p>
    </>
  );
});
