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

/** `epoch:offset`, the form in which a cursor travels as text. */
export function formatCursor({ epoch, offset }: OutputCursor): string {
  return `${epoch}:${offset}`;
}

/** The cursor that the text stands for, or null when it is none. */
export function parseCursor(text: string): OutputCursor | null {
  const match = /^([0-9a-z-]{1,64}):(0|[1-9]\d{0,15})$/.exec(text);
  const offset = Number(match?.[2]);
  return match?.[1] === undefined || !Number.isSafeInteger(offset) ? null : { epoch: match[1], offset };
}
