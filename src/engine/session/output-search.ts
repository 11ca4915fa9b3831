import { setImmediate as nextTurn } from 'node:timers/promises';
import { EngineError } from '../../shared/errors.ts';
import { MAX_FIND_LENGTH, type FindQuery, type OutputHit, type OutputSearchStep } from '../../shared/output-search.ts';
import { LineCells } from '../terminal/line-cells.ts';
import { checkedByteLimit, checkedPlace } from './checked.ts';
import { LineMatcher } from './line-matcher.ts';
import type { OutputPiece } from './output-ring.ts';
import { hasNoMatch } from './quick-look.ts';

/** Everything that is kept of one session's output, in memory or on the disk. */
export interface KeptOutput {
  /** Offset after the newest byte. */
  readonly endOffset: number;
  /** Offset of the oldest byte that can be read. */
  readonly keptFrom: number;
  /** The bytes from one offset to another, in order; what is kept nowhere lies between them as a hole. */
  piecesBetween(from: number, to: number): Promise<readonly OutputPiece[]>;
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

/** Time after which the search lets everything else have its turn, in milliseconds, and bytes between two looks at the clock. */
const TURN_MS = 4;
const CLOCK_EVERY_BYTES = 16 * 1024;
const PIECES_BETWEEN_CLOCKS = 4_096;

/** Characters of a line that are shown before a match, and of all of it. */
const SHOWN_BEFORE = 60;
const SHOWN_CHARACTERS = 240;

const LF = 0x0a;

/** A stretch of output without a hole. */
interface Run {
  readonly offset: number;
  readonly bytes: Uint8Array;
  readonly pieces: readonly OutputPiece[];
}

interface Block {
  /** What begins before it is the next one's. */
  readonly from: number;
  /** `from` is within a line. */
  readonly isCut: boolean;
  readonly runs: readonly Run[];
}

/**
 * Looks for a text in kept output, the newest first, line by line, as the lines were to be read in the end (`LineCells`):
 * neither colours nor the edge of a terminal or of a piece part a match. One call looks at a part; `nextBefore` goes on.
 * Lets everything else have its turn all the time. Rejects with the signal's reason.
 */
export async function searchOutput(
  output: KeptOutput,
  request: OutputSearchRequest,
  blockBytes = SEARCH_BLOCK_BYTES,
): Promise<OutputSearchStep> {
  checkRequest(request);
  const search = new Search(output, request, blockBytes);
  return search.run();
}

class Search {
  readonly #output: KeptOutput;
  readonly #request: OutputSearchRequest;
  readonly #blockBytes: number;
  readonly #matcher: LineMatcher;
  readonly #cells = new LineCells();
  readonly #hits: OutputHit[] = [];
  #isCut = false;
  #keptBytes = 0;
  #turnBegan = performance.now();
  #sinceClock = 0;

  constructor(output: KeptOutput, request: OutputSearchRequest, blockBytes: number) {
    this.#output = output;
    this.#request = request;
    this.#blockBytes = blockBytes;
    this.#matcher = new LineMatcher(request.query);
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
      for (const run of block.runs.toReversed()) {
        await this.#lookInto(run, Math.max(run.offset, block.from), end);
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
    const pieces = await this.#output.piecesBetween(from, isWithinLine ? end + OVERLAP_BYTES : end);
    this.#request.signal?.throwIfAborted();
    const runs = await this.#runsOf(pieces);
    const [first] = runs;
    if (first === undefined || first.offset > from || from <= this.#from) {
      return this.#counted({ from, isCut: false, runs }, end);
    }
    const lineEnd = first.bytes.indexOf(LF);
    const isCut = lineEnd === -1 || from + lineEnd + 1 >= end;
    return this.#counted({ from: isCut ? from : from + lineEnd + 1, isCut, runs }, end);
  }

  /** Stretches without a hole. Of a program that prints single bytes there are very many pieces. */
  async #runsOf(pieces: readonly OutputPiece[]): Promise<readonly Run[]> {
    const runs: Run[] = [];
    for (let at = 0; at < pieces.length;) {
      const end = endOfRun(pieces, at);
      const [offset, endOffset] = [pieces[at]?.offset ?? 0, endOf(pieces[end - 1])];
      const bytes = Buffer.allocUnsafe(endOffset - offset);
      for (let index = at; index < end; index += 1) {
        const piece = pieces[index];
        if (piece !== undefined) {
          bytes.set(piece.bytes, piece.offset - offset);
        }
        if (index % PIECES_BETWEEN_CLOCKS === 0) {
          await this.#giveWay();
        }
      }
      runs.push({ offset, bytes, pieces: pieces.slice(at, end) });
      at = end;
    }
    return runs;
  }

