import type { EngineErrorCode } from '../../shared/errors.ts';

/**
 * Why a request on the control socket was refused: the engine's codes, and those of the socket itself.
 *
 * - `malformed` a line is no request
 * - `hello-first` the first request has to be `hello`
 * - `unsupported-protocol` the client speaks another version
 * - `unknown-method` `unknown-stream` the host has none of that name
 * - `unknown-question` `unknown-grant` nothing of that id waits, or is remembered
 * - `no-window` the host has no window that it could show
 * - `internal` a fault of ours
 */
export type ControlErrorCode =
  | EngineErrorCode
  | 'malformed'
  | 'hello-first'
  | 'unsupported-protocol'
  | 'unknown-method'
  | 'unknown-stream'
  | 'unknown-question'
  | 'unknown-grant'
  | 'no-window'
  | 'internal';

/** A request was refused, as it crosses the socket: a stable code, and a sentence for a person. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly code: ControlErrorCode;

  constructor(code: ControlErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
