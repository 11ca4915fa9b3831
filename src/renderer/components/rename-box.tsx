import { useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { SessionInfo } from '../../shared/session.ts';
import { commandTitle } from '../text/session-text.ts';
import { useKeyboardReturn } from '../window/keyboard-return.ts';
import { useFullTitle, useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';

/** Characters that a session's name may have; the host holds to the same. */
const MAX_NAME = 100;

/** Names a session, over everything else. An empty name takes the name away: it is called by its command again. */
export function RenameBox(): ReactNode {
  const id = useWindowState(({ renaming }) => renaming);
  const session = useSessions().find((one) => one.id === id);
  return session === undefined ? null : <OpenBox key={session.id} session={session} />;
}

function OpenBox({ session }: { readonly session: SessionInfo }): ReactNode {
  const { controller } = useWindowModel();
  const hintId = useId();
  const title = useFullTitle(session);
  const [name, setName] = useState(session.title ?? '');
  const returnKeyboard = useKeyboardReturn();
  const leave = (): void => {
    controller.panels.setRenaming(null);
    returnKeyboard();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      leave();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      leave();
      void controller.acts.rename(session.id, name);
    } else if (event.key === 'Tab') {
      // There is nothing else to go to in here.
      event.preventDefault();
    }
  };
  return (
    <div
      className="palette"
      role="dialog"
      aria-label={`Rename ${title}`}
      onKeyDown={onKeyDown}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) {
          controller.panels.setRenaming(null);
        }
      }}
    >
      <p className="rename-title" aria-hidden="true">
        Rename {title}
      </p>
      <input
        type="text"
        aria-label="Name"
        aria-describedby={hintId}
        placeholder={commandTitle(session)}
        autoFocus
        maxLength={MAX_NAME}
        value={name}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setName(target.value)}
      />
      <p id={hintId} className="rename-hint">
        Enter to rename · empty for the name of its command · Escape to cancel
      </p>
    </div>
  );
}