  #counted(block: Block, end: number): Block {
    for (const { offset, bytes } of block.runs) {
      this.#keptBytes += Math.max(0, Math.min(offset + bytes.length, end) - Math.max(offset, block.from));
    }
    return block;
  }

  /** The lines of a run that begin in a range of offsets, the last one first. */
  async #lookInto(run: Run, from: number, before: number): Promise<void> {
    const { bytes, offset } = run;
    const least = from - offset;
    let end = endOfLine(bytes, before - offset);
    if (hasNoMatch(bytes.subarray(least, end), this.#request.query)) {
      await this.#giveWay();
      return;
    }
    while (end > least && !this.#isCut) {
      const lineFeed = end >= 2 ? bytes.lastIndexOf(LF, end - 2) : -1;
      const begin = Math.max(least, lineFeed + 1);
      this.#lookIntoLine(run, begin, bytes[end - 1] === LF ? end - 1 : end, before);
      this.#sinceClock += end - begin;
      end = begin;
      if (this.#sinceClock >= CLOCK_EVERY_BYTES) {
        await this.#giveWay();
      }
    }
  }

  #lookIntoLine(run: Run, begin: number, end: number, before: number): void {
    const found: OutputHit[] = [];
    this.#cells.forEachRow(run.bytes, begin, end, (cells) => {
      for (
        let at = this.#matcher.next(cells, 0);
        at !== -1;
        at = this.#matcher.next(cells, at + this.#matcher.length)
      ) {
        const hit = hitAt(run, cells, { at, length: this.#matcher.length, lineOffset: run.offset + begin });
        if (hit.offset < before) {
          found.push(hit);
        }
        if (found.length > 2 * this.#request.maxHits) {
          // The last ones count: a line may be nothing but matches.
          found.splice(0, this.#request.maxHits);
        }
      }
    });
    for (const hit of found.reverse()) {
      if (this.#hits.length === this.#request.maxHits) {
        this.#isCut = true;
        return;
      }
      this.#hits.push(hit);
    }
  }

  async #giveWay(): Promise<void> {
    this.#sinceClock = 0;
    if (performance.now() - this.#turnBegan >= TURN_MS) {
      await nextTurn();
      this.#request.signal?.throwIfAborted();
      this.#turnBegan = performance.now();
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

function endOf(piece: OutputPiece | undefined): number {
  return piece === undefined ? 0 : piece.offset + piece.bytes.length;
}

/** Index after the last piece of those that follow one on another. */
function endOfRun(pieces: readonly OutputPiece[], from: number): number {
  let end = from + 1;
  while (end < pieces.length && pieces[end]?.offset === endOf(pieces[end - 1])) {
    end += 1;
  }
  return end;
}

function hitAt(
  { offset, bytes, pieces }: Run,
  { codes, begins, length: rowLength }: LineCells,
  match: { readonly at: number; readonly length: number; readonly lineOffset: number },
): OutputHit {
  const end = match.at + match.length;
  const begin = begins[match.at] ?? 0;
  const last = begins[end - 1] ?? 0;
  const shownFrom = Math.max(0, match.at - SHOWN_BEFORE);
  const before = String.fromCodePoint(...codes.subarray(shownFrom, match.at));
  const itself = String.fromCodePoint(...codes.subarray(match.at, end));
  const shownTo = Math.min(rowLength, Math.max(end, shownFrom + SHOWN_CHARACTERS));
  const after = String.fromCodePoint(...codes.subarray(end, shownTo)).trimEnd();
  return {
    lineOffset: match.lineOffset,
    offset: offset + begin,
    endOffset: offset + last + characterBytes(bytes[last] ?? 0),
    line: before + itself + after,
    column: before.length,
    length: itself.length,
    atMs: pieces.findLast((piece) => piece.offset <= offset + begin)?.atMs ?? 0,
  };
}

/** Bytes of the character that begins with this one. */
function characterBytes(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
}
