import { memo, useEffect, useLayoutEffect, useRef, type CSSProperties, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { isLive, type SessionInfo } from '../../shared/session.ts';
import { shownText } from '../../shared/shown-text.ts';
import type { GroupId } from '../layout/pane-layout.ts';
import { commandText, failureReason, originName } from '../text/session-text.ts';
import { panelElementId, tabElementId } from '../window/element-ids.ts';
import { useWindowModel, useWindowState } from '../window/window-model.ts';
import { AttentionLine } from './attention-line.tsx';
import { ClipboardQuestion } from './clipboard-question.tsx';
import { CloseQuestion } from './close-question.tsx';
import { EarlierOutput } from './earlier-output.tsx';
import { ExitLine } from './exit-line.tsx';
import { FindBar } from './find-bar.tsx';
import { InOrder } from './in-order.tsx';
import { InputNote } from './input-note.tsx';
import { PaneBar } from './pane-bar.tsx';
import { PaneProblemBar } from './pane-problem-bar.tsx';
import { PasteQuestion } from './paste-question.tsx';
import { SkippedNote } from './skipped-note.tsx';
import { WholeWords } from './whole-words.tsx';

/**
 * One session's pane. It stays where it is in the page while the session is in the list, whichever group its tab is in,
 * so that its terminal is never taken apart; it is visible while its tab is the one that its group shows.
 */
export const SessionPanel = memo(function SessionPanel({
  session,
  isShown,
  group,
  place,
}: {
  readonly session: SessionInfo;
  readonly isShown: boolean;
  /** Whose tabs it is among. */
  readonly group: GroupId;
  /** Where it stands among other panes; the whole room without it. */
  readonly place: CSSProperties | undefined;
}): ReactNode {
  const isAsking = useWindowState((state) => state.asking === session.id);
  const hasTerminal = session.state !== 'failed';
  const panel = useRef<HTMLElement>(null);
  const { controller, keyboard } = useWindowModel();

  useLayoutEffect(() => {
    if (hasTerminal || !isShown) {
      return undefined;
    }
    keyboard.shown(session.id, () => panel.current?.focus());
    return () => keyboard.hidden(session.id);
  }, [keyboard, hasTerminal, isShown, session.id]);

  return (
    <section
      ref={panel}
      role="tabpanel"
      id={panelElementId(session.id)}
      className="panel"
      aria-labelledby={tabElementId(session.id)}
      style={place}
      data-group={group}
      hidden={!isShown}
      onFocus={() => controller.layout.workAt(session.id)}
      onMouseDownCapture={() => controller.layout.workAt(session.id)}
      tabIndex={hasTerminal ? undefined : 0}
      data-region="pane"
      data-region-target={hasTerminal ? undefined : ''}
    >
      {hasTerminal ? <TerminalPane session={session} isShown={isShown} /> : <NotStarted session={session} />}
      <AttentionLine session={session} />
      {hasTerminal ? <EarlierOutput session={session} isShown={isShown} /> : null}
      {hasTerminal ? <FindBar session={session} /> : null}
      {hasTerminal ? <ClipboardQuestion session={session} /> : null}
      <ExitLine session={session} />
      {isAsking ? <CloseQuestion session={session} /> : null}
    </section>
  );
});

function TerminalPane({ session, isShown }: { readonly session: SessionInfo; readonly isShown: boolean }): ReactNode {
  const { controller, deck, earlier, keyboard, problems, waiting } = useWindowModel();
  const isWaiting = useStore(waiting, (ids) => ids.has(session.id));
  const waitingNote = useRef<HTMLDivElement>(null);
  /** The keyboard came before the note was drawn, and is still with the pane that had it. */
  const isNoteSought = useRef(false);
  const problem = useStore(problems, (all) => all.get(session.id) ?? null);
  const host = useRef<HTMLDivElement>(null);
  const showAgain = useRef<HTMLButtonElement>(null);

  // Before paint, and after `hidden` is gone: a terminal that is opened without a box measures its cells as 0.
  useLayoutEffect(() => {
    if (isShown && host.current !== null) {
      deck.show(session, host.current);
    }
  }, [deck, isShown, session]);
  const { id, keyboard: holder } = session;
  useLayoutEffect(() => (isShown ? () => deck.hide(id) : undefined), [deck, isShown, id]);
  useLayoutEffect(() => {
    if (!isShown) {
      return undefined;
    }
    keyboard.shown(id, () => {
      isNoteSought.current = waiting.getState().has(id) && waitingNote.current === null;
      waitingNote.current?.focus();
      if (problems.getState().has(id)) {
        showAgain.current?.focus();
      } else if (!earlier.focus(id)) {
        deck.focus(id);
      }
    });
    return () => keyboard.hidden(id);
  }, [deck, earlier, keyboard, problems, waiting, isShown, id]);
  useLayoutEffect(() => {
    if (isWaiting && isNoteSought.current) {
      isNoteSought.current = false;
      waitingNote.current?.focus();
    }
  }, [isWaiting]);
  useEffect(() => () => deck.discard(session.id), [deck, session.id]);
  useEffect(() => {
    // What lies beneath the problem takes no keys.
    if (problem !== null && host.current?.contains(document.activeElement) === true) {
      showAgain.current?.focus();
    }
  }, [problem]);
  const childRuns = isLive(session.state);
  useEffect(() => {
    if (!childRuns) {
      deck.childEnded(session.id);
    }
  }, [deck, session.id, childRuns]);

  useEffect(() => deck.keyboardHeld(id, holder), [deck, id, holder, isShown, isWaiting]);
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
      <PasteQuestion session={session} />
      <SkippedNote session={session} />
      <InputNote session={session} />
      {isWaiting ? (
        <div ref={waitingNote} className="pane-waiting" tabIndex={-1} data-region="waiting">
          <p>Eight terminals are shown already, the most at once. This session keeps running, and keeps its output.</p>
          <button
            type="button"
            data-region-target=""
            onClick={() => {
              deck.showInstead(id);
              controller.select(id, 'to-pane');
            }}
          >
            Show it here
          </button>
        </div>
      ) : null}
      {problem === null ? null : <PaneProblemBar session={session} problem={problem} showAgain={showAgain} />}
    </>
  );
}

/** What was to run and why it does not, in place of a terminal. */
function NotStarted({ session }: { readonly session: SessionInfo }): ReactNode {
  return (
    <div className="not-started">
      <h2>This session could not start</h2>
      <dl>
        <dt>Reason</dt>
        <dd className="failure">
          <InOrder text={failureReason(session)} />
        </dd>
        <dt>Command</dt>
        <dd>
          <code>
            <WholeWords text={commandText(session)} />
          </code>
        </dd>
        <dt>Folder</dt>
        <dd>
          <code>
            <InOrder text={shownText(session.cwd)} />
          </code>
        </dd>
        <dt>Started by</dt>
        <dd>{originName(session.origin)}</dd>
      </dl>
    </div>
  );
}
