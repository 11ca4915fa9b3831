import { useId, type KeyboardEvent, type ReactNode } from 'react';
import { isLive, type SessionInfo } from '../../shared/session.ts';
import { bytesText } from '../text/quantity-text.ts';
import { originName } from '../text/session-text.ts';
import { clockText } from '../text/timeline-text.ts';
import { useFullTitle, useWindowModel } from '../window/window-model.ts';

/**
 * Asks, inside the session's own pane, before a running child is ended. Not modal: everything else goes on. The answer
 * that loses nothing has the focus, and Escape gives it.
 */
export function CloseQuestion({ session }: { readonly session: SessionInfo }): ReactNode {
  const { controller } = useWindowModel();
  const questionId = useId();
  const title = useFullTitle(session);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') {
      return;
    }
    event.preventDefault();
    controller.closing.keepRunning();
  };
  return (
    <div
      className="close-question"
      role="alertdialog"
      aria-labelledby={questionId}
      data-region="close"
      data-region-request=""
      onKeyDown={onKeyDown}
    >
      <p id={questionId}>
        {isLive(session.state) ? (
          <>
            <strong>{title}</strong> is still running
            {session.origin.kind === 'agent' ? ` for ${originName(session.origin)}` : ''}, since{' '}
            {clockText(session.startedAtMs)}. Ending it stops everything it started
            {session.outputBytes === 0 ? '' : `; closing also discards its ${bytesText(session.outputBytes)} of output`}
            .
          </>
        ) : (
          <>
            Something that <strong>{title}</strong> started is still running. Closing ends it
            {session.outputBytes === 0 ? '' : `, and discards ${bytesText(session.outputBytes)} of output`}.
          </>
        )}
      </p>
      <div className="actions">
        <button type="button" autoFocus data-region-target="" onClick={() => controller.closing.keepRunning()}>
          Keep it running
        </button>
        <button type="button" onClick={() => void controller.closing.endAndKeep(session.id)}>
          End it, keep the output
        </button>
        <button type="button" className="danger" onClick={() => void controller.closing.endAndClose(session.id)}>
          End and close
        </button>
      </div>
    </div>
  );
}
