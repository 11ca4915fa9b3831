import type { ReactNode } from 'react';
import type { SessionInfo } from '../../shared/session.ts';
import { endSentence, stateLook } from '../text/session-text.ts';
import { keyLabel } from '../window/app-keys.ts';
import { useWindowModel } from '../window/window-model.ts';
import { StateIcon } from './icons.tsx';

/**
 * Beneath the terminal: how and when the session ended, and what can be done now. Empty while it runs. Why it could not start
 * stands in place of the terminal.
 */
export function ExitLine({ session }: { readonly session: SessionInfo }): ReactNode {
  const { controller, platform } = useWindowModel();
  const sentence = endSentence(session);
  return (
    <div
      className="exit-line"
      data-region="end"
      data-look={stateLook(session)}
      data-empty={sentence === null || undefined}
    >
      {sentence === null ? null : <StateIcon look={stateLook(session)} />}
      {/* Present from the start, so that what appears in it is announced. */}
      <p role="status">{session.state === 'failed' ? 'could not start' : sentence}</p>
      {sentence === null ? null : (
        <>
          {session.endedAtMs === null ? null : <EndTime atMs={session.endedAtMs} />}
          <div className="actions">
            <button
              type="button"
              data-region-target=""
              title={`${keyLabel('run-again', platform)}; in its folder, as your own`}
              onClick={() => void controller.runAgain(session.id)}
            >
              Run again
            </button>
            {session.treeEmpty === false ? (
              <button type="button" onClick={() => controller.panels.setSurvivorsOpen(true)}>
                Show what runs
              </button>
            ) : null}
            <button type="button" onClick={() => controller.closing.request(session.id)}>
              Close
            </button>
          </div>
        </>
      )}
    </div>
  );
}

function EndTime({ atMs }: { readonly atMs: number }): ReactNode {
  const at = new Date(atMs);
  return <time dateTime={at.toISOString()}>{at.toLocaleTimeString(undefined, { timeStyle: 'medium' })}</time>;
}
