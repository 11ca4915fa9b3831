/** What the window itself remembers: pure functions from one state to the next, without a DOM. */

import type { QuitQuestion } from '../../shared/ipc.ts';
import { USUAL_PANEL_WIDTHS } from '../../shared/panel-widths.ts';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import { endsSomething, isLive } from '../../shared/session.ts';
import { followTabs, moveTab, showTab } from '../layout/layout-changes.ts';
import {
  activeGroupOf,
  groupWith,
  shownTabs,
  UNDIVIDED,
  type PaneLayout,
  type TabPlace,
} from '../layout/pane-layout.ts';
import { needsLook } from '../text/session-text.ts';

/** Panels that are open until the person closes them, over a restart as well. */
export const PANELS = ['sessions', 'timeline'] as const;
export type PanelName = (typeof PANELS)[number];
export type OpenPanels = Readonly<Record<PanelName, boolean>>;

/** How wide panels are and may be, in CSS pixels. */
export const PANEL_WIDTH = { least: 180, most: 560, usual: USUAL_PANEL_WIDTHS } as const;

/** The command that opens and closes each. */
export const PANEL_COMMANDS = { sessions: 'toggle-sessions', timeline: 'toggle-timeline' } as const;

/** A failed request, told to the person until she dismisses it. */
export interface Notice {
  readonly id: number;
  readonly text: string;
}

export type Sheet = 'settings' | 'shortcuts';

export interface WindowState {
  /** How the room is divided among the tabs. Changed by `withLayout` alone. */
  readonly layout: PaneLayout;
  /** The session in view where the person works, as the layout has it; null only when there is none. */
  readonly selected: SessionId | null;
  /** The one that was so before, while it has its tab here. */
  readonly usedBefore: SessionId | null;
  /** A session that was asked for and is not in the list yet; it is selected when it comes. */
  readonly awaited: AwaitedSession | null;
  /** Sessions that ended badly and were not in view since. */
  readonly unseen: ReadonlySet<SessionId>;
  /** By their epochs, those that ended badly and have left the list: whether they were in `unseen`. They may be opened again. */
  readonly left: ReadonlyMap<string, boolean>;
  /** The session whose closing would end something and waits for the person's answer. */
  readonly asking: SessionId | null;
  /** What is to be asked before the app ends; null while it is not to. */
  readonly quitting: QuitQuestion | null;
  /** Sessions that are being ended or closed at this moment. */
  readonly ending: ReadonlySet<SessionId>;
  /** Agents' sessions that have the size of their pane, since the person asked for that. */
  readonly fitted: ReadonlySet<SessionId>;
  /** Sessions whose pane shows what has left its terminal. */
  readonly earlier: ReadonlySet<SessionId>;
  /** Sessions whose tabs are in other windows. */
  readonly elsewhere: ReadonlySet<SessionId>;
  readonly panels: OpenPanels;
  /** The timeline is that of all sessions, and not of the one in view. */
  readonly isTimelineOfAll: boolean;
  /** CSS pixels. */
  readonly panelWidths: Readonly<Record<PanelName, number>>;
  readonly isConnectPanelOpen: boolean;
  readonly isSurvivorsOpen: boolean;
  /** All that is told of the session in view; never without one. */
  readonly isDetailsOpen: boolean;
  readonly isPaletteOpen: boolean;
  /** The session whose name is being written. */
  readonly renaming: SessionId | null;
  /** What lies over the panes about the window itself. */
  readonly sheet: Sheet | null;
  readonly isTabListOpen: boolean;
  /** Addresses of the links in view that one is picked of; null while none is. */
  readonly links: readonly string[] | null;
  /** In which sessions' panes text is looked for, and how often each was asked for. */
  readonly finding: ReadonlyMap<SessionId, number>;
  readonly notices: readonly Notice[];
}

