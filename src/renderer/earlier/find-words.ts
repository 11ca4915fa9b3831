import type { SessionInfo } from '../../shared/session.ts';
import { isLive } from '../../shared/session.ts';
import type { FoundMatches } from '../terminal/terminal-search.ts';
import { bytesText } from '../text/quantity-text.ts';
import { foundWords } from '../text/session-text.ts';
import { clockText } from '../text/timeline-text.ts';
import type { EarlierView } from './earlier-outputs.ts';
import type { EarlierMatches } from './pane-finder.ts';

/** Steps in which a share is told: each is read aloud. */
const SHARE_STEP = 10;

const counted = ({ count, isCut }: EarlierMatches): string =>
  isCut ? `more than ${count.toLocaleString('en')}` : count.toLocaleString('en');

/**
 * Which match is shown, what there is beyond the pane, and that some can no longer be found: `3 of 12 · 41 earlier`,
 * `no match · searching… 30%`, `no match · oldest gone`.
 */
export function findWords(found: FoundMatches | null, earlier: EarlierMatches): string {
  if (earlier.index !== null) {
    return [`earlier: ${earlier.index + 1} of ${counted(earlier)}`, ...lossWords(earlier)].join(' · ');
  }
  const here = found === null || found.count === 0 ? null : foundWords(found);
  const told = [here, earlierCount(earlier), searchWords(earlier)].filter((part) => part !== null);
  if (told.length === 0) {
    told.push(earlier.progress === null ? 'no match' : 'searching…');
  }
  return [...told, ...lossWords(earlier)].join(' · ');
}

/** Where all that were looked for are in the pane there are older ones all the same. */
function earlierCount(earlier: EarlierMatches): string | null {
  if (earlier.count === 0) {
    return earlier.isCut ? 'more earlier' : null;
  }
  return `${counted(earlier)} earlier`;
}

/** Null for the begin of a search as well: most have ended before anybody has read it. */
function searchWords({ progress }: EarlierMatches): string | null {
  const share = Math.floor(((progress ?? 0) * 100) / SHARE_STEP) * SHARE_STEP;
  return share === 0 ? null : `searching… ${share}%`;
}

/** In as few words as say it; `goneWords` has the rest. */
function lossWords({ goneBytes }: EarlierMatches): readonly string[] {
  return goneBytes === 0 ? [] : ['oldest gone'];
}

/** What a search cannot find, since it is gone; null when nothing is. */
export function goneWords({ goneBytes }: EarlierMatches): string | null {
  return goneBytes === 0 ? null : `${bytesText(goneBytes)} of older output is no longer kept`;
}

/** Which output a pane shows over its own: `Earlier output, 14:03:22 · 12.3 MB before now`. */
export function earlierWords({ stretch, around }: EarlierView, session: SessionInfo): string {
  const time = stretch.atMs === null ? '' : `, ${clockText(stretch.atMs)}`;
  const bytes = Math.max(0, session.outputBytes - around);
  return `Earlier output${time} · ${bytesText(bytes)} before ${isLive(session.state) ? 'now' : 'the end'}`;
}

/** What is read aloud when something else is shown, or when there is nothing beyond it. */
export function earlierNews(view: EarlierView, session: SessionInfo): string {
  const { news, target } = view;
  const words = earlierWords(view, session);
  switch (news) {
    case null:
      return target.match === null ? words : `${words}: ${target.match.line}`;
    case 'earlier':
      return `More before it: ${words}`;
    case 'later':
      return `More after it: ${words}`;
    case 'oldest':
      return 'This is the oldest output that is kept';
    case 'newest':
      return `This is the newest output; Escape goes back to ${isLive(session.state) ? 'now' : 'the end'}`;
    case 'screen':
      return 'A full-screen program drew what comes next; Later shows it';
  }
}
