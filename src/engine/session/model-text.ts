import type { OutputCursor } from '../../shared/output-cursor.ts';
import type { TerminalSize } from '../../shared/session.ts';
import { unfinishedLength } from '../../shared/unfinished-character.ts';
import { openEndLength } from '../terminal/control-sequences.ts';
import { plainText } from '../terminal/plain-text.ts';
import type { ReplayStart } from '../terminal/screen-keeper.ts';
import { screenView, type ScreenView } from '../terminal/screen-view.ts';
import type { OutputPage } from './output-ring.ts';
import { decodePieces } from './output-text.ts';
import { compilePattern } from './pattern.ts';

/** What a text for a model is made of. */
export interface ModelTextSource {
  readonly epoch: string;
  readonly size: TerminalSize | null;
  /** Nothing will be printed any more. */
  readonly closed: boolean;
  readonly endOffset: number;
  /** The oldest byte at or after an offset that can still be read. */
  readableFrom(offset: number): number;
  read(offset: number, maxBytes: number): Promise<OutputPage>;
  sizeAt(offset: number): TerminalSize | null;
  onAlternateAt(offset: number): boolean;
  /** See `SessionOutput.replayStart`. */
  replayStart(maxBytes: number): Promise<ReplayStart | null>;
}

export interface ModelTextRequest {
  /** From here on; null for the oldest byte that can still be read. */
  readonly fromOffset: number | null;
  /** Up to there; null for all there is. */
  readonly toOffset: number | null;
  /** `text`: as a person would have seen it. `raw`: with its control sequences. */
  readonly view: 'text' | 'raw';
  /** Only lines in which this pattern (RE2) is found. */
  readonly grep: { readonly pattern: string; readonly ignoreCase: boolean } | null;
}

/** Output as text for a model: what came between two places. */
export interface ModelText {
  /** In two parts where what lies between them was too much to look at. */
  readonly parts: readonly [string] | readonly [head: string, tail: string];
  /** Bytes of output between the two parts. */
  readonly skippedBytes: number;
  /** Where the text begins. */
  readonly cursor: OutputCursor;
  /** Where the next one begins: before an escape sequence or a character that has not come whole. */
  readonly nextCursor: OutputCursor;
  /** Bytes between the place that was asked for and `cursor` that are kept nowhere any more. */
  readonly goneBytes: number;
}

/**
 * Output that is looked at as a whole, in bytes. Of more, only as much from both ends: no answer to a model is as long,
 * and 8 MiB that move the cursor take a terminal a second.
 */
const LOOK_BYTES = { whole: 512 * 1024, end: 192 * 1024 } as const;

/** Output before the text that says where its cursor was, in bytes: more than a screen holds. */
const CONTEXT_BYTES = 8 * 1024;

/** Output that a screen is made from, in bytes: as much as a new pane is given. */
const SCREEN_BYTES = 1024 * 1024;

const LINE_FEED = 0x0a;

const DEFAULT_SIZE: TerminalSize = { cols: 80, rows: 24 };

/** Throws `invalid-argument` for a pattern that is none. */
export async function modelText(source: ModelTextSource, request: ModelTextRequest): Promise<ModelText> {
  const { epoch, endOffset } = source;
  const grep = request.grep === null ? null : compilePattern(request.grep.pattern, request.grep.ignoreCase);
  const asked = Math.min(request.fromOffset ?? source.readableFrom(0), endOffset);
  const from = Math.min(source.readableFrom(asked), endOffset);
  const to = Math.max(from, await wholeEnd(source, from, Math.min(request.toOffset ?? endOffset, endOffset)));
  const ranges = to - from <= LOOK_BYTES.whole ? ([[from, to]] as const) : await endsOf(source, from, to);
  const texts: string[] = [];
  for (const [begin, end] of ranges) {
    const text = await rangeText(source, begin, end, request.view);
    texts.push(grep === null ? text : grepped(text, (line) => grep.matcher(line).find()));
  }
  const [head = '', tail] = texts;
  return {
    parts: tail === undefined ? [head] : [head, tail],
    skippedBytes: ranges.length === 1 ? 0 : ranges[1][0] - ranges[0][1],
    cursor: { epoch, offset: from },
    nextCursor: { epoch, offset: to },
    goneBytes: from - asked,
  };
}

