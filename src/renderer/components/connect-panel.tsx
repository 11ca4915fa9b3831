import { useEffect, useRef, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import { useWindowModel, useWindowState } from '../window/window-model.ts';
import { ConnectGuide } from './connect-guide.tsx';
import { PanelCloseButton } from './panel-close-button.tsx';

/** The guide to connecting an agent, over the right side of the pane while sessions exist. Not modal. */
export function ConnectPanel({ opener }: { readonly opener: RefObject<HTMLButtonElement | null> }): ReactNode {
  const { controller } = useWindowModel();
  const isOpen = useWindowState((state) => state.isConnectPanelOpen);
  const panel = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (isOpen) {
      panel.current?.focus();
    }
  }, [isOpen]);

  if (!isOpen) {
    return null;
  }
  const close = (): void => {
    controller.panels.setConnectOpen(false);
    // A narrow window has no room for its button.
    if (opener.current?.checkVisibility() === true) {
      opener.current.focus();
    } else {
      controller.panels.toSelectedPane();
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') {
      return;
    }
    event.preventDefault();
    close();
  };
  return (
    <div
      ref={panel}
      id="connect-panel"
      className="connect-panel"
      role="dialog"
      aria-label="Connect an agent"
      tabIndex={-1}
      data-region="connect"
      onKeyDown={onKeyDown}
    >
      <ConnectGuide />
      <PanelCloseButton className="connect-panel-close" onClose={close} />
    </div>
  );
}
