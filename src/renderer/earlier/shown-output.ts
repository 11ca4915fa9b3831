import type { IBuffer, IBufferNamespace } from '@xterm/xterm';
import type { FindQuery, OutputHit } from '../../shared/output-search.ts';
import type { OutputPlaces } from '../terminal/output-places.ts';
import { countMatches } from './find-pattern.ts';

/** Skipped stretches remembered; the oldest have long left the scrollback by then. */
const MAX_SKIPS = 100;

interface Skip {
  readonly from: number;
  readonly to: number;
}

/** Which of its session's output a terminal still shows. */
export class ShownOutput {
  readonly #terminal: { readonly buffer: IBufferNamespace };
  readonly #places: Pick<OutputPlaces, 'oldest'>;
  readonly #skips: Skip[] = [];
  #parsed = 0;

  constructor(terminal: { readonly buffer: IBufferNamespace }, places: Pick<OutputPlaces, 'oldest'>) {
    this.#terminal = terminal;
    this.#places = places;
  }

  /** Everything before this offset was given to the terminal, or skipped. */
  parsed(endOffset: number): void {
    this.#parsed = Math.max(this.#parsed, endOffset);
  }

  /** So many bytes after what was parsed are left out. */
  skipped(bytes: number): void {
    this.#skips.push({ from: this.#parsed, to: this.#parsed + bytes });
    this.#parsed += bytes;
    this.#skips.splice(0, this.#skips.length - MAX_SKIPS);
  }

  /** Where the newest stretch begins that is left out; null when none is. */
  get lastSkip(): number | null {
    return this.#skips.at(-1)?.from ?? null;
  }

  /** Those hits of a text that the terminal does not show, in the same order: the newest first. */
  without(hits: readonly OutputHit[], query: FindQuery): readonly OutputHit[] {
    const { oldest } = this.#places;
    // On the other screen all that was printed before is out of sight.
    const from = oldest?.offset ?? this.#parsed;
    // Above the oldest known place are some lines more.
    let above = oldest === null ? 0 : countMatches(textAbove(this.#terminal.buffer.active, oldest), query);
    return hits.filter(({ offset, lineOffset }) => {
      if (lineOffset < from && above > 0) {
        above -= 1;
        return false;
      }
      return lineOffset < from || this.#skips.some((skip) => offset >= skip.from && offset < skip.to);
    });
  }
}

/** The lines of a buffer that begin above a place, each as it was printed. */
function textAbove(buffer: IBuffer, place: { readonly line: number; readonly beginsLine: boolean }): string {
  const lastRow = place.beginsLine ? place.line - 1 : place.line;
  let text = '';
  for (let at = 0; at < buffer.length; at += 1) {
    const line = buffer.getLine(at);
    if (line === undefined || (at > lastRow && !line.isWrapped)) {
      break;
    }
    const isContinued = buffer.getLine(at + 1)?.isWrapped === true;
    text += (at > 0 && !line.isWrapped ? '\n' : '') + line.translateToString(!isContinued);
  }
  return text;
}
