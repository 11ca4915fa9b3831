import { describe, expect, it } from 'vitest';
import type { SessionId } from '../shared/session.ts';
import { WindowTabs } from './window-tabs.ts';

const S1 = 's1' as SessionId;
const S2 = 's2' as SessionId;

describe('the tabs of windows', () => {
  it('come where the person works, and stay there', () => {
    const tabs = new WindowTabs();
    expect([tabs.seen(S1, 1), tabs.seen(S1, 2), tabs.seen(S2, 2)]).toEqual([true, false, true]);
    expect([tabs.elsewhere(1), tabs.elsewhere(2), tabs.elsewhere(3)]).toEqual([[S2], [S1], [S1, S2]]);
  });

  it('move, and leave with their sessions', () => {
    const tabs = new WindowTabs();
    tabs.seen(S1, 1);
    tabs.move(S1, 2);
    expect([tabs.windowOf(S1), tabs.elsewhere(1)]).toEqual([2, [S1]]);
    tabs.gone(S1);
    expect([tabs.windowOf(S1), tabs.elsewhere(1)]).toEqual([null, []]);
  });

  it('go to another window when theirs is closed, and wait for one when it was the last', () => {
    const tabs = new WindowTabs();
    tabs.seen(S1, 1);
    tabs.seen(S2, 2);
    tabs.closed(2, 1);
    expect(tabs.elsewhere(1)).toEqual([]);
    tabs.closed(1, null);
    expect([tabs.windowOf(S1), tabs.seen(S1, 3)]).toEqual([null, false]);
    tabs.opened(3);
    expect([tabs.windowOf(S1), tabs.windowOf(S2)]).toEqual([3, 3]);
  });
});
