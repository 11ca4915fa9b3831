import type { IBuffer } from '@xterm/xterm';
import type { OutputPlaces } from '../terminal/output-places.ts';

/** A line of a terminal by the output that it shows, so that it is found again after that was drawn anew. */
interface KnownLine {
  /** Of the place at it or above it. */
  readonly offset: number;
  /** Lines below that place. */
  readonly below: number;
  /** Lines below the top of what is in view. */
  readonly row: number;
}

/** What is in view of a terminal: its first line, and its last one for when the first is gone. */
export type ReadingPlace = readonly KnownLine[];

interface SeenTerminal {
  readonly rows: number;
  readonly buffer: { readonly active: IBuffer };
}

/** What is in view now; empty on the other screen, which has no places. */
export function readingPlace({ rows, buffer }: SeenTerminal, places: Pick<OutputPlaces, 'placeAbove'>): ReadingPlace {
  const { viewportY, length } = buffer.active;
  return [0, Math.min(rows, length - viewportY) - 1].flatMap((row) => {
    const place = places.placeAbove(viewportY + row);
    return place === null ? [] : [{ offset: place.offset, below: viewportY + row - place.line, row }];
  });
}

/** The line of the buffer that is to be the first in view; null when nothing of what was read is drawn. */
export function topLineFor(known: ReadingPlace, places: Pick<OutputPlaces, 'lineOf'>): number | null {
  for (const { offset, below, row } of known) {
    const line = places.lineOf(offset);
    if (line !== null) {
      return Math.max(0, line + below - row);
    }
  }
  return null;
}
