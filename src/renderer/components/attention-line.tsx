import type { ReactNode } from 'react';
import type { SessionInfo } from '../../shared/session.ts';
import { shownWords } from '../../shared/shown-text.ts';
import { originName } from '../text/session-text.ts';
import { keyLabel } from '../window/app-keys.ts';
import { useWindowModel } from '../window/window-model.ts';

/**
 * Beneath the terminal: what the agent wants a person for, in its words, and the person's answer. As in every question,
 * the one that claims nothing comes first, and F6 leads to it.
 */
export function AttentionLine({ session }: { readonly session: SessionInfo }): ReactNode {
  const { controller, platform } = useWindowModel();
  const { attention } = session;
  return (
    <div
      className="attention-line"
      data-region="attention"
      data-region-request=""
      data-empty={attention === null || undefined}
    >
      {/* Present from the start, so that what appears in it is announced. */}
      <p role="alert">
        {attention === null ? null : (
          <>
            <strong>{originName(session.origin)}</strong>{' '}
            {attention.kind === 'secret' ? 'asks you to type what it must not see' : 'asks you'}:{' '}
            <bdi>{shownWords(attention.message)}</bdi>
          </>
        )}
      </p>
      {attention === null ? null : (
        <div className="actions">
          <button
            type="button"
            data-region-target=""
            title={`Decline (${keyLabel('request-decline', platform)})`}
            onClick={() => void controller.answers.answerRequest(session.id, 'declined')}
          >
            Decline
          </button>
          <button
            type="button"
            title={`Done (${keyLabel('request-done', platform)})`}
            onClick={() => void controller.answers.answerRequest(session.id, 'done')}
          >
            Done
          </button>
        </div>
      )}
    </div>
  );
}
