/** How a session is put into words: one place, so that tab, pane, status bar and accessible name agree. */
import type { BudgetHit } from '../../shared/budget.ts';
import type { ReachedPort, SessionUsage, SurvivingProcess } from '../../shared/session-facts.ts';
import {
  folderText,
  asksPerson,
  isWaiting,
  originName,
  sessionTitle,
  stateWords,
  type NamedSession,
} from '../../shared/session-words.ts';
import { isLive, type EndedBy, type ExitStatus, type SessionInfo, type SessionOrigin } from '../../shared/session.ts';
import { oneLineCommand, shownText } from '../../shared/shown-text.ts';
import { MAX_MATCHES } from '../earlier/find-pattern.ts';
import type { FoundMatches } from '../terminal/terminal-search.ts';
import { bytesText, durationText } from './quantity-text.ts';

export {
  clientName,
  commandLine,
  commandText,
  commandTitle,
  originName,
  progressWords,
  sessionTitle,
  shortText,
  shownProgress,
  stateWords,
} from '../../shared/session-words.ts';

/** What a state looks like: each has an icon and a tone. `asking`: its agent asks for a person. `stopped`: killed, because the person wanted it, or ended the app. */
export type StateLook =
  | 'starting'
  | 'running'
  | 'waiting'
  | 'asking'
  | 'succeeded'
  | 'failed'
  | 'killed'
  | 'stopped'
  | 'unknown'
  | 'lost'
  | 'not-started';

/** Who may type into a session: `codex holds the keyboard`, `You hold the keyboard`; null when it has ended. */
export function keyboardWords({ state, backend, keyboard, origin }: SessionInfo): string | null {
  if (!isLive(state)) {
    return null;
  }
  if (backend === 'pipe') {
    return 'No terminal: nothing can be typed here';
  }
  return keyboard === 'person' ? 'You hold the keyboard' : `${originName(origin)} holds the keyboard`;
}

/** The same in as few words as say it, where there is little room; null where there is nothing to say. */
export function shortKeyboardWords({ state, backend, keyboard, origin }: SessionInfo): string | null {
  if (!isLive(state)) {
    return null;
  }
  if (backend === 'pipe') {
    return 'No terminal';
  }
  return keyboard === 'person' ? 'You' : originName(origin);
}

/** A session's size and whose it is: `80×24 set by codex`. `isFitted`: the person fitted it to her pane. */
export function sizeWords({ size, origin }: Pick<SessionInfo, 'size' | 'origin'>, isFitted: boolean): string {
  if (size === null) {
    return 'pipes, no terminal';
  }
  return `${size.cols}×${size.rows} set by ${isFitted ? 'you' : originName(origin)}`;
}

/** The same, with how it is drawn: `80×24 set by codex · shown at 74%`. */
export function shownSizeWords(
  session: Pick<SessionInfo, 'size' | 'origin'>,
  isFitted: boolean,
  scale: number,
): string {
  return [sizeWords(session, isFitted), scaleWords(scale)].filter((part) => part !== null).join(' · ');
}

/** How a terminal is drawn that is larger than its pane: `shown at 74%`; null for one in the usual font (1). */
function scaleWords(scale: number): string | null {
  return scale === 1 ? null : `shown at ${Math.round(scale * 100)}%`;
}

/** Size and scale in as few signs as tell them: `80×24`, `80×24 · 74%`; empty without a terminal. */
export function shortSizeWords({ size }: Pick<SessionInfo, 'size'>, scale: number): string {
  if (size === null) {
    return '';
  }
  const cells = `${size.cols}×${size.rows}`;
  return scale === 1 ? cells : `${cells} · ${Math.round(scale * 100)}%`;
}

/** The folder that is known last: where its shell has come to, else where it was started. */
export function shownFolder({ folder, cwd }: Pick<SessionInfo, 'folder' | 'cwd'>): string {
  return folder === null ? shownText(cwd) : folderText(folder);
}

/** What that folder is: `Started in /srv`, `Now in /srv/web; started in /srv`. */
export function folderWords({ folder, cwd, state }: Pick<SessionInfo, 'folder' | 'cwd' | 'state'>): string {
  const start = shownText(cwd);
  if (folder === null || (folder.host === null && folder.path === cwd)) {
    return `Started in ${start}`;
  }
  const by = folder.host === null ? '' : ', as a program there says';
  return `${isLive(state) ? 'Now' : 'Last seen'} in ${folderText(folder)}${by}; started in ${start}`;
}

/**
 * What a session uses: `CPU 4% · 61 MB`; the share of the CPU is known from the second look on. Null for a process that was
 * looked at while it became another program, and had no memory.
 */
export function usageWords({ cpuPercent, residentBytes }: Omit<SessionUsage, 'id'>): string | null {
  if (residentBytes === 0) {
    return null;
  }
  const memory = bytesText(residentBytes);
  return cpuPercent === null ? memory : `CPU ${Math.round(cpuPercent)}% · ${memory}`;
}

/** Where a process listens: `listens on 127.0.0.1:5173`. */
export function portWords(port: ReachedPort): string {
  return `listens on ${placeWords(port)}${port.protocol === 'udp' ? ' (UDP)' : ''}`;
}

/** A place at which a process can be reached: `127.0.0.1:5173`, `[::1]:5173`. */
export function placeWords({ address, port }: ReachedPort): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Those by TCP: a UDP socket is one that listens also while it waits for the answer to a question. */
export function servedPorts(listening: readonly ReachedPort[]): readonly ReachedPort[] {
  return listening.filter(({ protocol }) => protocol === 'tcp');
}