/** Nothing lies over the panes of all that takes the place of one another there. */
export const NOTHING_OVER: Pick<WindowState, 'isConnectPanelOpen' | 'isSurvivorsOpen' | 'isDetailsOpen' | 'sheet'> = {
  isConnectPanelOpen: false,
  isSurvivorsOpen: false,
  isDetailsOpen: false,
  sheet: null,
};

/** A session to come, and where its tab is to be; null: where the person works. */
export interface AwaitedSession {
  readonly id: SessionId;
  readonly place: TabPlace | null;
}

export const INITIAL_WINDOW_STATE: WindowState = {
  layout: UNDIVIDED,
  selected: null,
  usedBefore: null,
  awaited: null,
  unseen: new Set(),
  left: new Map(),
  asking: null,
  quitting: null,
  ending: new Set(),
  fitted: new Set(),
  earlier: new Set(),
  elsewhere: new Set(),
  panels: { sessions: false, timeline: false },
  isTimelineOfAll: false,
  panelWidths: PANEL_WIDTH.usual,
  isConnectPanelOpen: false,
  isSurvivorsOpen: false,
  isDetailsOpen: false,
  isPaletteOpen: false,
  renaming: null,
  sheet: null,
  isTabListOpen: false,
  links: null,
  finding: new Map(),
  notices: [],
};

/** Notices kept on screen; the oldest leave first. More than this cover the terminal. */
const MAX_NOTICES = 3;

/** Failures that are remembered when they leave the list: as many as may be opened again. */
const MAX_LEFT = 1_000;

/** What changed in the list, and whether somebody can be looking. */
export interface ListChange {
  readonly before: readonly SessionInfo[];
  readonly after: readonly SessionInfo[];
  readonly isWindowVisible: boolean;
}

/**
 * Follows the host's list. What is in view stays as the person put it: a new session comes into view only when she asked
 * for it herself or where there is nothing else; of a closed one, the neighbour takes the place.
 */
export function followList(state: WindowState, change: ListChange): WindowState {
  const { before, after, isWindowVisible } = change;
  const present = new Set(after.map(({ id }) => id));
  const followed: WindowState = {
    ...state,
    unseen: unseenFailures(state, before, after),
    left: leftFailures(state, before, present),
    asking: stillRuns(state.asking, after) ? state.asking : null,
    ending: only(state.ending, present),
    fitted: stillFitted(state.fitted, before, after),
    finding: stillFinding(state.finding, present),
  };
  const layout = followTabs(state.layout, {
    present: after.map(({ id }) => id),
    choose: (ids) => newest(after.filter(({ id }) => ids.includes(id))),
  });
  const arrived = state.awaited !== null && present.has(state.awaited.id) ? state.awaited : null;
  const listed = withLayout(followed, layout, isWindowVisible);
  return arrived === null ? listed : selectSession(listed, arrived.id, { isListed: true, isWindowVisible, ...arrived });
}

/** Divides the room anew; what is in view now counts as looked at, provided that the window can be seen. */
export function withLayout(state: WindowState, layout: PaneLayout, isWindowVisible: boolean): WindowState {
  const selected = activeGroupOf(layout).shown;
  // Left open without a session, it would take the keyboard as soon as an agent opens one.
  const isDetailsOpen = state.isDetailsOpen && selected !== null;
  const before = selected === state.selected ? state.usedBefore : state.selected;
  const usedBefore = before !== null && before !== selected && groupWith(layout, before) !== null ? before : null;
  return markSeen({ ...state, layout, selected, usedBefore, isDetailsOpen }, isWindowVisible);
}

/** How a session is put in view. */
export interface Selection {
  readonly isListed: boolean;
  readonly isWindowVisible: boolean;
  /** Where its tab goes; it stays where it is without one. */
  readonly place?: TabPlace | null;
}

