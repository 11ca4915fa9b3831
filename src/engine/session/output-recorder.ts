import type { ExitStatus, TerminalSize } from '../../shared/session.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import type { OutputChunk, OutputPage } from './output-ring.ts';
import type { OutputRuns } from './output-runs.ts';
import type { Turns } from './turns.ts';

/**
 * Keeps what a session printed where memory ends: each piece is handed over before anybody is told of it. Nothing here
 * throws but `read`: what cannot be kept must not stop a session.
 */
export interface OutputRecorder {
  /** The child runs: something will come. */
  started(): void;
  output(chunk: OutputChunk): void;
  /** Output from now on is made for this size. */
  size(size: TerminalSize): void;
  exited(exit: ExitStatus): void;
  /** Something was done; one that grew is told again, with the same number. */
  act(entry: TimelineEntry): void;
  /** No more comes. What was kept can still be read. */
  closed(): void;
  /** Offset of the oldest byte at or after `offset` that is kept; null when there is none. */
  keptFrom(offset: number): number | null;
  /**
   * What is kept of the bytes from one offset to another: at most `maxBytes` of them, without a hole, beginning with the
   * first byte that is kept. Null when none of them is. Rejects with what the system says.
   */
  read(from: number, to: number, maxBytes: number): Promise<OutputPage | null>;
  /**
   * Copies what is kept of the bytes from one offset to another, as `read` finds it. Answers the offset after the last one;
   * null when none of them is kept. Rejects with what the system says, and as `turns` does.
   */
  copy(range: { readonly from: number; readonly to: number }, runs: OutputRuns, turns: Turns): Promise<number | null>;
}
