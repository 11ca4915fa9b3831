import type { EarlierFacts, EarlierSessions, Engine } from '../engine/engine.ts';
import { keptTabsOf, type TabsAgain } from '../shared/kept-window.ts';
import type { Logger } from '../shared/logger.ts';
import type { SessionInfo } from '../shared/session.ts';
import type { KeptEntry } from './kept-windows.ts';

/** Tabs that come back; of more the newest. What was printed in the others stays on the disk. */
const MAX_TABS = 200;

export interface TabsAgainOptions {
  readonly engine: Pick<Engine, 'findEarlier' | 'restore'>;
  /** How the windows were arranged when the app ended. */
  readonly entries: readonly KeptEntry[];
  /** What the person's own shells are. */
  readonly shellPath: string;
  readonly log: Logger;
}

/** The sessions that came back, and what is told to a page. */
export interface BroughtBack extends TabsAgain {
  readonly sessions: readonly SessionInfo[];
}

/** Takes the sessions that had tabs when the app ended into the list again. Never rejects: what fails is told. */
export async function bringTabsBack({ engine, entries, shellPath, log }: TabsAgainOptions): Promise<BroughtBack> {
  const epochs = keptEpochs(entries);
  if (epochs.length === 0) {
    return { sessions: [], opensShell: false, problem: null };
  }
  try {
    const earlier = await engine.findEarlier(epochs);
    const again = worthShowing(earlier.found, shellPath);
    const sessions = await engine.restore(again.map(({ session }) => session.epoch));
    return {
      sessions,
      opensShell: again.some(({ session }) => isInterruptedShell(session, shellPath)),
      problem: lossOf(earlier),
    };
  } catch (error) {
    log.error('the tabs of the last time cannot be brought back', { why: String(error) });
    return { sessions: [], opensShell: false, problem: 'The tabs of the last time could not be brought back.' };
  }
}

/** The sessions whose tabs were open, the newest `MAX_TABS`, the newest first. */
export function keptEpochs(entries: readonly KeptEntry[]): readonly string[] {
  const tabs = entries.flatMap(({ page }) => (page === null ? [] : keptTabsOf(page.root)));
  // Of a session that could not start nothing was kept: its tab has no epoch.
  const newest = tabs.toSorted((a, b) => b.startedAtMs - a.startedAtMs).flatMap(({ epoch }) => epoch ?? []);
  return [...new Set(newest)].slice(0, MAX_TABS);
}

/**
 * What is worth a tab, the oldest first. Of the person's own shells that ended with the app those of the last run in which
 * she used one: else each start would leave one more.
 */
export function worthShowing(found: readonly EarlierFacts[], shellPath: string): readonly EarlierFacts[] {
  const byAge = found.toSorted((a, b) => a.session.startedAtMs - b.session.startedAtMs);
  const isUsedShell = ({ session, wasTyped }: EarlierFacts): boolean =>
    wasTyped && isInterruptedShell(session, shellPath);
  const lastUsedIn = byAge.findLast(isUsedShell)?.hostId;
  return byAge.filter(
    (one) => !isInterruptedShell(one.session, shellPath) || (one.wasTyped && one.hostId === lastUsedIn),
  );
}

/** A shell of the person's own that ended with the app. */
function isInterruptedShell({ origin, argv, endedBy, state }: SessionInfo, shellPath: string): boolean {
  const isOwn = origin.kind === 'person' && argv.length === 1 && argv[0] === shellPath;
  return isOwn && (endedBy === 'host' || state === 'lost');
}

/** A sentence for the person; null when nothing is lost. */
function lossOf({ gone, damaged }: Pick<EarlierSessions, 'gone' | 'damaged'>): string | null {
  const count = gone.length + damaged.length;
  if (count === 0) {
    return null;
  }
  const tabs = count === 1 ? 'A tab of the last time' : `${count} tabs of the last time`;
  const why = [
    ...(damaged.length > 0 ? ['is damaged'] : []),
    ...(gone.length > 0 ? ['is no longer on the disk'] : []),
  ].join(' or ');
  return `${tabs} could not be brought back: what was printed there ${why}.`;
}