/** Puts a session in view; one that is not in the list yet is put in view when it comes. */
export function selectSession(state: WindowState, id: SessionId, selection: Selection): WindowState {
  const place = selection.place ?? null;
  if (!selection.isListed) {
    return { ...state, awaited: { id, place } };
  }
  const moved = place === null ? state.layout : moveTab(state.layout, id, place);
  return withLayout({ ...state, awaited: null }, showTab(moved, id), selection.isWindowVisible);
}

/** The sessions in view count as looked at, provided that the window can be seen. */
export function markSeen(state: WindowState, isWindowVisible: boolean): WindowState {
  const shown = shownTabs(state.layout);
  if (!isWindowVisible || [...shown].every((id) => !state.unseen.has(id))) {
    return state;
  }
  return { ...state, unseen: new Set([...state.unseen].filter((id) => !shown.has(id))) };
}

/** Adds a notice; one that is already on screen is moved to the end instead of being told twice. */
export function addNotice(state: WindowState, notice: Notice): WindowState {
  const others = state.notices.filter(({ text }) => text !== notice.text);
  return { ...state, notices: [...others, notice].slice(-MAX_NOTICES) };
}

function newest(sessions: readonly SessionInfo[]): SessionId | null {
  return (sessions.findLast(({ state }) => isLive(state)) ?? sessions.at(-1))?.id ?? null;
}

function unseenFailures(
  { unseen, left }: WindowState,
  before: readonly SessionInfo[],
  after: readonly SessionInfo[],
): ReadonlySet<SessionId> {
  const endedBefore = new Set(before.filter(({ state }) => !isLive(state)).map(({ id }) => id));
  const marked = after.filter(({ id, epoch }) => unseen.has(id) || (!endedBefore.has(id) && (left.get(epoch) ?? true)));
  return unlessEqual(unseen, new Set(marked.filter((session) => needsLook(session)).map(({ id }) => id)));
}

function leftFailures(
  { unseen, left }: WindowState,
  before: readonly SessionInfo[],
  present: ReadonlySet<SessionId>,
): ReadonlyMap<string, boolean> {
  const gone = before.filter((session) => !present.has(session.id) && needsLook(session));
  if (gone.length === 0) {
    return left;
  }
  const all = new Map([...left, ...gone.map(({ id, epoch }): [string, boolean] => [epoch, unseen.has(id)])]);
  return new Map([...all].slice(-MAX_LEFT));
}

function stillRuns(id: SessionId | null, sessions: readonly SessionInfo[]): boolean {
  return sessions.some((session) => session.id === id && endsSomething(session));
}

function stillFinding(
  finding: ReadonlyMap<SessionId, number>,
  present: ReadonlySet<SessionId>,
): ReadonlyMap<SessionId, number> {
  const kept = [...finding].filter(([id]) => present.has(id));
  return kept.length === finding.size ? finding : new Map(kept);
}

/** Until the keyboard is given back: then the engine restores the size. A keyboard that is still to be taken keeps it. */
function stillFitted(
  fitted: ReadonlySet<SessionId>,
  before: readonly SessionInfo[],
  after: readonly SessionInfo[],
): ReadonlySet<SessionId> {
  if (fitted.size === 0) {
    return fitted;
  }
  const wasHeld = new Set(before.filter(({ keyboard }) => keyboard === 'person').map(({ id }) => id));
  const kept = after.filter(({ id, state, keyboard }) => isLive(state) && (keyboard === 'person' || !wasHeld.has(id)));
  return only(fitted, new Set(kept.map(({ id }) => id)));
}

function only(ids: ReadonlySet<SessionId>, present: ReadonlySet<SessionId>): ReadonlySet<SessionId> {
  return unlessEqual(ids, new Set([...ids].filter((id) => present.has(id))));
}

/** The old set when both hold the same, so that nothing is drawn anew for each byte count that changes. */
function unlessEqual<T>(old: ReadonlySet<T>, next: ReadonlySet<T>): ReadonlySet<T> {
  return old.size === next.size && [...next].every((item) => old.has(item)) ? old : next;
}
