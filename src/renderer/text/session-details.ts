/** All that is told of one session, by name: also what the status bar has no room for. Pure. */
import { isLive, type SessionInfo } from '../../shared/session.ts';
import { shownText } from '../../shared/shown-text.ts';
import type { ShownUsage } from '../polled-feed.ts';
import { memoryShare, shareText, usedOf } from './limit-text.ts';
import { bytesText, durationText } from './quantity-text.ts';
import {
  commandText,
  endSentence,
  originName,
  placeWords,
  servedPorts,
  shownFolder,
  shownSizeWords,
  stateWords,
} from './session-text.ts';
import { momentText } from './timeline-text.ts';

/** A fact, or several of a kind. */
export interface SessionDetail {
  readonly name: string;
  /** At least one. */
  readonly values: readonly string[];
  /** Words of a program or of the system, which are written in its typeface. */
  readonly isCode: boolean;
}

export interface DetailsOf {
  readonly session: SessionInfo;
  /** Undefined where it is not known, or not yet. */
  readonly used: ShownUsage | undefined;
  /** Bytes that it has printed, as far as the window knows. */
  readonly outputBytes: number;
  /** The person fitted its terminal to her pane. */
  readonly isFitted: boolean;
  /** The share of its font that the terminal is drawn with. */
  readonly scale: number;
}

/** What it is but for its command, and its state. */
export function identityDetails({
  session,
  isFitted,
  scale,
}: Pick<DetailsOf, 'session' | 'isFitted' | 'scale'>): readonly SessionDetail[] {
  const { cwd, pid, sandbox, origin, startedAtMs } = session;
  const [folder, start] = [shownFolder(session), shownText(cwd)];
  return [
    fact('State', endSentence(session) ?? stateWords(session)),
    fact('Started', `${momentText(startedAtMs)} by ${originName(origin)}`),
    ...(pid === null ? [] : [fact('Process', String(pid))]),
    ...(session.state === 'failed' ? [] : [fact('Terminal', shownSizeWords(session, isFitted, scale))]),
    fact('Sandbox', shownText(sandbox ?? 'none')),
    code('Folder', [folder]),
    ...(folder === start ? [] : [code('Started in', [start])]),
  ];
}

/** What runs, whole: it may be longer than all the rest. */
export function commandDetails({ session }: Pick<DetailsOf, 'session'>): readonly SessionDetail[] {
  return [code('Command', [commandText(session)])];
}

/** What it uses, with the limit where there is one, and where it can be reached. Of an ended one what it printed. */
export function usageDetails({
  session,
  used,
  outputBytes,
}: Omit<DetailsOf, 'isFitted' | 'scale'>): readonly SessionDetail[] {
  const { state, limits } = session;
  if (!isLive(state)) {
    return state === 'failed' ? [] : [fact('Output', bytesText(outputBytes))];
  }
  const { memoryBytes, processes, cpuSeconds, lifetimeMs, idleMs } = limits;
  const { cpuPercent, cpuMs, residentBytes, listening } = used ?? {};
  const mostCpuMs = cpuSeconds === undefined ? undefined : cpuSeconds * 1_000;
  const memory = memoryBytes === undefined ? known(residentBytes, bytesText) : memoryShare(residentBytes, memoryBytes);
  const amounts: Readonly<Record<string, string | null>> = {
    CPU: known(cpuPercent ?? undefined, (percent) => `${Math.round(percent)}%`),
    'CPU time': share(cpuMs, mostCpuMs, durationText),
    Memory: memory,
    Processes: share(used?.processes, processes, String),
    Output: usedOf(bytesText(outputBytes), limits.outputBytes, bytesText),
    'Running for': share(used?.lifetimeMs, lifetimeMs, durationText),
    'Idle for': share(used?.idleMs, idleMs, durationText),
  };
  const told = Object.entries(amounts).flatMap(([name, value]) => (value === null ? [] : [fact(name, value)]));
  return listening === undefined ? told : [...told, listensOn(servedPorts(listening).map(placeWords))];
}

function listensOn(places: readonly string[]): SessionDetail {
  return places.length === 0 ? fact('Listens on', 'nothing') : code('Listens on', places);
}

function fact(name: string, value: string): SessionDetail {
  return { name, values: [value], isCode: false };
}

function code(name: string, values: readonly string[]): SessionDetail {
  return { name, values, isCode: true };
}

/** Null where neither what is used nor a limit is known. */
function share(used: number | undefined, maximum: number | undefined, text: (amount: number) => string): string | null {
  return maximum === undefined ? known(used, text) : shareText(used, maximum, text);
}

function known(amount: number | undefined, text: (amount: number) => string): string | null {
  return amount === undefined ? null : text(amount);
}
