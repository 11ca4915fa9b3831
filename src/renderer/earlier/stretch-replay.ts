import type { IMarker } from '@xterm/xterm';
import type { StretchPart } from '../../shared/output-search.ts';
import type { OutputPlaces, PlacedTerminal } from '../terminal/output-places.ts';
import { END_OF_OUTPUT_MODES } from '../terminal/stream-sequences.ts';
import { bytesText } from '../text/quantity-text.ts';
import type { EarlierView } from './earlier-outputs.ts';

/** What is needed of a terminal; xterm's `Terminal`, in the page or headless. */
export interface ReplayTerminal extends PlacedTerminal {
  readonly cols: number;
  reset(): void;
  resize(cols: number, rows: number): void;
  write(data: Uint8Array | string, onParsed?: () => void): void;
}

/** Bytes of one write: xterm never splits one, so that larger ones hold up the page. */
const WRITE_BYTES = 16 * 1024;

/** What is drawn after a place at which the replay stops: the rest of its line, but no more than that. */
const MOST_AFTER_PLACE = 400;

/** Bytes given to a terminal before they are waited for: a hundredth of a second's work. */
const WAIT_EVERY_BYTES = 128 * 1024;

/** Synchronised output: to draw between the writes takes longer than they do. Its end is among `END_OF_OUTPUT_MODES`. */
const DRAWN_AT_THE_END = '\u001B[?2026h';

const LF = 0x0a;

const ENDS_LINE = new Set([0x0a, 0x0d, 0x1b]);

/** Where a place is drawn. */
export interface DrawnPlace {
  /** Its line of the buffer; null when that is gone. */
  readonly line: number | null;
  readonly column: number;
  /** Of what was found there, in cells; 0 for a place alone. */
  readonly cells: number;
  /** The program drew on the other screen there. */
  readonly isOnOtherScreen: boolean;
}

/** A place of the cursor. */
interface CursorMark {
  /** Keeps account of the line; there is none on the other screen, where nothing leaves at the top. */
  readonly marker: IMarker | undefined;
  /** As it was then. */
  readonly line: number;
  /** Lines below that. */
  readonly below: number;
  readonly column: number;
}

export interface ReplayOptions {
  /** What came after this offset is left out, but for the rest of its line; null for all of the stretch. */
  readonly stopAt: number | null;
  /** Learn where each line is drawn. */
  readonly places: Pick<OutputPlaces, 'note' | 'forget' | 'whileResizing'>;
  readonly isEnded: () => boolean;
}

/**
 * Brings a terminal to where a stretch of output leads it, at the sizes it was made for, and tells where the target's place
 * is drawn. Answers null when it was ended.
 */
export async function replayStretch(
  terminal: ReplayTerminal,
  { stretch, target }: Pick<EarlierView, 'stretch' | 'target'>,
  { stopAt, places, isEnded }: ReplayOptions,
): Promise<DrawnPlace | null> {
  const write = (data: Uint8Array | string): Promise<void> => new Promise((done) => terminal.write(data, done));
  const endOffset = target.match?.endOffset ?? target.offset;
  let begin: CursorMark | null = null;
  let cells = 0;
  let isOnOtherScreen = false;
  let next = stretch.startOffset;
  let unwaited = 0;

  terminal.reset();
  places.forget();
  resizeTo(terminal, places, stretch.parts[0]);
  await write(`${DRAWN_AT_THE_END}${stretch.modes}${stretch.rendition}`);
  replay: for (const part of stretch.parts) {
    await write(part.offset > next ? goneLine(part.offset - next) : '');
    resizeTo(terminal, places, part);
    places.note(part.offset);
    next = part.offset + part.bytes.length;
    for (const [from, to] of writesOf(part, [target.offset, endOffset, stopAt ?? endOffset])) {
      if (from === target.offset || from === stopAt || unwaited >= WAIT_EVERY_BYTES) {
        await write('');
        unwaited = 0;
      }
      if (isEnded()) {
        return null;
      }
      if (from === target.offset) {
        begin = markCursor(terminal);
        isOnOtherScreen = terminal.buffer.active.type === 'alternate';
      }
      if (stopAt !== null && from >= stopAt) {
        await write(restOfLine(part.bytes.subarray(from - part.offset)));
        break replay;
      }
      writeLines(terminal, { offset: from, bytes: part.bytes.subarray(from - part.offset, to - part.offset) }, places);
      unwaited += to - from;
      if (to === endOffset && begin !== null && target.match !== null) {
        await write('');
        cells = cellsBetween(begin, terminal);
      }
    }
    await write('');
  }
  await write(END_OF_OUTPUT_MODES);
  if (isEnded()) {
    return null;
  }
  const line = begin === null || begin.marker?.isDisposed === true ? null : lineOf(begin);
  begin?.marker?.dispose();
  return { line, column: begin?.column ?? 0, cells, isOnOtherScreen };
}

/** Has each line's begin noted when all before it is parsed. */
function writeLines(
  terminal: ReplayTerminal,
  { offset, bytes }: Pick<StretchPart, 'offset' | 'bytes'>,
  places: Pick<OutputPlaces, 'note'>,
): void {
  for (let from = 0; from < bytes.length;) {
    const lineFeed = bytes.indexOf(LF, from);
    const to = lineFeed === -1 ? bytes.length : lineFeed + 1;
    const isWhole = lineFeed !== -1;
    terminal.write(bytes.subarray(from, to), () => {
      if (isWhole) {
        places.note(offset + to);
      }
    });
    from = to;
  }
}

/** From where to where each write goes: none across one of the places. */
function* writesOf({ offset, bytes }: StretchPart, places: readonly number[]): Generator<readonly [number, number]> {
  const end = offset + bytes.length;
  for (let from = offset; from < end;) {
    const place = Math.min(...places.filter((candidate) => candidate > from));
    const to = Math.min(end, from + WRITE_BYTES, place);
    yield [from, to];
    from = to;
  }
}

function restOfLine(bytes: Uint8Array): Uint8Array {
  const end = bytes.findIndex((byte) => ENDS_LINE.has(byte));
  return bytes.subarray(0, Math.min(end === -1 ? bytes.length : end, MOST_AFTER_PLACE));
}

/** What is written next begins here: in the next line where this one is full. */
function markCursor(terminal: ReplayTerminal): CursorMark {
  const { baseY, cursorY, cursorX } = terminal.buffer.active;
  const isFull = cursorX >= terminal.cols;
  return {
    marker: terminal.registerMarker(0),
    line: baseY + cursorY,
    below: isFull ? 1 : 0,
    column: isFull ? 0 : cursorX,
  };
}

function lineOf({ marker, line, below }: CursorMark): number {
  return (marker?.line ?? line) + below;
}

function cellsBetween(begin: CursorMark, terminal: ReplayTerminal): number {
  const { baseY, cursorY, cursorX } = terminal.buffer.active;
  return Math.max(0, (baseY + cursorY - lineOf(begin)) * terminal.cols + cursorX - begin.column);
}

function resizeTo(
  terminal: ReplayTerminal,
  places: Pick<OutputPlaces, 'whileResizing'>,
  part: StretchPart | undefined,
): void {
  const size = part?.size ?? null;
  if (size !== null) {
    places.whileResizing(() => terminal.resize(size.cols, size.rows));
  }
}

function goneLine(bytes: number): string {
  return `\u0018\u001B[m\r\n\u001B[7m ${bytesText(bytes)} of output no longer kept \u001B[m\r\n`;
}
