import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import type { SessionInfo } from '../../shared/session.ts';
import { bytesText } from '../text/quantity-text.ts';
import { keyLabel } from '../window/app-keys.ts';
import { useWindowModel } from '../window/window-model.ts';
import { CloseIcon } from './icons.tsx';

/** In the corner of a terminal that left output out, since it came faster than it can be shown: how much, and where all is. */
export function SkippedNote({ session }: { readonly session: SessionInfo }): ReactNode {
  const { controller, deck, platform } = useWindowModel();
  const bytes = useStore(deck.skipped, (all) => all.get(session.id) ?? 0);
  const putAway = (): void => {
    deck.putSkippedAway(session.id);
    controller.select(session.id, 'to-pane');
  };
  const look = async (): Promise<void> => {
    const offset = deck.skippedAt(session.id);
    if (offset !== null && (await controller.earlier.goTo(session.id, offset, 'top'))) {
      // What is shown covers this note.
      controller.select(session.id, 'to-pane');
    }
  };
  return (
    <div className="skipped-note" data-region="skipped" data-empty={bytes === 0 || undefined}>
      {/* Present from the start, so that what appears in it is announced. */}
      <p role="status">{bytes === 0 ? '' : `${bytesText(bytes)} not shown here`}</p>
      {bytes === 0 ? null : (
        <>
          <button
            type="button"
            data-region-target=""
            title="Where it begins, over this pane"
            onClick={() => void look()}
          >
            Show it
          </button>
          <button
            type="button"
            title={`${keyLabel('open-output', platform)}; as text, in your own program for it`}
            onClick={() => {
              void controller.desktop.openOutput(session.id);
              putAway();
            }}
          >
            Open full output
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label="Put this note away"
            title="Put this note away"
            onClick={putAway}
          >
            <CloseIcon />
          </button>
        </>
      )}
    </div>
  );
}
