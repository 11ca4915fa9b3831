import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/session.ts';
import { activateGroup, followTabs, mergeGroup, moveTab, showTab } from './layout-changes.ts';
import { borders, GROWTHS, groupBoxes, groupOnSide, growGroup, moveBorder } from './pane-boxes.ts';
import {
  activeGroupOf,
  groupsOf,
  neighbourTab,
  shownTabs,
  SIDES,
  UNDIVIDED,
  type LayoutNode,
  type PaneLayout,
  type Side,
} from './pane-layout.ts';

const id = (text: string): SessionId => text as SessionId;
const ids = (text: string): SessionId[] => text.split(' ').filter(Boolean).map(id);
const follow = (layout: PaneLayout, present: string): PaneLayout =>
  followTabs(layout, { present: ids(present), choose: (added) => added.at(-1) ?? null });

/** `a b* | c*` : groups with their tabs, the one in view with a star; the active group in brackets. */
function words(layout: PaneLayout): string {
  return groupsOf(layout)
    .map((group) => {
      const tabs = group.tabs.map((tab) => (tab === group.shown ? `${tab}*` : tab)).join(' ');
      return group.id === layout.activeGroup ? `[${tabs}]` : tabs;
    })
    .join(' | ');
}

const beside = (layout: PaneLayout, side: Side, tab: string): PaneLayout =>
  moveTab(layout, id(tab), { kind: 'beside', group: activeGroupOf(layout).id, side });

describe('the tabs', () => {
  it('come in the background into the group in which the person works', () => {
    const two = beside(follow(UNDIVIDED, 'a b'), 'right', 'b');
    expect(words(two)).toBe('a* | [b*]');
    expect(words(follow(two, 'a b c'))).toBe('a* | [b* c]');
    expect(words(follow(activateGroup(two, 'group-1'), 'a b c'))).toBe('[a* c] | b*');
  });

  it('leave with their sessions, a neighbour comes into view, and a group without any is closed', () => {
    const two = beside(follow(UNDIVIDED, 'a b c d'), 'right', 'd');
    expect(words(follow(two, 'a c d'))).toBe('a c* | [d*]');
    expect(words(follow(showTab(two, id('b')), 'a c d'))).toBe('[a c*] | d*');
    expect(words(follow(two, 'a b c'))).toBe('[a b c*]');
    expect(words(follow(two, ''))).toBe('[]');
  });

  it('are the same object when nothing changed', () => {
    const layout = follow(UNDIVIDED, 'a b');
    expect(follow(layout, 'b a')).toBe(layout);
    expect(showTab(layout, id('b'))).toBe(layout);
  });

  it('are gone through around the ends of their group', () => {
    const [group] = groupsOf(follow(UNDIVIDED, 'a b c'));
    expect(group && [neighbourTab(group, id('c'), 1), neighbourTab(group, id('a'), -1)]).toEqual(['a', 'c']);
    expect(neighbourTab({ kind: 'group', id: 'group-1', tabs: [], shown: null }, null, 1)).toBeNull();
  });
});

describe('a tab that is moved', () => {
  it('makes a new group on each side', () => {
    const layout = follow(UNDIVIDED, 'a b');
    expect(SIDES.map((side) => words(beside(layout, side, 'b')))).toEqual([
      '[b*] | a*',
      'a* | [b*]',
      '[b*] | a*',
      'a* | [b*]',
    ]);
    expect(groupBoxes(beside(layout, 'up', 'b')).map(({ box }) => [box.y, box.height])).toEqual([
      [0, 0.5],
      [0.5, 0.5],
    ]);
  });

  it('goes to its place among the others of a group, also of its own', () => {
    const two = beside(follow(UNDIVIDED, 'a b c'), 'right', 'c');
    expect(words(moveTab(two, id('c'), { kind: 'among', group: 'group-1', index: 1 }))).toBe('[a c* b]');
    expect(words(moveTab(two, id('a'), { kind: 'among', group: 'group-1' }))).toBe('[b a*] | c*');
    expect(words(moveTab(two, id('a'), { kind: 'among', group: 'group-2' }))).toBe('b* | [c a*]');
  });

  it('stays where it is when it is alone and should go beside its own group', () => {
    const layout = follow(UNDIVIDED, 'a');
    expect(beside(layout, 'right', 'a')).toBe(layout);
    expect(moveTab(layout, id('nobody'), { kind: 'among', group: 'group-1' })).toBe(layout);
    expect(moveTab(layout, id('a'), { kind: 'among', group: 'group-9' })).toBe(layout);
  });

  it('takes half of the room of the group beside which it goes, and leaves the other ones theirs', () => {
    const two = beside(follow(UNDIVIDED, 'a b c'), 'right', 'b');
    const three = moveTab(two, id('c'), { kind: 'beside', group: 'group-2', side: 'right' });
    expect(groupBoxes(three).map(({ box }) => box.width)).toEqual([0.5, 0.25, 0.25]);
  });
});

describe('a group that is closed', () => {
  it('gives its tabs to the other one, which shows what it showed', () => {
    const two = beside(follow(UNDIVIDED, 'a b c'), 'right', 'c');
    expect(words(mergeGroup(two, 'group-2', 'group-1'))).toBe('[a b c*]');
    expect(mergeGroup(two, 'group-2', 'group-2')).toBe(two);
  });
});

