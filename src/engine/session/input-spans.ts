import type { TimelineEntry } from '../../shared/timeline.ts';

/** Spans kept per session; the oldest leave. A pane marks no more. */
const MAX_SPANS = 1_000;

/** How many leave at once, so that it costs little. */
const LEAVE_TOGETHER = 200;

interface Row {
  entry: TimelineEntry;
  revision: number;
}

/** Who put something in where in the output: the newest spans of input of one session, found by the offset. */
export class InputSpans {
  readonly #rows: Row[] = [];
  #revision = 0;

  /** Rises with each change. */
  get revision(): number {
    return this.#revision;
  }

  /** Takes a span, or one that has grown. They come in the order of their numbers. */
  note(entry: TimelineEntry): void {
    const row = this.#rows.findLast((known) => known.entry.number <= entry.number);
    if (row?.entry === entry) {
      return;
    }
    this.#revision += 1;
    if (row?.entry.number === entry.number) {
      row.entry = entry;
      row.revision = this.#revision;
      return;
    }
    this.#rows.push({ entry, revision: this.#revision });
    if (this.#rows.length > MAX_SPANS) {
      this.#rows.splice(0, LEAVE_TOGETHER);
    }
  }

  /** Those that began when so many bytes had been printed. */
  at(offset: number): readonly TimelineEntry[] {
    const found: TimelineEntry[] = [];
    for (let index = this.#firstAt(offset); this.#rows[index]?.entry.offset === offset; index += 1) {
      const row = this.#rows[index];
      if (row !== undefined) {
        found.push(row.entry);
      }
    }
    return found;
  }

  /** Those that have come or grown since a revision. */
  since(revision: number): readonly TimelineEntry[] {
    return revision === this.#revision
      ? []
      : this.#rows.filter((row) => row.revision > revision).map(({ entry }) => entry);
  }

  #firstAt(offset: number): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#rows[middle]?.entry.offset ?? Infinity) < offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
