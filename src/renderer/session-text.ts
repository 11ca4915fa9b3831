/** How a session is put into words: one place, so that tab, pane, status bar and accessible name agree. */
import { isLive, type EndedBy, type SessionInfo, type SessionOrigin } from '../shared/session.ts';
import { durationText } from './quantity-text.ts';

/** What a state looks like: each has an icon and a tone. `stopped`: killed, because the person wanted it. */
export type StateLook =
  | 'starting'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'killed'
  | 'stopped'
  | 'unknown'
  | 'not-started';

/** Shells whose `-c` argument is the command that a person wants to read. */
const SHELL_NAMES = new Set(['sh', 'bash', 'zsh', 'fish', 'dash', 'ksh', 'ash']);

/** Control characters and those that reorder text: an agent's command must not read otherwise than it runs. */
const INVISIBLE_CONTROLS = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Programs that call themselves otherwise than people call them. */
const CLIENT_NAMES: Readonly<Record<string, string>> = { 'codex-environment': 'codex' };

/** Short name of what runs: `npm test` for `bash -lc "npm test"`, `zsh` for a person's shell. One line. */
export function sessionTitle(session: Pick<SessionInfo, 'argv'>): string {
  const [program = '', ...rest] = session.argv;
  const name = baseName(program);
  if (SHELL_NAMES.has(name)) {
    const script = commandOfShell(rest);
    if (script !== null) {
      return oneLine(script);
    }
    if (rest.every((argument) => argument.startsWith('-'))) {
      return name;
    }
  }
  return oneLine([name, ...rest].join(' '));
}

/** The whole command as it was asked for, arguments quoted where they need it, for a tooltip. */
export function commandText(session: Pick<SessionInfo, 'argv'>): string {
  return session.argv
    .map((argument) => (/^[\w@%+=:,./-]+$/.test(argument) ? argument : JSON.stringify(argument)))
    .join(' ')
    .replaceAll(INVISIBLE_CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Who asked for the session, as one word for a label: `codex`, `you`. */
export function originName(origin: SessionOrigin): string {
  return origin.kind === 'person' ? 'you' : (CLIENT_NAMES[origin.client] ?? origin.client);
}

/** What a session waits for, as it is shown; null where there is nothing to tell. */
function waitingWord({ waitingFor, origin }: Pick<SessionInfo, 'waitingFor' | 'origin'>): string | null {
  switch (waitingFor?.kind) {
    case undefined:
    case 'busy':
    case 'unknown':
      return null;
    case 'repl':
      // A person's own shell is at its prompt most of the time: no news.
      return origin.kind === 'person' ? null : 'command';
    case 'password':
    case 'line':
    case 'pager':
    case 'keys':
    case 'input':
      return waitingFor?.kind ?? null;
  }
}

/** The state in two words at most: `running`, `waits: password`, `exited 1`, `killed SIGTERM`. */
export function stateWords(session: Pick<SessionInfo, 'state' | 'exit' | 'waitingFor' | 'origin'>): string {
  if (session.state === 'failed') {
    return 'failed to start';
  }
  const waiting = session.state === 'running' ? waitingWord(session) : null;
  if (waiting !== null) {
    return `waits: ${waiting}`;
  }
  if (isLive(session.state)) {
    return session.state;
  }
  if (session.exit?.signal) {
    return `killed ${session.exit.signal}`;
  }
  return session.exit?.exitCode == null ? 'exit unknown' : `exited ${session.exit.exitCode}`;
}

/** Which icon and tone the state has. */
export function stateLook(session: Pick<SessionInfo, 'state' | 'exit' | 'endedBy'>): StateLook {
  if (session.state === 'failed') {
    return 'not-started';
  }
  if (session.state === 'starting' || session.state === 'running') {
    return session.state;
  }
  if (session.exit?.signal) {
    return session.endedBy === 'person' ? 'stopped' : 'killed';
  }
  if (session.exit?.exitCode == null) {
    return 'unknown';
  }
  return session.exit.exitCode === 0 ? 'succeeded' : 'failed';
}

/** True for an end that deserves a look: anything but success, and not what the person did herself. */
export function needsLook(session: Pick<SessionInfo, 'state' | 'exit' | 'endedBy'>): boolean {
  if (isLive(session.state) || session.endedBy === 'person') {
    return false;
  }
  return stateLook(session) !== 'succeeded';
}

/** The session in one line, as its tab reads: `npm test, codex, exited 1`. */
export function tabName(session: SessionInfo): string {
  return `${sessionTitle(session)}, ${originName(session.origin)}, ${stateWords(session)}`;
}

/**
 * How a session ended, as a sentence without a stop, e.g. `exited with code 3 after 1.2 s`; null while it runs.
 * An end that is not known is called so and never made up.
 */
export function endSentence(session: SessionInfo): string | null {
  if (isLive(session.state)) {
    return null;
  }
  if (session.state === 'failed') {
    return `could not start: ${session.failure ?? 'the reason is not known'}`;
  }
  const parts = [endOf(session)];
  if (session.endedAtMs !== null && session.limitHit === null) {
    parts.push(`after ${durationText(session.endedAtMs - session.startedAtMs)}`);
  }
  const sentence = parts.join(' ');
  if (session.state === 'exited') {
    return `${sentence}; something it started still holds its output open`;
  }
  return session.treeEmpty === false ? `${sentence}; something it started still runs` : sentence;
}

function endOf(session: SessionInfo): string {
  if (session.limitHit !== null) {
    return session.limitHit.message.replace(/^E/, 'e').replace(/\.$/, '');
  }
  const by = endedByText(session.endedBy, session.origin);
  const signal = session.exit?.signal;
  const exitCode = session.exit?.exitCode;
  if (signal) {
    return `killed by ${signal}${by}`;
  }
  const code = exitCode == null ? 'exited, code unknown' : `exited with code ${exitCode}`;
  return by === '' ? code : `${code}, ended${by}`;
}

function endedByText(endedBy: EndedBy | null, origin: SessionOrigin): string {
  switch (endedBy) {
    case 'person':
      return ' by you';
    case 'agent':
      return ` by ${origin.kind === 'agent' ? originName(origin) : 'an agent'}`;
    case 'limit':
      return ' by its limit';
    case 'host':
      return ' by Shellscope';
    case 'child':
    case null:
      return '';
  }
}

/** The command of `-c`, also inside combined flags as in `-lc`; null when there is none. */
function commandOfShell(rest: readonly string[]): string | null {
  const flag = rest.findIndex((argument) => /^-[a-z]*c[a-z]*$/.test(argument));
  return flag === -1 ? null : (rest[flag + 1] ?? null);
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1) || path;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(INVISIBLE_CONTROLS, '').trim();
}
