/** Where the groups of a layout stand, and the borders between them. Pure; all lengths are shares of the whole room. */
import {
  groupsOf,
  type GroupId,
  type LayoutNode,
  type PaneLayout,
  type Side,
  type Split,
  type SplitDirection,
  type TabGroup,
} from './pane-layout.ts';

/** The least share of two neighbours' room that a border leaves to either. */
export const LEAST_SHARE = 0.1;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface GroupBox {
  readonly group: TabGroup;
  readonly box: Box;
}

/** Which border: the way to its split through the tree, and the part before it. */
export interface BorderPlace {
  readonly path: readonly number[];
  readonly before: number;
}

/** The line between two neighbours of a split. */
export interface Border extends BorderPlace {
  /** Of the split: a row's borders stand upright. */
  readonly direction: SplitDirection;
  /** Of the line; its width is 0 in a row, its height in a column. */
  readonly line: Box;
  /** The room of both neighbours, in which it moves. */
  readonly room: Box;
  /** The share of that room which the neighbour before it has. */
  readonly share: number;
  /** The last group before it and the first one after it. */
  readonly between: readonly [GroupId, GroupId];
}

const WHOLE: Box = { x: 0, y: 0, width: 1, height: 1 };

/** All groups with their places. */
export function groupBoxes({ root }: Pick<PaneLayout, 'root'>): readonly GroupBox[] {
  return boxesIn(root, WHOLE);
}

function boxesIn(node: LayoutNode, box: Box): readonly GroupBox[] {
  return node.kind === 'group'
    ? [{ group: node, box }]
    : partBoxes(node, box).flatMap((partBox, index) => {
        const part = node.parts[index];
        return part === undefined ? [] : boxesIn(part.node, partBox);
      });
}

/** All borders between neighbours. */
export function borders({ root }: Pick<PaneLayout, 'root'>): readonly Border[] {
  return bordersIn(root, WHOLE, []);
}

function bordersIn(node: LayoutNode, box: Box, path: readonly number[]): readonly Border[] {
  if (node.kind === 'group') {
    return [];
  }
  const boxes = partBoxes(node, box);
  return node.parts.flatMap((part, index) => {
    const own = boxes[index];
    const next = boxes[index + 1];
    const inside = own === undefined ? [] : bordersIn(part.node, own, [...path, index]);
    const after = node.parts[index + 1];
    const groups = [groupsOf({ root: part.node }).at(-1)?.id, after && groupsOf({ root: after.node })[0]?.id];
    const [last, first] = groups;
    if (own === undefined || next === undefined || last === undefined || first === undefined) {
      return inside;
    }
    return [...inside, { path, before: index, between: [last, first], ...lineBetween(node, own, next) }];
  });
}

function lineBetween(split: Split, own: Box, next: Box): Pick<Border, 'direction' | 'line' | 'room' | 'share'> {
  const isRow = split.direction === 'row';
  const room = isRow ? { ...own, width: own.width + next.width } : { ...own, height: own.height + next.height };
  const line = isRow ? { ...next, width: 0 } : { ...next, height: 0 };
  const share = isRow ? own.width / room.width : own.height / room.height;
  return { direction: split.direction, line, room, share };
}

function partBoxes({ direction, parts }: Split, box: Box): readonly Box[] {
  let done = 0;
  return parts.map(({ share }) => {
    const from = done;
    done += share;
    return direction === 'row'
      ? { ...box, x: box.x + from * box.width, width: share * box.width }
      : { ...box, y: box.y + from * box.height, height: share * box.height };
  });
}

/** Moves a border so that the neighbour before it has this share of the room of both, within limits. */
export function moveBorder(layout: PaneLayout, { path, before }: BorderPlace, share: number): PaneLayout {
  const root = changeSplit(layout.root, path, (split) => {
    const own = split.parts[before];
    const next = split.parts[before + 1];
    if (own === undefined || next === undefined) {
      return split;
    }
    const both = own.share + next.share;
    const wanted = Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, share)) * both;
    const parts = split.parts
      .with(before, { ...own, share: wanted })
      .with(before + 1, { ...next, share: both - wanted });
    return { ...split, parts };
  });
  return { ...layout, root };
}

