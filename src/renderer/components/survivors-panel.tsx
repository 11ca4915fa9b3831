import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { useStore } from 'zustand';
import type { SessionSurvivors, SurvivingProcess } from '../../shared/session-facts.ts';
import type { SessionInfo } from '../../shared/session.ts';
import { fullTitle, originName, shortText, survivorCommand, survivorFacts } from '../text/session-text.ts';
import { useDifference, useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';
import { PanelCloseButton } from './panel-close-button.tsx';

/** What outlived ended sessions, and what to do about it. Over the right side of the panes; not modal. */
export function SurvivorsPanel(): ReactNode {
  const isOpen = useWindowState((state) => state.isSurvivorsOpen);
  return isOpen ? <OpenPanel /> : null;
}

function OpenPanel(): ReactNode {
  const { controller, survivors } = useWindowModel();
  const found = useStore(survivors.store);
  const sessions = useSessions();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.focus(), []);

  const close = (): void => {
    controller.panels.setSurvivorsOpen(false);
    controller.panels.toSelectedPane();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      close();
    }
  };
  const groups = (found ?? []).flatMap((group) => {
    const session = sessions.find(({ id }) => id === group.session);
    return session === undefined ? [] : [{ group, session }];
  });
  return (
    <div
      ref={panel}
      id="survivors-panel"
      className="over-panel"
      role="dialog"
      aria-label="Survivors"
      tabIndex={-1}
      data-region="survivors"
      onKeyDown={onKeyDown}
    >
      <header className="over-panel-head">
        <h2>Survivors</h2>
        <p>Processes that outlived their sessions.</p>
        <PanelCloseButton onClose={close} />
      </header>
      <p role="status" className={groups.length === 0 ? undefined : 'visually-hidden'}>
        {statusWords(found)}
      </p>
      {groups.map(({ group, session }) => (
        <SessionGroup
          key={group.session}
          group={group}
          session={session}
          // The button of an act goes with what it was about; the focus stays in the panel.
          beforeAct={() => panel.current?.focus()}
        />
      ))}
    </div>
  );
}

function SessionGroup({
  group: { processes },
  session,
  beforeAct,
}: {
  readonly group: SessionSurvivors;
  readonly session: SessionInfo;
  readonly beforeAct: () => void;
}): ReactNode {
  const { controller } = useWindowModel();
  const isEnding = useWindowState((state) => state.ending.has(session.id));
  const title = fullTitle(session, useDifference(session.id));
  return (
    <section className="survivor-group" aria-label={`Of ${title}`}>
      <header>
        <h3>{title}</h3>
        <span>{originName(session.origin)}</span>
        <button
          type="button"
          className="danger"
          aria-label={`Stop all that is left of ${title}`}
          disabled={isEnding}
          onClick={() => {
            beforeAct();
            void controller.closing.stopSurvivors(session.id);
          }}
        >
          {processes.length === 1 ? 'Stop' : 'Stop all'}
        </button>
      </header>
      <ul>
        {processes.map((process) => (
          <Survivor key={process.pid} process={process} session={session} beforeAct={beforeAct} />
        ))}
      </ul>
    </section>
  );
}

function Survivor({
  process,
  session,
  beforeAct,
}: {
  readonly process: SurvivingProcess;
  readonly session: SessionInfo;
  readonly beforeAct: () => void;
}): ReactNode {
  const { controller } = useWindowModel();
  const isEnding = useWindowState((state) => state.ending.has(session.id));
  const command = survivorCommand(process);
  return (
    <li>
      <code title={command}>{command}</code>
      <span className="survivor-facts">{survivorFacts(process).join(' · ')}</span>
      <button
        type="button"
        aria-label={`Keep running: ${shortText(command)}`}
        title="It runs on by itself, even after Shellscope quits"
        onClick={() => {
          beforeAct();
          void controller.acts.keepRunning(session.id, process.pid);
        }}
      >
        Keep running
      </button>
      <button
        type="button"
        className="danger"
        aria-label={`Stop only: ${shortText(command)}`}
        title="The others of this session run on"
        disabled={isEnding}
        onClick={() => {
          beforeAct();
          void controller.acts.stopSurvivor(session.id, process.pid);
        }}
      >
        Stop
      </button>
    </li>
  );
}

function statusWords(found: readonly SessionSurvivors[] | null): string {
  if (found === null) {
    return '';
  }
  const count = found.reduce((sum, { processes }) => sum + processes.length, 0);
  if (count === 0) {
    return 'Nothing outlived its session.';
  }
  return count === 1 ? 'One process still runs.' : `${count} processes still run.`;
}
