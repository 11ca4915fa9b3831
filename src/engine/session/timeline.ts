import type { Act, Actor, TimelineEntry } from '../../shared/timeline.ts';

/** Entries kept per session; the oldest leave, but the first, which says who began it. */
const MAX_ENTRIES = 1_000;

/** Acts of one kind by one actor that follow one another within this time are one entry, in milliseconds. */
export const JOINED_WITHIN_MS = 2_000;

/** How far back an act looks for one to join. */
const LOOKS_BACK = 4;

/** What is done. */
export interface NewAct {
  readonly by: Actor;
  readonly act: Act;
  /** Bytes that the child has printed by now. */
  readonly offset: number;
  /** Unix time in milliseconds. */
  readonly atMs: number;
  /** Input that ended a line: what is typed after the program has answered it is an entry of its own. Default: false. */
  readonly endsLine?: boolean;
}

interface Row {
  entry: TimelineEntry;
  /** Of the last of what is joined. */
  lastAtMs: number;
  /** Where the output stood when a line was ended by it; null while none was. */
  lineEndedAt: number | null;
}

/** What was done to one session, in order. */
export class Timeline {
  readonly #rows: Row[] = [];
  #lastNumber: number;

  /** `lastNumber`: of the last entry before those that are kept here. */
  constructor(lastNumber = 0) {
    this.#lastNumber = lastNumber;
  }

  /** The number of the newest entry; 0 when there is none. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** As they are now. */
  get entries(): readonly TimelineEntry[] {
    return this.#rows.map(({ entry }) => entry);
  }

  /** The newest of them, at most so many. */
  newest(most: number): readonly TimelineEntry[] {
    return (most === 0 ? [] : this.#rows.slice(-most)).map(({ entry }) => entry);
  }

  /** Notes an act, by itself or joined with one shortly before. Answers its entry as it is now. */
  note({ by, act, offset, atMs, endsLine = false }: NewAct): TimelineEntry {
    const row = this.#rowToJoin(by, act, offset, atMs);
    const joined = row === null ? null : joinedActs(row.entry.act, act);
    if (row !== null && joined !== null) {
      row.entry = joined === row.entry.act ? row.entry : { ...row.entry, act: joined };
      row.lastAtMs = atMs;
      row.lineEndedAt = endsLine ? offset : row.lineEndedAt;
      return row.entry;
    }
    this.#lastNumber += 1;
    const entry = { number: this.#lastNumber, atMs, by, act, offset };
    this.#rows.push({ entry, lastAtMs: atMs, lineEndedAt: endsLine ? offset : null });
    if (this.#rows.length > MAX_ENTRIES) {
      this.#rows.splice(1, 1);
    }
    return entry;
  }

  /** The one before, or, past what does not part them, one before that. */
  #rowToJoin(by: Actor, act: Act, offset: number, atMs: number): Row | null {
    for (const row of this.#rows.slice(-LOOKS_BACK).reverse()) {
      const { entry, lastAtMs, lineEndedAt } = row;
      if (entry.act.kind === act.kind && isSame(entry.by, by)) {
        const isOver = lineEndedAt !== null && lineEndedAt !== offset;
        return atMs - lastAtMs <= JOINED_WITHIN_MS && !isOver ? row : null;
      }
      if (!isPassedBy(entry.act, act)) {
        return null;
      }
    }
    return null;
  }
}

/** A program may ask its terminal at each key: neither the keys nor the answers are parted by that. */
function isPassedBy(before: Act, now: Act): boolean {
  const isTraffic = before.kind === 'wrote' || before.kind === 'read' || before.kind === 'replied';
  return (now.kind === 'replied' && isTraffic) || (now.kind === 'wrote' && before.kind === 'replied');
}

function isSame(a: Actor, b: Actor): boolean {
  return a.kind === b.kind && (a.kind !== 'agent' || b.kind !== 'agent' || a.client === b.client);
}

/** Null when the two are told apart. */
function joinedActs(before: Act, now: Act): Act | null {
  if (before.kind === 'wrote' && now.kind === 'wrote' && (before.bytes === null) === (now.bytes === null)) {
    return before.bytes === null || now.bytes === null
      ? before
      : { kind: 'wrote', times: before.times + now.times, bytes: before.bytes + now.bytes };
  }
  if ((before.kind === 'read' && now.kind === 'read') || (before.kind === 'replied' && now.kind === 'replied')) {
    return { kind: now.kind, times: before.times + now.times, bytes: before.bytes + now.bytes };
  }
  if (before.kind === 'write-refused' && now.kind === 'write-refused') {
    return now;
  }
  return before.kind === 'resized' && now.kind === 'resized' ? now : null;
}
