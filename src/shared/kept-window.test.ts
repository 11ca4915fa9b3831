import { describe, expect, it } from 'vitest';
import { keptTabsOf, NEW_PAGE, withoutTab, withTab, type KeptGroup, type KeptPage } from './kept-window.ts';

const groupOf = (...epochs: readonly string[]): KeptGroup => ({
  kind: 'group',
  tabs: epochs.map((epoch, index) => ({ id: `session-${index}`, startedAtMs: index, epoch })),
  shown: 'session-0',
  isActive: true,
});

const pageOf = (...groups: readonly KeptGroup[]): KeptPage => ({
  root: { kind: 'split', direction: 'row', parts: groups.map((node) => ({ share: 0.5, node })) },
  panels: { sessions: { isOpen: true, width: 300 }, timeline: { isOpen: false, width: 280 } },
});

describe('a kept page without a tab', () => {
  it('has all others at their places', () => {
    const [first, second] = [groupOf('a', 'b'), groupOf('c')];
    const without = { ...first, tabs: first.tabs.slice(0, 1) };
    expect(withoutTab(pageOf(first, second), 'b')).toEqual(pageOf(without, second));
    expect(withoutTab(pageOf(first, second), 'c')).toEqual(pageOf(first, { ...second, tabs: [] }));
  });

  it('is the same where it never had it', () => {
    const page = pageOf(groupOf('a'), groupOf('b'));
    expect(withoutTab(page, 'of nobody')).toBe(page);
  });
});

describe('a kept page with one more tab', () => {
  const tab = { id: 'session-9', startedAtMs: 9, epoch: 'new' };

  it('has it behind the others of the group in use', () => {
    const [first, second] = [{ ...groupOf('a'), isActive: false }, groupOf('b')];
    const more = { ...second, tabs: [...second.tabs, tab] };
    expect(withTab(pageOf(first, second), tab)).toEqual(pageOf(first, more));
    expect(withTab(NEW_PAGE, tab)).toEqual({
      ...NEW_PAGE,
      root: { kind: 'group', tabs: [tab], shown: null, isActive: true },
    });
  });

  it('is the same where it has it already, and not where another had its id in an earlier run', () => {
    const page = pageOf(groupOf('a'), groupOf('new'));
    expect(withTab(page, tab)).toBe(page);
    const reused = { ...tab, id: 'session-0' };
    expect(keptTabsOf(withTab(pageOf(groupOf('a')), reused).root)).toHaveLength(2);
  });
});
