import { useEffect, useLayoutEffect, useRef, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { isLive, type SessionInfo } from '../../shared/session.ts';
import { panelElementId, tabElementId } from '../element-ids.ts';
import { commandText, originName } from '../session-text.ts';
import { useWindowModel, useWindowState } from '../window-model.ts';
import { AttentionLine } from './attention-line.tsx';
import { CloseQuestion } from './close-question.tsx';
import { ExitLine } from './exit-line.tsx';
import { FindBar } from './find-bar.tsx';
import { PaneBar } from './pane-bar.tsx';

/**
 * One session's pane. It stays mounted while the session is in the list, so that its terminal keeps its place; only the
 * selected one is visible.
 */
export function SessionPanel({
  session,
  isSelected,
}: {
  readonly session: SessionInfo;
  readonly isSelected: boolean;
}): ReactNode {
  const isAsking = useWindowState((state) => state.asking === session.id);
  const hasTerminal = session.state !== 'failed';
  const panel = useRef<HTMLElement>(null);
  const { keyboard } = useWindowModel();

  useLayoutEffect(() => {
    if (hasTerminal || !isSelected) {
      return undefined;
    }
    keyboard.shown(session.id, () => panel.current?.focus());
    return () => keyboard.hidden(session.id);
  }, [keyboard, hasTerminal, isSelected, session.id]);

  return (
    <section
      ref={panel}
      role="tabpanel"
      id={panelElementId(session.id)}
      className="panel"
      aria-labelledby={tabElementId(session.id)}
      hidden={!isSelected}
      tabIndex={hasTerminal ? undefined : 0}
      data-region="pane"
      data-region-target={hasTerminal ? undefined : ''}
    >
      {hasTerminal ? <TerminalPane session={session} isSelected={isSelected} /> : <NotStarted session={session} />}
      <AttentionLine session={session} />
      {hasTerminal ? <FindBar session={session} /> : null}
      <ExitLine session={session} />
      {isAsking ? <CloseQuestion session={session} /> : null}
    </section>
  );
}

function TerminalPane({
  session,
  isSelected,
}: {
  readonly session: SessionInfo;
  readonly isSelected: boolean;
}): ReactNode {
  const { controller, deck, keyboard, problems } = useWindowModel();
  const problem = useStore(problems, (all) => all.get(session.id) ?? null);
  const host = useRef<HTMLDivElement>(null);

  // Before paint, and after `hidden` is gone: a terminal that is opened without a box measures its cells as 0.
  useLayoutEffect(() => {
    if (!isSelected || host.current === null) {
      return undefined;
    }
    deck.show(session, host.current);
    keyboard.shown(session.id, () => deck.focus(session.id));
    return () => keyboard.hidden(session.id);
  }, [deck, keyboard, isSelected, session]);
  useEffect(() => () => deck.discard(session.id), [deck, session.id]);
  const childRuns = isLive(session.state);
  useEffect(() => {
    if (!childRuns) {
      deck.childEnded(session.id);
    }
  }, [deck, session.id, childRuns]);

  const { id, keyboard: holder } = session;
  useEffect(() => deck.keyboardHeld(id, holder), [deck, id, holder, isSelected]);
  const isFitted = useWindowState((state) => state.fitted.has(id));
  // After the pane is laid out to be filled, since the terminal measures it.
  useLayoutEffect(() => deck.setFitted(id, isFitted), [deck, id, isFitted]);

  const isFixed = session.origin.kind === 'agent' && session.size !== null && !isFitted;
  return (
    <>
      {session.origin.kind === 'agent' ? <PaneBar session={session} /> : null}
      <div
        className="pane"
        data-fit={isFixed ? 'fixed' : 'fill'}
        onMouseDown={(event) => {
          // The margin around a terminal belongs to it.
          if (event.target !== event.currentTarget) {
            return;
          }
          event.preventDefault();
          controller.select(session.id, 'to-pane');
        }}
      >
        <div className="terminal-frame">
          <div className="terminal-host" ref={host} />
        </div>
      </div>
      {problem === null ? null : (
        <div className="pane-problem" role="alert">
          <p>{problem}</p>
          <button type="button" onClick={() => deck.retry(session)}>
            Show it again
          </button>
        </div>
      )}
    </>
  );
}

/** What was to run, in place of a terminal. Why it does not is said by the exit line. */
function NotStarted({ session }: { readonly session: SessionInfo }): ReactNode {
  return (
    <div className="not-started">
      <h2>This session could not be started</h2>
      <dl>
        <dt>Command</dt>
        <dd>
          <code>{commandText(session)}</code>
        </dd>
        <dt>Folder</dt>
        <dd>
          <code>{session.cwd}</code>
        </dd>
        <dt>Asked for by</dt>
        <dd>{originName(session.origin)}</dd>
      </dl>
    </div>
  );
}
