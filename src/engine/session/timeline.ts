import type { Act, Actor, TimelineEntry } from '../../shared/timeline.ts';

/** Entries kept per session; the oldest leave, but the first, which says who began it. */
const MAX_ENTRIES = 1_000;

/** Acts of one kind by one actor that follow one another within this time are one entry, in milliseconds. */
const JOINED_WITHIN_MS = 2_000;

/** What was done to one session, in order. */
export class Timeline {
  #entries: TimelineEntry[] = [];
  #lastNumber: number;
  #lastAtMs = 0;

  /** `lastNumber`: of the last entry before those that are kept here. */
  constructor(lastNumber = 0) {
    this.#lastNumber = lastNumber;
  }

  /** The number of the newest entry; 0 when there is none. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  get entries(): readonly TimelineEntry[] {
    return this.#entries;
  }

  /** Notes an act, by itself or joined with the one before. Answers its entry as it is now. */
  note(by: Actor, act: Act, offset: number, atMs: number): TimelineEntry {
    const last = this.#entries.at(-1);
    const isClose = atMs - this.#lastAtMs <= JOINED_WITHIN_MS;
    this.#lastAtMs = atMs;
    const joined = last !== undefined && isClose && isSame(last.by, by) ? joinedActs(last.act, act) : null;
    if (last !== undefined && joined !== null) {
      const entry = { ...last, act: joined };
      this.#entries = this.#entries.with(-1, entry);
      return entry;
    }
    this.#lastNumber += 1;
    const entry = { number: this.#lastNumber, atMs, by, act, offset };
    this.#entries = [...this.#entries, entry];
    if (this.#entries.length > MAX_ENTRIES) {
      this.#entries = this.#entries.toSpliced(1, 1);
    }
    return entry;
  }
}

function isSame(a: Actor, b: Actor): boolean {
  return a.kind === b.kind && (a.kind !== 'agent' || b.kind !== 'agent' || a.client === b.client);
}

/** Null when the two are told apart. */
function joinedActs(before: Act, now: Act): Act | null {
  if (before.kind === 'wrote' && now.kind === 'wrote' && (before.bytes === null) === (now.bytes === null)) {
    const bytes = before.bytes === null || now.bytes === null ? null : before.bytes + now.bytes;
    return { kind: 'wrote', times: before.times + now.times, bytes };
  }
  if (before.kind === 'read' && now.kind === 'read') {
    return { kind: 'read', times: before.times + now.times, bytes: before.bytes + now.bytes };
  }
  if (before.kind === 'write-refused' && now.kind === 'write-refused') {
    return now;
  }
  return before.kind === 'resized' && now.kind === 'resized' ? now : null;
}
