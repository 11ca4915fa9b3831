import type { TimelineEntry } from '../../shared/timeline.ts';

/** Marks kept per terminal; the oldest leave. */
const MAX_MARKS = 1_000;

/** How many leave at once, so that it costs little. */
const LEAVE_TOGETHER = 200;

/** A line of a terminal's buffer, and what was put in while the output stood there, the oldest first. */
export interface MarkedLine {
  readonly line: number;
  readonly entries: readonly TimelineEntry[];
}

interface Mark {
  entry: TimelineEntry;
  /** A full-screen program had the screen: it draws its lines as it likes, so none is marked. */
  readonly isOnOtherScreen: boolean;
}

export interface InputMarksOptions {
  /** The line that shows what was printed at an offset; null when none does. */
  readonly lineOf: (offset: number) => number | null;
  readonly isOnOtherScreen: () => boolean;
}

/** Which lines of one terminal input came at. */
export class InputMarks {
  readonly #options: InputMarksOptions;
  readonly #marks: Mark[] = [];

  constructor(options: InputMarksOptions) {
    this.#options = options;
  }

  /** Takes spans of input that begin at the cursor, and those that have grown since. */
  tell(entries: readonly TimelineEntry[]): void {
    const isOnOtherScreen = this.#options.isOnOtherScreen();
    for (const entry of entries) {
      const at = this.#marks.findLastIndex((mark) => mark.entry.number <= entry.number);
      const known = this.#marks[at];
      if (known?.entry.number === entry.number) {
        known.entry = entry;
      } else {
        this.#marks.splice(at + 1, 0, { entry, isOnOtherScreen });
      }
    }
    if (this.#marks.length > MAX_MARKS) {
      this.#marks.splice(0, this.#marks.length - MAX_MARKS + LEAVE_TOGETHER);
    }
  }

  /** The marked lines from one line of the buffer up to before another, from the top down. */
  lines(from = 0, to = Infinity): readonly MarkedLine[] {
    if (this.#options.isOnOtherScreen()) {
      return [];
    }
    const byLine = new Map<number, TimelineEntry[]>();
    const gone = new Set<Mark>();
    for (const mark of this.#marks) {
      const line = mark.isOnOtherScreen ? null : this.#options.lineOf(mark.entry.offset);
      if (line === null) {
        gone.add(mark);
      } else if (line >= from && line < to) {
        byLine.set(line, [...(byLine.get(line) ?? []), mark.entry]);
      }
    }
    this.#forget(gone);
    return [...byLine].map(([line, entries]) => ({ line, entries })).sort((a, b) => a.line - b.line);
  }

  get isEmpty(): boolean {
    return this.#marks.length === 0;
  }

  /** What has left the scrollback, or was erased, does not come back. One of the other screen is told of again when it grows. */
  #forget(gone: ReadonlySet<Mark>): void {
    const isOver = (mark: Mark): boolean => gone.has(mark) && !mark.isOnOtherScreen;
    if (this.#marks.some(isOver)) {
      this.#marks.splice(0, this.#marks.length, ...this.#marks.filter((mark) => !isOver(mark)));
    }
  }
}
