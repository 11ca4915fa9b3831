/** What can be done to a layout: pure functions from one to the next, the same object where nothing changes. */
import type { SessionId } from '../../shared/session.ts';
import {
  activeGroupOf,
  groupsOf,
  groupWith,
  type GroupId,
  type LayoutNode,
  type PaneLayout,
  type Side,
  type SplitPart,
  type TabGroup,
  type TabPlace,
} from './pane-layout.ts';

/** More groups than this would each be too small to read anything in. */
const MAX_GROUPS = 16;

/** The tabs that there are to be. */
export interface TabsChange {
  /** All sessions, in the order in which new ones are to stand. */
  readonly present: readonly SessionId[];
  /** Which of some new tabs comes into view in a group that shows nothing. */
  readonly choose: (ids: readonly SessionId[]) => SessionId | null;
}

/**
 * Follows the list of sessions: new ones become tabs of the group in which the person works, in the background; what is
 * gone leaves, and its neighbour takes its place in view; a group without tabs is closed, unless it is the last one.
 */
export function followTabs(layout: PaneLayout, { present, choose }: TabsChange): PaneLayout {
  const there = new Set(present);
  const known = new Set(groupsOf(layout).flatMap(({ tabs }) => tabs));
  const added = present.filter((id) => !known.has(id));
  if (added.length === 0 && [...known].every((id) => there.has(id))) {
    return layout;
  }
  const withoutGone = closeEmptyGroups(
    mapGroups(layout, (group) => {
      const tabs = group.tabs.filter((id) => there.has(id));
      return tabs.length === group.tabs.length ? group : { ...group, tabs, shown: remaining(group, there) };
    }),
  );
  if (added.length === 0) {
    return withoutGone;
  }
  const { id: active } = activeGroupOf(withoutGone);
  return mapGroups(withoutGone, (group) =>
    group.id === active
      ? { ...group, tabs: [...group.tabs, ...added], shown: group.shown ?? choose(added) ?? added[0] ?? null }
      : group,
  );
}

/** Brings a tab into view, and the person's work to its group. */
export function showTab(layout: PaneLayout, id: SessionId): PaneLayout {
  const group = groupWith(layout, id);
  if (group === null || (group.shown === id && layout.activeGroup === group.id)) {
    return layout;
  }
  const shown = mapGroups(layout, (other) => (other.id === group.id ? { ...other, shown: id } : other));
  return { ...shown, activeGroup: group.id };
}

/** The person works in this group from now on. */
export function activateGroup(layout: PaneLayout, id: GroupId): PaneLayout {
  const isThere = groupsOf(layout).some((group) => group.id === id);
  return !isThere || layout.activeGroup === id ? layout : { ...layout, activeGroup: id };
}

/**
 * Moves a tab, brings it into view there, and the person's work with it. The group that it leaves shows the neighbour, or
 * is closed when it was the last. The only tab of a group cannot go beside that same group.
 */
export function moveTab(layout: PaneLayout, id: SessionId, place: TabPlace): PaneLayout {
  const from = groupWith(layout, id);
  const groups = groupsOf(layout);
  if (from === null || !groups.some((group) => group.id === place.group)) {
    return layout;
  }
  if (place.kind === 'among') {
    return closeEmptyGroups(moveAmong(layout, { id, from, group: place.group, index: place.index }));
  }
  if (groups.length >= MAX_GROUPS || (from.id === place.group && from.tabs.length === 1)) {
    return layout;
  }
  const added: TabGroup = { kind: 'group', id: nextGroupId(groups), tabs: [id], shown: id };
  const left = mapGroups(layout, (group) => (group.id === from.id ? without(group, id) : group));
  const root = insertBeside(left.root, { beside: place.group, side: place.side, added });
  return closeEmptyGroups({ root, activeGroup: added.id });
}

/** True when one more group fits. */
export function canDivide(layout: PaneLayout): boolean {
  return groupsOf(layout).length < MAX_GROUPS;
}

/** Closes a group; its tabs go to the end of another one, which takes its place as the one of the person's work. */
export function mergeGroup(layout: PaneLayout, id: GroupId, into: GroupId): PaneLayout {
  const merged = groupsOf(layout).find((group) => group.id === id);
  if (merged === undefined || id === into || !groupsOf(layout).some((group) => group.id === into)) {
    return layout;
  }
  const moved = mapGroups(layout, (group) => {
    if (group.id === id) {
      return { ...group, tabs: [], shown: null };
    }
    return group.id === into
      ? { ...group, tabs: [...group.tabs, ...merged.tabs], shown: merged.shown ?? group.shown }
      : group;
  });
  return closeEmptyGroups({ ...moved, activeGroup: into });
}

/** Applies a change to each group; the same layout when none changed. */
function mapGroups(layout: PaneLayout, change: (group: TabGroup) => TabGroup): PaneLayout {
  const root = mapNode(layout.root, change);
  return root === layout.root ? layout : { ...layout, root };
}

