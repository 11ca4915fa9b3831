import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { isLive, type SessionInfo } from '../../shared/session.ts';
import type { ClipboardAnswer, ClipboardWish } from '../program-clipboard.ts';
import { shownClipboardText } from '../text/clipboard-text.ts';
import { originName } from '../text/session-text.ts';
import { clipboardQuestionId } from '../window/element-ids.ts';
import { useFullTitle, useWindowModel } from '../window/window-model.ts';
import { InOrder } from './in-order.tsx';

/**
 * Milliseconds for which a text has stood before it can be copied: nobody has read it earlier, and a click that was meant
 * for what stood there before is no answer.
 */
const READ_AFTER_MS = 500;

/**
 * Asks in a session's pane whether its program may set the clipboard. Not modal, and it never takes the keyboard: the key
 * `answer-question` leads here, to the answer that changes nothing, and Escape gives that one.
 */
export function ClipboardQuestion({ session }: { readonly session: SessionInfo }): ReactNode {
  const { controller, deck } = useWindowModel();
  const wish = useStore(controller.clipboard.wishes, (wishes) => wishes.get(session.id) ?? null);
  const isAsked = wish !== null;
  const element = useRef<HTMLDivElement>(null);
  const { id } = session;
  const title = useFullTitle(session);

  // Away from the line that the person types in; it stays where it is while she does.
  useLayoutEffect(() => {
    if (isAsked && element.current !== null) {
      element.current.dataset['edge'] = deck.cursorHalf(id) === 'upper' ? 'bottom' : 'top';
    }
  }, [deck, isAsked, id]);

  return (
    <div ref={element} className="clipboard-question" data-empty={!isAsked || undefined}>
      {/* Present from the start, so that what appears in it is announced. */}
      <p role="status" className="visually-hidden">
        {wish === null ? null : `${wantWords(session, title)}: ${shownClipboardText(wish.text).size}`}
      </p>
      {wish === null ? null : <Question session={session} wish={wish} />}
    </div>
  );
}

function Question({ session, wish }: { readonly session: SessionInfo; readonly wish: ClipboardWish }): ReactNode {
  const { clipboard } = useWindowModel().controller;
  const wordsId = useId();
  const [readNumber, setReadNumber] = useState<number | null>(null);
  const { id } = session;
  const title = useFullTitle(session);
  const { text, number } = wish;
  const canCopy = readNumber === number;
  useEffect(() => {
    const timer = setTimeout(() => setReadNumber(number), READ_AFTER_MS);
    return () => clearTimeout(timer);
  }, [number]);

  const answer = (kind: ClipboardAnswer): void => {
    if (canCopy || kind === 'refuse') {
      clipboard.answer(id, number, kind);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      answer('refuse');
    }
  };
  const { size, lines, moreLines } = shownClipboardText(text);
  return (
    <div
      role="group"
      aria-labelledby={wordsId}
      className="clipboard-wish"
      data-region="clipboard"
      data-region-request=""
      data-question-id={clipboardQuestionId(id)}
      onKeyDown={onKeyDown}
    >
      <p id={wordsId}>
        <strong>{wantWords(session, title)}</strong>: {size}
      </p>
      <pre>
        <code>
          <InOrder text={lines.join('\n')} />
        </code>
        {moreLines === 0 ? null : <small>{`… ${moreLines} more lines`}</small>}
      </pre>
      <div className="actions">
        <button type="button" data-region-target="" onClick={() => answer('refuse')}>
          Refuse
        </button>
        <button type="button" aria-disabled={!canCopy} onClick={() => answer('once')}>
          Copy once
        </button>
        {isLive(session.state) ? (
          <button type="button" aria-disabled={!canCopy} onClick={() => answer('session')}>
            Allow for this session
          </button>
        ) : null}
      </div>
    </div>
  );
}

/** `bash wants to put text on the clipboard`, `npm test of codex wants to put text on the clipboard`. */
function wantWords({ origin }: SessionInfo, title: string): string {
  const owner = origin.kind === 'agent' ? ` of ${originName(origin)}` : '';
  return `${title}${owner} wants to put text on the clipboard`;
}
