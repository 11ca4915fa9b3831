import type { MouseEvent, ReactNode } from 'react';
import { useStore } from 'zustand';
import { isLive, type SessionInfo } from '../../shared/session.ts';
import { canFit, canGiveBack } from '../acts/session-acts.ts';
import { keyboardWords, shortKeyboardWords, shortSizeWords, shownSizeWords } from '../text/session-text.ts';
import { refusalWords } from '../text/timeline-text.ts';
import { keyLabel } from '../window/app-keys.ts';
import { useScale, useWindowModel, useWindowState } from '../window/window-model.ts';
import { KeyboardIcon } from './icons.tsx';

/**
 * Above an agent's terminal: who holds its keyboard and who gave it its size, and how to change both. Always there, so
 * that nothing moves when either changes.
 */
export function PaneBar({ session }: { readonly session: SessionInfo }): ReactNode {
  const { controller, platform } = useWindowModel();
  const isFitted = useWindowState((state) => state.fitted.has(session.id));
  const { acts } = controller;
  const words = keyboardWords(session);
  return (
    <div
      className="pane-bar"
      data-region="pane-bar"
      data-keyboard={isLive(session.state) ? session.keyboard : undefined}
    >
      <p className="keyboard-holder" role="status">
        {words === null ? null : <KeyboardIcon />}
        {/* In a narrow pane the words that are heard stay, and fewer of them are seen. */}
        <span className="holder-words">{words}</span>
        <span className="holder-short" aria-hidden="true">
          {shortKeyboardWords(session)}
        </span>
      </p>
      {canGiveBack(session) ? (
        <>
          <button
            type="button"
            data-region-target=""
            title={`${keyLabel('give-keyboard-back', platform)}; by itself after 30 s without a key`}
            onMouseDown={keepFocus}
            onClick={({ detail }) => {
              void acts.giveKeyboardBack(session.id);
              // From the keyboard: this button goes, and a terminal with the focus would take the next key.
              if (detail === 0) {
                controller.select(session.id, 'to-tab');
              }
            }}
          >
            Give it back
          </button>
          <Refusal session={session} />
        </>
      ) : null}
      {session.size === null ? null : <SizeChip session={session} isFitted={isFitted} />}
      {canFit(session) && !isFitted ? (
        <button
          type="button"
          className="fit-button"
          data-region-target=""
          title={`${keyLabel('fit-to-pane', platform)}; takes the keyboard, and goes when that is given back`}
          onClick={() => {
            acts.fitToPane(session.id);
            controller.select(session.id, 'to-pane');
          }}
        >
          Fit to my pane
        </button>
      ) : null}
    </div>
  );
}

/** In a narrow pane the words that are heard stay, and only the numbers are seen. */
function SizeChip({ session, isFitted }: { readonly session: SessionInfo; readonly isFitted: boolean }): ReactNode {
  const scale = useScale(session.id);
  const words = shownSizeWords(session, isFitted, scale);
  return (
    <p className="size-chip" data-scaled={scale !== 1} title={words}>
      <span className="size-words">{words}</span>
      <span className="size-short" aria-hidden="true">
        {shortSizeWords(session, scale)}
      </span>
    </p>
  );
}

/** A quiet fact: the agent tried to type while the person holds the keyboard. */
function Refusal({ session }: { readonly session: SessionInfo }): ReactNode {
  const { timeline } = useWindowModel();
  const words = useStore(timeline.store, (view) => (view.of === session.id ? refusalWords(view.entries) : null));
  return (
    <p className="refusal" role="status" title={words ?? undefined}>
      {words}
    </p>
  );
}

function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}
