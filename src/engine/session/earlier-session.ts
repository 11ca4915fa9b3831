import type { OutputStreamName, SessionInfo, TerminalSize } from '../../shared/session.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import type { OutputRecorder } from './output-recorder.ts';

/** A session of an earlier run of the host, which has ended with it or before it. */
export interface EarlierSession {
  /** As it is to be told now; its `id` may be another session's by now. */
  readonly info: SessionInfo;
  readonly output: EarlierOutput;
}

/** What is kept of everything that such a session printed. Nothing is added to it but its new names. */
export interface EarlierOutput extends OutputRecorder {
  /** `seq` after that of the last piece of output, and the offset after its last byte. */
  readonly nextSeq: number;
  readonly endOffset: number;
  /** About the last `maxBytes`, in whole pieces and without a hole. Rejects with what the system says. */
  tail(maxBytes: number): Promise<OutputTail>;
  /** What was done to the session, as far as it is kept. Rejects with what the system says. */
  timeline(): Promise<readonly TimelineEntry[]>;
}

/** The end of an output. */
export interface OutputTail {
  /** Where the first entry stands. */
  readonly seq: number;
  readonly offset: number;
  readonly entries: readonly TailEntry[];
  /** The spans of input that its segments tell of. */
  readonly inputs: readonly TimelineEntry[];
}

/** A piece of output, or the size that what follows was made for. */
export type TailEntry =
  | { readonly kind: 'output'; readonly stream: OutputStreamName; readonly bytes: Uint8Array; readonly atMs: number }
  | { readonly kind: 'size'; readonly size: TerminalSize };
