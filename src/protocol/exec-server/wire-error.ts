import { constants } from 'node:os';
import { EngineError } from '../../shared/errors.ts';
import { WireErrorCode } from './exec-server-schema.ts';

/** A request was refused: becomes the `error` member of its response. */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What errno(3) calls the codes that a spawn can end with, in the words a Rust server uses. */
const SYSTEM_TEXTS: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  EACCES: 'Permission denied',
  EISDIR: 'Is a directory',
  ENOTDIR: 'Not a directory',
  E2BIG: 'Argument list too long',
  EAGAIN: 'Resource temporarily unavailable',
  EMFILE: 'Too many open files',
  ENOMEM: 'Cannot allocate memory',
};

/**
 * What the wire says of a failed start: the text that clients of the real server know, and then our sentence, so that
 * a person can tell what to mend.
 */
export function startError(error: unknown): WireError {
  if (!(error instanceof EngineError)) {
    return new WireError(WireErrorCode.internal, 'the session could not be started');
  }
  switch (error.code) {
    case 'invalid-argument':
      return new WireError(
        error.message.startsWith('argv') ? WireErrorCode.invalidParams : WireErrorCode.internal,
        error.message,
      );
    case 'session-exists':
      return new WireError(WireErrorCode.invalidRequest, error.message);
    case 'spawn-failed':
    case 'session-not-found':
    case 'session-not-writable':
    case 'input-queue-full':
    case 'not-supported':
    case 'limit-reached':
    case 'outside-workspace':
    case 'engine-disposed':
      return new WireError(WireErrorCode.internal, withSystemText(error));
  }
}

/** Of a write that was not delivered: the text that clients know, unless the child lives and only does not read. */
export function writeError(error: unknown): WireError {
  return error instanceof EngineError && error.code === 'input-queue-full'
    ? new WireError(WireErrorCode.internal, error.message)
    : new WireError(WireErrorCode.internal, 'failed to write to process stdin');
}

function withSystemText({ systemCode, message }: EngineError): string {
  const text = systemCode === null ? undefined : SYSTEM_TEXTS[systemCode];
  const number = (constants.errno as Readonly<Record<string, number>>)[systemCode ?? ''];
  return text === undefined || number === undefined ? message : `${text} (os error ${number}): ${message}`;
}
