import { useId, type KeyboardEvent, type ReactNode } from 'react';
import { useStore } from 'zustand';
import type { SessionInfo } from '../../shared/session.ts';
import { shownLines } from '../../shared/shown-text.ts';
import { linesOf } from '../terminal/paste-text.ts';
import { useWindowModel } from '../window/window-model.ts';
import { InOrder } from './in-order.tsx';

/** Lines that are shown; who pastes more has looked at enough of them to know. */
const SHOWN_LINES = 200;

/**
 * Shows the lines of a paste that its program would run one by one, and asks. In the session's own pane, and not modal; the
 * answer that does nothing has the focus, and Escape gives it.
 */
export function PasteQuestion({ session }: { readonly session: SessionInfo }): ReactNode {
  const { deck } = useWindowModel();
  const text = useStore(deck.heldPastes, (all) => all.get(session.id) ?? null);
  return text === null ? null : <OpenQuestion key={text} session={session} text={text} />;
}

function OpenQuestion({ session, text }: { readonly session: SessionInfo; readonly text: string }): ReactNode {
  const { controller, deck } = useWindowModel();
  const questionId = useId();
  const lines = linesOf(text);
  const answer = (given: 'paste' | 'forget'): void => {
    deck.answerPaste(session.id, given);
    controller.select(session.id, 'to-pane');
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      answer('forget');
    }
  };
  const more = lines.length - SHOWN_LINES;
  return (
    <div
      className="paste-question"
      role="alertdialog"
      aria-labelledby={questionId}
      data-region="paste"
      data-region-request=""
      onKeyDown={onKeyDown}
    >
      <p id={questionId}>Paste these {lines.length} lines? The program takes each as if you pressed Enter after it.</p>
      <div className="actions">
        <button type="button" autoFocus data-region-target="" onClick={() => answer('forget')}>
          Do not paste
        </button>
        <button type="button" onClick={() => answer('paste')}>
          Paste {lines.length} lines
        </button>
      </div>
      <pre aria-label="What would be pasted" role="group" tabIndex={0}>
        <InOrder text={shownLines(lines.slice(0, SHOWN_LINES).join('\n'))} />
        {more > 0 ? `\n… and ${more} more` : ''}
      </pre>
    </div>
  );
}
