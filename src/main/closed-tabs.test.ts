import { describe, expect, it, vi } from 'vitest';
import type { Engine } from '../engine/engine.ts';
import type { SessionId, SessionInfo } from '../shared/session.ts';
import { ClosedTabs } from './closed-tabs.ts';

const closedSession = (epoch: string, startedAtMs: number, state: SessionInfo['state'] = 'closed'): SessionInfo =>
  ({ id: `id of ${epoch}` as SessionId, epoch, startedAtMs, state }) as SessionInfo;

/** An engine whose disk has lost the epochs that begin with `gone`. */
function startTabs() {
  const engine = {
    findEarlier: vi.fn<Engine['findEarlier']>((epochs) => {
      const kept = epochs.filter((epoch) => !epoch.startsWith('gone'));
      const found = kept.map((epoch) => ({ session: closedSession(epoch, 0), hostId: 'host', wasTyped: true }));
      return Promise.resolve({ found, gone: epochs.filter((epoch) => epoch.startsWith('gone')), damaged: [] });
    }),
    restore: vi.fn<Engine['restore']>((epochs) => Promise.resolve(epochs.map((epoch) => closedSession(epoch, 0)))),
  };
  const tabs = new ClosedTabs(engine);
  const reopened = async (): Promise<[readonly string[], number]> => {
    const { sessions, lost } = await tabs.reopen();
    return [sessions.map(({ epoch }) => epoch), lost];
  };
  return { tabs, reopened };
}

describe('closed tabs', () => {
  it('come back the last first, those of one act together and the oldest of them first, each once', async () => {
    const { tabs, reopened } = startTabs();
    tabs.closed([closedSession('a', 1)]);
    tabs.closed([closedSession('c', 3), closedSession('b', 2)]);
    expect(await reopened()).toEqual([['b', 'c'], 0]);
    expect(await reopened()).toEqual([['a'], 0]);
    expect(await reopened()).toEqual([[], 0]);
  });

  it('that are not kept are counted; what could not start is not among them', async () => {
    const { tabs, reopened } = startTabs();
    tabs.closed([closedSession('gone-1', 1), closedSession('b', 2)]);
    tabs.closed([closedSession('never', 3, 'failed')]);
    expect(await reopened()).toEqual([['b'], 1]);
  });

  it('are remembered up to a thousand', async () => {
    const { tabs, reopened } = startTabs();
    for (let number = 0; number < 1_001; number += 1) {
      tabs.closed([closedSession(`s${number}`, number)]);
    }
    let count = 0;
    for (let [epochs] = await reopened(); epochs.length > 0; [epochs] = await reopened()) {
      count += 1;
    }
    expect(count).toBe(1_000);
  });
});
