import type { ExitStatus, SessionFolder, SessionInfo, SessionOrigin, TerminalSize } from '../../shared/session.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import { isOutputKind, type TranscriptRecord } from './transcript-format.ts';

/** Largest terminal in each direction that a session can have had, in cells. */
const MAX_CELLS = 2_000;

/** What the records of a transcript's last segment tell of a session whose host has ended. */
export interface KeptSession {
  /** With its end as far as that is known: `closed`, or `lost`. */
  readonly session: SessionInfo;
  /** `seq` after that of the last piece of output. */
  readonly nextSeq: number;
  /** Somebody typed into it, in this segment. */
  readonly wasTyped: boolean;
}

/**
 * The session as these records leave it, from the first that says what is known of it. Null where none of them does, or
 * where what they say is no session: what is on the disk may have been changed by anybody.
 */
export function keptSession(records: readonly TranscriptRecord[], startOffset: number): KeptSession | null {
  let info: SessionInfo | null = null;
  /** What was told after that. */
  let since: Partial<Pick<SessionInfo, 'size' | 'title'>> = {};
  let exit: { readonly status: ExitStatus; readonly atMs: number } | null = null;
  let outputBytes = startOffset;
  let nextSeq = 1;
  let timelineNumber = 0;
  let wasTyped = false;
  for (const { kind, payload, seq, atMs } of records) {
    nextSeq = isOutputKind(kind) ? seq + 1 : seq;
    if (isOutputKind(kind)) {
      outputBytes += payload.length;
      continue;
    }
    const fact = factOf(payload);
    if (kind === 'session') {
      const told = sessionOf(fact);
      if (told !== null) {
        [info, since] = [told, {}];
      }
    } else if (kind === 'size' && isSize(fact)) {
      since = { ...since, size: fact };
    } else if (kind === 'exited' && isExit(fact)) {
      exit = { status: fact, atMs };
    } else if (kind === 'act' && isEntry(fact)) {
      const { number, act } = fact;
      timelineNumber = Math.max(timelineNumber, number);
      wasTyped ||= act.kind === 'wrote';
      since = act.kind === 'titled' ? { ...since, title: act.title } : since;
    }
  }
  if (info === null) {
    return null;
  }
  const known = {
    ...info,
    ...since,
    ...NOTHING_RUNS,
    outputBytes,
    timelineNumber: Math.max(timelineNumber, info.timelineNumber),
  };
  return { session: ended(known, exit), nextSeq, wasTyped };
}

/** What such a record tells that was done; null for what is no such thing. */
export function timelineEntryOf(payload: Uint8Array): TimelineEntry | null {
  const fact = factOf(payload);
  return isEntry(fact) ? fact : null;
}

/** The size that such a record tells; null for what is none. */
export function sizeOf(payload: Uint8Array): TerminalSize | null {
  const fact = factOf(payload);
  return isSize(fact) ? fact : null;
}

/** What cannot be said of a session whose host has ended. */
const NOTHING_RUNS = {
  pid: null,
  waitingFor: null,
  progress: null,
  attention: null,
  treeEmpty: null,
  lastHold: null,
} as const;

/** An end that nobody wrote down is not known, and none is made up. */
function ended(info: SessionInfo, exit: { readonly status: ExitStatus; readonly atMs: number } | null): SessionInfo {
  if (info.exit !== null) {
    return { ...info, state: 'closed' };
  }
  return exit === null
    ? { ...info, state: 'lost', exit: { exitCode: null, signal: null }, endedBy: null, endedAtMs: null }
    : { ...info, state: 'closed', exit: exit.status, endedBy: null, endedAtMs: exit.atMs };
}

