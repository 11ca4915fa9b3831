/** What the command palette offers. Pure but for what the items do. */
import fuzzysort from 'fuzzysort';
import type { SessionId, SessionInfo } from '../shared/session.ts';
import { WINDOW_COMMAND_NAMES, WINDOW_COMMANDS, type WindowCommand } from '../shared/window-commands.ts';
import { isAvailable } from './command-availability.ts';
import { differencesOf } from './text/session-differences.ts';
import { tabName } from './text/session-text.ts';
import type { WindowState } from './window/window-state.ts';

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
  const commands = WINDOW_COMMAND_NAMES.filter(
    (command) => command !== 'palette' && isAvailable(command, sessions, state),
  ).map((command): PaletteItem => ({ kind: 'command', id: command, label: WINDOW_COMMANDS[command].label, command }));
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
