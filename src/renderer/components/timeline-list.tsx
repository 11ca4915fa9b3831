import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { SessionId } from '../../shared/session.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import { clockText, entryDetail, entryWords } from '../text/timeline-text.ts';

/** Entries drawn at first; more of them nobody reads, and each one costs. */
const SHOWN_ENTRIES = 200;

/** Pixels from the end within which the list stays at its end while it grows. */
const AT_END_PX = 24;

/** An act, and the session that it was done to. */
export interface TimelineRow {
  readonly id: SessionId;
  readonly entry: TimelineEntry;
  /** What the session runs. */
  readonly command: string;
  /** What the session is called where its act does not tell; null where only one is listed. */
  readonly name: string | null;
}

/** Acts in order: one stop in the tab order, gone through with the arrows. */
export function TimelineList({
  rows,
  onGo,
}: {
  readonly rows: readonly TimelineRow[];
  readonly onGo: (row: TimelineRow) => void;
}): ReactNode {
  const [showsAll, setShowsAll] = useState(false);
  const [current, setCurrent] = useState<string | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  const shown = showsAll ? rows : rows.slice(-SHOWN_ENTRIES);
  const last = shown.at(-1);
  const tabStop = shown.some((row) => keyOf(row) === current) || last === undefined ? current : keyOf(last);

  const stayAtEnd = (): void => {
    if (isAtEnd.current && list.current !== null) {
      list.current.scrollTop = list.current.scrollHeight;
    }
  };
  useLayoutEffect(stayAtEnd, [rows]);
  // In less room the newest are still what is seen.
  useEffect(() => {
    const observer = new ResizeObserver(stayAtEnd);
    if (list.current !== null) {
      observer.observe(list.current);
    }
    return () => observer.disconnect();
  }, []);

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
      {shown.length < rows.length ? (
        <button type="button" className="earlier" onClick={() => setShowsAll(true)}>
          {rows.length - shown.length} earlier acts
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
        {shown.map((row) => (
          <li key={keyOf(row)}>
            <EntryButton
              row={row}
              isTabStop={keyOf(row) === tabStop}
              onFocus={() => setCurrent(keyOf(row))}
              onClick={() => onGo(row)}
            />
          </li>
        ))}
      </ol>
    </>
  );
}

function keyOf({ id, entry }: TimelineRow): string {
  return `${id} ${entry.number}`;
}

function EntryButton({
  row: { entry, command, name },
  isTabStop,
  onFocus,
  onClick,
}: {
  readonly row: TimelineRow;
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
      {name === null ? null : <small> {name}</small>}
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
