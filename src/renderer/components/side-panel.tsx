import type { KeyboardEvent, ReactNode } from 'react';
import { keyLabel } from '../app-keys.ts';
import { PANEL_COMMANDS, type PanelName } from '../window-state.ts';
import { useWindowModel, useWindowState } from '../window-model.ts';
import { CloseIcon } from './icons.tsx';
import { SidePanelBorder } from './side-panel-border.tsx';

/** A panel beside the panes, open or closed by the person alone. Escape inside it gives the keyboard back to the pane. */
export function SidePanel({
  name,
  title,
  children,
}: {
  readonly name: PanelName;
  readonly title: string;
  readonly children: ReactNode;
}): ReactNode {
  const { controller, platform } = useWindowModel();
  const width = useWindowState((state) => state.panelWidths[name]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented) {
      event.preventDefault();
      controller.panels.toSelectedPane();
    }
  };
  return (
    <aside
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
        <button
          type="button"
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
