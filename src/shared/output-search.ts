import type { TerminalSize } from './session.ts';

/** What is looked for in output: these characters, nothing else. A pattern of a person's could hold the host for ever. */
export interface FindQuery {
  readonly text: string;
  readonly matchCase: boolean;
  /** Only where no letter, digit or underscore stands before or behind. */
  readonly wholeWord: boolean;
}

/** Longest text that is looked for, in UTF-16 units. */
export const MAX_FIND_LENGTH = 500;

/** What ends a word, apart from the end of its line. The search in xterm.js goes by the same. */
export const NON_WORD_CHARACTERS = ' ~!@#$%^&*()+`-=[]{}|\\;:"\',./<>?';

/** A place at which a text was found. */
export interface OutputHit {
  /** Offset of the first byte of its line in everything the child ever printed. */
  readonly lineOffset: number;
  /** Of the first byte of the match, and after its last one. */
  readonly offset: number;
  readonly endOffset: number;
  /** Its line as text, or what stands around the match in a long one. */
  readonly line: string;
  /** Where in `line` the match begins, and how long it is, in UTF-16 units. */
  readonly column: number;
  readonly length: number;
  /** Unix time in milliseconds at which it was printed. */
  readonly atMs: number;
}

/** One step of a search: a stretch of output, looked at from its end to its begin. */
export interface OutputSearchStep {
  /** The newest first. */
  readonly hits: readonly OutputHit[];
  /** Where the next step ends; null when all that is kept was looked at. */
  readonly nextBefore: number | null;
  /** There were more hits than were wanted: older ones were not looked for. */
  readonly isCut: boolean;
  /** Bytes of the stretch that are kept nowhere any more. */
  readonly goneBytes: number;
  /** Offset of the oldest byte that is kept; and after the newest, when the step began. */
  readonly keptFrom: number;
  readonly endOffset: number;
}

/** Output around one place, for a terminal that shows what has left the others. */
export interface OutputStretch {
  /** In order; where one does not begin at the end of the one before, what lay between is kept nowhere. */
  readonly parts: readonly StretchPart[];
  /** Offset of the first byte, and after the last one; both are the place itself where nothing is kept there. */
  readonly startOffset: number;
  readonly endOffset: number;
  /** Unix time in milliseconds at which the place was printed; null where it is kept no more. */
  readonly atMs: number | null;
  /** Choose the terminal's modes and rendition as what was printed before has left them, as far as that was looked at. */
  readonly modes: string;
  readonly rendition: string;
  /** Offset of the oldest byte that is kept, and after the newest. */
  readonly keptFrom: number;
  readonly outputEnd: number;
}

export interface StretchPart {
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** Of the terminal that it was made for; null on pipes. */
  readonly size: TerminalSize | null;
}