function changeSplit(node: LayoutNode, path: readonly number[], change: (split: Split) => Split): LayoutNode {
  if (node.kind === 'group') {
    return node;
  }
  const [index, ...rest] = path;
  if (index === undefined) {
    return change(node);
  }
  const part = node.parts[index];
  return part === undefined
    ? node
    : { ...node, parts: node.parts.with(index, { ...part, node: changeSplit(part.node, rest, change) }) };
}

/** How a group grows and shrinks by the keyboard. */
export const GROWTHS = ['wider', 'narrower', 'taller', 'lower'] as const;
export type Growth = (typeof GROWTHS)[number];

/** How far a border moves for one key, as a share of the room of its neighbours. */
export const KEY_STEP = 0.05;

/** Makes a group larger or smaller by a step, at the cost of its neighbour; unchanged when it has none that way. */
export function growGroup(layout: PaneLayout, id: GroupId, growth: Growth): PaneLayout {
  const direction = growth === 'wider' || growth === 'narrower' ? 'row' : 'column';
  const isMore = growth === 'wider' || growth === 'taller';
  const way = wayTo(layout.root, id);
  // The nearest split in that direction: of the group itself, else of what it is a part of.
  for (let depth = way.length - 1; depth >= 0; depth -= 1) {
    const path = way.slice(0, depth);
    const found = borders(layout).filter(
      (one) => one.direction === direction && one.path.length === depth && one.path.every((at, i) => at === path[i]),
    );
    const index = way[depth] ?? 0;
    const after = found.find(({ before }) => before === index);
    const ahead = found.find(({ before }) => before === index - 1);
    if (after !== undefined) {
      return moveBorder(layout, after, after.share + (isMore ? KEY_STEP : -KEY_STEP));
    }
    if (ahead !== undefined) {
      return moveBorder(layout, ahead, ahead.share + (isMore ? -KEY_STEP : KEY_STEP));
    }
  }
  return layout;
}

/** The indices that lead to a group; empty when it is the whole layout. */
function wayTo(node: LayoutNode, id: GroupId): readonly number[] {
  if (node.kind === 'group') {
    return [];
  }
  const index = node.parts.findIndex(({ node: part }) => boxesIn(part, WHOLE).some(({ group }) => group.id === id));
  const part = node.parts[index];
  return part === undefined ? [] : [index, ...wayTo(part.node, id)];
}

/** The group on that side of another one: of those that touch it, the one with the longest common edge. */
export function groupOnSide(layout: PaneLayout, id: GroupId, side: Side): GroupId | null {
  const all = groupBoxes(layout);
  const from = all.find(({ group }) => group.id === id)?.box;
  if (from === undefined) {
    return null;
  }
  const touching = all
    .filter(({ box }) => gap(from, box, side) < 1e-6)
    .map(({ group, box }) => ({ id: group.id, edge: commonEdge(from, box, side) }))
    .filter(({ edge }) => edge > 1e-6);
  return (
    touching.reduce<(typeof touching)[number] | null>(
      (best, one) => (best === null || one.edge > best.edge + 1e-6 ? one : best),
      null,
    )?.id ?? null
  );
}

/** Distance between the edge of one box and the facing edge of another; 0 when they touch. */
function gap(from: Box, to: Box, side: Side): number {
  switch (side) {
    case 'left':
      return Math.abs(to.x + to.width - from.x);
    case 'right':
      return Math.abs(from.x + from.width - to.x);
    case 'up':
      return Math.abs(to.y + to.height - from.y);
    case 'down':
      return Math.abs(from.y + from.height - to.y);
  }
}

function commonEdge(a: Box, b: Box, side: Side): number {
  return side === 'left' || side === 'right'
    ? Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
    : Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
}
