/** What the window itself remembers: pure functions from one state to the next, without a DOM. */
import type { SessionId, SessionInfo } from '../shared/session.ts';
import { isLive } from '../shared/session.ts';
import { needsLook } from './session-text.ts';

/** Panels that are open until the person closes them, over a restart as well. */
export const PANELS = ['sessions', 'timeline'] as const;
export type PanelName = (typeof PANELS)[number];
export type OpenPanels = Readonly<Record<PanelName, boolean>>;

/** The command that opens and closes each. */
export const PANEL_COMMANDS = { sessions: 'toggle-sessions', timeline: 'toggle-timeline' } as const;

/** A failed request, told to the person until she dismisses it. */
export interface Notice {
  readonly id: number;
  readonly text: string;
}

export interface WindowState {
  /** The session in view; null only when there is none. */
  readonly selected: SessionId | null;
  /** A session that was asked for and is not in the list yet; it is selected when it comes. */
  readonly awaited: SessionId | null;
  /** Sessions that ended badly and were not in view since. */
  readonly unseen: ReadonlySet<SessionId>;
  /** The session whose closing would end something and waits for the person's answer. */
  readonly asking: SessionId | null;
  /** Sessions that are being ended or closed at this moment. */
  readonly ending: ReadonlySet<SessionId>;
  /** Agents' sessions that have the size of their pane, since the person asked for that. */
  readonly fitted: ReadonlySet<SessionId>;
  readonly panels: OpenPanels;
  readonly isConnectPanelOpen: boolean;
  readonly isSurvivorsOpen: boolean;
  readonly isPaletteOpen: boolean;
  /** In which session's pane text is looked for, and how often that was asked for. */
  readonly finding: { readonly id: SessionId; readonly times: number } | null;
  readonly notices: readonly Notice[];
}

export const INITIAL_WINDOW_STATE: WindowState = {
  selected: null,
  awaited: null,
  unseen: new Set(),
  asking: null,
  ending: new Set(),
  fitted: new Set(),
  panels: { sessions: false, timeline: false },
  isConnectPanelOpen: false,
  isSurvivorsOpen: false,
  isPaletteOpen: false,
  finding: null,
  notices: [],
};

/** Notices kept on screen; the oldest leave first. More than this cover the terminal. */
const MAX_NOTICES = 3;

/** What changed in the list, and whether somebody can be looking. */
export interface ListChange {
  readonly before: readonly SessionInfo[];
  readonly after: readonly SessionInfo[];
  readonly isWindowVisible: boolean;
}

/**
 * Follows the host's list. The selection stays where the person put it: a new session is selected only when she asked
 * for it herself or when there is nothing else in view; of a closed one, the neighbour takes the place.
 */
export function followList(state: WindowState, change: ListChange): WindowState {
  const { before, after } = change;
  const present = new Set(after.map(({ id }) => id));
  const isAwaitedHere = state.awaited !== null && present.has(state.awaited);
  const selected = isAwaitedHere ? state.awaited : remainingSelection(state.selected, before, after);
  return markSeen(
    {
      ...state,
      selected,
      awaited: isAwaitedHere ? null : state.awaited,
      unseen: unseenFailures(state.unseen, before, after),
      asking: stillRuns(state.asking, after) ? state.asking : null,
      ending: only(state.ending, present),
      fitted: stillFitted(state.fitted, before, after),
    },
    change.isWindowVisible,
  );
}

/** Puts a session in view; one that is not in the list yet is put in view when it comes. */
export function selectSession(
  state: WindowState,
  id: SessionId,
  place: { readonly isListed: boolean; readonly isWindowVisible: boolean },
): WindowState {
  if (!place.isListed) {
    return { ...state, awaited: id };
  }
  return markSeen({ ...state, selected: id, awaited: null }, place.isWindowVisible);
}

/** The session in view counts as looked at, provided that the window can be seen. */
export function markSeen(state: WindowState, isWindowVisible: boolean): WindowState {
  if (!isWindowVisible || state.selected === null || !state.unseen.has(state.selected)) {
    return state;
  }
  const unseen = new Set(state.unseen);
  unseen.delete(state.selected);
  return { ...state, unseen };
}

/** Adds a notice; one that is already on screen is moved to the end instead of being told twice. */
export function addNotice(state: WindowState, notice: Notice): WindowState {
  const others = state.notices.filter(({ text }) => text !== notice.text);
  return { ...state, notices: [...others, notice].slice(-MAX_NOTICES) };
}

/** The session `distance` tabs further, around the ends; null when there is none. */
export function neighbour(
  sessions: readonly SessionInfo[],
  from: SessionId | null,
  distance: number,
): SessionId | null {
  if (sessions.length === 0) {
    return null;
  }
  const index = sessions.findIndex(({ id }) => id === from);
  const count = sessions.length;
  return sessions[(((index + distance) % count) + count) % count]?.id ?? null;
}

function remainingSelection(
  selected: SessionId | null,
  before: readonly SessionInfo[],
  after: readonly SessionInfo[],
): SessionId | null {
  if (after.some(({ id }) => id === selected)) {
    return selected;
  }
  if (selected === null) {
    return newest(after);
  }
  // The next one to the right that is still there, else the next to the left: the tab under the pointer's place.
  const index = before.findIndex(({ id }) => id === selected);
  const present = new Set(after.map(({ id }) => id));
  const byNearness = [...before.slice(index + 1), ...before.slice(0, Math.max(index, 0)).reverse()];
  return byNearness.find(({ id }) => present.has(id))?.id ?? newest(after);
}

function newest(sessions: readonly SessionInfo[]): SessionId | null {
  return (sessions.findLast(({ state }) => isLive(state)) ?? sessions.at(-1))?.id ?? null;
}

function unseenFailures(
  unseen: ReadonlySet<SessionId>,
  before: readonly SessionInfo[],
  after: readonly SessionInfo[],
): ReadonlySet<SessionId> {
  const endedBefore = new Set(before.filter(({ state }) => !isLive(state)).map(({ id }) => id));
  const marked = after.filter((session) => unseen.has(session.id) || !endedBefore.has(session.id));
  return unlessEqual(unseen, new Set(marked.filter((session) => needsLook(session)).map(({ id }) => id)));
}

/** True when closing a session ends something: its child, or what outlived that. */
export function endsSomething({ state, treeEmpty }: SessionInfo): boolean {
  return isLive(state) || treeEmpty === false;
}

function stillRuns(id: SessionId | null, sessions: readonly SessionInfo[]): boolean {
  return sessions.some((session) => session.id === id && endsSomething(session));
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
