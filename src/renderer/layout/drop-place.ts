/** Where a dragged tab would go. Pure: the page gives the rectangles. */
import type { SessionId } from '../../shared/session.ts';
import type { GroupId, Side, TabPlace } from './pane-layout.ts';

/** In CSS pixels, like `DOMRect`. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** What a tab can be dropped on. */
export interface DropTargets {
  readonly strips: readonly {
    readonly group: GroupId;
    readonly rectangle: Rectangle;
    /** From left to right, without the dragged one. */
    readonly tabs: readonly { readonly id: SessionId; readonly rectangle: Rectangle }[];
  }[];
  readonly panes: readonly { readonly group: GroupId; readonly rectangle: Rectangle }[];
}

/** Where the tab goes when it is dropped now, and what is marked to say so. */
export interface Drop {
  readonly place: TabPlace;
  readonly mark: Rectangle;
}

/** This near to an edge of a pane, as a share of its size, a new pane is made there; else the tab joins the others. */
const EDGE_SHARE = 0.25;

/** Width of the line between two tabs. */
const LINE_PX = 2;

/** Null where nothing can be dropped. */
export function dropAt(point: Point, { strips, panes }: DropTargets): Drop | null {
  const strip = strips.find(({ rectangle }) => isInside(point, rectangle));
  if (strip !== undefined) {
    const index = strip.tabs.filter(({ rectangle }) => rectangle.x + rectangle.width / 2 < point.x).length;
    const before = strip.tabs[index - 1]?.rectangle;
    const x = before === undefined ? strip.rectangle.x : before.x + before.width - LINE_PX / 2;
    return {
      place: { kind: 'among', group: strip.group, index },
      mark: { x, y: strip.rectangle.y, width: LINE_PX, height: strip.rectangle.height },
    };
  }
  const pane = panes.find(({ rectangle }) => isInside(point, rectangle));
  if (pane === undefined) {
    return null;
  }
  const side = nearEdge(point, pane.rectangle);
  return side === null
    ? { place: { kind: 'among', group: pane.group }, mark: pane.rectangle }
    : { place: { kind: 'beside', group: pane.group, side }, mark: half(pane.rectangle, side) };
}

function isInside({ x, y }: Point, box: Rectangle): boolean {
  return x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
}

function nearEdge(point: Point, box: Rectangle): Side | null {
  const across = (point.x - box.x) / box.width;
  const down = (point.y - box.y) / box.height;
  const distances: readonly (readonly [Side, number])[] = [
    ['left', across],
    ['right', 1 - across],
    ['up', down],
    ['down', 1 - down],
  ];
  const [side, distance] = distances.reduce((nearest, one) => (one[1] < nearest[1] ? one : nearest));
  return distance < EDGE_SHARE ? side : null;
}

function half(box: Rectangle, side: Side): Rectangle {
  const width = box.width / 2;
  const height = box.height / 2;
  switch (side) {
    case 'left':
      return { ...box, width };
    case 'right':
      return { ...box, x: box.x + width, width };
    case 'up':
      return { ...box, height };
    case 'down':
      return { ...box, y: box.y + height, height };
  }
}
