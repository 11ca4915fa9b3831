import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { StoreApi } from 'zustand/vanilla';
import type { ShownQuestion } from '../../shared/approval.ts';
import type { WindowApi } from '../../shared/ipc.ts';
import type { SessionSurvivors } from '../../shared/session-facts.ts';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import type { SettingsSnapshot } from '../../shared/settings.ts';
import type { SessionAct, TimelineEntry } from '../../shared/timeline.ts';
import type { ConnectionState } from '../connection-state.ts';
import type { EarlierOutputs } from '../earlier/earlier-outputs.ts';
import type { PaneFinder } from '../earlier/pane-finder.ts';
import { groupBoxes } from '../layout/pane-boxes.ts';
import type { PolledFeed, UsageById } from '../polled-feed.ts';
import type { SessionList } from '../session-store.ts';
import type { PaneKeyboard } from '../terminal/pane-keyboard.ts';
import type { PaneProblems } from '../terminal/pane-problem.ts';
import type { TerminalLook } from '../terminal/terminal-appearance.ts';
import type { TerminalDeck } from '../terminal/terminal-deck.ts';
import { differencesOf } from '../text/session-differences.ts';
import { fullTitle } from '../text/session-text.ts';
import type { TimelineFeed } from '../timeline-feed.ts';
import type { TabDrag } from './tab-drag.ts';
import type { WindowController } from './window-controller.ts';
import type { WindowState } from './window-state.ts';

/** All that the components are given. Bytes are not among it: they go from port to terminal. */
export interface WindowModel {
  readonly sessions: StoreApi<SessionList>;
  readonly state: StoreApi<WindowState>;
  readonly connection: StoreApi<ConnectionState>;
  readonly problems: StoreApi<PaneProblems>;
  /** Sessions in view for which there is no terminal left. */
  readonly waiting: StoreApi<ReadonlySet<SessionId>>;
  /** How many bytes of each session are on its screen. */
  readonly progress: StoreApi<ReadonlyMap<SessionId, number>>;
  /** What was done to the session in view. */
  readonly timeline: TimelineFeed<SessionId, TimelineEntry>;
  /** What was done to all sessions. */
  readonly recentActs: TimelineFeed<'all', SessionAct>;
  /** What the running sessions use. */
  readonly usage: PolledFeed<UsageById>;
  /** What outlived ended sessions; null until it is known. */
  readonly survivors: PolledFeed<readonly SessionSurvivors[] | null>;
  /** What agents wait for a person's answer about. */
  readonly questions: StoreApi<readonly ShownQuestion[]>;
  /** Null until the host told them. */
  readonly settings: StoreApi<SettingsSnapshot | null>;
  /** Whether a screen reader reads the window. */
  readonly isReadAloud: StoreApi<boolean>;
  readonly controller: WindowController;
  readonly keyboard: PaneKeyboard;
  /** The tab that is dragged with the mouse. */
  readonly tabDrag: TabDrag;
  readonly deck: TerminalDeck<TerminalLook>;
  /** Output that has left the panes' terminals, where the person looks at it. */
  readonly earlier: EarlierOutputs<TerminalLook>;
  readonly finder: PaneFinder;
  readonly platform: WindowApi['platform'];
}

export const WindowModelContext = createContext<WindowModel | null>(null);

/** The window's model; only below the provider in `main.tsx`. */
export function useWindowModel(): WindowModel {
  const model = useContext(WindowModelContext);
  if (model === null) {
    throw new Error('A component of the window was drawn outside of it.');
  }
  return model;
}

export function useWindowState<T>(select: (state: WindowState) => T): T {
  return useStore(useWindowModel().state, select);
}

/** Tells what stands in a session's pane from the same in others: ` (pane 2 of 3)`; empty where there is one pane. */
export function usePaneWords(id: SessionId): string {
  return useWindowState(({ layout }) => {
    const groups = groupBoxes(layout);
    const index = groups.findIndex(({ group }) => group.tabs.includes(id));
    return groups.length > 1 ? ` (pane ${index + 1} of ${groups.length})` : '';
  });
}

export function useSessions(): readonly SessionInfo[] {
  return useStore(useWindowModel().sessions, (list) => list.sessions);
}

/** What tells a session from others of its name; null where nothing has to. */
export function useDifference(id: SessionId): string | null {
  return useStore(useWindowModel().sessions, ({ sessions }) => differencesOf(sessions).get(id) ?? null);
}

/** What a session is called among the others: `bash: web (2)`. */
export function useFullTitle(session: SessionInfo): string {
  return fullTitle(session, useDifference(session.id));
}

/** The share of its font that a session's terminal is drawn with. */
export function useScale(id: SessionId): number {
  return useStore(useWindowModel().deck.scales, (scales) => scales.get(id) ?? 1);
}

/** Null until the host told them. */
export function useSettings(): SettingsSnapshot | null {
  return useStore(useWindowModel().settings);
}

export function useConnection(): ConnectionState {
  return useStore(useWindowModel().connection);
}
