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

/** What errno(3) calls the codes that a spawn or a file call can end with, in the words of the real server's libc. */
const SYSTEM_TEXTS: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  EACCES: 'Permission denied',
  EISDIR: 'Is a directory',
  ENOTDIR: 'Not a directory',
  E2BIG: 'Argument list too long',
  EAGAIN: 'Resource temporarily unavailable',
  EMFILE: 'Too many open files',
  ENOMEM: 'Cannot allocate memory',
  EPERM: 'Operation not permitted',
  EEXIST: 'File exists',
  ENOTEMPTY: 'Directory not empty',
  ELOOP: 'Symbolic link loop',
  ENOSPC: 'No space left on device',
  EDQUOT: 'Quota exceeded',
  EFBIG: 'File too large',
  EROFS: 'Read-only file system',
  EBADF: 'Bad file descriptor',
  EBUSY: 'Resource busy',
  EINVAL: 'Invalid argument',
  EIO: 'I/O error',
  EXDEV: 'Cross-device link',
  ENXIO: 'No such device or address',
  ETXTBSY: 'Text file busy',
  ENAMETOOLONG: 'Filename too long',
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
        /^(argv|limits|requestId)\b/.test(error.message) ? WireErrorCode.invalidParams : WireErrorCode.internal,
        error.message,
      );
    case 'session-exists':
    case 'refused':
      return new WireError(WireErrorCode.invalidRequest, error.message);
    case 'spawn-failed':
    case 'session-not-found':
    case 'session-not-writable':
    case 'human-in-control':
    case 'input-queue-full':
    case 'not-supported':
    case 'limit-reached':
    case 'outside-workspace':
    case 'sandbox-missing':
    case 'engine-disposed':
      return new WireError(WireErrorCode.internal, withSystemText(error));
  }
}

/** Whether a person, or a rule, did not allow it. */
export function isRefusal(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'refused';
}

/**
 * Of a write that was not delivered: the text that clients know, unless the child lives and does not read, a person
 * types, or it was not allowed.
 */
export function writeError(error: unknown): WireError {
  if (error instanceof EngineError && error.code === 'refused') {
    return new WireError(WireErrorCode.invalidRequest, error.message);
  }
  return error instanceof EngineError && (error.code === 'input-queue-full' || error.code === 'human-in-control')
    ? new WireError(WireErrorCode.internal, error.message)
    : new WireError(WireErrorCode.internal, 'failed to write to process stdin');
}

/**
 * Of a file call that the system refused: the code and the text that clients of the real server know. Anything else is
 * a fault of ours, and is thrown.
 */
export function fileError(error: unknown): WireError {
  if (error instanceof WireError) {
    return error;
  }
  const systemCode = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  const number = systemCode === undefined ? undefined : errorNumber(systemCode);
  if (systemCode === undefined || number === undefined) {
    throw error;
  }
  return new WireError(
    FILE_ERROR_CODES[systemCode] ?? WireErrorCode.internal,
    `${SYSTEM_TEXTS[systemCode] ?? systemCode} (os error ${number})`,
  );
}

/** What the client could have known better; all others are internal errors on the wire, as with the real server. */
const FILE_ERROR_CODES: Readonly<Record<string, number>> = {
  ENOENT: WireErrorCode.notFound,
  EACCES: WireErrorCode.invalidRequest,
  EPERM: WireErrorCode.invalidRequest,
  EINVAL: WireErrorCode.invalidRequest,
};

function withSystemText({ systemCode, message }: EngineError): string {
  const text = systemCode === null ? undefined : SYSTEM_TEXTS[systemCode];
  const number = errorNumber(systemCode ?? '');
  return text === undefined || number === undefined ? message : `${text} (os error ${number}): ${message}`;
}

function errorNumber(systemCode: string): number | undefined {
  return (constants.errno as Readonly<Record<string, number>>)[systemCode];
}
