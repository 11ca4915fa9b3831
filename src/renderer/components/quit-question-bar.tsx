import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from 'react';
import type { QuitQuestion } from '../../shared/ipc.ts';
import { lostSessions, quitLosses, quitSentence } from '../text/quit-text.ts';
import { differencesOf } from '../text/session-differences.ts';
import { useKeyboardReturn } from '../window/keyboard-return.ts';
import { useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';

/**
 * Asks before the app ends while something runs. Not modal: everything else goes on, and what ends or starts meanwhile
 * is told. The answer that loses nothing has the focus, and Escape gives it.
 */
export function QuitQuestionBar(): ReactNode {
  const question = useWindowState(({ quitting }) => quitting);
  return question === null ? null : <OpenBar question={question} />;
}

function OpenBar({ question }: { readonly question: QuitQuestion }): ReactNode {
  const { controller } = useWindowModel();
  const sessions = useSessions();
  const sentenceId = useId();
  const listId = useId();
  const keepButton = useRef<HTMLButtonElement>(null);
  const returnKeyboard = useKeyboardReturn();
  // Each time that it is asked, also while it is shown.
  useEffect(() => {
    keepButton.current?.focus();
    controller.quit.shown();
  }, [controller, question]);

  const keep = (): void => {
    void controller.quit.keep();
    returnKeyboard();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      keep();
    }
  };
  const lost = lostSessions(sessions, question.idle);
  return (
    <div
      className="quit-question"
      role="alertdialog"
      aria-labelledby={sentenceId}
      aria-describedby={listId}
      data-region="quit"
      data-region-request=""
      onKeyDown={onKeyDown}
    >
      <p id={sentenceId}>
        <strong>{quitSentence(lost.length)}</strong>
      </p>
      <ul id={listId}>
        {quitLosses(lost, differencesOf(sessions)).map(({ who, count, titles }) => (
          <li key={who}>
            <span className="quit-owner">{who}</span>
            <span>{count}</span>
            <span className="quit-titles">{titles}</span>
          </li>
        ))}
      </ul>
      <div className="actions">
        <button ref={keepButton} type="button" data-region-target="" onClick={keep}>
          Keep running
        </button>
        <button type="button" className="danger" onClick={() => void controller.quit.end()}>
          Quit and end them
        </button>
      </div>
    </div>
  );
}
