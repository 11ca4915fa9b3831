import type { IBuffer, IBufferNamespace, IMarker } from '@xterm/xterm';

/** What is needed of a terminal; xterm's `Terminal`, in the page or headless. */
export interface PlacedTerminal {
  readonly buffer: IBufferNamespace;
  registerMarker(cursorYOffset?: number): IMarker | undefined;
}

/** Places remembered: as many as the scrollback has lines. The oldest leave. */
const MAX_PLACES = 5_000;

interface Place {
  readonly offset: number;
  /** Counted from where the counting began, so that what leaves the scrollback changes no number. */
  readonly line: number;
}

interface Anchor {
  readonly marker: IMarker;
  /** The marker's line, in the same count. */
  readonly line: number;
}

/**
 * Where in a terminal which bytes of its session's output are. A marker for each place would slow down every line that
 * leaves the scrollback; there is one, at the newest place, and the others are counted from it.
 */
export class OutputPlaces {
  readonly #terminal: PlacedTerminal;
  #places: Place[] = [];
  #anchor: Anchor | null = null;

  constructor(terminal: PlacedTerminal) {
    this.#terminal = terminal;
  }

  /** Everything before this offset is parsed: what follows begins at the cursor. The other screen has no places. */
  note(offset: number): void {
    if (this.#isOnOtherScreen) {
      return;
    }
    const cursor = cursorIndex(this.#terminal.buffer.normal);
    const anchor = this.#liveAnchor;
    if (anchor === null) {
      this.#places = [];
    }
    const line = anchor === null ? cursor : anchor.line + cursor - anchor.marker.line;
    if (anchor === null || line !== anchor.line) {
      this.#dropAnchor(line);
      this.#places.push({ offset, line });
    }
    if (this.#places.length > MAX_PLACES) {
      this.#places.splice(0, MAX_PLACES / 5);
    }
  }

  /** The line of the buffer that shows what was printed at an offset; null when none does any more. */
  lineOf(offset: number): number | null {
    const anchor = this.#liveAnchor;
    const place = this.#places.findLast((candidate) => candidate.offset <= offset);
    if (place === undefined || anchor === null || this.#isOnOtherScreen) {
      return null;
    }
    const index = indexOf(place, anchor);
    return index < 0 ? null : index;
  }

  /** Runs what may change the width: long lines are wrapped anew, and the places go with them. */
  whileResizing(resize: () => void): void {
    const anchor = this.#liveAnchor;
    if (anchor === null || this.#isOnOtherScreen) {
      resize();
      // How the hidden screen is wrapped anew cannot be told.
      this.#places = [];
      this.#anchor = null;
      return;
    }
    const { normal } = this.#terminal.buffer;
    const before = wrapping(normal);
    // Counted from the cursor's line, which stays: lines above may leave, and blank ones below come and go.
    const above = this.#places.map((place) => before.cursor - (before.numbers[indexOf(place, anchor)] ?? Infinity));
    resize();
    const after = wrapping(normal);
    this.#places = this.#places.flatMap(({ offset }, index) => {
      const line = after.starts[after.cursor - (above[index] ?? Infinity)];
      return line === undefined ? [] : [{ offset, line }];
    });
    this.#dropAnchor(cursorIndex(normal));
  }

  get #isOnOtherScreen(): boolean {
    return this.#terminal.buffer.active.type === 'alternate';
  }

  /** Null when its line has left the scrollback, and with it the count. */
  get #liveAnchor(): Anchor | null {
    return this.#anchor === null || this.#anchor.marker.isDisposed ? null : this.#anchor;
  }

  #dropAnchor(line: number): void {
    this.#anchor?.marker.dispose();
    const marker = this.#terminal.registerMarker(0);
    this.#anchor = marker === undefined ? null : { marker, line };
  }
}

function indexOf(place: Place, anchor: Anchor): number {
  return anchor.marker.line + place.line - anchor.line;
}

function cursorIndex({ baseY, cursorY }: IBuffer): number {
  return baseY + cursorY;
}

/** The lines as the program printed them: each one's first line of the buffer, and the number of each line's. */
function wrapping(buffer: IBuffer): { readonly starts: number[]; readonly numbers: number[]; readonly cursor: number } {
  const starts: number[] = [];
  const numbers: number[] = [];
  for (let index = 0; index < buffer.length; index += 1) {
    if (buffer.getLine(index)?.isWrapped !== true) {
      starts.push(index);
    }
    numbers.push(starts.length - 1);
  }
  return { starts, numbers, cursor: numbers[cursorIndex(buffer)] ?? 0 };
}
