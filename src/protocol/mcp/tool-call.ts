import { yieldTime } from '../../engine/engine.ts';
import type { StartRequest } from '../../engine/engine.ts';

/**
 * Longest time of one call, in milliseconds. Clients give up after 60 s, some earlier; what takes longer is resumed by
 * the next call.
 */
export const MAX_CALL_MS = 24_000;

/** How long a call waits that does not say it, in milliseconds. For a person who is asked such a call waits as long as it may. */
export const USUAL_YIELD_MS = { exec: 10_000, open: 2_000, write: 2_000 } as const;

/** One call of a tool: who asks, and whether somebody still waits for the answer. */
export interface ToolCall {
  readonly signal: AbortSignal;
  /** What the client calls itself. */
  readonly client: string;
  /** The client's id of the call, for the window. */
  readonly callId: string;
}

/** How long a call may wait, and what is said where that is not what it asked for. */
export interface CallWindow {
  readonly ms: number;
  readonly warnings: string[];
}

/** Brings a wish within what one call may take. */
export function callWindow(yieldMs: number): CallWindow {
  const { ms, warning } = yieldTime(yieldMs, { min: 0, usual: 0, max: MAX_CALL_MS }, null);
  return { ms, warnings: warning === null ? [] : [warning] };
}

/** What is left of the longest time of a call that began then, as of `performance.now()`. Milliseconds. */
export function leftOfCall(startedAt: number): number {
  return Math.max(0, MAX_CALL_MS - (performance.now() - startedAt));
}

/** Who starts what a call asks for. */
export function originOf({ client, callId }: Pick<ToolCall, 'client' | 'callId'>): StartRequest['origin'] {
  return { kind: 'agent', client, processId: callId, threadId: null, callId };
}

/** The host's variables without credentials (S14), and what tells programs of the terminal. */
export function environmentWith(set: Readonly<Record<string, string>>): StartRequest['environment'] {
  return {
    kind: 'inherit',
    from: 'all',
    excludeCredentials: true,
    exclude: [],
    set: { TERM: 'xterm-256color' },
    includeOnly: [],
    overlay: set,
  };
}
