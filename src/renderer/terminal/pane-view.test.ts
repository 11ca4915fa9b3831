import { describe, expect, it } from 'vitest';
import { PaneView } from './pane-view.ts';

const newView = (): PaneView => new PaneView({ keyboard: 'agent', isBellHeard: () => false });

describe('whoever waits until a pane has caught up', () => {
  it('is told when it has, and at once from then on', async () => {
    const view = newView();
    const waits = view.whenCaughtUp();
    view.caughtUp();
    expect([await waits, await view.whenCaughtUp()]).toEqual([true, true]);
  });

  it('waits anew where it was out of view', async () => {
    const view = newView();
    view.caughtUp();
    view.setInView(false);
    expect(await view.whenCaughtUp()).toBe(true);
    view.setInView(true);
    const waits = view.whenCaughtUp();
    view.caughtUp();
    expect(await waits).toBe(true);
  });

  it('waits no longer where it goes out of view before, or no more is to come', async () => {
    const [hidden, ended] = [newView(), newView()];
    const waits = [hidden.whenCaughtUp(), ended.whenCaughtUp()];
    hidden.setInView(false);
    ended.dispose();
    expect(await Promise.all(waits)).toEqual([false, false]);
    expect([await hidden.whenCaughtUp(), await ended.whenCaughtUp()]).toEqual([false, false]);
  });
});
