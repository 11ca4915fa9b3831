import { useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useStore } from 'zustand';
import type { SessionInfo } from '../../shared/session.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import { commandTitle } from '../text/session-text.ts';
import { clockText, entryDetail, entryWords } from '../text/timeline-text.ts';
import { useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';
import { SidePanel } from './side-panel.tsx';

/** Entries drawn at first; more of them nobody reads, and each one costs. */
const SHOWN_ENTRIES = 200;

/** Pixels from the end within which the list stays at its end while it grows. */
const AT_END_PX = 24;

/** What was done to the session in view, by whom: oldest above, as in the terminal. */
export function TimelinePanel(): ReactNode {
  const isOpen = useWindowState((state) => state.panels.timeline);
  const selected = useWindowState((state) => state.selected);
  const session = useSessions().find(({ id }) => id === selected);
  if (!isOpen || session === undefined) {
    return null;
  }
  return (
    <SidePanel name="timeline" title="Timeline">
      <Entries key={session.id} session={session} />
    </SidePanel>
  );
}

function Entries({ session }: { readonly session: SessionInfo }): ReactNode {
  const { controller, deck, timeline } = useWindowModel();
  const view = useStore(timeline.store);
  const [showsAll, setShowsAll] = useState(false);
  const [problem, setProblem] = useState('');
  const [current, setCurrent] = useState<number | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  const entries = view.id === session.id ? view.entries : [];
  const shown = showsAll ? entries : entries.slice(-SHOWN_ENTRIES);
  const tabStop = shown.some(({ number }) => number === current) ? current : shown.at(-1)?.number;

  useLayoutEffect(() => {
    if (isAtEnd.current && list.current !== null) {
      list.current.scrollTop = list.current.scrollHeight;
    }
  }, [view]);

  /** In the pane's terminal, or in what is kept of the output that has left it. */
  const goTo = async ({ offset }: TimelineEntry): Promise<void> => {
    const isInPane = deck.reveal(session.id, offset);
    if (isInPane) {
      controller.earlier.back(session.id);
    }
    const isThere = isInPane || (await controller.earlier.goTo(session.id, offset));
    setProblem(isThere ? '' : 'That output is no longer kept.');
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('button') ?? [])];
    const target = targetOf(event.key, buttons.indexOf(document.activeElement as HTMLElement), buttons.length);
    if (target !== null) {
      event.preventDefault();
      buttons[target]?.focus();
    }
  };

  return (
    <>
      {shown.length < entries.length ? (
        <button type="button" className="earlier" onClick={() => setShowsAll(true)}>
          {entries.length - shown.length} earlier acts
        </button>
      ) : null}
      <ol
        ref={list}
        className="timeline-entries"
        onKeyDown={onKeyDown}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight <= AT_END_PX;
        }}
      >
        {shown.map((entry) => (
          <li key={entry.number}>
            <EntryButton
              entry={entry}
              command={commandTitle(session)}
              isTabStop={entry.number === tabStop}
              onFocus={() => setCurrent(entry.number)}
              onClick={() => void goTo(entry)}
            />
          </li>
        ))}
      </ol>
      <p className="side-panel-note" role="status">
        {problem}
      </p>
    </>
  );
}

function EntryButton({
  entry,
  command,
  isTabStop,
  onFocus,
  onClick,
}: {
  readonly entry: TimelineEntry;
  readonly command: string;
  readonly isTabStop: boolean;
  readonly onFocus: () => void;
  readonly onClick: () => void;
}): ReactNode {
  const detail = entryDetail(entry);
  return (
    <button
      type="button"
      className="timeline-entry"
      tabIndex={isTabStop ? 0 : -1}
      data-region-target={isTabStop ? '' : undefined}
      data-act={entry.act.kind}
      data-by={entry.by.kind}
      title="Show that place in the pane"
      onFocus={onFocus}
      onClick={onClick}
    >
      <time dateTime={new Date(entry.atMs).toISOString()}>{clockText(entry.atMs)}</time>{' '}
      <span className="timeline-words">{entryWords(entry, command)}</span>
      {detail === null ? null : <small> {detail}</small>}
    </button>
  );
}

function targetOf(key: string, from: number, count: number): number | null {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: Math.min(from + 1, count - 1),
    ArrowUp: Math.max(from - 1, 0),
    Home: 0,
    End: count - 1,
  };
  return targets[key] ?? null;
}
