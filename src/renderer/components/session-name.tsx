import type { ReactNode } from 'react';
import type { SessionInfo } from '../../shared/session.ts';
import { differenceText, sessionTitle } from '../text/session-text.ts';
import { useDifference } from '../window/window-model.ts';

/** What a session is called, in a line that may be cut; what tells it from another of that name is not cut with it. */
export function SessionName({
  session,
  mark,
}: {
  readonly session: SessionInfo;
  /** What is heard right after the name: in an accessible name a blank parts it from what stands behind the box of it. */
  readonly mark?: ReactNode;
}): ReactNode {
  const difference = useDifference(session.id);
  if (difference === null) {
    return (
      <>
        {sessionTitle(session)}
        {mark}
      </>
    );
  }
  return (
    <span className="session-name">
      <span>{sessionTitle(session)}</span>{' '}
      <span className="name-difference">
        {differenceText(difference)}
        {mark}
      </span>
    </span>
  );
}
