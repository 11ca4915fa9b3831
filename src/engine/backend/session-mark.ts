import { randomBytes } from 'node:crypto';
import type { Environment } from './child-environment.ts';

/** The variable by which a process tells which session it was started in, whoever its parent is by now. */
export const MARK_NAME = 'SHELLSCOPE_SESSION';

/** Bytes of randomness in the id of a host: nobody has another host's by chance, or can guess it. */
const HOST_ID_BYTES = 16;

/** A mark, or several joined by commas; longer ones are not ours. */
const MARK_LIST = /^[\w.-]+:[\w.-]+(?:,[\w.-]+:[\w.-]+)*$/;
const MAX_MARK_LIST_LENGTH = 1_000;

/** An id for one run of a host, of hexadecimal digits: it may stand in a file's name and as an argument. */
export function newHostId(): string {
  return randomBytes(HOST_ID_BYTES).toString('hex');
}

/** What the processes of a session carry in their environment: `<hostId>:<sessionId>`. */
export function sessionMark(hostId: string, sessionId: string): string {
  return `${hostId}:${sessionId}`;
}

/** The two parts of a mark; null for what is none. */
export function partsOfMark(mark: string): { readonly hostId: string; readonly sessionId: string } | null {
  const [hostId = '', sessionId = '', ...rest] = mark.split(':');
  return hostId === '' || sessionId === '' || rest.length > 0 ? null : { hostId, sessionId };
}

/**
 * A child's environment with its session's mark; nothing the caller asked for can replace it. `host` is the
 * environment of the process that hosts the engine: where that runs in a session itself, the outer marks stay in
 * front, separated by commas, so that ending the outer session finds the inner one's processes, too.
 */
export function withSessionMark(
  environment: Environment,
  mark: string,
  host: Readonly<NodeJS.ProcessEnv>,
): Environment {
  const outer = host[MARK_NAME] ?? '';
  const isList = outer.length <= MAX_MARK_LIST_LENGTH && MARK_LIST.test(outer);
  return { ...environment, [MARK_NAME]: isList ? `${outer},${mark}` : mark };
}

/** The marks in the text of /proc/PID/environ (proc(5)), `NAME=value` each ended by NUL: the outermost first. */
export function marksInEnvironment(text: string): readonly string[] {
  const start = `\0${MARK_NAME}=`;
  const whole = `\0${text}`;
  const at = whole.indexOf(start);
  if (at === -1) {
    return [];
  }
  const end = whole.indexOf('\0', at + 1);
  return whole.slice(at + start.length, end === -1 ? undefined : end).split(',');
}
