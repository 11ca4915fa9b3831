import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import type { ConnectionInfo } from '../../shared/ipc.ts';
import type { ReachedPort } from '../../shared/session-facts.ts';
import { isLive, type SessionInfo } from '../../shared/session.ts';
import type { ConnectionState } from '../connection-state.ts';
import { needyText } from '../needs-person.ts';
import { connectedLines, connectedText } from '../text/agents-text.ts';
import { limitWords, usedOf } from '../text/limit-text.ts';
import { bytesText } from '../text/quantity-text.ts';
import { questionCount } from '../text/question-text.ts';
import { folderWords, portWords, servedPorts, shownFolder, shownSizeWords, usageWords } from '../text/session-text.ts';
import { keyLabel } from '../window/app-keys.ts';
import { useConnection, useScale, useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';
import { TickIcon } from './icons.tsx';
import { InOrder } from './in-order.tsx';
import { useOutputBytes } from './session-details.tsx';

/** Places that fit beside the other facts. */
const SHOWN_PORTS = 2;

/** Facts about the session in view, and at the right the door for agents. */
export function StatusBar(): ReactNode {
  const sessions = useSessions();
  const selected = useWindowState((state) => state.selected);
  const session = sessions.find(({ id }) => id === selected);
  return (
    <footer className="status-bar" data-region="status">
      {session === undefined ? null : <DetailsButton />}
      {session === undefined ? null : <SessionFacts session={session} />}
      <QuestionsButton />
      <NeedyButton />
      <MarkAllSeenButton />
      <SurvivorsButton />
      <ConnectionStatus />
    </footer>
  );
}

/** Leads to all of it: facts that find no room here are gone. */
function DetailsButton(): ReactNode {
  const { controller, platform } = useWindowModel();
  const isOpen = useWindowState((state) => state.isDetailsOpen);
  return (
    <button
      type="button"
      className="details-button"
      data-region-target=""
      aria-expanded={isOpen}
      aria-controls={isOpen ? 'session-details' : undefined}
      title={`Session details (${keyLabel('session-details', platform)})`}
      // The mouse leaves the keyboard where it is: there it is again when the panel is closed.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => controller.panels.toggleDetails()}
    >
      Details
    </button>
  );
}

/** There only while an agent waits for an answer; leads to it. */
function QuestionsButton(): ReactNode {
  const { controller, questions, platform } = useWindowModel();
  const count = useStore(questions, ({ length }) => length);
  return count === 0 ? null : (
    <button
      type="button"
      className="status-button"
      data-region-target=""
      title={`Answer (${keyLabel('answer-question', platform)})`}
      onClick={() => controller.runCommand('answer-question')}
    >
      {questionCount(count)}
    </button>
  );
}

/** There only while a session needs a person, or has failed and was not looked at; leads to it. */
function NeedyButton(): ReactNode {
  const { controller, platform } = useWindowModel();
  const sessions = useSessions();
  const text = useWindowState(({ unseen }) => needyText(sessions, unseen));
  return text === null ? null : (
    <button
      type="button"
      className="status-button"
      data-region-target=""
      title={`Go there (${keyLabel('go-to-needy', platform)})`}
      onClick={() => controller.runCommand('go-to-needy')}
    >
      {text}
    </button>
  );
}

/** There where looking at failures one by one would take several steps. */
function MarkAllSeenButton(): ReactNode {
  const { controller, platform } = useWindowModel();
  const count = useWindowState(({ unseen }) => unseen.size);
  return count < 2 ? null : (
    <button
      type="button"
      className="status-button"
      aria-label="Mark all as looked at"
      title={`Mark all ${count} failures as looked at (${keyLabel('mark-all-seen', platform)})`}
      // Gone with its click: the keyboard stays where it is.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => {
        controller.markAllSeen();
        controller.panels.toSelectedPane();
      }}
    >
      <TickIcon />
    </button>
  );
}

/** There only while something outlived its session. */
function SurvivorsButton(): ReactNode {
  const { controller, platform } = useWindowModel();
  const count = useSessions().filter(({ treeEmpty }) => treeEmpty === false).length;
  const isOpen = useWindowState((state) => state.isSurvivorsOpen);
  return count === 0 ? null : (
    <button
      type="button"
      className="status-button"
      data-region-target=""
      aria-expanded={isOpen}
      aria-controls={isOpen ? 'survivors-panel' : undefined}
      title={`What still runs of sessions that have ended (${keyLabel('toggle-survivors', platform)})`}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => controller.panels.unlessBeneath('survivors', () => controller.panels.setSurvivorsOpen(!isOpen))}
    >
      {count} left running
    </button>
  );
}

