import type { ITerminalOptions } from '@xterm/xterm';
import { DEFAULT_TERMINAL_SIZE } from '../../shared/limits.ts';
import type { SessionInfo, TerminalSize } from '../../shared/session.ts';
import { lookOptions, type TerminalLook } from './terminal-appearance.ts';

/** What a session's terminal is made with. */
export function terminalOptions(
  { size, backend }: Pick<SessionInfo, 'size' | 'backend'>,
  look: TerminalLook,
): ITerminalOptions & TerminalSize {
  const { cols, rows } = size ?? DEFAULT_TERMINAL_SIZE;
  return {
    cols,
    rows,
    allowProposedApi: true, // for `unicode` and `parser`
    convertEol: backend === 'pipe',
    logLevel: 'error', // above the level at which it would print what is typed
    ...lookOptions(look),
  };
}
