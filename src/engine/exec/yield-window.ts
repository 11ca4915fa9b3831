import type { SessionId } from '../../shared/session.ts';
import type { WaitCondition, WaitOutcome, WaitRequest } from '../session/wait.ts';

/** Least, usual and longest time that an answer is waited for, in milliseconds. */
export interface YieldLimits {
  readonly min: number;
  readonly usual: number;
  readonly max: number;
}

/** The limits of today's Codex (0.169), measured at its tools. An empty `write_stdin` is a poll. */
export const YIELD_LIMITS = {
  exec: { min: 250, usual: 10_000, max: 30_000 },
  write: { min: 250, usual: 250, max: 30_000 },
  poll: { min: 250, usual: 5_000, max: 300_000 },
} as const satisfies Record<string, YieldLimits>;

/** Silence after the exit that ends an answer although something holds the output open, in milliseconds (B2). */
const SILENCE_AFTER_EXIT_MS = 25;

/** Longest wait for that silence, in milliseconds: something that outlived the child may print for ever. */
const GRACE_AFTER_EXIT_MS = 500;

/** A time as it was asked for and as it is waited, with a sentence where the two differ. */
export interface YieldTime {
  readonly ms: number;
  readonly warning: string | null;
}

/** Brings a time within its limits, and within what the call itself may take (null: no limit of its own). */
export function yieldTime(asked: number | undefined, limits: YieldLimits, maxCallMs: number | null): YieldTime {
  const max = Math.min(limits.max, maxCallMs ?? limits.max);
  const wanted = asked ?? Math.min(limits.usual, max);
  const ms = Math.min(Math.max(wanted, limits.min), max);
  if (ms === wanted) {
    return { ms, warning: null };
  }
  const bound = ms < wanted ? `exceeds maximum of ${max}ms` : `is below minimum of ${limits.min}ms`;
  return { ms, warning: `Warning: requested yield time ${wanted}ms ${bound}; clamping to ${ms}ms.` };
}

/**
 * Waits until the child has ended and its last output is there, or the time is up: the exit, then silence, at most for
 * the grace. `early` ends it as well.
 */
export async function waitForEnd(
  wait: (request: WaitRequest) => Promise<WaitOutcome>,
  session: SessionId,
  { ms, signal, early }: { readonly ms: number; readonly signal?: AbortSignal; readonly early?: WaitCondition },
): Promise<void> {
  const limits = { ...(signal === undefined ? {} : { signal }) };
  const exit: WaitCondition = { kind: 'exit', session };
  const { met } = await wait({
    condition: early === undefined ? exit : { kind: 'any', of: [exit, early] },
    timeoutMs: ms,
    ...limits,
  });
  if (met.some(({ kind }) => kind === 'exit')) {
    const silence: WaitCondition = { kind: 'idle', session, idleMs: SILENCE_AFTER_EXIT_MS };
    const condition: WaitCondition = { kind: 'any', of: [{ kind: 'closed', session }, silence] };
    await wait({ condition, timeoutMs: GRACE_AFTER_EXIT_MS, ...limits });
  }
}
