import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OutputStretch, StretchPart } from '../../shared/output-search.ts';
import { SkippedModes } from '../terminal/skipped-modes.ts';
import { checkedByteLimit, checkedPlace } from './checked.ts';
import type { OutputPiece } from './output-ring.ts';
import type { KeptOutput } from './output-search.ts';

export interface OutputStretchRequest {
  /** The place around which output is wanted. */
  readonly offset: number;
  /** Lines before that of the place, and from it on; each side ends after `maxBytes` as well. */
  readonly linesBefore: number;
  readonly linesAfter: number;
  readonly maxBytes: number;
}

/** Output before a stretch that is looked at for the modes which it left: some milliseconds' work. */
const MODES_FROM_BYTES = 1024 * 1024;

/** Given to `SkippedModes` at once: a millisecond. */
const MODES_STEP_BYTES = 128 * 1024;

const LF = 0x0a;

/** Kept output around a place, from the begin of a line on where there is one, for a terminal that begins with it. */
export async function outputStretch(output: KeptOutput, request: OutputStretchRequest): Promise<OutputStretch> {
  checkedPlace('offset', request.offset);
  checkedPlace('linesBefore', request.linesBefore);
  checkedPlace('linesAfter', request.linesAfter);
  checkedByteLimit('maxBytes', request.maxBytes);
  const { keptFrom, endOffset: outputEnd } = output;
  const place = Math.min(Math.max(request.offset, keptFrom), outputEnd);
  const before = await output.piecesBetween(Math.max(keptFrom, place - request.maxBytes), place);
  const after = await output.piecesBetween(place, Math.min(outputEnd, place + request.maxBytes));
  const start = startOf(before, place, request.linesBefore, keptFrom);
  const end = endOf(after, place, request.linesAfter);
  const pieces = cutTo([...before, ...after], start, end);
  const modes = await modesBefore(output, start);
  const there = after[0];
  return {
    parts: partsOf(pieces),
    startOffset: pieces[0]?.offset ?? place,
    endOffset: end,
    atMs: request.offset === place && there?.offset === place ? there.atMs : null,
    modes: modes.modes,
    rendition: modes.rendition,
    keptFrom,
    outputEnd,
  };
}

/** So many lines before that of the place; else the first line that is whole. */
function startOf(before: readonly OutputPiece[], place: number, lines: number, keptFrom: number): number {
  let left = lines;
  let first: number | null = null;
  for (const { offset, bytes } of before.toReversed()) {
    for (let at = bytes.lastIndexOf(LF); at !== -1; at = at === 0 ? -1 : bytes.lastIndexOf(LF, at - 1)) {
      first = offset + at + 1;
      if (left === 0) {
        return first;
      }
      left -= 1;
    }
  }
  const begin = before[0]?.offset ?? place;
  return begin <= keptFrom ? begin : (first ?? begin);
}

function endOf(after: readonly OutputPiece[], place: number, lines: number): number {
  let left = lines;
  let end = place;
  for (const { offset, bytes } of after) {
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
      left -= 1;
      if (left === 0) {
        return offset + at + 1;
      }
    }
    end = offset + bytes.length;
  }
  return end;
}

function cutTo(pieces: readonly OutputPiece[], start: number, end: number): readonly OutputPiece[] {
  return pieces.flatMap((piece) => {
    const from = Math.max(piece.offset, start);
    const to = Math.min(piece.offset + piece.bytes.length, end);
    return to <= from
      ? []
      : [{ ...piece, offset: from, bytes: piece.bytes.subarray(from - piece.offset, to - piece.offset) }];
  });
}

/** Joined as far as they were made for the same size, in memory of their own. */
function partsOf(pieces: readonly OutputPiece[]): readonly StretchPart[] {
  const groups: OutputPiece[][] = [];
  for (const piece of pieces) {
    const last = groups.at(-1)?.at(-1);
    const isNext = last !== undefined && last.offset + last.bytes.length === piece.offset;
    if (isNext && last.size?.cols === piece.size?.cols && last.size?.rows === piece.size?.rows) {
      groups.at(-1)?.push(piece);
    } else {
      groups.push([piece]);
    }
  }
  return groups.map((group) => ({
    offset: group[0]?.offset ?? 0,
    bytes: joined(group.map(({ bytes }) => bytes)),
    size: group[0]?.size ?? null,
  }));
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const piece of pieces) {
    all.set(piece, filled);
    filled += piece.length;
  }
  return all;
}

async function modesBefore(output: KeptOutput, start: number): Promise<SkippedModes> {
  const modes = new SkippedModes();
  const from = Math.max(output.keptFrom, start - MODES_FROM_BYTES);
  if (from >= start) {
    return modes;
  }
  for (const { bytes } of await output.piecesBetween(from, start)) {
    for (let at = 0; at < bytes.length; at += MODES_STEP_BYTES) {
      modes.feed(bytes.subarray(at, at + MODES_STEP_BYTES));
    }
    await nextTurn();
  }
  return modes;
}
