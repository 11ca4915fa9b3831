/** What can be done in the window now: for the palette, and for the menu. Pure. */

import { asksPerson } from '../shared/session-words.ts';
import { isLive, type SessionInfo } from '../shared/session.ts';
import type { WindowCommand } from '../shared/window-commands.ts';
import { canGrow, possibleActs } from './acts/layout-acts.ts';
import { canFit, canGiveBack } from './acts/session-acts.ts';
import { activeGroupOf, groupsOf } from './layout/pane-layout.ts';
import { nextNeedy } from './needs-person.ts';
import type { WindowState } from './window/window-state.ts';

/** Whether a command would do something now. */
export function isAvailable(command: WindowCommand, sessions: readonly SessionInfo[], state: WindowState): boolean {
  const session = sessions.find(({ id }) => id === state.selected);
  switch (command) {
    case 'palette':
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
    case 'reopen-closed':
    case 'toggle-grants':
      return true;
    case 'all-tabs':
      return sessions.length > 0;
    case 'go-to-needy':
      return nextNeedy(sessions, state.unseen, state.selected) !== null;
    case 'request-done':
    case 'request-decline':
      return session !== undefined && asksPerson(session);
    case 'mark-all-seen':
      return state.unseen.size > 0;
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
    case 'open-link':
    case 'select-text':
      return session !== undefined && session.state !== 'failed';
    case 'back-to-now':
      return session !== undefined && state.earlier.has(session.id);
    case 'close-ended':
      return sessions.some(({ state: sessionState }) => !isLive(sessionState));
    case 'next-tab':
    case 'tab-last':
    case 'previous-tab':
    case 'tab-back':
    case 'tab-on':
      return activeGroupOf(state.layout).tabs.length > 1;
    case 'last-used-tab':
      return state.usedBefore !== null;
    case 'tab-1':
    case 'tab-2':
    case 'tab-3':
    case 'tab-4':
    case 'tab-5':
    case 'tab-6':
    case 'tab-7':
    case 'tab-8':
      return activeGroupOf(state.layout).tabs.length >= Math.max(2, Number(command.slice('tab-'.length)));
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
    case 'connect':
    case 'toggle-sessions':
    case 'toggle-timeline':
    case 'timeline-of-all':
    case 'toggle-survivors':
      // Also where all tabs are in other windows.
      return sessions.length > 0;
    case 'close-tab':
    case 'rename':
    case 'session-details':
    case 'copy':
    case 'select-all':
    case 'copy-command':
    case 'copy-folder':
    case 'toggle-environment':
    case 'answer-question':
      return session !== undefined;
  }
}
