import { describe, expect, it, vi } from 'vitest';
import type { EarlierFacts } from '../engine/engine.ts';
import type { SessionInfo } from '../shared/session.ts';
import { NOTHING_KEPT, type KeptEntry } from './kept-windows.ts';
import { bringTabsBack, keptEpochs, worthShowing } from './tabs-again.ts';

const SHELL = '/bin/bash';
const AGENT = { kind: 'agent', client: 'codex', processId: 'p', threadId: null, callId: null } as const;

interface Told extends Partial<SessionInfo> {
  readonly hostId?: string;
  readonly wasTyped?: boolean;
}

/** A used shell of the person's own that ended with the app, or what a test wants instead. */
function facts(epoch: string, { hostId = 'last', wasTyped = true, ...over }: Told = {}): EarlierFacts {
  const usual = { argv: [SHELL], origin: { kind: 'person' }, state: 'closed', endedBy: 'host', startedAtMs: 1 };
  return { session: { ...usual, epoch, ...over } as unknown as SessionInfo, hostId, wasTyped };
}

function windowWith(tabs: readonly { readonly epoch?: string; readonly startedAtMs: number }[]): KeptEntry {
  const group = (own: typeof tabs) =>
    ({
      kind: 'group',
      tabs: own.map((tab, index) => ({ id: `session-${index}`, ...tab })),
      shown: null,
      isActive: false,
    }) as const;
  return {
    ...NOTHING_KEPT,
    page: {
      root: {
        kind: 'split',
        direction: 'row',
        parts: [
          { share: 0.5, node: group(tabs.slice(0, 1)) },
          { share: 0.5, node: group(tabs.slice(1)) },
        ],
      },
      panels: { sessions: { isOpen: false, width: 300 }, timeline: { isOpen: false, width: 280 } },
    },
  };
}

describe('the tabs that come back', () => {
  const epochs = (found: readonly EarlierFacts[]) => worthShowing(found, SHELL).map(({ session }) => session.epoch);

  it('are those of all windows, the newest first, and no more than 200', () => {
    const tabs = [{ epoch: 'a', startedAtMs: 1 }, { startedAtMs: 9 }, { epoch: 'b', startedAtMs: 3 }];
    const entries = [windowWith(tabs), NOTHING_KEPT, windowWith([{ epoch: 'c', startedAtMs: 2 }])];
    expect(keptEpochs(entries)).toEqual(['b', 'c', 'a']);
    const many = Array.from({ length: 300 }, (_, index) => ({ epoch: `e${index}`, startedAtMs: index }));
    expect(keptEpochs([windowWith(many)])).toEqual(
      many
        .slice(100)
        .reverse()
        .map(({ epoch }) => epoch),
    );
  });

  it('are all, the oldest first, but for shells of the person’s own into which nobody typed', () => {
    const found = [
      facts('new', { startedAtMs: 5 }),
      facts('unused', { startedAtMs: 4, wasTyped: false }),
      facts('ended by herself', { startedAtMs: 3, wasTyped: false, endedBy: 'child' }),
      facts('command', { startedAtMs: 2, wasTyped: false, argv: [SHELL, '-c', 'make'] }),
      facts('of an agent', { startedAtMs: 1, wasTyped: false, origin: AGENT }),
    ];
    expect(epochs(found)).toEqual(['of an agent', 'command', 'ended by herself', 'new']);
  });

  it('have of those shells only the ones of the last run in which one was used', () => {
    const before = facts('before', { hostId: 'first', startedAtMs: 1 });
    const agents = facts('agents', { hostId: 'first', startedAtMs: 2, origin: AGENT });
    const last = [facts('one', { startedAtMs: 11 }), facts('two', { startedAtMs: 12, state: 'lost', endedBy: null })];
    expect(epochs([before, agents, ...last])).toEqual(['agents', 'one', 'two']);
    // A run that was over before she typed anything takes nothing away.
    expect(epochs([before, facts('unused', { startedAtMs: 20, wasTyped: false })])).toEqual(['before']);
  });
});

describe('bringing the tabs back', () => {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const entries = [windowWith(['a', 'b', 'c'].map((epoch, startedAtMs) => ({ epoch, startedAtMs })))];
  const restore = vi.fn(async () => []);
  const again = (found: EarlierFacts[], gone: string[] = [], damaged: string[] = []) =>
    bringTabsBack({
      engine: { findEarlier: async () => ({ found, gone, damaged }), restore },
      entries,
      shellPath: SHELL,
      log,
    });

  it('asks for a shell only where one of the person’s own was open', async () => {
    expect(await again([facts('a', { origin: AGENT })])).toMatchObject({ opensShell: false, problem: null });
    expect(await again([facts('a')])).toMatchObject({ opensShell: true, problem: null });
    expect(await again([facts('a', { wasTyped: false })])).toMatchObject({ opensShell: false, problem: null });
    expect(restore.mock.calls).toEqual([[['a']], [['a']], [[]]]);
  });

  it('says what does not come back, and why', async () => {
    const problems = [await again([], ['a']), await again([], [], ['b']), await again([], ['a'], ['b'])];
    expect(problems.map(({ problem }) => problem)).toEqual([
      'A tab of the last time could not be brought back: what was printed there is no longer on the disk.',
      'A tab of the last time could not be brought back: what was printed there is damaged.',
      '2 tabs of the last time could not be brought back: what was printed there is damaged or is no longer on the disk.',
    ]);
  });

  it('that fails as a whole is told, and ends nothing', async () => {
    const failing = { findEarlier: () => Promise.reject(new Error('EIO')), restore };
    expect(await bringTabsBack({ engine: failing, entries, shellPath: SHELL, log })).toEqual({
      sessions: [],
      opensShell: false,
      problem: 'The tabs of the last time could not be brought back.',
    });
    expect(log.error).toHaveBeenCalledTimes(1);
  });
});
