/** What the command palette offers. Pure but for what the items do. */
import fuzzysort from 'fuzzysort';
import { isLive, type SessionId, type SessionInfo } from '../shared/session.ts';
import { WINDOW_COMMAND_NAMES, WINDOW_COMMANDS, type WindowCommand } from '../shared/window-commands.ts';
import { nextNeedy } from './needs-person.ts';
import { activeGroupOf, groupsOf } from './layout/pane-layout.ts';
import { canGrow, possibleActs } from './layout-acts.ts';
import { canFit, canGiveBack } from './session-acts.ts';
import { differencesOf } from './session-differences.ts';
import { tabName } from './session-text.ts';
import type { WindowState } from './window-state.ts';

export type PaletteItem =
  | { readonly kind: 'command'; readonly id: string; readonly label: string; readonly command: WindowCommand }
  | {
      readonly kind: 'session';
      readonly id: string;
      readonly label: string;
      readonly session: SessionId;
      /** Ends the label; null where the session has its name alone. */
      readonly difference: string | null;
    };

/** Of 1; what is found by single letters in order has some 0.35, and the list is short enough to have it shown. */
const LEAST_LIKENESS = 0.3;

/** Every command that does something now, then every session; of a query what matches it, best first. */
export function paletteItems(
  sessions: readonly SessionInfo[],
  state: WindowState,
  query: string,
): readonly PaletteItem[] {
  const commands = WINDOW_COMMAND_NAMES.filter((command) => isAvailable(command, sessions, state)).map(
    (command): PaletteItem => ({ kind: 'command', id: command, label: WINDOW_COMMANDS[command].label, command }),
  );
  const differences = differencesOf(sessions);
  const places = sessions.map((session): PaletteItem => {
    const difference = differences.get(session.id) ?? null;
    const label = `Go to ${tabName(session)}${difference === null ? '' : ` · ${difference}`}`;
    return { kind: 'session', id: `session-${session.id}`, label, session: session.id, difference };
  });
  const items = [...commands, ...places];
  if (query.trim() === '') {
    return items;
  }
  return fuzzysort.go(query, items, { key: 'label', threshold: LEAST_LIKENESS }).map(({ obj }) => obj);
}

function isAvailable(command: WindowCommand, sessions: readonly SessionInfo[], state: WindowState): boolean {
  const session = sessions.find(({ id }) => id === state.selected);
  switch (command) {
    case 'palette':
      return false;
    case 'new-shell':
    case 'new-window':
    case 'settings':
    case 'shortcuts':
    case 'zoom-in':
    case 'zoom-out':
    case 'zoom-reset':
    case 'font-larger':
    case 'font-smaller':
    case 'font-reset':
    case 'toggle-grants':
      return true;
    case 'all-tabs':
      return sessions.length > 0;
    case 'go-to-needy':
      return nextNeedy(sessions, state.unseen, state.selected) !== null;
    case 'give-keyboard-back':
      return session !== undefined && canGiveBack(session);
    case 'fit-to-pane':
      return session !== undefined && canFit(session) && !state.fitted.has(session.id);
    case 'run-again':
      return session !== undefined && !isLive(session.state);
    case 'find':
    case 'previous-input':
    case 'next-input':
    case 'open-output':
      return session !== undefined && session.state !== 'failed';
    case 'back-to-now':
      return session !== undefined && state.earlier.has(session.id);
    case 'close-ended':
      return sessions.some(({ state: sessionState }) => !isLive(sessionState));
    case 'next-tab':
    case 'previous-tab':
      return activeGroupOf(state.layout).tabs.length > 1;
    case 'split-right':
    case 'split-down':
      return possibleActs(state.layout).split;
    case 'focus-left':
      return possibleActs(state.layout).focus('left');
    case 'focus-right':
      return possibleActs(state.layout).focus('right');
    case 'focus-up':
      return possibleActs(state.layout).focus('up');
    case 'focus-down':
      return possibleActs(state.layout).focus('down');
    case 'move-tab-left':
      return possibleActs(state.layout).move('left');
    case 'move-tab-right':
      return possibleActs(state.layout).move('right');
    case 'move-tab-up':
      return possibleActs(state.layout).move('up');
    case 'move-tab-down':
      return possibleActs(state.layout).move('down');
    case 'pane-wider':
    case 'pane-narrower':
      return canGrow(state.layout, 'wider');
    case 'pane-taller':
    case 'pane-lower':
      return canGrow(state.layout, 'taller');
    case 'move-tab-to-window':
      return groupsOf(state.layout).reduce((sum, { tabs }) => sum + tabs.length, 0) > 1;
    case 'merge-pane':
      return possibleActs(state.layout).merge;
    case 'close-tab':
    case 'rename':
    case 'session-details':
    case 'copy':
    case 'connect':
    case 'toggle-sessions':
    case 'toggle-timeline':
    case 'toggle-survivors':
    case 'toggle-environment':
    case 'answer-question':
      return session !== undefined;
  }
}
