import type { IBuffer, IBufferNamespace, IMarker, IParser } from '@xterm/xterm';

/** What is needed of a terminal; xterm's `Terminal`, in the page or headless. */
export interface PlacedTerminal {
  readonly buffer: IBufferNamespace;
  readonly parser: Pick<IParser, 'registerCsiHandler'>;
  registerMarker(cursorYOffset?: number): IMarker | undefined;
}

/** Places remembered: as many as the scrollback has lines. The oldest leave. */
const MAX_PLACES = 5_000;

interface Place {
  readonly offset: number;
  /** Counted from where the counting began, so that what leaves the scrollback changes no number. */
  readonly line: number;
  /** False where it is within what the program printed as one line. */
  readonly beginsLine: boolean;
}

/** The line of what the program has erased: before all there are. */
const ERASED = Number.NEGATIVE_INFINITY;

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
  /** The line of the hidden screen's cursor, which the anchor stands on when that screen is back; null for no news. */
  #lineBehind: number | null = null;

  constructor(terminal: PlacedTerminal) {
    this.#terminal = terminal;
    terminal.buffer.onBufferChange(() => this.#screenChanged());
    for (const id of [{ final: 'J' }, { prefix: '?', final: 'J' }]) {
      terminal.parser.registerCsiHandler(id, ([what]) => {
        this.#erasing(what);
        return false; // xterm erases
      });
    }
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
    if (anchor === null || line !== this.#places.at(-1)?.line) {
      this.#dropAnchor(line);
      this.#places.push({ offset, line, beginsLine: this.#terminal.buffer.normal.cursorX === 0 });
    }
    if (this.#places.length > MAX_PLACES) {
      this.#places.splice(0, MAX_PLACES / 5);
    }
  }

  /** The line of the buffer that shows what was printed at an offset; null when none does any more. */
  lineOf(offset: number): number | null {
    const anchor = this.#liveAnchor;
    const place = this.#placeAt(offset);
    if (place === undefined || anchor === null || this.#isOnOtherScreen) {
      return null;
    }
    const index = indexOf(place, anchor);
    return index < 0 ? null : index;
  }

  /** The oldest place that the buffer still shows, and its line; null when there is none, and on the other screen. */
  get oldest(): Place | null {
    const anchor = this.#liveAnchor;
    if (anchor === null || this.#isOnOtherScreen) {
      return null;
    }
    const place = this.#places.find((candidate) => indexOf(candidate, anchor) >= 0);
    return place === undefined ? null : { ...place, line: indexOf(place, anchor) };
  }

  /** The last place that is at a line of the buffer or above it; null without one, and on the other screen. */
  placeAbove(line: number): { readonly offset: number; readonly line: number } | null {
    const anchor = this.#liveAnchor;
    if (anchor === null || this.#isOnOtherScreen) {
      return null;
    }
    const place = this.#places.findLast((candidate) => {
      const index = indexOf(candidate, anchor);
      return index >= 0 && index <= line;
    });
    return place === undefined ? null : { offset: place.offset, line: indexOf(place, anchor) };
  }

  /** Knows no place any more: the terminal was reset. */
  forget(): void {
    this.#anchor?.marker.dispose();
    this.#anchor = null;
    this.#lineBehind = null;
    this.#places = [];
  }

  /** Runs what may change the width: long lines are wrapped anew, and the places go with them. */
  whileResizing(resize: () => void): void {
    const { normal } = this.#terminal.buffer;
    const anchor = this.#lineBehind === null ? this.#liveAnchor : null;
    if (anchor === null && this.#lineBehind === null) {
      resize();
      this.#places = [];
      this.#anchor = null;
      return;
    }
    const before = wrapping(normal);
    // Counted from the cursor's line, which stays: lines above may leave, and blank ones below come and go.
    const above = this.#places.map(
      (place) => before.cursor - (before.numbers[anchor === null ? place.line : indexOf(place, anchor)] ?? Infinity),
    );
    resize();
    const after = wrapping(normal);
    this.#places = this.#places.flatMap((place, index) => {
      const line = after.starts[after.cursor - (above[index] ?? Infinity)];
      return line === undefined ? [] : [{ ...place, line }];
    });
    if (this.#isOnOtherScreen) {
      // Markers can be made on the screen in view only.
      this.#lineBehind = cursorIndex(normal);
      this.#anchor?.marker.dispose();
      this.#anchor = null;
    } else {
      this.#dropAnchor(cursorIndex(normal));
    }
  }

  /** The last before or at an offset. */
  #placeAt(offset: number): Place | undefined {
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#places[middle]?.offset ?? Infinity) <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return this.#places[low - 1];
  }

  #screenChanged(): void {
    if (!this.#isOnOtherScreen && this.#lineBehind !== null) {
      const line = this.#lineBehind;
      this.#lineBehind = null;
      this.#dropAnchor(line, line - cursorIndex(this.#terminal.buffer.normal));
    }
  }

  /** A part of the screen is about to be erased (ED), with the markers on its lines. */
  #erasing(what: number | readonly number[] | undefined): void {
    const anchor = this.#liveAnchor;
    if (anchor === null || this.#isOnOtherScreen || what === 3) {
      return;
    }
    const { normal } = this.#terminal.buffer;
    const cursor = cursorIndex(normal);
    const isWhole = what === 2;
    // The newest lines, but for those above the cursor (1), which programs do not erase by themselves.
    const from = isWhole ? normal.baseY : cursor + 1;
    const lineAt = (index: number): number => anchor.line + index - anchor.marker.line;
    let erasedFrom: number | null = null;
    for (let last = this.#places.at(-1); last !== undefined; last = this.#places.at(-1)) {
      if (what === 1 || (last.line !== ERASED && last.line < lineAt(from))) {
        break;
      }
      erasedFrom = last.offset;
      this.#places.pop();
    }
    if (erasedFrom !== null) {
      this.#places.push({ offset: erasedFrom, line: ERASED, beginsLine: false });
    }
    // To a line that stays: of the whole screen the one above it.
    const kept = isWhole ? normal.baseY - 1 : cursor;
    this.#dropAnchor(lineAt(kept), kept - cursor);
  }

  get #isOnOtherScreen(): boolean {
    return this.#terminal.buffer.active.type === 'alternate';
  }

  /** Null when its line has left the scrollback, and with it the count. */
  get #liveAnchor(): Anchor | null {
    return this.#anchor === null || this.#anchor.marker.isDisposed ? null : this.#anchor;
  }

  /** Has it stand anew, so many lines from the cursor. */
  #dropAnchor(line: number, fromCursor = 0): void {
    this.#anchor?.marker.dispose();
    const marker = this.#terminal.registerMarker(fromCursor);
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
