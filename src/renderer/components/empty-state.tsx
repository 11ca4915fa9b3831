import type { ReactNode } from 'react';
import { keyLabel } from '../window/app-keys.ts';
import { useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';
import { ConnectGuide } from './connect-guide.tsx';

/** The window without a session: what this is, and the two ways to begin. */
export function EmptyState(): ReactNode {
  const { controller, platform } = useWindowModel();
  // Where there are some, the strip has a button for the guide.
  const hasSessions = useSessions().length > 0;
  // The question before the app ends has the keyboard, whichever of the two comes first.
  const isQuitting = useWindowState(({ quitting }) => quitting !== null);
  return (
    <div className="empty" data-region="pane">
      <div className="empty-column">
        <div className="empty-intro">
          <h1>Shellscope</h1>
          <p>Hosts the shells of your coding agents: you watch every one live, and can type into it at any time.</p>
          <button
            type="button"
            className="primary"
            autoFocus={!isQuitting}
            data-region-target=""
            onClick={() => void controller.newShell()}
          >
            New shell
          </button>
          <kbd>{keyLabel('new-shell', platform)}</kbd>
        </div>
        {hasSessions ? <OtherWindows /> : <ConnectGuide />}
        <p className="empty-keys">
          <kbd>Ctrl+PageUp</kbd> and <kbd>Ctrl+PageDown</kbd> switch tabs. <kbd>Ctrl+F6</kbd> moves the focus out of a
          terminal. <kbd>{keyLabel('settings', platform)}</kbd> opens the settings,{' '}
          <kbd>{keyLabel('shortcuts', platform)}</kbd> the list of all keys.
        </p>
      </div>
    </div>
  );
}

/** In a further window: where the sessions are, and the way to them. */
function OtherWindows(): ReactNode {
  const { controller, platform } = useWindowModel();
  const sessions = useSessions();
  const [first] = sessions;
  return first === undefined ? null : (
    <div className="empty-elsewhere">
      {sessions.length === 1 ? (
        <button type="button" onClick={() => controller.select(first.id, 'to-pane')}>
          Go to the session in the other window
        </button>
      ) : (
        <button type="button" onClick={() => controller.panels.setOpen('sessions', true)}>
          {`Show the ${sessions.length} sessions in other windows`}
        </button>
      )}
      <p>
        What agents open next comes into the window that you used last;{' '}
        <kbd>{keyLabel('move-tab-to-window', platform)}</kbd> moves a tab into a new one.
      </p>
    </div>
  );
}
