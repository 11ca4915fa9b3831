import {
  useLayoutEffect,
  useRef,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  type WheelEvent,
} from 'react';
import type { SessionInfo } from '../../shared/session.ts';
import { keyLabel } from '../app-keys.ts';
import { panelElementId, tabElementId } from '../element-ids.ts';
import { commandText, endSentence, originName, sessionTitle, stateLook, stateWords, tabName } from '../session-text.ts';
import { useSessions, useWindowModel, useWindowState } from '../window-model.ts';
import { neighbour, PANEL_COMMANDS, type PanelName } from '../window-state.ts';
import { ClockIcon, CloseIcon, ListIcon, PlugIcon, PlusIcon, StateIcon } from './icons.tsx';

/** Describes the tabs of failures that nobody has looked at. */
const UNSEEN_TEXT_ID = 'unseen-text';

/** All sessions as tabs, and the two things that bring new ones. */
export function TabStrip({
  connectButton,
}: {
  readonly connectButton: RefObject<HTMLButtonElement | null>;
}): ReactNode {
  const { controller, platform } = useWindowModel();
  const sessions = useSessions();
  const isConnectPanelOpen = useWindowState((state) => state.isConnectPanelOpen);
  return (
    <header className="strip" data-region="strip">
      <h1 className="visually-hidden">Shellscope</h1>
      <span id={UNSEEN_TEXT_ID} hidden>
        Not looked at yet
      </span>
      <PanelButton panel="sessions" name="Sessions" icon={<ListIcon />} />
      <div className="strip-scroller" onWheel={scrollSideways}>
        <div className="strip-grid">
          <div
            role="tablist"
            aria-label="Sessions"
            className="tabs"
            style={{ gridColumn: `1 / span ${Math.max(1, sessions.length)}` }}
          >
            {sessions.map((session, index) => (
              <Tab key={session.id} session={session} column={index + 1} />
            ))}
          </div>
          {/* Beside the tab list, not in it: a tab may contain no button, a tab list nothing but tabs. */}
          {sessions.map((session, index) => (
            <CloseTabButton key={session.id} session={session} column={index + 1} />
          ))}
        </div>
      </div>
      <button
        type="button"
        className="icon-button"
        aria-label="New shell"
        title={`New shell (${keyLabel('new-shell', platform)})`}
        data-region-target={sessions.length === 0 ? '' : undefined}
        onClick={() => void controller.newShell()}
      >
        <PlusIcon />
      </button>
      <span className="strip-space" />
      <PanelButton panel="timeline" name="Timeline" icon={<ClockIcon />} />
      <button
        type="button"
        ref={connectButton}
        className="strip-button"
        aria-expanded={isConnectPanelOpen}
        aria-controls={isConnectPanelOpen ? 'connect-panel' : undefined}
        onClick={() => controller.setConnectPanelOpen(!isConnectPanelOpen)}
      >
        <PlugIcon />
        <span className="strip-name">Connect an agent</span>
      </button>
    </header>
  );
}

function PanelButton({
  panel,
  name,
  icon,
}: {
  readonly panel: PanelName;
  readonly name: string;
  readonly icon: ReactNode;
}): ReactNode {
  const { controller, platform } = useWindowModel();
  const isOpen = useWindowState((state) => state.panels[panel]);
  return (
    <button
      type="button"
      className="strip-button"
      aria-expanded={isOpen}
      aria-controls={isOpen ? `panel-of-${panel}` : undefined}
      title={`${name} (${keyLabel(PANEL_COMMANDS[panel], platform)})`}
      onMouseDown={keepFocus}
      onClick={() => controller.setPanelOpen(panel, !isOpen)}
    >
      {icon}
      <span className="strip-name">{name}</span>
    </button>
  );
}

function Tab({ session, column }: { readonly session: SessionInfo; readonly column: number }): ReactNode {
  const { controller } = useWindowModel();
  const sessions = useSessions();
  const isSelected = useWindowState((state) => state.selected === session.id);
  const isUnseen = useWindowState((state) => state.unseen.has(session.id));
  const isEnding = useWindowState((state) => state.ending.has(session.id));
  const element = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (isSelected) {
      element.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  }, [isSelected]);

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
      ArrowRight: () => goTo(neighbour(sessions, session.id, 1)),
      ArrowLeft: () => goTo(neighbour(sessions, session.id, -1)),
      Home: () => goTo(sessions.at(0)?.id),
      End: () => goTo(sessions.at(-1)?.id),
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
      data-unseen={isUnseen || undefined}
      onClick={() => controller.select(session.id, 'to-pane')}
      onMouseDown={keepFocus}
      onAuxClick={(event) => {
        if (event.button === 1) {
          controller.closing.request(session.id);
        }
      }}
      onKeyDown={onKeyDown}
    >
      <StateIcon look={stateLook(session)} />
      {/* Read as one text it is the tab's name, e.g. “npm test, codex, exited 1”. */}
      <span className="tab-words">
        <span className="tab-title">
          {sessionTitle(session)}
          <Comma />
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
}

/** Heard and not seen: on the screen the place of the words parts them. */
function Comma(): ReactNode {
  return <span className="comma">,</span>;
}

function CloseTabButton({ session, column }: { readonly session: SessionInfo; readonly column: number }): ReactNode {
  const { controller, platform } = useWindowModel();
  return (
    <button
      type="button"
      className="tab-close"
      style={{ gridColumn: column }}
      // Out of the tab order: from the keyboard it is Delete on the tab.
      tabIndex={-1}
      aria-label={`Close ${tabName(session)}`}
      title={`Close (${keyLabel('close-tab', platform)})`}
      onMouseDown={keepFocus}
      onClick={() => controller.closing.request(session.id)}
    >
      <CloseIcon />
    </button>
  );
}

function tooltip(session: SessionInfo): string {
  return [commandText(session), session.cwd, endSentence(session) ?? stateWords(session)].join('\n');
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
