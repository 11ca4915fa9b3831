import type { CSSProperties, ReactNode } from 'react';
import type { ProgramProgress, SessionInfo } from '../../shared/session.ts';
import { fullTitle, progressWords, shownProgress, stateLook } from '../text/session-text.ts';
import { useDifference } from '../window/window-model.ts';
import { ProgressIcon, StateIcon } from './icons.tsx';

/** What a session does: how far its program says it is, else its state. The words beside it say the same. */
export function SessionIcon({ session }: { readonly session: SessionInfo }): ReactNode {
  const progress = shownProgress(session);
  return progress === null ? <StateIcon look={stateLook(session)} /> : <ProgressIcon progress={progress} />;
}

/** A line at the foot of a session's tab, beside it in the page: what is in a tab is heard as its name alone. */
export function TabProgress({
  session,
  progress,
  column,
}: {
  readonly session: SessionInfo;
  readonly progress: ProgramProgress;
  readonly column: number;
}): ReactNode {
  const difference = useDifference(session.id);
  return (
    <div
      role="progressbar"
      className="tab-progress"
      style={{ gridColumn: column, ...shareStyle(progress) }}
      aria-label={`Progress of ${fullTitle(session, difference)}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={progress.percent ?? undefined}
      aria-valuetext={progressWords(progress)}
      data-kind={progress.kind}
      data-measured={progress.percent !== null || undefined}
    />
  );
}

/** Read by `strip.css`. */
function shareStyle({ percent }: ProgramProgress): CSSProperties {
  return { '--share': `${percent ?? 100}%` } as CSSProperties;
}