function mapNode(node: LayoutNode, change: (group: TabGroup) => TabGroup): LayoutNode {
  if (node.kind === 'group') {
    return change(node);
  }
  const parts = node.parts.map((part): SplitPart => {
    const changed = mapNode(part.node, change);
    return changed === part.node ? part : { ...part, node: changed };
  });
  return parts.every((part, index) => part === node.parts[index]) ? node : { ...node, parts };
}

function moveAmong(
  layout: PaneLayout,
  move: {
    readonly id: SessionId;
    readonly from: TabGroup;
    readonly group: GroupId;
    readonly index: number | undefined;
  },
): PaneLayout {
  const { id, from, group: target, index } = move;
  const moved = mapGroups(layout, (group) => {
    if (group.id !== target) {
      return group.id === from.id ? without(group, id) : group;
    }
    const others = group.tabs.filter((tab) => tab !== id);
    return { ...group, tabs: others.toSpliced(index ?? others.length, 0, id), shown: id };
  });
  return { ...moved, activeGroup: target };
}

function without(group: TabGroup, id: SessionId): TabGroup {
  const tabs = group.tabs.filter((tab) => tab !== id);
  return { ...group, tabs, shown: remaining(group, new Set(tabs)) };
}

/** What a group shows when some of its tabs go: the next to the right that is there, else the next to the left. */
function remaining({ tabs, shown }: TabGroup, there: ReadonlySet<SessionId>): SessionId | null {
  if (shown !== null && there.has(shown)) {
    return shown;
  }
  const index = shown === null ? -1 : tabs.indexOf(shown);
  const byNearness = [...tabs.slice(index + 1), ...tabs.slice(0, Math.max(index, 0)).reverse()];
  return byNearness.find((id) => there.has(id)) ?? null;
}

/** Groups without tabs go, and their room to the rest; the last one stays. */
function closeEmptyGroups(layout: PaneLayout): PaneLayout {
  const groups = groupsOf(layout);
  if (groups.every(({ tabs }) => tabs.length > 0)) {
    return layout;
  }
  const root = filled(layout.root);
  if (root === null) {
    const kept = activeGroupOf(layout);
    return { root: { ...kept, tabs: [], shown: null }, activeGroup: kept.id };
  }
  const left = groupsOf({ root });
  if (left.some(({ id }) => id === layout.activeGroup)) {
    return { ...layout, root };
  }
  // The one before the closed one, else the first: what is nearest to where the person worked.
  const index = groups.findIndex(({ id }) => id === layout.activeGroup);
  const before = groups.slice(0, Math.max(index, 0)).reverse();
  const next = before.find(({ tabs }) => tabs.length > 0) ?? left[0];
  return { root, activeGroup: next?.id ?? layout.activeGroup };
}

function filled(node: LayoutNode): LayoutNode | null {
  if (node.kind === 'group') {
    return node.tabs.length > 0 ? node : null;
  }
  const parts = node.parts.flatMap(({ node: part, share }): SplitPart[] => {
    const kept = filled(part);
    return kept === null ? [] : [{ node: kept, share }];
  });
  return joined(node.direction, parts);
}

/** A split of these parts, with shares that sum up to 1 and no split of the same direction inside; the only part itself. */
export function joined(direction: 'row' | 'column', parts: readonly SplitPart[]): LayoutNode | null {
  const [first] = parts;
  if (first === undefined || parts.length === 1) {
    return first?.node ?? null;
  }
  const flat = parts.flatMap(({ node, share }): readonly SplitPart[] =>
    node.kind === 'split' && node.direction === direction
      ? node.parts.map((part) => ({ node: part.node, share: part.share * share }))
      : [{ node, share }],
  );
  const sum = flat.reduce((total, { share }) => total + share, 0);
  return { kind: 'split', direction, parts: flat.map(({ node, share }) => ({ node, share: share / sum })) };
}

function insertBeside(
  node: LayoutNode,
  place: { readonly beside: GroupId; readonly side: Side; readonly added: TabGroup },
): LayoutNode {
  const { beside, side, added } = place;
  if (node.kind === 'split') {
    const parts = node.parts.map((part) => ({ ...part, node: insertBeside(part.node, place) }));
    return joined(node.direction, parts) ?? node;
  }
  if (node.id !== beside) {
    return node;
  }
  const direction = side === 'left' || side === 'right' ? 'row' : 'column';
  const pair = side === 'left' || side === 'up' ? [added, node] : [node, added];
  return { kind: 'split', direction, parts: pair.map((part) => ({ node: part, share: 0.5 })) };
}

function nextGroupId(groups: readonly TabGroup[]): GroupId {
  const numbers = groups.map(({ id }) => Number(id.slice('group-'.length)));
  return `group-${Math.max(0, ...numbers) + 1}`;
}
