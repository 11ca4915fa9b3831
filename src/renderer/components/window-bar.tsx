import type { MouseEvent, ReactNode, RefObject } from 'react';
import { groupsOf } from '../layout/pane-layout.ts';
import { keyLabel } from '../window/app-keys.ts';
import { UNSEEN_TEXT_ID } from '../window/element-ids.ts';
import { useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';
import { PANEL_COMMANDS, type PanelName } from '../window/window-state.ts';
import { ClockIcon, FoldIcon, ListIcon, PlugIcon, PlusIcon, SlidersIcon } from './icons.tsx';
import { TabStrip } from './tab-strip.tsx';

/** Above the panes: the tabs, while there is one group of them, and the buttons of the window. */
export function WindowBar({
  connectButton,
}: {
  readonly connectButton: RefObject<HTMLButtonElement | null>;
}): ReactNode {
  const { controller, platform } = useWindowModel();
  const layout = useWindowState((state) => state.layout);
  const isConnectPanelOpen = useWindowState((state) => state.isConnectPanelOpen);
  const groups = groupsOf(layout);
  const [first] = groups;
  const isDivided = groups.length > 1;
  const hasTabs = !isDivided && first !== undefined && first.tabs.length > 0;
  return (
    <header className="strip" data-region="strip" data-divided={isDivided || undefined}>
      <h1 className="visually-hidden">Shellscope</h1>
      <span id={UNSEEN_TEXT_ID} hidden>
        Not looked at yet
      </span>
      <PanelButton panel="sessions" name="Sessions" icon={<ListIcon />} />
      {isDivided || first === undefined ? null : <TabStrip group={first} name="Sessions" />}
      <button
        type="button"
        className="icon-button"
        aria-label="New shell"
        title={`New shell (${keyLabel('new-shell', platform)})`}
        data-region-target={hasTabs ? undefined : ''}
        onClick={() => void controller.newShell()}
      >
        <PlusIcon />
      </button>
      <AllTabsButton />
      <span className="strip-space" />
      <PanelButton panel="timeline" name="Timeline" icon={<ClockIcon />} isSpare />
      <button
        type="button"
        ref={connectButton}
        className="strip-button"
        data-spare=""
        aria-expanded={isConnectPanelOpen}
        aria-controls={isConnectPanelOpen ? 'connect-panel' : undefined}
        onMouseDown={keepFocus}
        onClick={() =>
          controller.panels.unlessBeneath('connect', () => controller.panels.setConnectOpen(!isConnectPanelOpen))
        }
      >
        <PlugIcon />
        <span className="strip-name">Connect an agent</span>
      </button>
      <SettingsButton />
    </header>
  );
}

function SettingsButton(): ReactNode {
  const { controller, platform } = useWindowModel();
  const isOpen = useWindowState((state) => state.sheet === 'settings');
  return (
    <button
      type="button"
      className="icon-button"
      data-spare=""
      aria-label="Settings"
      title={`Settings (${keyLabel('settings', platform)})`}
      aria-expanded={isOpen}
      aria-controls={isOpen ? 'settings-sheet' : undefined}
      onMouseDown={keepFocus}
      onClick={() => controller.panels.toggleSheet('settings')}
    >
      <SlidersIcon />
    </button>
  );
}

function AllTabsButton(): ReactNode {
  const { controller, platform } = useWindowModel();
  const isOpen = useWindowState((state) => state.isTabListOpen);
  const hasTabs = useSessions().length > 0;
  return hasTabs ? (
    <button
      type="button"
      className="icon-button"
      aria-label="All tabs"
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      title={`All tabs (${keyLabel('all-tabs', platform)})`}
      onMouseDown={keepFocus}
      onClick={() => controller.panels.setTabListOpen(!isOpen)}
    >
      <FoldIcon />
    </button>
  ) : null;
}

function PanelButton({
  panel,
  name,
  icon,
  isSpare = false,
}: {
  readonly panel: PanelName;
  readonly name: string;
  readonly icon: ReactNode;
  /** It gives way to the tabs where these have no room. */
  readonly isSpare?: boolean;
}): ReactNode {
  const { controller, platform } = useWindowModel();
  const isOpen = useWindowState((state) => state.panels[panel]);
  return (
    <button
      type="button"
      className="strip-button"
      data-spare={isSpare ? '' : undefined}
      aria-expanded={isOpen}
      aria-controls={isOpen ? `panel-of-${panel}` : undefined}
      title={`${name} (${keyLabel(PANEL_COMMANDS[panel], platform)})`}
      onMouseDown={keepFocus}
      onClick={() => controller.panels.press(panel)}
    >
      {icon}
      <span className="strip-name">{name}</span>
    </button>
  );
}

/** A click with the mouse acts without taking the keyboard; the act itself decides where that goes. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}
