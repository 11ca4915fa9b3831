/**
 * A place in a session's output. Readers keep their own, so that none can take another's output (S1).
 *
 * `epoch` names the retained log that the offset belongs to: another session, or the same id after a restart of the
 * host, has another one. `offset` counts every byte that the child ever printed, evicted or not.
 */
export interface OutputCursor {
  readonly epoch: string;
  readonly offset: number;
}
