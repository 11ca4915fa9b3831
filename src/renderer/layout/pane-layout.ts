/**
 * How the window's room is divided: a tree of splits, with groups of tabs as its leaves. Each session has one tab, in one
 * group. Every function is pure; the page draws what they say.
 */
import type { SessionId } from '../../shared/session.ts';

export type GroupId = `group-${number}`;

/** Tabs that share a place; one of them is in view. */
export interface TabGroup {
  readonly kind: 'group';
  readonly id: GroupId;
  readonly tabs: readonly SessionId[];
  /** The tab in view; null only while there are no tabs, which only the last group may have. */
  readonly shown: SessionId | null;
}

/** Two or more parts, from left to right or from top to bottom. No part is a split of the same direction. */
export interface Split {
  readonly kind: 'split';
  readonly direction: SplitDirection;
  readonly parts: readonly SplitPart[];
}

export type SplitDirection = 'row' | 'column';

export interface SplitPart {
  readonly node: LayoutNode;
  /** Of the split's room; those of a split sum up to 1. */
  readonly share: number;
}

export type LayoutNode = TabGroup | Split;

export interface PaneLayout {
  readonly root: LayoutNode;
  /** Where the person works: new tabs come here, and commands are about the tab that it shows. */
  readonly activeGroup: GroupId;
}

export const SIDES = ['left', 'right', 'up', 'down'] as const;
export type Side = (typeof SIDES)[number];

/** Where a tab is to go: between the tabs of a group (at its end without an index), or into a new group beside one. */
export type TabPlace =
  | { readonly kind: 'among'; readonly group: GroupId; readonly index?: number }
  | { readonly kind: 'beside'; readonly group: GroupId; readonly side: Side };

const FIRST_GROUP: TabGroup = { kind: 'group', id: 'group-1', tabs: [], shown: null };

/** One group without tabs. */
export const UNDIVIDED: PaneLayout = { root: FIRST_GROUP, activeGroup: FIRST_GROUP.id };

/** All groups, from left to right and from top to bottom. */
export function groupsOf({ root }: Pick<PaneLayout, 'root'>): readonly TabGroup[] {
  return root.kind === 'group' ? [root] : root.parts.flatMap(({ node }) => groupsOf({ root: node }));
}

/** The group that has a session's tab; null for a session that has none. */
export function groupWith(layout: PaneLayout, id: SessionId): TabGroup | null {
  return groupsOf(layout).find(({ tabs }) => tabs.includes(id)) ?? null;
}

/** The group in which the person works. */
export function activeGroupOf(layout: PaneLayout): TabGroup {
  const groups = groupsOf(layout);
  const active = groups.find(({ id }) => id === layout.activeGroup) ?? groups[0];
  if (active === undefined) {
    throw new Error('A layout has at least one group.');
  }
  return active;
}

/** The sessions in view, one for each group that has a tab. */
export function shownTabs(layout: PaneLayout): ReadonlySet<SessionId> {
  return new Set(groupsOf(layout).flatMap(({ shown }) => (shown === null ? [] : [shown])));
}

/** The tab `distance` places further in the group of the person's work, around its ends. */
export function neighbourTab(group: TabGroup, from: SessionId | null, distance: number): SessionId | null {
  const { tabs } = group;
  if (tabs.length === 0) {
    return null;
  }
  const index = from === null ? -1 : tabs.indexOf(from);
  return tabs[(((index + distance) % tabs.length) + tabs.length) % tabs.length] ?? null;
}
