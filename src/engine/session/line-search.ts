import type { OutputHit } from '../../shared/output-search.ts';
import { LineCells } from '../terminal/line-cells.ts';
import type { LineMatcher } from './line-matcher.ts';
import type { OutputRun } from './output-runs.ts';

/** Work of a hit beside that of its bytes, as such: its line is made into a text. */
const HIT_WORK = 256;

/** Characters of a line that are shown before a match, and of all of it. */
const SHOWN_BEFORE = 60;
const SHOWN_CHARACTERS = 240;

/** A line of a run that is looked into. */
export interface SearchedLine {
  readonly run: OutputRun;
  /** Indices in the run's bytes: of the line's first, and after its last without a newline. */
  readonly begin: number;
  readonly end: number;
  /** Only what begins before this offset. */
  readonly before: number;
  /** When the byte at an offset was printed; see `OutputHit`. */
  readonly atMs: (offset: number) => number;
}

/** Where in a row a match begins, and how long it is. */
interface RowMatch {
  readonly at: number;
  readonly length: number;
}

/** Looks for a text in one line after the other, in steps: a line may be all that a program ever printed. */
export class LineSearch {
  readonly #matcher: LineMatcher;
  readonly #maxHits: number;
  readonly #cells = new LineCells();
  #line: SearchedLine | null = null;
  /** What is done next: to read a row, to look for matches in it, or to make hits of those. */
  #state: 'reading' | 'matching' | 'telling' = 'reading';
  /** Of the row. */
  #matches: number[] = [];
  #hits: OutputHit[] = [];
  /** Work of the last step, in bytes. */
  spent = 0;

  /** `maxHits`: so many of a line are wanted, the last ones. */
  constructor(matcher: LineMatcher, maxHits: number) {
    this.#matcher = matcher;
    this.#maxHits = maxHits;
  }

  begin(line: SearchedLine): void {
    this.#line = line;
    this.#state = 'reading';
    this.#hits = [];
    this.#cells.begin(line.run.bytes, line.begin, line.end);
  }

  /** Goes on for about so much work. Answers whether the line has been looked into. */
  advance(maxWork: number): boolean {
    this.spent = 0;
    while (this.spent < maxWork) {
      if (this.#state === 'matching') {
        this.#match(maxWork - this.spent);
      } else if (this.#state === 'telling') {
        this.#tell();
      } else if (this.#read(maxWork - this.spent)) {
        return true;
      }
    }
    return false;
  }

  /** The last hits of the line that was looked into, the last one first. */
  get hits(): readonly OutputHit[] {
    return this.#hits.toReversed();
  }

  /** Answers whether there is no other row. */
  #read(maxWork: number): boolean {
    const progress = this.#cells.advance(maxWork);
    this.spent += this.#cells.spent;
    if (progress === 'row') {
      this.#state = 'matching';
      this.#matcher.begin(this.#cells);
    }
    return progress === 'done';
  }

  #match(maxWork: number): void {
    const at = this.#matcher.next(maxWork);
    this.spent += Math.max(1, this.#matcher.spent);
    if (at === -1) {
      this.#matches.reverse();
      this.#state = 'telling';
    } else if (at !== null && this.#offsetOf(at) < (this.#line?.before ?? 0)) {
      this.#matches.push(at);
      // The last ones count: a line may be nothing but matches.
      this.#matches.splice(0, this.#matches.length > 2 * this.#maxHits + 1 ? this.#maxHits : 0);
    }
  }

  /** One of the matches. */
  #tell(): void {
    const at = this.#matches.pop();
    if (at === undefined || this.#line === null) {
      this.#state = 'reading';
      return;
    }
    const { run, begin, atMs } = this.#line;
    const match = { at, length: this.#matcher.length };
    this.spent += HIT_WORK;
    this.#hits.push(hitAt(run, this.#cells, match, { lineOffset: run.offset + begin, atMs }));
    this.#hits.splice(0, this.#hits.length > 2 * this.#maxHits + 1 ? this.#maxHits : 0);
  }

  #offsetOf(cell: number): number {
    return (this.#line?.run.offset ?? 0) + (this.#cells.begins[cell] ?? 0);
  }
}

function hitAt(
  { offset, bytes }: OutputRun,
  { codes, begins, length: rowLength }: LineCells,
  match: RowMatch,
  line: { readonly lineOffset: number; readonly atMs: (offset: number) => number },
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
    lineOffset: line.lineOffset,
    offset: offset + begin,
    endOffset: offset + last + characterBytes(bytes[last] ?? 0),
    line: before + itself + after,
    column: before.length,
    length: itself.length,
    atMs: line.atMs(offset + begin),
  };
}

/** Bytes of the character that begins with this one. */
function characterBytes(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
}
