import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TerminalSize } from '../../shared/session.ts';
import type { TimelineEntry } from '../../shared/timeline.ts';
import type { OutputPage, OutputPiece } from '../session/output-ring.ts';
import { sizeOf } from './kept-session.ts';
import { HEADER_BYTES, isOutputKind, readRecords, recordHeader, type TranscriptRecord } from './transcript-format.ts';

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
  try {
    return readRecords(await readFile(join(folder, segmentName(startOffset))));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return { records: [], isDamaged: false };
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

/**
 * What the segments that begin at these offsets hold of the bytes from `from` up to before `to`; see
 * `OutputRecorder.read`.
 */
export async function readOutput(
  folder: string,
  segments: readonly number[],
  range: { readonly from: number; readonly to: number; readonly maxBytes: number },
): Promise<OutputPage | null> {
  const pieces: OutputPiece[] = [];
  let next = range.from;
  let leftBytes = range.maxBytes;
  const first = Math.max(
    0,
    segments.findLastIndex((offset) => offset <= range.from),
  );
  for (const startOffset of segments.slice(first)) {
    // A segment that begins later than the one before ended: what lies between was never written.
    const isHole = pieces.length > 0 && startOffset > next;
    if (startOffset >= range.to || leftBytes <= 0 || isHole) {
      break;
    }
    let offset = startOffset;
    let size: TerminalSize | null = null;
    for (const { kind, atMs, payload } of await readSegment(folder, startOffset)) {
      if (kind === 'size') {
        size = sizeOf(payload) ?? size;
      }
      if (!isOutputKind(kind)) {
        continue;
      }
      const begin = Math.max(offset, next);
      const end = Math.min(offset + payload.length, range.to, begin + leftBytes);
      if (end > begin) {
        pieces.push({ stream: kind, offset: begin, bytes: payload.subarray(begin - offset, end - offset), atMs, size });
        leftBytes -= end - begin;
        next = end;
      }
      offset += payload.length;
    }
  }
  const [firstPiece] = pieces;
  return firstPiece === undefined ? null : { pieces, goneBytes: firstPiece.offset - range.from, endOffset: next };
}
