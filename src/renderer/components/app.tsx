import { useRef, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { useSessions, useWindowModel, useWindowState } from '../window/window-model.ts';
import { Announcer } from './announcer.tsx';
import { CommandPalette } from './command-palette.tsx';
import { ConnectPanel } from './connect-panel.tsx';
import { EmptyState } from './empty-state.tsx';
import { EnvironmentPanel } from './environment-panel.tsx';
import { GrantsPanel } from './grants-panel.tsx';
import { LinkList } from './link-list.tsx';
import { Notices } from './notices.tsx';
import { Panes } from './panes.tsx';
import { QuestionBar } from './question-bar.tsx';
import { QuitQuestionBar } from './quit-question-bar.tsx';
import { RenameBox } from './rename-box.tsx';
import { SessionDetails } from './session-details.tsx';
import { SessionListPanel } from './session-list.tsx';
import { SettingsSheet } from './settings-sheet.tsx';
import { ShortcutsSheet } from './shortcuts-sheet.tsx';
import { StatusBar } from './status-bar.tsx';
import { SurvivorsPanel } from './survivors-panel.tsx';
import { TabList } from './tab-list.tsx';
import { TimelinePanel } from './timeline-panel.tsx';
import { WindowBar } from './window-bar.tsx';

/** The window's frame: strip, panes, status bar. */
export function App(): ReactNode {
  const { sessions: list } = useWindowModel();
  const isLoaded = useStore(list, ({ loaded }) => loaded);
  const sessions = useSessions();
  const connectButton = useRef<HTMLButtonElement>(null);
  const elsewhere = useWindowState((state) => state.elsewhere);
  const isEmpty = isLoaded && sessions.every(({ id }) => elsewhere.has(id));
  // Neither a strip nor a guide is drawn for the moment until the list is known, so that none flashes up and goes. When
  // the list cannot be had, the strip stands beside the notice that says so.
  const hasNotices = useWindowState((state) => state.notices.length > 0);
  const hasStrip = isLoaded ? sessions.length > 0 : hasNotices;
  return (
    <div className="window">
      {hasStrip ? <WindowBar connectButton={connectButton} /> : null}
      <SessionListPanel />
      <main className="panes">
        <Panes />
        {isEmpty ? <EmptyState /> : null}
        {isLoaded && sessions.length === 0 ? null : <ConnectPanel opener={connectButton} />}
        <SurvivorsPanel />
        <SettingsSheet />
        <ShortcutsSheet />
        <GrantsPanel />
        <EnvironmentPanel />
        <QuestionBar />
        <QuitQuestionBar />
        <Notices />
      </main>
      <TimelinePanel />
      <CommandPalette />
      <RenameBox />
      <TabList />
      <LinkList />
      <SessionDetails />
      <StatusBar />
      <Announcer />
    </div>
  );
}