function factOf(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload).toString());
  } catch {
    // Damaged: it counts as not said.
    return null;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Null for what is no session, or would run again as something else than it says. */
function sessionOf(fact: unknown): SessionInfo | null {
  if (!isFields(fact)) {
    return null;
  }
  const { id, backend, argv, cwd, shownCwd, size, origin, startedAtMs, epoch, title, exit, endedAtMs } = fact;
  const isWhole =
    [id, cwd, shownCwd, epoch].every((text) => typeof text === 'string' && text !== '') &&
    (backend === 'pty' || backend === 'pipe') &&
    Array.isArray(argv) &&
    argv.length > 0 &&
    argv.every((word) => typeof word === 'string') &&
    (size === null || isSize(size)) &&
    isOrigin(origin) &&
    isTime(startedAtMs) &&
    isTextOrNull(title) &&
    (exit === null || isExit(exit)) &&
    (endedAtMs === null || isTime(endedAtMs));
  if (!isWhole) {
    return null;
  }
  const { endedBy, sandbox, timelineNumber, limits, limitHit, keyboard, folder } = fact;
  return {
    ...(fact as unknown as SessionInfo),
    endedBy: isEndedBy(endedBy) ? endedBy : null,
    sandbox: isTextOrNull(sandbox) ? sandbox : null,
    timelineNumber: isTime(timelineNumber) ? timelineNumber : 0,
    timelineActs: 0,
    limits: isFields(limits) ? limits : {},
    limitHit: isFields(limitHit) && typeof limitHit['message'] === 'string' ? keptHit(limitHit, endedBy) : null,
    keyboard: keyboard === 'agent' ? 'agent' : 'person',
    folder: isFolder(folder) ? folder : null,
  };
}

function isFolder(value: unknown): value is SessionFolder {
  return (
    isFields(value) &&
    typeof value['path'] === 'string' &&
    isTextOrNull(value['host']) &&
    typeof value['isHome'] === 'boolean'
  );
}

/** Earlier versions kept only limits that had ended the child. */
function keptHit(hit: Fields, endedBy: unknown): SessionInfo['limitHit'] {
  return { ended: endedBy === 'limit' ? 'child' : null, ...hit } as SessionInfo['limitHit'];
}

function isSize(value: unknown): value is TerminalSize {
  const isCells = (cells: unknown): boolean =>
    Number.isSafeInteger(cells) && Number(cells) > 0 && Number(cells) <= MAX_CELLS;
  return isFields(value) && isCells(value['cols']) && isCells(value['rows']);
}

function isExit(value: unknown): value is ExitStatus {
  return (
    isFields(value) &&
    (value['exitCode'] === null || Number.isSafeInteger(value['exitCode'])) &&
    isTextOrNull(value['signal'])
  );
}

function isOrigin(value: unknown): value is SessionOrigin {
  if (!isFields(value)) {
    return false;
  }
  const { kind, client, processId, threadId, callId } = value;
  const isAgent =
    kind === 'agent' &&
    typeof client === 'string' &&
    typeof processId === 'string' &&
    isTextOrNull(threadId) &&
    isTextOrNull(callId);
  return kind === 'person' || isAgent;
}

function isEndedBy(value: unknown): value is SessionInfo['endedBy'] {
  return value === 'child' || value === 'agent' || value === 'person' || value === 'limit' || value === 'host';
}

/** Those of a later version are left out: nobody here could say what they mean. */
const ACTS: ReadonlySet<unknown> = new Set<TimelineEntry['act']['kind']>([
  ...([
    'started',
    'not-started',
    'wrote',
    'replied',
    'write-refused',
    'judged',
    'answered',
    'host-refused',
    'read',
    'took-keyboard',
  ] as const),
  ...(['gave-keyboard-back', 'resized', 'titled', 'signalled', 'closed-input', 'asked-to-end', 'hit-limit'] as const),
  ...(['exited', 'output-closed'] as const),
]);

function isEntry(value: unknown): value is TimelineEntry {
  if (!isFields(value) || !isFields(value['act']) || !isFields(value['by'])) {
    return false;
  }
  const { kind, title, size, exit, why } = value['act'];
  return (
    [value['number'], value['offset']].every(Number.isSafeInteger) &&
    isTime(value['atMs']) &&
    typeof value['by']['kind'] === 'string' &&
    (value['by']['kind'] !== 'agent' || typeof value['by']['client'] === 'string') &&
    ACTS.has(kind) &&
    (kind !== 'not-started' || typeof why === 'string') &&
    (kind !== 'titled' || isTextOrNull(title)) &&
    (kind !== 'resized' || isSize(size)) &&
    (kind !== 'exited' || isExit(exit))
  );
}
