import { useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { useStore } from 'zustand';
import type { SessionInfo } from '../../shared/session.ts';
import { commandDetails, identityDetails, usageDetails, type SessionDetail } from '../text/session-details.ts';
import { useKeyboardReturn } from '../window/keyboard-return.ts';
import { useScale, useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';
import { PanelCloseButton } from './panel-close-button.tsx';
import { WholeWords } from './whole-words.tsx';

/** Above the status bar: all that is told of the session in view, as a list. Not modal; Escape closes it. */
export function SessionDetails(): ReactNode {
  const isOpen = useWindowState((state) => state.isDetailsOpen);
  const selected = useWindowState((state) => state.selected);
  const session = useSessions().find(({ id }) => id === selected);
  return isOpen && session !== undefined ? <OpenDetails session={session} /> : null;
}

function OpenDetails({ session }: { readonly session: SessionInfo }): ReactNode {
  const { controller } = useWindowModel();
  const panel = useRef<HTMLDivElement>(null);
  const wayBack = useRef(useKeyboardReturn());
  const used = useStore(useWindowModel().usage.store, (all) => all.get(session.id));
  const outputBytes = useOutputBytes(session);
  const isFitted = useWindowState((state) => state.fitted.has(session.id));
  const scale = useScale(session.id);
  useLayoutEffect(() => {
    const drawn = panel.current;
    const goBack = wayBack.current;
    drawn?.focus();
    return () => {
      // However it is closed; asked before it leaves the page.
      if (drawn?.contains(document.activeElement) === true) {
        goBack();
      }
    };
  }, []);

  const close = (): void => controller.panels.setDetailsOpen(false);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      close();
    }
  };
  return (
    <div
      ref={panel}
      id="session-details"
      className="session-details"
      role="dialog"
      aria-label="Session details"
      tabIndex={-1}
      data-region="details"
      onKeyDown={onKeyDown}
    >
      {/* No header element: outside of the main part of the page it would be a banner. */}
      <div className="details-head">
        <h2>Session details</h2>
        <PanelCloseButton onClose={close} />
      </div>
      {/* Takes the keyboard, to be scrolled: a command may be long. */}
      <div className="detail-lists" role="region" aria-label="Facts" tabIndex={0}>
        <DetailList details={identityDetails({ session, isFitted, scale })} />
        <DetailList details={usageDetails({ session, used, outputBytes })} />
        <DetailList details={commandDetails({ session })} />
      </div>
    </div>
  );
}

/** Bytes that a session has printed: what is on its screen may be news that the list has not told yet. */
export function useOutputBytes(session: SessionInfo): number {
  const onScreen = useStore(useWindowModel().progress, (offsets) => offsets.get(session.id) ?? 0);
  return Math.max(session.outputBytes, onScreen);
}

function DetailList({ details }: { readonly details: readonly SessionDetail[] }): ReactNode {
  return details.length === 0 ? null : (
    <dl className="details">
      {details.map(({ name, values, isCode }) => (
        <div key={name}>
          <dt>{name}</dt>
          {values.map((value) => (
            <dd key={value}>
              {isCode ? (
                <code>
                  <WholeWords text={value} />
                </code>
              ) : (
                value
              )}
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}
