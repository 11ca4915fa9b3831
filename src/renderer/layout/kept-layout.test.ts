import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/session.ts';
import { exampleSession } from '../testing/example-session.ts';
import { keptLayout, restoredLayout } from './kept-layout.ts';
import { followTabs, moveTab } from './layout-changes.ts';
import { groupBoxes, moveBorder } from './pane-boxes.ts';
import { groupsOf, UNDIVIDED } from './pane-layout.ts';

const sessions = ['a', 'b', 'c'].map((id, index) => exampleSession({ id, startedAtMs: index }));
const C = 'c' as SessionId;
const all = followTabs(UNDIVIDED, { present: sessions.map(({ id }) => id), choose: (ids) => ids[0] ?? null });
const divided = moveBorder(
  moveTab(all, C, { kind: 'beside', group: 'group-1', side: 'down' }),
  { path: [], before: 0 },
  0.3,
);

describe('a layout that was kept', () => {
  it('is the same again', () => {
    const again = restoredLayout(keptLayout(divided, sessions), sessions);
    expect(again).toEqual(divided);
  });

  it('has only the tabs of sessions that are still there, and no group without any', () => {
    const kept = keptLayout(divided, sessions);
    const [a, , c] = sessions;
    expect(groupsOf(restoredLayout(kept, sessions.slice(0, 2))).map(({ tabs }) => tabs)).toEqual([['a', 'b']]);
    const two = restoredLayout(
      kept,
      [a, c].filter((one) => one !== undefined),
    );
    expect(groupBoxes(two).map(({ group, box }) => [group.tabs, box.height])).toEqual([
      [['a'], 0.3],
      [['c'], 0.7],
    ]);
    expect(restoredLayout(kept, [])).toEqual(UNDIVIDED);
  });

  it('has the sessions again that came back from an earlier run, by whatever ids', () => {
    const back = sessions.map((session) => ({ ...session, id: `again-${session.id}` as SessionId }));
    const again = restoredLayout(keptLayout(divided, sessions), back);
    expect(groupsOf(again).map(({ tabs, shown }) => [tabs, shown])).toEqual([
      [['again-a', 'again-b'], 'again-a'],
      [['again-c'], 'again-c'],
    ]);
    expect(groupBoxes(again).map(({ box }) => box)).toEqual(groupBoxes(divided).map(({ box }) => box));
  });

  it('keeps no way back to what could not start', () => {
    const failed = sessions.map((session) => ({ ...session, state: 'failed' as const }));
    expect(JSON.stringify(keptLayout(divided, failed))).not.toContain('epoch');
    expect(restoredLayout(keptLayout(divided, failed), failed)).toEqual(divided);
  });

  it('takes a session that has the id of a former one for another', () => {
    const later = sessions.map((session) => ({ ...session, startedAtMs: session.startedAtMs + 1_000 }));
    expect(restoredLayout(keptLayout(divided, sessions), later)).toEqual(UNDIVIDED);
  });

  it('counts a tab that is named twice once, and shares that do not sum up as proportions', () => {
    const tabs = [{ id: 'a', startedAtMs: 0 }];
    const group = { kind: 'group', tabs, shown: 'b', isActive: false } as const;
    const other = { ...group, tabs: [...tabs, { id: 'b', startedAtMs: 1 }] };
    const parts = [
      { share: 0.5, node: group },
      { share: 1, node: other },
    ];
    const layout = restoredLayout({ kind: 'split', direction: 'row', parts }, sessions);
    expect(groupBoxes(layout).map(({ group: one, box }) => [one.tabs, one.shown, Math.round(box.width * 100)])).toEqual(
      [
        [['a'], 'a', 33],
        [['b'], 'b', 67],
      ],
    );
    expect(layout.activeGroup).toBe('group-1');
  });
});