/** What the session's terminal shows now; of a session on pipes, what one of the usual size would show. */
export async function modelScreen(source: ModelTextSource): Promise<ScreenView> {
  const size = source.size ?? DEFAULT_SIZE;
  const start = await source.replayStart(SCREEN_BYTES);
  const from = start?.offset ?? source.readableFrom(Math.max(0, source.endOffset - SCREEN_BYTES));
  const { pieces } = await source.read(from, source.endOffset - from);
  const first = pieces[0];
  // Half an escape sequence would be taken for text.
  const cut = start !== null || first === undefined || from === 0 ? 0 : first.bytes.indexOf(LINE_FEED) + 1;
  const output = pieces.map(({ bytes, offset }, at) => ({
    bytes: at === 0 ? bytes.subarray(cut) : bytes,
    size: source.sizeAt(offset) ?? size,
  }));
  return start === null
    ? screenView(output, size, source.onAlternateAt(from + cut))
    : screenView([start, ...output], size, false);
}

/** The two ends of a long output, cut at lines where there are some. */
async function endsOf(
  source: ModelTextSource,
  from: number,
  to: number,
): Promise<readonly [readonly [number, number], readonly [number, number]]> {
  const { end } = LOOK_BYTES;
  const tail = bytesOf(await source.read(to - end, end));
  const tailStart = to - end + tail.indexOf(LINE_FEED) + 1;
  const head = bytesOf(await source.read(from, end));
  const headEnd = head.lastIndexOf(LINE_FEED) + 1;
  return [
    [from, from + (headEnd === 0 ? head.length - unfinishedLength(head) : headEnd)],
    [tailStart, to],
  ];
}

async function rangeText(
  source: ModelTextSource,
  from: number,
  to: number,
  view: ModelTextRequest['view'],
): Promise<string> {
  if (from === to) {
    return '';
  }
  const text = await decoded(source, from, to);
  if (view === 'raw') {
    return text;
  }
  const start = await contextStart(source, from);
  return plainText({
    text,
    context: await decoded(source, start, from),
    onAlternate: source.onAlternateAt(start),
    size: source.sizeAt(from),
  });
}

/** The start of a line some way before an offset, or as far back as there is something. */
async function contextStart(source: ModelTextSource, offset: number): Promise<number> {
  const start = Math.min(offset, source.readableFrom(Math.max(0, offset - CONTEXT_BYTES)));
  if (start === 0 || start === offset) {
    return start;
  }
  const lineEnd = bytesOf(await source.read(start, offset - start)).indexOf(LINE_FEED);
  return start + lineEnd + 1;
}

/** `to`, or before what begins at the end and has not come whole; never when nothing more will come. */
async function wholeEnd(source: ModelTextSource, from: number, to: number): Promise<number> {
  if (source.closed && to === source.endOffset) {
    return to;
  }
  const start = Math.max(from, to - CONTEXT_BYTES);
  const bytes = bytesOf(await source.read(start, to - start));
  return to - Math.max(unfinishedLength(bytes), openEndLength(bytes));
}

async function decoded(source: ModelTextSource, from: number, to: number): Promise<string> {
  return decodePieces((await source.read(from, to - from)).pieces, new Map(), true).text;
}

function bytesOf({ pieces }: OutputPage): Buffer {
  return Buffer.concat(pieces.map(({ bytes }) => bytes));
}

function grepped(text: string, isFound: (line: string) => boolean): string {
  const lines = text.split('\n').filter((line) => line !== '' && isFound(line));
  return lines.map((line) => `${line}\n`).join('');
}
