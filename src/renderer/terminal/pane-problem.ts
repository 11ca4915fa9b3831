import type { SessionId } from '../../shared/session.ts';
import { failureText } from '../host-client.ts';

/** Why a pane does not show its session's output. */
export interface PaneProblem {
  /** What it means, and what can be done, for a person. */
  readonly sentence: string;
  /** What was thrown, in its own words; null where that says no more. */
  readonly detail: string | null;
}

export type PaneProblems = ReadonlyMap<SessionId, PaneProblem>;

/** The pane had its output, and is told no more of it. */
export const OUTPUT_LOST: PaneProblem = {
  sentence: 'The connection to this session’s output was lost. The session itself is not affected.',
  detail: null,
};

/** The host gave the pane no output. */
export function unreadOutput(error: unknown): PaneProblem {
  return {
    sentence:
      'This session’s output could not be read, so it is not shown. The session itself is not affected. If showing it again does not help, open all of it as text.',
    detail: failureText(error),
  };
}
