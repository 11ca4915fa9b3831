import type { ScreenState } from '../shared/screen-state.ts';
import type { SessionId } from '../shared/session.ts';

/**
 * What tests may read of the window, as `window.shellscopeTest`. It exists only in an app that was started for tests,
 * and can change nothing.
 */
export interface ShellscopeTest {
  /**
   * All text of a session's terminal, scrollback included: wrapped lines joined, each trimmed on the right. Null for a
   * session that has no terminal now: never shown, could not be started, or made room for others.
   */
  screenText(sessionId: string): string | null;
  /** Rows with their colours, cursor and modes of a session's terminal; null as above. */
  screenState(sessionId: string): ScreenState | null;
  selectedSession(): string | null;
}

declare global {
  interface Window {
    readonly shellscopeTest?: ShellscopeTest;
  }
}

/** Puts the bridge on the window. Call it only when `startedForTests`. */
export function exposeTestBridge(
  page: Window,
  read: {
    readonly text: (id: SessionId) => string | null;
    readonly state: (id: SessionId) => ScreenState | null;
    readonly selected: () => SessionId | null;
  },
): void {
  const bridge: ShellscopeTest = Object.freeze({
    screenText: (sessionId: string) => read.text(sessionId as SessionId),
    screenState: (sessionId: string) => read.state(sessionId as SessionId),
    selectedSession: () => read.selected(),
  });
  Object.defineProperty(page, 'shellscopeTest', { value: bridge, enumerable: true });
}
