import { useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { keyLabel } from '../window/app-keys.ts';
import { useWindowModel, useWindowState } from '../window/window-model.ts';
import { PANEL_COMMANDS, type PanelName } from '../window/window-state.ts';
import { CloseIcon } from './icons.tsx';
import { SidePanelBorder } from './side-panel-border.tsx';

/**
 * A panel beside the panes, open or closed by the person alone. Escape inside it gives the keyboard back to the pane. A small
 * window has it beneath what stands over the panes, unless it has the keyboard: opened there, it takes that.
 */
export function SidePanel({
  name,
  title,
  choice,
  children,
}: {
  readonly name: PanelName;
  readonly title: string;
  /** What the person chooses in the panel's head. */
  readonly choice?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  const { controller, platform } = useWindowModel();
  const width = useWindowState((state) => state.panelWidths[name]);
  const panel = useRef<HTMLElement>(null);
  const closeButton = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (panel.current !== null && Number(getComputedStyle(panel.current).zIndex) < 0) {
      closeButton.current?.focus();
    }
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented) {
      event.preventDefault();
      controller.panels.toSelectedPane();
    }
  };
  return (
    <aside
      ref={panel}
      id={`panel-of-${name}`}
      className="side-panel"
      data-panel={name}
      aria-label={title}
      data-region={name}
      style={{ width }}
      onKeyDown={onKeyDown}
    >
      <header className="side-panel-head">
        <h2 className="side-panel-title">{title}</h2>
        {choice}
        <button
          type="button"
          ref={closeButton}
          className="icon-button"
          aria-label={`Close ${title.toLowerCase()}`}
          title={keyLabel(PANEL_COMMANDS[name], platform)}
          data-region-target=""
          onClick={() => {
            controller.panels.setOpen(name, false);
            controller.panels.toSelectedPane();
          }}
        >
          <CloseIcon />
        </button>
      </header>
      {children}
      <SidePanelBorder panel={name} title={title} />
    </aside>
  );
}