/** A surviving process's command on one line, or its number. */
export function survivorCommand({ command, pid }: Pick<SurvivingProcess, 'command' | 'pid'>): string {
  return command === null ? `process ${pid}` : oneLineCommand(command);
}

/** What is known of a survivor: `pid 7`, `for 3 min 5 s`, `61.0 MB`, `listens on 127.0.0.1:5173`. */
export function survivorFacts({ pid, ageMs, residentBytes, listening }: SurvivingProcess): readonly string[] {
  const ports = (listening ?? []).map(portWords);
  return [
    `pid ${pid}`,
    ...(ageMs === null ? [] : [`for ${durationText(ageMs)}`]),
    ...(residentBytes === null ? [] : [bytesText(residentBytes)]),
    ...ports,
  ];
}

/** Which match is shown: `3 of 12`, `no match`, `more than 1,000`. */
export function foundWords({ index, count }: FoundMatches): string {
  if (count === 0) {
    return 'no match';
  }
  const all = count > MAX_MATCHES ? `more than ${MAX_MATCHES.toLocaleString('en')}` : count.toLocaleString('en');
  return index < 0 ? all : `${(index + 1).toLocaleString('en')} of ${all}`;
}

/** How a child ended: `exited with code 3`, `was killed by SIGTERM`. */
export function exitWords({ exitCode, signal }: ExitStatus): string {
  if (signal !== null) {
    return `was killed by ${signal}`;
  }
  return exitCode === null ? 'exited, code unknown' : `exited with code ${exitCode}`;
}

type LookFacts = Pick<SessionInfo, 'state' | 'exit' | 'endedBy' | 'waitingFor' | 'origin' | 'attention'>;

/** Which icon and tone the state has. */
export function stateLook(session: LookFacts): StateLook {
  if (session.state === 'failed') {
    return 'not-started';
  }
  if (asksPerson(session)) {
    return 'asking';
  }
  if (isWaiting(session)) {
    return 'waiting';
  }
  if (session.state === 'starting' || session.state === 'running' || session.state === 'lost') {
    return session.state;
  }
  if (session.exit?.signal) {
    return session.endedBy === 'person' || session.endedBy === 'host' ? 'stopped' : 'killed';
  }
  if (session.exit?.exitCode == null) {
    return 'unknown';
  }
  return session.exit.exitCode === 0 ? 'succeeded' : 'failed';
}

/** True for an end that deserves a look: anything but success, and not what ended with the app, or by the person. */
export function needsLook(session: LookFacts): boolean {
  if (isLive(session.state) || session.endedBy === 'person' || session.endedBy === 'host') {
    return false;
  }
  const look = stateLook(session);
  return look !== 'succeeded' && look !== 'lost';
}

/** What a session is called among others, see `differencesOf`: `npm ci…npm run deploy · --target=web`, `bash: web (2)`. */
export function fullTitle(session: NamedSession, difference: string | null): string {
  return difference === null ? sessionTitle(session) : `${sessionTitle(session)} ${differenceText(difference)}`;
}

/** What tells a session from others of its name, as it stands behind that: `· --target=web`, `(2)`. */
export function differenceText(difference: string): string {
  return /^\(\d+\)$/.test(difference) ? difference : `· ${difference}`;
}

/** The session in one line, as its tab reads: `npm test, codex, exited 1`. */
export function tabName(session: SessionInfo, difference: string | null = null): string {
  return `${fullTitle(session, difference)}, ${originName(session.origin)}, ${stateWords(session)}`;
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
    return `could not start: ${failureReason(session)}`;
  }
  if (session.state === 'lost') {
    return 'lost: Shellscope was killed';
  }
  const parts = [endOf(session)];
  if (session.endedAtMs !== null && !(session.endedBy === 'limit' && session.limitHit !== null)) {
    parts.push(`after ${durationText(session.endedAtMs - session.startedAtMs)}`);
  }
  if (session.limitHit !== null && session.endedBy !== 'limit') {
    parts[parts.length - 1] += `; ${limitWords(session.limitHit)}`;
  }
  const sentence = parts.join(' ');
  if (session.state === 'exited') {
    return `${sentence}; something it started still holds its output open`;
  }
  return session.treeEmpty === false ? `${sentence}; something it started still runs` : sentence;
}

/** Why a session could not start, without saying again that it could not: `no such program on PATH (/usr/bin:/bin)`. */
export function failureReason({ failure }: Pick<SessionInfo, 'failure'>): string {
  return failure === null ? 'the reason is not known' : shownText(failure.replace(/^cannot start `[^`]*`: /, ''));
}

function endOf(session: SessionInfo): string {
  if (session.endedBy === 'limit' && session.limitHit !== null) {
    return limitWords(session.limitHit);
  }
  const by = endedByText(session.endedBy, session.origin);
  const signal = session.exit?.signal;
  const exitCode = session.exit?.exitCode;
  if (signal) {
    return session.endedBy === 'host' ? `ended with Shellscope by ${signal}` : `killed by ${signal}${by}`;
  }
  const code = exitCode == null ? 'exited, code unknown' : `exited with code ${exitCode}`;
  return by === '' ? code : `${code}, ended${by}`;
}

/** The hit's sentence, within another. What was printed from then on, until it was ended, is in the figure of its output. */
function limitWords({ message }: BudgetHit): string {
  return message
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
    .replace(/\bit printed (\d[^;]*);/, 'it had printed $1 by then;')
    .replace(/\.$/, '');
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
      return ' with Shellscope';
    case 'child':
    case null:
      return '';
  }
}
