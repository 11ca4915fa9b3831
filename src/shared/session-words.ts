/** The words for a session that the window and the command line share, so that both call it the same. */
import { isLive, type ProgramProgress, type SessionFolder, type SessionInfo, type SessionOrigin } from './session.ts';
import { oneLine, oneLineCommand, shownText } from './shown-text.ts';

/** Shells whose `-c` argument is the command that a person wants to read. */
const SHELL_NAMES = new Set(['sh', 'bash', 'zsh', 'fish', 'dash', 'ksh', 'ash']);

/** Programs that call themselves otherwise than people call them. */
const CLIENT_NAMES: Readonly<Record<string, string>> = { 'codex-environment': 'codex', 'codex-mcp-client': 'codex' };

/** Characters of a command in a title: what is longer nobody reads, and a screen reader reads all of it. */
const MAX_TITLE = 80;

/** Of those the last: scripts often begin alike. */
const TITLE_TAIL = 24;

/** What a session is called by. */
export type NamedSession = Pick<SessionInfo, 'argv' | 'title' | 'origin' | 'folder'>;

/**
 * The name that somebody gave a session, else that of its command; of a person's own shell with the folder it is in, but for
 * her home: `bash: web`, `bash: web on build-3`. One line, of at most some hundred characters.
 */
export function sessionTitle(session: NamedSession): string {
  if (session.title !== null) {
    return oneLine(session.title);
  }
  const { origin, folder, argv } = session;
  const title = commandTitle(session);
  if (origin.kind !== 'person' || folder === null || folder.isHome || !isShellAtPrompt(argv)) {
    return title;
  }
  const on = folder.host === null ? '' : ` on ${folder.host}`;
  return `${title}: ${shortText(shownText(`${baseName(folder.path)}${on}`))}`;
}

/** A folder as it is shown: `/srv/web`, `build-3:/srv/web`. */
export function folderText({ path, host }: Pick<SessionFolder, 'path' | 'host'>): string {
  return shownText(host === null ? path : `${host}:${path}`);
}

/** Short name of what runs: `npm test` for `bash -lc "npm test"`, `zsh` for a person's shell. One line, see `shortText`. */
export function commandTitle(session: Pick<SessionInfo, 'argv'>): string {
  return shortText(commandLine(session));
}

/** A text of at most 80 characters: of a longer one its begin and its end, `cd web && npm ci…npm run deploy`. */
export function shortText(text: string): string {
  if (text.length <= MAX_TITLE) {
    return text;
  }
  // Between words where there is a place near by, and never in the midst of a character that takes two places.
  const begin = text.slice(0, MAX_TITLE - TITLE_TAIL - 1).replace(/\s+\S{0,10}$|[\ud800-\udbff]$/, '');
  const end = text.slice(-TITLE_TAIL).replace(/^\S{0,10}\s+|^[\udc00-\udfff]/, '');
  return `${begin}…${end}`;
}

/** What runs, whole, on one line: that of `-c` for a shell. */
export function commandLine(session: Pick<SessionInfo, 'argv'>): string {
  const [program = '', ...rest] = session.argv;
  const name = baseName(program);
  if (SHELL_NAMES.has(name)) {
    const script = commandOfShell(rest);
    if (script !== null) {
      return oneLineCommand(script);
    }
    if (isShellAtPrompt(session.argv)) {
      return name;
    }
  }
  return oneLineCommand([name, ...rest].join(' '));
}

/** The whole command as it was asked for, arguments quoted where they need it, for a tooltip. */
export function commandText(session: Pick<SessionInfo, 'argv'>): string {
  return shownText(
    session.argv.map((argument) => (/^[\w@%+=:,./-]+$/.test(argument) ? argument : JSON.stringify(argument))).join(' '),
  );
}

/** Who asked for the session, as one word for a label: `codex`, `you`. */
export function originName(origin: SessionOrigin): string {
  return origin.kind === 'person' ? 'you' : clientName(origin.client);
}

/** A client as people call it. One line, see `shortText`. */
export function clientName(client: string): string {
  return CLIENT_NAMES[client] ?? shortText(oneLine(client));
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
    case 'pager':
    case 'keys':
      // Nor is it any to her that her own editor waits for her keys, all the time that she is in it.
      return origin.kind === 'person' ? null : (waitingFor?.kind ?? null);
    case 'password':
    case 'line':
    case 'input':
      return waitingFor?.kind ?? null;
  }
}

/** Whether its agent asks for a person, and has no answer yet. */
export function asksPerson({ state, attention }: Pick<SessionInfo, 'state' | 'attention'>): boolean {
  return isLive(state) && attention !== null;
}

/** Whether it waits for somebody, as its words tell. */
export function isWaiting(session: Pick<SessionInfo, 'state' | 'waitingFor' | 'origin'>): boolean {
  return session.state === 'running' && waitingWord(session) !== null;
}

type StateFacts = Pick<SessionInfo, 'state' | 'exit' | 'waitingFor' | 'progress' | 'origin' | 'attention'>;

/** What is shown of a session's progress: nothing while somebody is asked for or waited for, since that goes before. */
export function shownProgress(session: Omit<StateFacts, 'exit'>): ProgramProgress | null {
  return session.state === 'running' && !asksPerson(session) && waitingWord(session) === null ? session.progress : null;
}

/** How far a program says it is: `running 40%`, `working`, `paused at 40%`, `error at 40%`. */
export function progressWords({ kind, percent }: ProgramProgress): string {
  switch (kind) {
    case 'normal':
      return `running ${percent ?? 0}%`;
    case 'indeterminate':
      return 'working';
    case 'paused':
    case 'error':
      return percent === null ? kind : `${kind} at ${percent}%`;
  }
}

/** The state in a few words: `running`, `running 40%`, `waits: password`, `needs you`, `exited 1`, `killed SIGTERM`. */
export function stateWords(session: StateFacts): string {
  if (session.state === 'failed' || session.state === 'lost') {
    return session.state === 'lost' ? 'lost' : 'failed to start';
  }
  if (asksPerson(session)) {
    return 'needs you';
  }
  const waiting = session.state === 'running' ? waitingWord(session) : null;
  if (waiting !== null) {
    return `waits: ${waiting}`;
  }
  const progress = shownProgress(session);
  if (progress !== null) {
    return progressWords(progress);
  }
  if (isLive(session.state)) {
    return session.state;
  }
  if (session.exit?.signal) {
    return `killed ${session.exit.signal}`;
  }
  return session.exit?.exitCode == null ? 'exit unknown' : `exited ${session.exit.exitCode}`;
}

/** True for a shell that was started to type into, not for one with a script or a command. */
export function isShellAtPrompt([program = '', ...rest]: readonly string[]): boolean {
  return (
    SHELL_NAMES.has(baseName(program)) &&
    commandOfShell(rest) === null &&
    rest.every((argument) => argument.startsWith('-'))
  );
}

/** The command of `-c`, also inside combined flags as in `-lc`; null when there is none. */
function commandOfShell(rest: readonly string[]): string | null {
  const flag = rest.findIndex((argument) => /^-[a-z]*c[a-z]*$/.test(argument));
  return flag === -1 ? null : (rest[flag + 1] ?? null);
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1) || path;
}
