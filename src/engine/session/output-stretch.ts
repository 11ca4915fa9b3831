import type { OutputStretch, StretchPart } from '../../shared/output-search.ts';
import { SkippedModes } from '../terminal/skipped-modes.ts';
import { checkedByteLimit, checkedPlace } from './checked.ts';
import type { OutputRuns } from './output-runs.ts';
import type { KeptOutput } from './output-search.ts';
import { Turns } from './turns.ts';

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
  const turns = new Turns();
  const begin = Math.max(keptFrom, place - request.maxBytes);
  const around = await output.runsBetween(begin, Math.min(outputEnd, place + request.maxBytes), turns);
  const start = startOf(around, { place, keptFrom }, request.linesBefore);
  const end = endOf(around, place, request.linesAfter);
  const parts = partsOf(around, start, end);
  const modes = await modesBefore(output, start, turns);
  const isThere = around.runs.some(({ offset, bytes }) => offset <= place && place < offset + bytes.length);
  return {
    parts,
    startOffset: parts[0]?.offset ?? place,
    endOffset: end,
    atMs: request.offset === place && isThere ? around.atMs(place) : null,
    modes: modes.modes,
    rendition: modes.rendition,
    keptFrom,
    outputEnd,
  };
}

/** So many lines before that of the place; else the first line that is whole. */
function startOf(
  { runs }: OutputRuns,
  { place, keptFrom }: { readonly place: number; readonly keptFrom: number },
  lines: number,
): number {
  let left = lines;
  let first: number | null = null;
  for (const { offset, bytes } of runs.toReversed()) {
    // Of a run that goes on behind the place what is before it.
    let at = offset < place ? bytes.lastIndexOf(LF, place - offset - 1) : -1;
    while (at !== -1) {
      first = offset + at + 1;
      if (left === 0) {
        return first;
      }
      left -= 1;
      at = at === 0 ? -1 : bytes.lastIndexOf(LF, at - 1);
    }
  }
  const kept = Math.min(place, runs[0]?.offset ?? place);
  return kept <= keptFrom ? kept : (first ?? kept);
}

function endOf({ runs }: OutputRuns, place: number, lines: number): number {
  let left = lines;
  let end = place;
  for (const { offset, bytes } of runs.filter((run) => run.offset + run.bytes.length > place)) {
    const from = Math.max(0, place - offset);
    for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
      left -= 1;
      if (left === 0) {
        return offset + at + 1;
      }
    }
    end = offset + bytes.length;
  }
  return end;
}

/** Each made for one size, in memory of its own. */
function partsOf(output: OutputRuns, start: number, end: number): readonly StretchPart[] {
  const { sizes } = output;
  return output.runs.flatMap(({ offset, bytes }) => {
    const [from, to] = [Math.max(offset, start), Math.min(offset + bytes.length, end)];
    const borders = sizes.map((mark) => mark.offset).filter((border) => border > from && border < to);
    return [from, ...borders].flatMap((begin, index): StretchPart[] => {
      const partEnd = borders[index] ?? to;
      const size = sizes.findLast((mark) => mark.offset <= begin)?.size ?? null;
      return partEnd <= begin ? [] : [{ offset: begin, bytes: new Uint8Array(output.between(begin, partEnd)), size }];
    });
  });
}

async function modesBefore(output: KeptOutput, start: number, turns: Turns): Promise<SkippedModes> {
  const modes = new SkippedModes();
  const from = Math.max(output.keptFrom, start - MODES_FROM_BYTES);
  if (from >= start) {
    return modes;
  }
  for (const { bytes } of (await output.runsBetween(from, start, turns)).runs) {
    for (let at = 0; at < bytes.length; at += MODES_STEP_BYTES) {
      modes.feed(bytes.subarray(at, at + MODES_STEP_BYTES));
      await turns.next();
    }
  }
  return modes;
}
