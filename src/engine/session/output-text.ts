import type { OutputStreamName } from '../../shared/session.ts';
import { unfinishedLength } from '../../shared/unfinished-character.ts';
import type { OutputPiece, OutputRing } from './output-ring.ts';

/** First bytes of a character whose rest has not come yet, by stream. */
export type Unfinished = ReadonlyMap<OutputStreamName, Uint8Array>;

/**
 * Pieces of output as text. A character that a piece cuts is given whole with its rest, also when another stream comes
 * between; what is no UTF-8 becomes U+FFFD. With `isEnd` nothing is held back.
 */
export function decodePieces(
  pieces: readonly Pick<OutputPiece, 'stream' | 'bytes'>[],
  before: Unfinished,
  isEnd: boolean,
): { readonly text: string; readonly unfinished: Unfinished } {
  const unfinished = new Map(before);
  let text = '';
  for (const { stream, bytes } of pieces) {
    const whole = Buffer.concat([unfinished.get(stream) ?? new Uint8Array(), bytes]);
    const end = whole.length - unfinishedLength(whole);
    text += whole.toString('utf8', 0, end);
    if (end === whole.length) {
      unfinished.delete(stream);
    } else {
      unfinished.set(stream, whole.subarray(end));
    }
  }
  if (isEnd) {
    for (const bytes of unfinished.values()) {
      text += Buffer.from(bytes).toString('utf8');
    }
    unfinished.clear();
  }
  return { text, unfinished };
}

export interface ReadTextRequest {
  /** Most bytes of output to read; the text of it. At least 4. */
  readonly maxBytes: number;
  /** True: this reader will not get it again. False: a look that changes nothing. */
  readonly drain: boolean;
}

/** Output that one reader has not had. */
export interface OutputText {
  /** Null when nothing is pending: an empty text would be output. */
  readonly text: string | null;
  /** Bytes that were evicted before this reader could have them. */
  readonly goneBytes: number;
  /** Offset after the text. */
  readonly endOffset: number;
}

/** One reader of a session's output as text: it gets everything once, whatever others read (S1, E5). */
export class TextReader {
  #offset: number;
  #unfinished: Unfinished = new Map();

  constructor(offset: number) {
    this.#offset = offset;
  }

  /** Offset after what this reader has had. */
  get offset(): number {
    return this.#offset;
  }

  /** What is retained after this reader's place. `isEnd`: no more output will come. */
  read(ring: OutputRing, { maxBytes, drain }: ReadTextRequest, isEnd: boolean): OutputText {
    const page = ring.read(this.#offset, maxBytes);
    const held = [...this.#unfinished.values()].reduce((sum, { length }) => sum + length, 0);
    const hasGap = page.goneBytes > 0;
    const { text, unfinished } = decodePieces(
      page.pieces,
      hasGap ? new Map() : this.#unfinished,
      isEnd && page.endOffset === ring.endOffset,
    );
    if (drain) {
      this.#offset = page.endOffset;
      this.#unfinished = unfinished;
    }
    return {
      text: text === '' ? null : text,
      goneBytes: hasGap ? page.goneBytes + held : 0,
      endOffset: page.endOffset,
    };
  }
}
