import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TerminalSize } from '../../shared/session.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import type { OutputPage, OutputPiece } from '../session/output-ring.ts';
import type { OutputRuns } from '../session/output-runs.ts';
import { PIECE_WORK, Turns } from '../session/turns.ts';
import { sizeOf } from './kept-session.ts';
import {
  HEADER_BYTES,
  isOutputKind,
  readRecords,
  RecordReader,
  recordHeader,
  type TranscriptRecord,
} from './transcript-format.ts';

/** Digits of an offset in a file's name: enough for 2^53 bytes. */
const OFFSET_DIGITS = 16;

const ENDING = '.out';

/** Of segments: for their owner only. */
export const FILE_MODE = 0o600;

/** The name of the segment whose first byte of output has that offset. Names sort as offsets do. */
export function segmentName(startOffset: number): string {
  return String(startOffset).padStart(OFFSET_DIGITS, '0') + ENDING;
}

/** Null for what is no segment's name. */
function startOffsetOf(name: string): number | null {
  return /^\d{16}\.out$/.test(name) ? Number(name.slice(0, OFFSET_DIGITS)) : null;
}

/** Offsets at which the segments of a folder begin, rising. Empty where there is no such folder. */
export async function segmentOffsets(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      return [];
    }
    throw error;
  });
  return names
    .map(startOffsetOf)
    .filter((offset) => offset !== null)
    .toSorted((a, b) => a - b);
}

/** The records of a segment; none when it has left meanwhile. */
export async function readSegment(folder: string, startOffset: number): Promise<readonly TranscriptRecord[]> {
  return (await lookAtSegment(folder, startOffset)).records;
}

/** The same, and whether more of it was there than can be understood. */
export async function lookAtSegment(folder: string, startOffset: number): Promise<ReturnType<typeof readRecords>> {
  return readRecords(await segmentBytes(folder, startOffset));
}

/**
 * Tells of the records of a segment, one after the other, and lets everything else have its turn: of a program that prints
 * single bytes there are tens of thousands. What the listener is given goes on to the next record when it returns; `false`
 * from it ends the reading.
 */
export async function eachRecord(
  { folder, startOffset, turns }: { readonly folder: string; readonly startOffset: number; readonly turns: Turns },
  onRecord: (record: RecordReader, segment: Uint8Array) => boolean | void,
): Promise<void> {
  const segment = await segmentBytes(folder, startOffset);
  turns.waited();
  const reader = new RecordReader(segment);
  while (reader.advance() && onRecord(reader, segment) !== false) {
    if (turns.isOver(PIECE_WORK)) {
      await turns.next();
    }
  }
}

/** None when it has left meanwhile. */
async function segmentBytes(folder: string, startOffset: number): Promise<Uint8Array> {
  try {
    return await readFile(join(folder, segmentName(startOffset)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return new Uint8Array();
    }
    throw error;
  }
}

/**
 * Adds what was done to a session after its end to a segment that nobody writes to any more. The segment is written anew
 * and takes the old one's place at once, so that readers have the one or the other; a record that a crash cut short goes.
 * Throws what the system says, and leaves a segment alone that cannot be understood.
 */
export function addAct(folder: string, startOffset: number, entry: TimelineEntry, seq: number): void {
  const file = join(folder, segmentName(startOffset));
  const segment = readFileSync(file);
  const { records, isDamaged } = readRecords(segment);
  if (isDamaged) {
    throw new Error('the transcript is damaged');
  }
  const whole = records.reduce((sum, { payload }) => sum + HEADER_BYTES + payload.length, 0);
  const payload = Buffer.from(JSON.stringify(entry));
  const header = recordHeader({ kind: 'act', seq, atMs: Date.now(), payload });
  writeFileSync(`${file}.next`, Buffer.concat([segment.subarray(0, whole), header, payload]), { mode: FILE_MODE });
  renameSync(`${file}.next`, file);
}

/** Output that is wanted, by offsets. */
export interface OutputRange {
  readonly from: number;
  readonly to: number;
  readonly maxBytes: number;
}

/**
 * What the segments that begin at these offsets hold of the bytes from `from` up to before `to`; see
 * `OutputRecorder.read`.
 */
export async function readOutput(
  folder: string,
  segments: readonly number[],
  range: OutputRange,
): Promise<OutputPage | null> {
  const pieces: OutputPiece[] = [];
  await eachOutput({ folder, segments, turns: new Turns() }, range, ({ offset, begin, end, size }, record, segment) => {
    const { kind, atMs } = record;
    if (isOutputKind(kind)) {
      pieces.push({ stream: kind, offset, bytes: segment.subarray(begin, end), atMs, size });
    }
  });
  const [first, last] = [pieces[0], pieces.at(-1)];
  return first === undefined || last === undefined
    ? null
    : { pieces, goneBytes: first.offset - range.from, endOffset: last.offset + last.bytes.length };
}

/** Copies the same into `runs`; see `OutputRecorder.copy`. */
export async function copyOutput(
  place: { readonly folder: string; readonly segments: readonly number[]; readonly turns: Turns },
  range: Omit<OutputRange, 'maxBytes'>,
  runs: OutputRuns,
): Promise<number | null> {
  let copiedTo: number | null = null;
  await eachOutput(place, { ...range, maxBytes: Infinity }, ({ offset, begin, end, size }, { atMs }, segment) => {
    runs.copy(offset, { from: segment, begin, end, atMs, size });
    copiedTo = offset + end - begin;
  });
  return copiedTo;
}

/** A part of a record's output that is wanted. */
interface WantedOutput {
  readonly offset: number;
  /** Where it stands in the segment. */
  readonly begin: number;
  readonly end: number;
  readonly size: TerminalSize | null;
}

/** Tells of what is wanted, in order, up to the first hole within it. */
async function eachOutput(
  { folder, segments, turns }: { readonly folder: string; readonly segments: readonly number[]; readonly turns: Turns },
  range: OutputRange,
  onOutput: (wanted: WantedOutput, record: RecordReader, segment: Uint8Array) => void,
): Promise<void> {
  let next = range.from;
  let leftBytes = range.maxBytes;
  let hasFound = false;
  const first = Math.max(
    0,
    segments.findLastIndex((offset) => offset <= range.from),
  );
  for (const startOffset of segments.slice(first)) {
    // A segment that begins later than the one before ended: what lies between was never written.
    const isHole = hasFound && startOffset > next;
    if (startOffset >= range.to || leftBytes <= 0 || isHole) {
      break;
    }
    let offset = startOffset;
    let size: TerminalSize | null = null;
    await eachRecord({ folder, startOffset, turns }, (record, segment) => {
      if (record.kind === 'size') {
        size = sizeOf(record.payload) ?? size;
      }
      if (!isOutputKind(record.kind)) {
        return true;
      }
      const length = record.end - record.begin;
      const from = Math.max(offset, next);
      const to = Math.min(offset + length, range.to, from + leftBytes);
      if (to > from) {
        const begin = record.begin + from - offset;
        onOutput({ offset: from, begin, end: begin + to - from, size }, record, segment);
        leftBytes -= to - from;
        next = to;
        hasFound = true;
      }
      offset += length;
      return leftBytes > 0 && offset < range.to;
    });
  }
}