describe('the group on a side', () => {
  const row = beside(follow(UNDIVIDED, 'a b c'), 'right', 'b');
  // a | b over c
  const layout = moveTab(row, id('c'), { kind: 'beside', group: 'group-2', side: 'down' });

  it('is the one that touches it there', () => {
    expect(groupsOf(layout).map(({ tabs }) => tabs[0])).toEqual(['a', 'b', 'c']);
    expect(groupOnSide(layout, 'group-1', 'right')).toBe('group-2');
    expect(groupOnSide(layout, 'group-2', 'down')).toBe('group-3');
    expect(groupOnSide(layout, 'group-3', 'left')).toBe('group-1');
    expect(groupOnSide(layout, 'group-1', 'left')).toBeNull();
    expect(groupOnSide(layout, 'group-1', 'down')).toBeNull();
  });

  it('is of several the one with the longest common edge', () => {
    const [border] = borders(layout).filter(({ direction }) => direction === 'column');
    const uneven = border === undefined ? layout : moveBorder(layout, border, 0.3);
    expect(groupOnSide(uneven, 'group-1', 'right')).toBe('group-3');
  });
});

describe('a border', () => {
  const two = beside(follow(UNDIVIDED, 'a b'), 'right', 'b');

  it('stands between two groups, and leaves each of them some room', () => {
    expect(borders(two)).toEqual([
      {
        path: [],
        before: 0,
        between: ['group-1', 'group-2'],
        direction: 'row',
        line: { x: 0.5, y: 0, width: 0, height: 1 },
        room: { x: 0, y: 0, width: 1, height: 1 },
        share: 0.5,
      },
    ]);
    const widths = (share: number): readonly number[] =>
      groupBoxes(moveBorder(two, { path: [], before: 0 }, share)).map(({ box }) => Math.round(box.width * 100) / 100);
    expect([widths(0.3), widths(-4), widths(7)]).toEqual([
      [0.3, 0.7],
      [0.1, 0.9],
      [0.9, 0.1],
    ]);
  });

  it('moves by keys: the group of the person’s work grows and shrinks, whichever side it is on', () => {
    const width = (group: 'group-1' | 'group-2', growth: 'wider' | 'narrower'): number | undefined =>
      groupBoxes(growGroup(two, group, growth)).find((one) => one.group.id === group)?.box.width;
    expect([width('group-1', 'wider'), width('group-1', 'narrower')]).toEqual([0.55, 0.45]);
    expect([width('group-2', 'wider'), width('group-2', 'narrower')]).toEqual([
      expect.closeTo(0.55),
      expect.closeTo(0.45),
    ]);
    expect(growGroup(two, 'group-1', 'taller')).toBe(two);
  });
});

describe('any series of changes', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const pick = fc.nat(20);
  const step = fc.oneof(
    fc.record({ kind: fc.constant('follow' as const), present: fc.subarray(names) }),
    fc.record({ kind: fc.constant('show' as const), tab: fc.constantFrom(...names) }),
    fc.record({
      kind: fc.constant('beside' as const),
      tab: fc.constantFrom(...names),
      group: pick,
      side: fc.constantFrom(...SIDES),
    }),
    fc.record({ kind: fc.constant('among' as const), tab: fc.constantFrom(...names), group: pick, index: fc.nat(6) }),
    fc.record({ kind: fc.constant('merge' as const), group: pick, into: pick }),
    fc.record({ kind: fc.constant('grow' as const), growth: fc.constantFrom(...GROWTHS) }),
    fc.record({
      kind: fc.constant('border' as const),
      border: pick,
      share: fc.double({ min: -1, max: 2, noNaN: true }),
    }),
  );
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

  function apply(layout: PaneLayout, change: Step): PaneLayout {
    const groups = groupsOf(layout);
    const group = (index: number) => groups[index % groups.length]?.id ?? 'group-1';
    switch (change.kind) {
      case 'follow':
        return follow(layout, change.present.join(' '));
      case 'show':
        return showTab(layout, id(change.tab));
      case 'beside':
        return moveTab(layout, id(change.tab), { kind: 'beside', group: group(change.group), side: change.side });
      case 'among':
        return moveTab(layout, id(change.tab), {
          kind: 'among',
          group: group(change.group),
          index: change.index,
        });
      case 'merge':
        return mergeGroup(layout, group(change.group), group(change.into));
      case 'grow':
        return growGroup(layout, activeGroupOf(layout).id, change.growth);
      case 'border': {
        const all = borders(layout);
        const border = all[change.border % Math.max(1, all.length)];
        return border === undefined ? layout : moveBorder(layout, border, change.share);
      }
    }
  }

  it('loses no tab, leaves no group empty but the last, and fills the room without a gap', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let layout = follow(UNDIVIDED, names.join(' '));
        let present = names;
        for (const change of steps) {
          layout = apply(layout, change);
          present = change.kind === 'follow' ? change.present : present;
          const groups = groupsOf(layout);
          expect(groups.flatMap(({ tabs }) => tabs).toSorted()).toEqual(present.toSorted());
          expect(groups.length === 1 || groups.every(({ tabs }) => tabs.length > 0)).toBe(true);
          expect(new Set(groups.map((one) => one.id)).size).toBe(groups.length);
          expect(groups.some((one) => one.id === layout.activeGroup)).toBe(true);
          expect(groups.every(({ tabs, shown }) => (tabs.length === 0) === (shown === null))).toBe(true);
          expect([...shownTabs(layout)].every((shown) => present.includes(shown))).toBe(true);
          expectWhole(layout.root, null);
          const area = groupBoxes(layout).reduce((sum, { box }) => sum + box.width * box.height, 0);
          expect(area).toBeCloseTo(1, 6);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** Shares sum up to 1, and no split stands in one of the same direction. */
function expectWhole(node: LayoutNode, outer: string | null): void {
  if (node.kind === 'group') {
    return;
  }
  expect(node.direction).not.toBe(outer);
  expect(node.parts.length).toBeGreaterThan(1);
  expect(node.parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
  for (const part of node.parts) {
    expectWhole(part.node, node.direction);
  }
}
