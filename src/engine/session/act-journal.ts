import { isInput, type TimelineEntry } from '../../shared/timeline.ts';
import { InputSpans } from './input-spans.ts';
import { JOINED_WITHIN_MS, Timeline, type NewAct } from './timeline.ts';

export interface ActJournalOptions {
  /** Of the last entry before those that are kept here; default: there was none. */
  readonly lastNumber?: number | undefined;
  /** An act began; or one has grown, when it is over or another one begins: a key must not cost a write to the disk. */
  readonly onAct: (entry: TimelineEntry) => void;
  /** Spans of input that nothing will be joined with any more, each once. */
  readonly onInputs: (entries: readonly TimelineEntry[]) => void;
}

/** An entry that may still grow. */
interface OpenEntry {
  entry: TimelineEntry;
  lastAtMs: number;
  isTold: boolean;
}

/** Entries that others can be joined with. */
const GROWING: ReadonlySet<TimelineEntry['act']['kind']> = new Set([
  'wrote',
  'replied',
  'read',
  'write-refused',
  'resized',
] as const);

/** Keeps account of what is done to one session, for those who keep it on the disk and for panes. */
export class ActJournal {
  readonly #options: ActJournalOptions;
  readonly #timeline: Timeline;
  /** Where input came. */
  readonly inputs = new InputSpans();
  readonly #open: OpenEntry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #noted = 0;

  constructor(options: ActJournalOptions) {
    this.#options = options;
    this.#timeline = new Timeline(options.lastNumber);
  }

  /** The number of the newest entry; 0 when there is none. */
  get lastNumber(): number {
    return this.#timeline.lastNumber;
  }

  /** How many acts were noted here; more of them than there are entries. */
  get noted(): number {
    return this.#noted;
  }

  /** In order; of very many acts the newest. */
  get entries(): readonly TimelineEntry[] {
    return this.#timeline.entries;
  }

  /** The newest of them, at most so many, in order. */
  newest(most: number): readonly TimelineEntry[] {
    return this.#timeline.newest(most);
  }

  note(act: NewAct): void {
    const before = this.#timeline.lastNumber;
    this.#noted += 1;
    const entry = this.#timeline.note(act);
    if (isInput(entry)) {
      this.inputs.note(entry);
    }
    if (entry.number === before + 1) {
      this.#tellGrown();
      this.#options.onAct(entry);
    }
    this.#keepOpen(entry, act.atMs);
  }

  /** Tells all that is still to be told: nothing will be joined with it. */
  settle(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#close(() => true);
  }

  #keepOpen(entry: TimelineEntry, atMs: number): void {
    if (!GROWING.has(entry.act.kind)) {
      return;
    }
    const known = this.#open.findLast((open) => open.entry.number === entry.number);
    if (known === undefined) {
      this.#open.push({ entry, lastAtMs: atMs, isTold: true });
    } else {
      known.isTold &&= known.entry === entry;
      known.entry = entry;
      known.lastAtMs = atMs;
    }
    this.#timer ??= setTimeout(() => this.#looked(), JOINED_WITHIN_MS);
  }

  #looked(): void {
    this.#timer = undefined;
    const now = Date.now();
    this.#close(({ lastAtMs }) => now - lastAtMs > JOINED_WITHIN_MS);
    if (this.#open.length > 0) {
      this.#timer = setTimeout(() => this.#looked(), JOINED_WITHIN_MS);
    }
  }

  #close(isOver: (open: OpenEntry) => boolean): void {
    this.#tellGrown();
    const over = this.#open.filter(isOver);
    const left = this.#open.filter((open) => !isOver(open));
    this.#open.splice(0, this.#open.length, ...left);
    const inputs = over.map(({ entry }) => entry).filter((entry) => isInput(entry));
    if (inputs.length > 0) {
      this.#options.onInputs(inputs);
    }
  }

  #tellGrown(): void {
    for (const open of this.#open) {
      if (!open.isTold) {
        open.isTold = true;
        this.#options.onAct(open.entry);
      }
    }
  }
}
