import type { Logger } from '../../shared/logger.ts';
import type { SessionInfo, TerminalSize } from '../../shared/session.ts';
import { isInput, type TimelineEntry } from '../../shared/timeline.ts';
import type { EarlierOutput, EarlierSession, OutputTail, TailEntry } from '../session/earlier-session.ts';
import type { OutputPage } from '../session/output-ring.ts';
import type { OutputRuns } from '../session/output-runs.ts';
import { Turns } from '../session/turns.ts';
import { keptSession, sizeOf, timelineEntryOf } from './kept-session.ts';
import type { ArchivedTranscript } from './transcript-archive.ts';
import { isOutputKind } from './transcript-format.ts';
import { addAct, copyOutput, eachRecord, lookAtSegment, readOutput, segmentOffsets } from './transcript-segments.ts';

/** Segments that a timeline is read from: the first, and so many at the end. A session may have filled hundreds. */
const TIMELINE_SEGMENTS = 16;

/** A session of an earlier run as its transcript tells it. */
export interface KeptEarlierSession extends EarlierSession {
  readonly output: EarlierTranscript;
  /** Somebody typed into it. */
  readonly wasTyped: boolean;
}

/** Opens what a host that has ended has left of a session: `gone` without a file, `damaged` where it cannot be understood. */
export async function openEarlier(
  { epoch, folder }: ArchivedTranscript,
  log: Logger,
): Promise<KeptEarlierSession | 'gone' | 'damaged'> {
  const offsets = await segmentOffsets(folder);
  // A host that was killed at the wrong moment has left a last segment with nothing in it.
  for (const startOffset of offsets.slice(-2).reverse()) {
    const { records, isDamaged } = await lookAtSegment(folder, startOffset);
    if (isDamaged) {
      return 'damaged';
    }
    const kept = keptSession(records, startOffset);
    if (kept !== null && kept.session.epoch === epoch) {
      const { session, nextSeq, wasTyped } = kept;
      const endOffset = session.outputBytes;
      const output = new EarlierTranscript({ folder, offsets, factsOffset: startOffset, nextSeq, endOffset, log });
      return { info: session, output, wasTyped: wasTyped || startOffset > 0 };
    }
  }
  return offsets.length === 0 ? 'gone' : 'damaged';
}

interface EarlierTranscriptOptions {
  readonly folder: string;
  /** Where its segments begin, rising. */
  readonly offsets: readonly number[];
  /** Where the one begins that says what is known of the session. */
  readonly factsOffset: number;
  readonly nextSeq: number;
  readonly endOffset: number;
  readonly log: Logger;
}

/**
 * The transcript of a session that has ended, to be read. Of what is done to the session from now on its name is added:
 * by that it is known in later runs.
 */
export class EarlierTranscript implements EarlierOutput {
  readonly #folder: string;
  readonly #factsOffset: number;
  readonly #log: Logger;
  #offsets: readonly number[];
  readonly nextSeq: number;
  readonly endOffset: number;

  constructor({ folder, offsets, factsOffset, nextSeq, endOffset, log }: EarlierTranscriptOptions) {
    this.#folder = folder;
    this.#factsOffset = factsOffset;
    this.#log = log;
    this.#offsets = offsets;
    this.nextSeq = nextSeq;
    this.endOffset = endOffset;
  }

  started(): void {}
  output(): void {}
  size(): void {}
  exited(): void {}
  closed(): void {}

  act(entry: TimelineEntry): void {
    if (entry.act.kind !== 'titled' || !this.#offsets.includes(this.#factsOffset)) {
      return;
    }
    try {
      addAct(this.#folder, this.#factsOffset, entry, this.nextSeq);
    } catch (error) {
      this.#log.warn('the name of a session of an earlier run is not kept', { why: String(error) });
    }
  }

  /** All of it was taken from the disk. */
  removed(): void {
    this.#offsets = [];
  }

  keptFrom(offset: number): number | null {
    const [first] = this.#offsets;
    return first === undefined || offset >= this.endOffset ? null : Math.max(first, offset);
  }

  read(from: number, to: number, maxBytes: number): Promise<OutputPage | null> {
    return readOutput(this.#folder, this.#offsets, { from, to: Math.min(to, this.endOffset), maxBytes });
  }

  copy(
    { from, to }: { readonly from: number; readonly to: number },
    runs: OutputRuns,
    turns: Turns,
  ): Promise<number | null> {
    const range = { from, to: Math.min(to, this.endOffset) };
    return copyOutput({ folder: this.#folder, segments: this.#offsets, turns }, range, runs);
  }

  async tail(maxBytes: number): Promise<OutputTail> {
    const from = Math.max(0, this.endOffset - maxBytes);
    const first = Math.max(
      0,
      this.#offsets.findLastIndex((offset) => offset <= from),
    );
    const turns = new Turns();
    let size: TerminalSize | null = null;
    let begin = { seq: this.nextSeq, offset: this.endOffset };
    let next = begin;
    let entries: TailEntry[] = [];
    const acts = new Map<number, TimelineEntry>();
    for (const startOffset of this.#offsets.slice(first)) {
      let offset = startOffset;
      await eachRecord({ folder: this.#folder, startOffset, turns }, (record) => {
        const { kind, seq, atMs, payload } = record;
        if (kind === 'size') {
          size = sizeOf(payload) ?? size;
          entries.push(...(size === null ? [] : [{ kind, size }]));
        }
        if (kind === 'act') {
          keepAct(acts, payload);
        }
        if (!isOutputKind(kind)) {
          return;
        }
        const end = offset + payload.length;
        if (end > from) {
          if (entries.length === 0 || offset !== next.offset) {
            // The first of it, or the first after what could not be written. An exit between two takes a `seq` of its own.
            begin = { seq, offset };
            entries = size === null ? [] : [{ kind: 'size', size }];
          }
          entries.push({ kind: 'output', stream: kind, bytes: payload, atMs });
          next = { seq: seq + 1, offset: end };
        }
        offset = end;
      });
    }
    const isToTheEnd = next.seq === this.nextSeq && next.offset === this.endOffset;
    const inputs = inOrder(acts).filter((entry) => isInput(entry));
    return isToTheEnd
      ? { ...begin, entries, inputs }
      : { seq: this.nextSeq, offset: this.endOffset, entries: [], inputs: [] };
  }

  async timeline(): Promise<readonly TimelineEntry[]> {
    const segments = this.#offsets.filter((_, at) => at === 0 || at > this.#offsets.length - TIMELINE_SEGMENTS);
    const turns = new Turns();
    const entries = new Map<number, TimelineEntry>();
    for (const startOffset of segments) {
      await eachRecord({ folder: this.#folder, startOffset, turns }, (record) => {
        if (record.kind === 'act') {
          keepAct(entries, record.payload);
        }
      });
    }
    return inOrder(entries);
  }
}

/** One that grew is there again. */
function keepAct(acts: Map<number, TimelineEntry>, payload: Uint8Array): void {
  const entry = timelineEntryOf(payload);
  if (entry !== null) {
    acts.set(entry.number, entry);
  }
}

function inOrder(acts: ReadonlyMap<number, TimelineEntry>): readonly TimelineEntry[] {
  return [...acts.values()].sort((a, b) => a.number - b.number);
}

/** What is known of a session of an earlier run. */
export interface EarlierFacts {
  readonly session: SessionInfo;
  /** The run. */
  readonly hostId: string;
  /** Somebody typed into it. */
  readonly wasTyped: boolean;
}
