import {
  memo,
  useEffect,
  useLayoutEffect,
  useRef,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type WheelEvent,
} from 'react';
import { useStore } from 'zustand';
import type { SessionInfo } from '../../shared/session.ts';
import { neighbourTab, type TabGroup } from '../layout/pane-layout.ts';
import {
  commandText,
  endSentence,
  originName,
  shownFolder,
  shownProgress,
  stateLook,
  stateWords,
  tabName,
} from '../text/session-text.ts';
import { keyLabel } from '../window/app-keys.ts';
import { panelElementId, tabElementId, UNSEEN_TEXT_ID } from '../window/element-ids.ts';
import { useDifference, useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';
import { CloseIcon } from './icons.tsx';
import { SessionIcon, TabProgress } from './session-icon.tsx';
import { SessionName } from './session-name.tsx';

/** The tabs of one group, in a row that scrolls. */
export function TabStrip({ group, name }: { readonly group: TabGroup; readonly name: string }): ReactNode {
  const all = useSessions();
  const sessions = group.tabs.flatMap((id) => all.find((session) => session.id === id) ?? []);
  const scroller = useRef<HTMLDivElement>(null);
  // A narrower window, or another pane beside it, does not hide the tab whose terminal is in view.
  useEffect(() => {
    const drawn = scroller.current;
    if (drawn === null) {
      return undefined;
    }
    const observer = new ResizeObserver(() => bringIntoView(drawn.querySelector('[role=tab][aria-selected=true]')));
    observer.observe(drawn);
    return () => observer.disconnect();
  }, []);
  // Nor do tabs that come beside it cover it with the edge that tells of them.
  useLayoutEffect(() => {
    const tab = scroller.current?.querySelector('[role=tab][aria-selected=true]') ?? null;
    if (scroller.current !== null && tab !== null && isWithin(tab, scroller.current)) {
      bringIntoView(tab);
    }
  }, [sessions.length]);
  return (
    <div ref={scroller} className="tab-row strip-scroller" data-group={group.id} onWheel={scrollSideways}>
      <div className="strip-grid">
        <div
          role="tablist"
          aria-label={name}
          className="tabs"
          style={{ gridColumn: `1 / span ${Math.max(1, sessions.length)}` }}
        >
          {sessions.map((session, index) => (
            <Tab key={session.id} session={session} column={index + 1} group={group} />
          ))}
        </div>
        {/* Beside the tab list, not in it: a tab may contain no button, a tab list nothing but tabs. */}
        {sessions.map((session, index) => (
          <CloseTabButton key={session.id} session={session} column={index + 1} />
        ))}
        {sessions.map((session, index) => {
          const progress = shownProgress(session);
          return progress === null ? null : (
            <TabProgress key={session.id} session={session} progress={progress} column={index + 1} />
          );
        })}
      </div>
    </div>
  );
}

const Tab = memo(function Tab({
  session,
  column,
  group,
}: {
  readonly session: SessionInfo;
  readonly column: number;
  readonly group: TabGroup;
}): ReactNode {
  const { controller, keyboard, tabDrag } = useWindowModel();
  const isDragged = useStore(tabDrag.store, (dragged) => dragged?.id === session.id);
  const isSelected = group.shown === session.id;
  const isUnseen = useWindowState((state) => state.unseen.has(session.id));
  const isEnding = useWindowState((state) => state.ending.has(session.id));
  const element = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (isSelected) {
      bringIntoView(element.current);
    }
  }, [isSelected]);
  // Nor do its own words push it out when they grow: `running` becomes `waits: password`.
  useEffect(() => {
    const tab = element.current;
    const scroller = tab?.closest('.strip-scroller');
    if (!isSelected || tab === null || scroller == null) {
      return undefined;
    }
    const observer = new ResizeObserver(() => {
      if (isWithin(tab, scroller)) {
        bringIntoView(tab);
      }
    });
    observer.observe(tab);
    return () => observer.disconnect();
  }, [isSelected]);

  const { id } = session;
  // Where groups come and go, the tab is drawn anew in another strip; the keyboard goes with it.
  useLayoutEffect(() => {
    const drawn = element.current;
    keyboard.tabComes(id, () => drawn?.focus());
    return () => {
      if (drawn !== null && drawn === drawn.ownerDocument.activeElement) {
        keyboard.tabLeaves(id);
      }
    };
  }, [keyboard, id]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) {
      return;
    }
    const goTo = (id: SessionInfo['id'] | null | undefined): void => {
      if (id != null) {
        controller.select(id, 'to-tab');
      }
    };
    const acts: Readonly<Record<string, () => void>> = {
      ArrowRight: () => goTo(neighbourTab(group, session.id, 1)),
      ArrowLeft: () => goTo(neighbourTab(group, session.id, -1)),
      Home: () => goTo(group.tabs.at(0)),
      End: () => goTo(group.tabs.at(-1)),
      Enter: () => controller.select(session.id, 'to-pane'),
      ' ': () => controller.select(session.id, 'to-pane'),
      Delete: () => controller.closing.request(session.id),
    };
    const act = acts[event.key];
    if (act === undefined) {
      return;
    }
    event.preventDefault();
    act();
  };

  return (
    <div
      ref={element}
      role="tab"
      id={tabElementId(session.id)}
      className="tab"
      style={{ gridColumn: column }}
      aria-selected={isSelected}
      aria-controls={panelElementId(session.id)}
      aria-describedby={isUnseen ? UNSEEN_TEXT_ID : undefined}
      aria-keyshortcuts="Delete"
      tabIndex={isSelected ? 0 : -1}
      title={tooltip(session)}
      data-region-target={isSelected ? '' : undefined}
      data-session-id={session.id}
      data-state={session.state}
      data-exit-code={session.exit?.exitCode ?? undefined}
      data-exit-signal={session.exit?.signal ?? undefined}
      data-look={stateLook(session)}
      data-progress={shownProgress(session)?.kind}
      data-unseen={isUnseen || undefined}
      data-dragged={isDragged || undefined}
      onPointerDown={({ button, clientX, clientY }) => {
        if (button === 0) {
          tabDrag.press(session.id, { x: clientX, y: clientY });
        }
      }}
      onClick={() => controller.select(session.id, 'to-pane')}
      onMouseDown={keepFocus}
      onAuxClick={(event) => {
        if (event.button === 1) {
          controller.closing.request(session.id);
        }
      }}
      onKeyDown={onKeyDown}
      onFocus={() => controller.layout.workAt(session.id)}
    >
      <SessionIcon session={session} />
      {/* Read as one text it is the tab's name, e.g. “npm test, codex, exited 1”. */}
      <span className="tab-words">
        <span className="tab-title">
          <SessionName session={session} mark={<Comma />} />
        </span>{' '}
        <span className="tab-facts">
          <span>
            {originName(session.origin)}
            <Comma />
          </span>{' '}
          <span className="tab-state">{isEnding ? 'ending' : stateWords(session)}</span>
        </span>
      </span>
    </div>
  );
});

