import { SkippedModes } from '../engine/engine.ts';

/** CAN: what stands before a skip ends there, also within a sequence. */
const ABORT_SEQUENCE = '\u0018';

interface Given {
  readonly from: number;
  readonly to: number;
  /** What it chose in a terminal: all of its bytes, or of what was skipped only the sequences that chose something. */
  readonly bytes: Uint8Array;
}

/** What a pane was given, or told that it is skipped, and has not acknowledged: as much as its credit allows. */
export class UnparsedOutput {
  #given: Given[] = [];
  /** Up to here it has acknowledged. */
  #parsed = 0;

  /** The bytes are kept, not copied. */
  given(offset: number, bytes: Uint8Array): void {
    this.#given.push({ from: offset, to: offset + bytes.length, bytes });
  }

  /** `chosen`: the sequences that choose what the skipped bytes chose. */
  skipped(skip: { readonly from: number; readonly bytes: number; readonly chosen: string }): void {
    const bytes = Buffer.from(`${ABORT_SEQUENCE}${skip.chosen}`, 'latin1');
    this.#given.push({ from: skip.from, to: skip.from + skip.bytes, bytes });
  }

  /** Everything up to this offset was parsed. An older one changes nothing. */
  acknowledged(endOffset: number): void {
    const open = this.#given.findIndex(({ to }) => to > endOffset);
    this.#given.splice(0, open === -1 ? this.#given.length : open);
    this.#parsed = Math.max(this.#parsed, endOffset);
  }

  /** Takes it back: where it began, up to which offset it went, and the modes that it chose. Null where there is none. */
  take(): { readonly from: number; readonly to: number; readonly modes: SkippedModes } | null {
    const given = this.#given;
    const [first, last] = [given[0], given.at(-1)];
    this.#given = [];
    if (first === undefined || last === undefined) {
      return null;
    }
    const modes = new SkippedModes();
    for (const { bytes } of given) {
      modes.feed(bytes);
    }
    return { from: Math.max(first.from, this.#parsed), to: last.to, modes };
  }
}
