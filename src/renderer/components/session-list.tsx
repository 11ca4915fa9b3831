import { useVirtualizer } from '@tanstack/react-virtual';
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { isLive, type SessionInfo } from '../../shared/session.ts';
import { rowAfterKey, sessionRows, type GroupKey, type SessionRow } from '../session-rows.ts';
import { originName, shownProgress, stateLook, stateWords, usageWords } from '../text/session-text.ts';
import { keyLabel } from '../window/app-keys.ts';
import { useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';
import { FoldIcon } from './icons.tsx';
import { SessionIcon } from './session-icon.tsx';
import { SessionName } from './session-name.tsx';
import { SidePanel } from './side-panel.tsx';

/** Heights of the rows in pixels; known to `panels.css`. */
const ROW_PX = { group: 28, session: 40 } as const;

/** All sessions by client, to the left of the panes. */
export function SessionListPanel(): ReactNode {
  const isOpen = useWindowState((state) => state.panels.sessions);
  const hasSessions = useSessions().length > 0;
  return isOpen && hasSessions ? (
    <SidePanel name="sessions" title="Session list">
      <SessionList />
    </SidePanel>
  ) : null;
}

function SessionList(): ReactNode {
  const { controller, platform } = useWindowModel();
  const sessions = useSessions();
  const [filter, setFilter] = useState('');
  const [closedGroups, setClosedGroups] = useState<ReadonlySet<GroupKey>>(new Set());
  const rows = sessionRows({ sessions, filter, closedGroups });
  const found = rows.reduce((sum, row) => sum + (row.kind === 'group' ? row.count : 0), 0);
  const endedCount = sessions.filter(({ state }) => !isLive(state)).length;
  const setGroupOpen = (key: GroupKey, isOpen: boolean): void => {
    const next = new Set(closedGroups);
    if (isOpen) {
      next.delete(key);
    } else {
      next.add(key);
    }
    setClosedGroups(next);
  };
  return (
    <>
      <div className="session-filter">
        <input
          type="search"
          aria-label="Filter sessions"
          placeholder="Filter"
          value={filter}
          data-region-target=""
          onChange={({ target }) => setFilter(target.value)}
          onKeyDown={(event) => {
            // The first Escape empties the box, the second one leaves the panel.
            if (event.key === 'Escape' && filter !== '') {
              event.preventDefault();
              setFilter('');
            }
          }}
        />
        <p role="status">{filter.trim() === '' ? `${sessions.length}` : `${found} of ${sessions.length}`}</p>
      </div>
      <SessionTree rows={rows} setGroupOpen={setGroupOpen} />
      <button
        type="button"
        className="close-ended"
        disabled={endedCount === 0}
        title={keyLabel('close-ended', platform)}
        onClick={() => void controller.acts.closeEnded()}
      >
        Close all ended{endedCount === 0 ? '' : ` (${endedCount})`}
      </button>
    </>
  );
}

function SessionTree({
  rows,
  setGroupOpen,
}: {
  readonly rows: readonly SessionRow[];
  readonly setGroupOpen: (key: GroupKey, isOpen: boolean) => void;
}): ReactNode {
  const { controller } = useWindowModel();
  const selected = useWindowState((state) => state.selected);
  const treeId = useId();
  const tree = useRef<HTMLDivElement>(null);
  const [activeKey, setActiveKey] = useState<SessionRow['key'] | null>(null);
  const indexOfKey = (key: SessionRow['key'] | null): number => rows.findIndex((row) => row.key === key);
  // Where the arrows were last, else what is in view.
  const active = Math.max(indexOfKey(activeKey) === -1 ? indexOfKey(selected) : indexOfKey(activeKey), 0);
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized by the React compiler
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => tree.current,
    estimateSize: (index) => ROW_PX[rows[index]?.kind ?? 'session'],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 6,
  });

  const act = (row: SessionRow): void => {
    if (row.kind === 'group') {
      setGroupOpen(row.key, !row.isOpen);
    } else {
      controller.select(row.session.id, 'to-pane');
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[active];
    if (row === undefined || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) {
      return;
    }
    const target = rowAfterKey(rows, active, event.key);
    if (target !== null) {
      setActiveKey(rows[target]?.key ?? null);
      virtualizer.scrollToIndex(target);
    } else if (event.key === 'Enter' || event.key === ' ') {
      act(row);
    } else if (row.kind === 'group' && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      setGroupOpen(row.key, event.key === 'ArrowRight');
    } else if (row.kind === 'session' && event.key === 'Delete') {
      controller.closing.request(row.session.id);
    } else {
      return;
    }
    event.preventDefault();
  };

  const drawn = virtualizer.getVirtualItems();
  const isActiveDrawn = drawn.some(({ index }) => index === active);
  if (rows.length === 0) {
    return <p className="side-panel-note">No session matches.</p>;
  }
  return (
    <div
      ref={tree}
      className="session-tree"
      role="tree"
      aria-label="All sessions"
      aria-activedescendant={isActiveDrawn ? `${treeId}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      // A click acts and decides where the keyboard goes; by itself it takes it nowhere.
      onMouseDown={(event) => event.preventDefault()}
      onClick={({ target }) => {
        const key = target instanceof Element ? target.closest<HTMLElement>('[role=treeitem]')?.dataset['key'] : null;
        const row = rows.find((candidate) => candidate.key === key);
        if (row !== undefined) {
          setActiveKey(row.key);
          act(row);
        }
      }}
    >
      <div role="presentation" style={{ height: virtualizer.getTotalSize() }} className="session-rows">
        {drawn.map(({ index, key, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <div
              key={key}
              id={`${treeId}-${index}`}
              role="treeitem"
              className={`${row.kind}-row`}
              style={{ transform: `translateY(${start}px)` }}
              data-active={index === active || undefined}
              data-key={row.key}
              {...(row.kind === 'group'
                ? { 'aria-level': 1, 'aria-expanded': row.isOpen }
                : {
                    'aria-level': 2,
                    'aria-posinset': row.position,
                    'aria-setsize': row.size,
                    'aria-selected': row.session.id === selected,
                    'data-look': stateLook(row.session),
                    'data-progress': shownProgress(row.session)?.kind,
                    'data-session-id': row.session.id,
                    'data-state': row.session.state,
                  })}
            >
              {row.kind === 'group' ? (
                <>
                  <FoldIcon />
                  <span className="group-name">{row.name}</span> <span className="group-count">({row.count})</span>
                </>
              ) : (
                <SessionWords session={row.session} />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function SessionWords({ session }: { readonly session: SessionInfo }): ReactNode {
  const { usage } = useWindowModel();
  const isUnseen = useWindowState((state) => state.unseen.has(session.id));
  const used = useStore(usage.store, (all) => all.get(session.id));
  const facts = [
    stateWords(session),
    isLive(session.state) ? null : originName(session.origin),
    used === undefined || !isLive(session.state) ? null : usageWords(used),
  ];
  return (
    <>
      <SessionIcon session={session} />
      <span className="session-words" data-unseen={isUnseen || undefined}>
        <span className="session-title">
          <SessionName session={session} />
        </span>{' '}
        <span className="session-facts">{facts.filter((fact) => fact !== null).join(' · ')}</span>
        {isUnseen ? <span className="visually-hidden">, not looked at yet</span> : null}
      </span>
    </>
  );
}
