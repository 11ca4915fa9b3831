import { EngineError } from '../../shared/errors.ts';
import { MAX_FIND_LENGTH, type FindQuery, type OutputHit, type OutputSearchStep } from '../../shared/output-search.ts';
import { checkedByteLimit, checkedPlace } from './checked.ts';
import { LineMatcher } from './line-matcher.ts';
import { LineSearch, type SearchedLine } from './line-search.ts';
import type { OutputRun, OutputRuns } from './output-runs.ts';
import { hasNoMatch } from './quick-look.ts';
import { STEP_WORK, Turns } from './turns.ts';

/** Everything that is kept of one session's output, in memory or on the disk. */
export interface KeptOutput {
  /** Offset after the newest byte. */
  readonly endOffset: number;
  /** Offset of the oldest byte that can be read. */
  readonly keptFrom: number;
  /** The bytes from one offset to another; what is kept nowhere lies between them as a hole. */
  runsBetween(from: number, to: number, turns: Turns): Promise<OutputRuns>;
}

export interface OutputSearchRequest {
  readonly query: FindQuery;
  /** Only what was printed before this offset; null for all. */
  readonly before: number | null;
  /** Only what was printed from this offset on. */
  readonly from: number;
  /** About how many bytes of output are looked at; at least some. */
  readonly maxBytes: number;
  readonly maxHits: number;
  readonly signal?: AbortSignal;
}

/**
 * Bytes that are looked at together, and the longest line that is looked at as one. A longer one is cut; a match across a
 * cut is found, if colours and the like in it take less than `OVERLAP_BYTES`.
 */
export const SEARCH_BLOCK_BYTES = 512 * 1024;

/** More than the longest text that is looked for, as UTF-8. */
const OVERLAP_BYTES = 4 * 1024;

/** Lines that are looked through as one text first, in bytes: a millisecond's work. Of a longer line so much each time. */
const QUICK_LOOK_BYTES = 64 * 1024;

/** Then, where those may have a match in them: its neighbours need not be read character by character. */
const CLOSE_LOOK_BYTES = 4 * 1024;

/** Work of a line beside that of its bytes, as such. */
const LINE_WORK = 16;

const LF = 0x0a;

interface Block {
  /** What begins before it is the next one's. */
  readonly from: number;
  /** `from` is within a line. */
  readonly isCut: boolean;
  readonly output: OutputRuns;
}

/**
 * Looks for a text in kept output, the newest first, line by line, as the lines were to be read in the end (`LineCells`):
 * neither colours nor the edge of a terminal or of a piece part a match. One call looks at a part; `nextBefore` goes on.
 * Lets everything else have its turn all the time. Rejects with the signal's reason.
 */
export async function searchOutput(
  output: KeptOutput,
  request: OutputSearchRequest,
  { blockBytes = SEARCH_BLOCK_BYTES, turns = new Turns({ signal: request.signal }) }: SearchTuning = {},
): Promise<OutputSearchStep> {
  checkRequest(request);
  const search = new Search(output, request, { blockBytes, turns });
  return search.run();
}

/** For tests. */
export interface SearchTuning {
  readonly blockBytes?: number;
  readonly turns?: Turns;
}

class Search {
  readonly #output: KeptOutput;
  readonly #request: OutputSearchRequest;
  readonly #blockBytes: number;
  readonly #turns: Turns;
  readonly #lines: LineSearch;
  readonly #hits: OutputHit[] = [];
  #isCut = false;
  #keptBytes = 0;

  constructor(output: KeptOutput, request: OutputSearchRequest, { blockBytes, turns }: Required<SearchTuning>) {
    this.#output = output;
    this.#request = request;
    this.#blockBytes = blockBytes;
    this.#turns = turns;
    this.#lines = new LineSearch(new LineMatcher(request.query), request.maxHits);
  }