function bringIntoView(tab: Element | null): void {
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/** False for a tab that was scrolled away. */
function isWithin(tab: Element, scroller: Element): boolean {
  const [inner, outer] = [tab.getBoundingClientRect(), scroller.getBoundingClientRect()];
  return inner.right > outer.left && inner.left < outer.right;
}

/** Heard and not seen: on the screen the place of the words parts them. */
function Comma(): ReactNode {
  return <span className="comma">,</span>;
}

const CloseTabButton = memo(function CloseTabButton({
  session,
  column,
}: {
  readonly session: SessionInfo;
  readonly column: number;
}): ReactNode {
  const { controller, platform } = useWindowModel();
  const difference = useDifference(session.id);
  return (
    <button
      type="button"
      className="tab-close"
      style={{ gridColumn: column }}
      // Out of the tab order: from the keyboard it is Delete on the tab.
      tabIndex={-1}
      aria-label={`Close ${tabName(session, difference)}`}
      title={`Close (${keyLabel('close-tab', platform)})`}
      onMouseDown={keepFocus}
      onClick={() => controller.closing.request(session.id)}
    >
      <CloseIcon />
    </button>
  );
});

/** Chromium shows 1,024 characters of a tooltip, and a screen reader reads it; the details have the whole command. */
const MAX_TOOLTIP_COMMAND = 400;

function tooltip(session: SessionInfo): string {
  const command = commandText(session);
  const isLong = command.length > MAX_TOOLTIP_COMMAND;
  const shown = isLong ? `${command.slice(0, MAX_TOOLTIP_COMMAND).replace(/[\ud800-\udbff]$/, '')}…` : command;
  return [shown, shownFolder(session), endSentence(session) ?? stateWords(session)].join('\n');
}

/** A click with the mouse acts without taking the keyboard; the act itself decides where that goes. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}

function scrollSideways(event: WheelEvent<HTMLElement>): void {
  if (event.deltaX === 0) {
    event.currentTarget.scrollLeft += event.deltaY;
  }
}
