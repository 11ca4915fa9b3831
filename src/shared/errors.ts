/**
 * What the engine could not do, or refused to do. A child that fails is *not* an error: its exit status is data.
 *
 * - `invalid-argument` a field has a value that cannot be used; the message names it
 * - `session-not-found` no session has that id
 * - `session-exists` the id that a caller chose is in use
 * - `session-not-writable` the child ended, or has no stdin
 * - `human-in-control` a person holds the keyboard: nothing of what an agent wrote was typed
 * - `input-queue-full` the child does not read, and too much input waits for it already
 * - `outside-workspace` the working directory does not lie in the workspace that was asked for
 * - `limit-reached` the host has as many sessions, or readers of one, as it may have
 * - `sandbox-missing` the child shall run in a sandbox, and this machine can make none; the message says what to install
 * - `refused` a person or a rule did not allow it; the message holds the reason
 * - `spawn-failed` the child could not be started
 * - `not-supported` the session's backend cannot do that
 * - `engine-disposed` the engine is shutting down
 */
export type EngineErrorCode =
  | 'invalid-argument'
  | 'session-not-found'
  | 'session-exists'
  | 'session-not-writable'
  | 'human-in-control'
  | 'input-queue-full'
  | 'outside-workspace'
  | 'limit-reached'
  | 'sandbox-missing'
  | 'refused'
  | 'spawn-failed'
  | 'not-supported'
  | 'engine-disposed';

/** An error with a stable code and a sentence for a person: what happened, to which session, what to do. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;
  /** The operating system's code when it was the system that refused, e.g. `ENOENT`. */
  readonly systemCode: string | null;

  constructor(
    code: EngineErrorCode,
    message: string,
    options: { readonly systemCode?: string; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.systemCode = options.systemCode ?? null;
  }
}