function SessionFacts({ session }: { readonly session: SessionInfo }): ReactNode {
  const used = useStore(useWindowModel().usage.store, (all) => all.get(session.id));
  const isFitted = useWindowState((state) => state.fitted.has(session.id));
  const scale = useScale(session.id);
  const outputBytes = useOutputBytes(session);
  const isRunning = isLive(session.state);
  // What never ran has neither a terminal nor an output.
  const wasStarted = session.state !== 'failed';
  const limits = isRunning ? session.limits : {};
  const usage = used === undefined || !isRunning ? null : usageWords(used);
  return (
    <ul className="facts" aria-label="Session in view">
      {wasStarted ? <li>{shownSizeWords(session, isFitted, scale)}</li> : null}
      <li className="fact-path" title={folderWords(session)}>
        {/* Cut at its start, where a path says least; isolated, so that the reversed direction turns nothing else. */}
        <bdi dir="ltr">
          <InOrder text={shownFolder(session)} />
        </bdi>
      </li>
      {session.pid === null ? null : <li>pid {session.pid}</li>}
      {wasStarted ? <li>{usedOf(bytesText(outputBytes), limits.outputBytes, bytesText)} out</li> : null}
      {usage === null ? null : <li>{usedOf(usage, limits.memoryBytes, bytesText)}</li>}
      <Limits words={limitWords(limits, { ...used, outputBytes })} />
      {isRunning ? <Ports listening={used?.listening ?? []} /> : null}
    </ul>
  );
}

/** How many limits the session has, and in its name and on hovering each of them. One place however many there are. */
function Limits({ words }: { readonly words: readonly string[] }): ReactNode {
  return words.length === 0 ? null : (
    <li className="fact-limits" title={words.join('\n')}>
      {words.length === 1 ? '1 limit' : `${words.length} limits`}
      <span className="visually-hidden">: {words.join(', ')}</span>
    </li>
  );
}

/** The first places that the session listens at; of more, how many, with all of them to be hovered. */
function Ports({ listening }: { readonly listening: readonly ReachedPort[] }): ReactNode {
  const served = servedPorts(listening);
  const more = served.slice(SHOWN_PORTS);
  return (
    <>
      {served.slice(0, SHOWN_PORTS).map((port) => (
        <li key={portWords(port)}>{portWords(port)}</li>
      ))}
      {more.length === 0 ? null : <li title={more.map(portWords).join('\n')}>and at {more.length} more</li>}
    </>
  );
}

/** The only part that is announced when it changes: the rest changes with every byte. */
function ConnectionStatus(): ReactNode {
  const state = useConnection();
  return (
    <p className="connection" role="status" aria-label="Door for agents" data-health={healthOf(state)}>
      {connectionParts(state).map((part) => (
        <span key={part}>{part}</span>
      ))}
      {state.kind === 'known' ? <Agents connection={state.connection} /> : null}
    </p>
  );
}

function healthOf(state: ConnectionState): 'unknown' | 'listening' | 'trouble' {
  if (state.kind === 'unknown') {
    return 'unknown';
  }
  if (state.kind === 'unreachable' || state.connection.problem !== null) {
    return 'trouble';
  }
  return state.connection.execServerUrl === null ? 'trouble' : 'listening';
}

function connectionParts(state: ConnectionState): readonly string[] {
  if (state.kind === 'unknown') {
    return [];
  }
  if (state.kind === 'unreachable') {
    return ['agents: not known'];
  }
  const { execServerUrl, problem } = state.connection;
  if (execServerUrl === null) {
    return ['not listening for agents'];
  }
  return [execServerUrl, problem === null ? 'listening' : 'listening, with a problem'];
}

/** Cut where it is long, with all of them to be hovered. */
function Agents({ connection }: { readonly connection: ConnectionInfo }): ReactNode {
  const connected = connection.execServerUrl === null ? null : connectedText(connection);
  if (connected === null) {
    return connection.execServerUrl === null ? null : <span>no agents</span>;
  }
  return (
    <span className="agents" title={connectedLines(connection)}>
      <InOrder text={connected} />
    </span>
  );
}