  async run(): Promise<OutputSearchStep> {
    const { before, maxBytes } = this.#request;
    // What is printed from now on is not looked at.
    const { endOffset } = this.#output;
    const begin = Math.min(before ?? endOffset, endOffset);
    let end = begin;
    let isWithinLine = begin < endOffset;
    while (end > this.#from && begin - end < maxBytes && !this.#isCut) {
      const block = await this.#block(end, isWithinLine);
      const atMs = (offset: number) => block.output.atMs(offset);
      for (const run of block.output.runs.toReversed()) {
        await this.#lookInto(run, { from: Math.max(run.offset, block.from), before: end, atMs });
      }
      ({ from: end, isCut: isWithinLine } = block);
    }
    const isDone = end <= this.#from || this.#isCut;
    return {
      hits: this.#hits,
      nextBefore: isDone ? null : end,
      isCut: this.#isCut,
      goneBytes: Math.max(0, begin - (isDone && !this.#isCut ? this.#request.from : end) - this.#keptBytes),
      keptFrom: this.#output.keptFrom,
      endOffset,
    };
  }

  /** What is before it is gone, or not wanted. */
  get #from(): number {
    return Math.max(this.#request.from, this.#output.keptFrom);
  }

  /** The lines that end before an offset, as many as are looked at together. */
  async #block(end: number, isWithinLine: boolean): Promise<Block> {
    const from = Math.max(this.#from, end - this.#blockBytes);
    const output = await this.#output.runsBetween(from, isWithinLine ? end + OVERLAP_BYTES : end, this.#turns);
    this.#request.signal?.throwIfAborted();
    const [first] = output.runs;
    if (first === undefined || first.offset > from || from <= this.#from) {
      return this.#counted({ from, isCut: false, output }, end);
    }
    const lineEnd = first.bytes.indexOf(LF);
    const isCut = lineEnd === -1 || from + lineEnd + 1 >= end;
    return this.#counted({ from: isCut ? from : from + lineEnd + 1, isCut, output }, end);
  }

  #counted(block: Block, end: number): Block {
    for (const { offset, bytes } of block.output.runs) {
      this.#keptBytes += Math.max(0, Math.min(offset + bytes.length, end) - Math.max(offset, block.from));
    }
    return block;
  }

  /** The lines of a run that begin in a range of offsets, the last one first; mostly many at once have no match. */
  async #lookInto(
    run: OutputRun,
    { from, before, atMs }: { readonly from: number } & Pick<SearchedLine, 'before' | 'atMs'>,
  ): Promise<void> {
    const { bytes, offset } = run;
    const least = from - offset;
    let end = endOfLine(bytes, before - offset);
    let together = QUICK_LOOK_BYTES;
    while (end > least && !this.#isCut) {
      const begin = beginOfLines(bytes, least, end, together);
      if (await this.#hasNoMatch(bytes, begin, end)) {
        together = Math.min(QUICK_LOOK_BYTES, 2 * together);
      } else if (together > CLOSE_LOOK_BYTES) {
        together = CLOSE_LOOK_BYTES;
        continue;
      } else {
        await this.#lookIntoLines({ run, begin, end, before, atMs });
      }
      end = begin;
    }
  }

  /** Lines, or a part of a long one at a time. */
  async #hasNoMatch(bytes: Buffer, begin: number, end: number): Promise<boolean> {
    for (let at = begin; at < end; at += QUICK_LOOK_BYTES) {
      const to = Math.min(end, at + QUICK_LOOK_BYTES + OVERLAP_BYTES);
      const isPart = to - at < end - begin;
      if (!hasNoMatch(bytes.subarray(at, to), this.#request.query, isPart)) {
        return false;
      }
      if (this.#turns.isOver(to - at)) {
        await this.#turns.next();
      }
    }
    return true;
  }

  async #lookIntoLines(place: SearchedLine): Promise<void> {
    const { bytes } = place.run;
    const lines = this.#lines;
    let { end } = place;
    while (end > place.begin && !this.#isCut) {
      const lineFeed = end >= 2 ? bytes.lastIndexOf(LF, end - 2) : -1;
      const begin = Math.max(place.begin, lineFeed + 1);
      lines.begin({ ...place, begin, end: bytes[end - 1] === LF ? end - 1 : end });
      for (let isDone = false; !isDone;) {
        isDone = lines.advance(STEP_WORK);
        if (this.#turns.isOver(lines.spent + LINE_WORK)) {
          await this.#turns.next();
        }
      }
      this.#take(lines.hits);
      end = begin;
    }
  }

  #take(hits: readonly OutputHit[]): void {
    for (const hit of hits) {
      if (this.#hits.length === this.#request.maxHits) {
        this.#isCut = true;
        return;
      }
      this.#hits.push(hit);
    }
  }
}

function checkRequest({ query, before, from, maxBytes, maxHits }: OutputSearchRequest): void {
  const { text } = query;
  if (text === '' || text.length > MAX_FIND_LENGTH || /\p{Cc}/u.test(text)) {
    throw new EngineError(
      'invalid-argument',
      `query.text: must be 1 to ${MAX_FIND_LENGTH} characters without control characters`,
    );
  }
  checkedPlace('before', before ?? 0);
  checkedPlace('from', from);
  checkedByteLimit('maxBytes', maxBytes);
  checkedPlace('maxHits', maxHits);
}

/** Index after the line that has the byte before an index in it. */
function endOfLine(bytes: Uint8Array, index: number): number {
  if (index >= bytes.length || bytes[index - 1] === LF) {
    return Math.min(index, bytes.length);
  }
  const lineFeed = bytes.indexOf(LF, index);
  return lineFeed === -1 ? bytes.length : lineFeed;
}

/** Index of the first of the lines that are looked through, about so many bytes together, up to the one that ends at an index. */
function beginOfLines(bytes: Buffer, least: number, end: number, together: number): number {
  const wanted = end - together;
  if (wanted <= least) {
    return least;
  }
  const lineFeed = bytes.indexOf(LF, wanted - 1);
  // The newline of the last line is behind it.
  const isWithin = lineFeed !== -1 && lineFeed + 1 < end;
  return isWithin ? lineFeed + 1 : Math.max(least, bytes.lastIndexOf(LF, wanted - 1) + 1);
}
