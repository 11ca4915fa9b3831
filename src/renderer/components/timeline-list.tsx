import {
  memo,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
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
  const [hasKeyboard, setHasKeyboard] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  const first = firstShown(rows, showsAll, hasKeyboard ? current : null);
  const shown = rows.slice(first);
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

  const latest = useRef({ rows, onGo });
  useLayoutEffect(() => {
    latest.current = { rows, onGo };
  });
  const go = useCallback((key: string): void => {
    const row = latest.current.rows.find((one) => keyOf(one) === key);
    if (row !== undefined) {
      latest.current.onGo(row);
    }
  }, []);

  return (
    <>
      {first > 0 ? (
        <button type="button" className="earlier" onClick={() => setShowsAll(true)}>
          {first} earlier acts
        </button>
      ) : null}
      <ol
        ref={list}
        className="timeline-entries"
        onKeyDown={onKeyDown}
        onFocus={() => setHasKeyboard(true)}
        onBlur={({ currentTarget, relatedTarget }) => setHasKeyboard(currentTarget.contains(relatedTarget))}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight <= AT_END_PX;
        }}
      >
        {shown.map((row) => (
          <li key={keyOf(row)}>
            <EntryButton
              name={keyOf(row)}
              atMs={row.entry.atMs}
              act={row.entry.act.kind}
              by={row.entry.by.kind}
              words={entryWords(row.entry, row.command)}
              session={row.name}
              detail={entryDetail(row.entry)}
              isTabStop={keyOf(row) === tabStop}
              onFocus={setCurrent}
              onGo={go}
            />
          </li>
        ))}
      </ol>
    </>
  );
}

/** The newest are shown, and what the person is at. */
function firstShown(rows: readonly TimelineRow[], showsAll: boolean, current: string | null): number {
  const newest = showsAll ? 0 : Math.max(0, rows.length - SHOWN_ENTRIES);
  const at = current === null || newest === 0 ? -1 : rows.findIndex((row) => keyOf(row) === current);
  return at === -1 ? newest : Math.min(newest, at);
}

function keyOf({ id, entry }: TimelineRow): string {
  return `${id} ${entry.number}`;
}

/** By its plain values, so that one is drawn anew only when it has changed: all entries are new objects with each answer. */
const EntryButton = memo(function EntryButton({
  name,
  atMs,
  act,
  by,
  words,
  session,
  detail,
  isTabStop,
  onFocus,
  onGo,
}: {
  readonly name: string;
  readonly atMs: number;
  readonly act: TimelineEntry['act']['kind'];
  readonly by: TimelineEntry['by']['kind'];
  readonly words: string;
  readonly session: string | null;
  readonly detail: string | null;
  readonly isTabStop: boolean;
  readonly onFocus: (name: string) => void;
  readonly onGo: (name: string) => void;
}): ReactNode {
  return (
    <button
      type="button"
      className="timeline-entry"
      tabIndex={isTabStop ? 0 : -1}
      data-region-target={isTabStop ? '' : undefined}
      data-act={act}
      data-by={by}
      title="Show that place in the pane"
      onFocus={() => onFocus(name)}
      onClick={() => onGo(name)}
    >
      <time dateTime={new Date(atMs).toISOString()}>{clockText(atMs)}</time>{' '}
      <span className="timeline-words">{words}</span>
      {session === null ? null : <small> {session}</small>}
      {detail === null ? null : <small> {detail}</small>}
    </button>
  );
});

function targetOf(key: string, from: number, count: number): number | null {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: Math.min(from + 1, count - 1),
    ArrowUp: Math.max(from - 1, 0),
    Home: 0,
    End: count - 1,
  };
  return targets[key] ?? null;
}
