import { describe, expect, it, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { ShownQuestion } from '../../shared/approval.ts';
import type { SessionId } from '../../shared/session.ts';
import type { SettingsSnapshot } from '../../shared/settings.ts';
import type { ConnectionState } from '../connection-state.ts';
import { groupsOf } from '../layout/pane-layout.ts';
import { CODEX, ended, exampleSession } from '../testing/example-session.ts';
import { feedsOf } from '../testing/fake-feeds.ts';
import { allTurns, FakeHost, LISTENING } from '../testing/fake-host.ts';
import { WindowController } from './window-controller.ts';
import type { FocusPlace } from './window-focus.ts';
import { INITIAL_WINDOW_STATE, type WindowState } from './window-state.ts';

const S1 = 's1' as SessionId;
const S2 = 's2' as SessionId;

/** A window without a page: the keyboard is where `places` says, and each move of it is written down. */
async function startWindow(host = new FakeHost()) {
  const state = createStore<WindowState>(() => INITIAL_WINDOW_STATE);
  const connection = createStore<ConnectionState>(() => ({ kind: 'unknown' }));
  const feeds = feedsOf(host, state);
  const places = new Map<string, FocusPlace>();
  const beneath = new Set<string>();
  const moves: string[] = [];
  const keyboard = { isElsewhere: false };
  const selection = { text: '' };
  const controller = new WindowController({
    host: host.api,
    ...feeds,
    state,
    connection,
    questions: createStore<readonly ShownQuestion[]>(() => []),
    settings: createStore<SettingsSnapshot | null>(() => null),
    earlier: { show: async () => 'gone', back: () => false, store: createStore(() => new Map()) },
    finder: { cameBack: () => undefined, step: () => undefined },
    focus: {
      placeOf: (id) => places.get(id) ?? 'elsewhere',
      isIn: (panel) => places.get(panel) === 'elsewhere',
      isBeneath: (region) => beneath.has(region),
      toRegion: (region) => moves.push(`region ${region}`),
      toHead: (panel) => moves.push(`head of ${panel}`),
      stay: () => {
        const { isElsewhere } = keyboard;
        return () => keyboard.isElsewhere === isElsewhere;
      },
      toTab: (id) => moves.push(`tab ${id}`),
      toPane: (id) => moves.push(`pane ${id}`),
      toQuestion: (id) => moves.push(`question ${id}`),
    },
    isLargeEnough: ({ height }) => height >= 0.25,
    estimateSize: () => ({ cols: 120, rows: 40 }),
    goToInput: (id, direction) => moves.push(`${direction} input of ${id}`),
    selectAll: vi.fn(),
    selectText: () => undefined,
    linksInView: () => [],
    selectedText: () => selection.text,
    isWindowVisible: () => true,
  });
  await controller.arrangement.load();
  controller.start();
  await allTurns();
  return {
    host,
    controller,
    state,
    connection,
    places,
    beneath,
    moves,
    keyboard,
    selection,
    selected: () => state.getState().selected,
  };
}

const agentSession = (id: string) => exampleSession({ id, origin: CODEX });
const secondShell = exampleSession({ id: 's2', startedAtMs: 2_000 });

describe('an agent’s session', () => {
  it('is shown when nothing else is in view, and never takes the keyboard', async () => {
    const { host, selected, moves } = await startWindow();
    host.put(agentSession('s1'));
    host.put(agentSession('s2'));
    expect(selected()).toBe(S1);
    expect(moves).toEqual([]);
  });
});

describe('a session that the person asks for from outside', () => {
  it('is put in view and gets the keyboard', async () => {
    const { host, selected, moves } = await startWindow();
    host.put(agentSession('s1'));
    host.put(agentSession('s2'));
    host.showSession(S2);
    expect(selected()).toBe(S2);
    expect(moves).toEqual(['pane s2']);
  });
});

describe('a new shell', () => {
  it('has the size of the pane, is beside the session in view, is selected, and gets the keyboard', async () => {
    const { host, controller, selected, moves } = await startWindow();
    host.put(agentSession('s1'));
    host.nextShell = secondShell;
    await controller.newShell();
    expect(host.requests.openShell).toHaveBeenCalledWith({ cols: 120, rows: 40 }, S1);
    expect(selected()).toBe(S2);
    expect(moves).toEqual(['pane s2']);
  });

  it('leaves the keyboard where she went before it was there', async () => {
    const { host, controller, selected, moves, keyboard } = await startWindow();
    host.put(agentSession('s1'));
    host.nextShell = secondShell;
    const opened = controller.newShell();
    keyboard.isElsewhere = true;
    await opened;
    expect(selected()).toBe(S2);
    expect(moves).toEqual([]);
  });

  it('is selected also when the answer comes before the list knows of it', async () => {
    const { host, controller, selected } = await startWindow();
    host.put(agentSession('s1'));
    host.requests.openShell.mockResolvedValueOnce(secondShell);
    await controller.newShell();
    expect(selected()).toBe(S1);
    host.put(secondShell);
    expect(selected()).toBe(S2);
  });

  it('that could not be opened is told, with the reason', async () => {
    const { controller, state } = await startWindow();
    await controller.newShell();
    expect(state.getState().notices).toEqual([{ id: 1, text: 'A new shell could not be opened. No shell was found.' }]);
  });
});

describe('closing', () => {
  it('an ended session asks nothing', async () => {
    const { host, controller, state } = await startWindow();
    host.put(exampleSession(ended(0)));
    controller.closing.request(S1);
    await allTurns();
    expect(host.requests.closeSession).toHaveBeenCalledWith(S1);
    expect(state.getState()).toMatchObject({ selected: null, asking: null });
  });

  it('a running session asks in its own pane first', async () => {
    const { host, controller, state } = await startWindow();
    host.put(agentSession('s1'));
    host.put(agentSession('s2'));
    controller.closing.request(S2);
    expect(state.getState()).toMatchObject({ selected: S2, asking: S2 });
    expect(host.requests.closeSession).not.toHaveBeenCalled();
  });

  it('is taken back by keeping it running, and the keyboard goes back to where it was', async () => {
    const { host, controller, state, places, moves } = await startWindow();
    host.put(agentSession('s1'));
    places.set('s1', 'tab');
    controller.closing.request(S1);
    controller.closing.keepRunning();
    expect(state.getState().asking).toBeNull();
    expect(moves).toEqual(['tab s1']);
    expect(host.requests.closeSession).not.toHaveBeenCalled();
    expect(host.requests.terminateSession).not.toHaveBeenCalled();
  });

  it('can end the child and keep what it printed', async () => {
    const { host, controller, state } = await startWindow();
    host.put(agentSession('s1'));
    controller.closing.request(S1);
    await controller.closing.endAndKeep(S1);
    expect(host.requests.terminateSession).toHaveBeenCalledWith(S1);
    expect(host.requests.closeSession).not.toHaveBeenCalled();
    expect(state.getState()).toMatchObject({ selected: S1, asking: null });
  });

  it('from the pane puts the keyboard into the next pane', async () => {
    const { host, controller, places, moves, selected } = await startWindow();
    host.put(agentSession('s1'));
    host.put(agentSession('s2'));
    places.set('s1', 'pane');
    controller.closing.request(S1);
    await controller.closing.endAndClose(S1);
    expect(selected()).toBe(S2);
    expect(moves.at(-1)).toBe('pane s2');
  });

  it('from the strip puts the keyboard onto the next tab', async () => {
    const { host, controller, places, moves } = await startWindow();
    host.put(exampleSession({ id: 's1', ...ended(1) }));
    host.put(agentSession('s2'));
    places.set('s1', 'tab');
    controller.closing.request(S1);
    await allTurns();
    expect(moves).toEqual(['tab s2']);
  });

  it('of another tab with the mouse leaves the keyboard alone', async () => {
    const { host, controller, moves, selected } = await startWindow();
    host.put(agentSession('s1'));
    host.put(exampleSession({ id: 's2', startedAtMs: 2_000, ...ended(0) }));
    controller.closing.request(S2);
    await allTurns();
    expect(selected()).toBe(S1);
    expect(moves).toEqual([]);
  });

  it('that the host refuses is told, and can be asked for again', async () => {
    const { host, controller, state } = await startWindow();
    host.put(exampleSession(ended(0)));
    host.requests.closeSession.mockRejectedValueOnce(new Error('The disk is full.'));
    controller.closing.request(S1);
    await allTurns();
    expect(state.getState().notices.map(({ text }) => text)).toEqual([
      'The session could not be closed. The disk is full.',
    ]);
    expect(state.getState().ending.size).toBe(0);
    controller.closing.request(S1);
    await allTurns();
    expect(host.requests.closeSession).toHaveBeenCalledTimes(2);
  });
});

describe('a session that vanishes while somebody types into it', () => {
  it('leaves the keyboard on a tab, so that no key goes to another shell', async () => {
    const { host, places, moves } = await startWindow();
    host.put(agentSession('s1'));
    host.put(agentSession('s2'));
    places.set('s1', 'pane');
    host.remove('s1');
    expect(moves).toEqual(['tab s2']);
  });

  it('moves nothing when the keyboard was elsewhere', async () => {
    const { host, moves } = await startWindow();
    host.put(agentSession('s1'));
    host.put(agentSession('s2'));
    host.remove('s1');
    expect(moves).toEqual([]);
  });
});

describe('a split', () => {
  it('opens a shell beside the pane, which has the keyboard, and none where there is no room', async () => {
    const { host, state, selected, moves } = await startWindow();
    host.put(agentSession('s1'));
    for (const id of ['s2', 's3', 's4']) {
      host.nextShell = exampleSession({ id, startedAtMs: 2_000 });
      host.command('split-down');
      await allTurns();
    }
    const groups = (): readonly string[] => groupsOf(state.getState().layout).map(({ tabs }) => tabs.join(' '));
    expect([groups(), selected(), moves]).toEqual([['s1', 's2', 's3'], 's3', ['pane s2', 'pane s3']]);
    expect(state.getState().notices.map(({ text }) => text)).toEqual(['There is no room for one more pane here.']);
  });

  it('moves the shell there also when its answer comes before the list knows of it', async () => {
    const { host, state } = await startWindow();
    host.put(agentSession('s1'));
    host.requests.openShell.mockResolvedValueOnce(secondShell);
    host.command('split-right');
    await allTurns();
    host.put(secondShell);
    expect(groupsOf(state.getState().layout).map(({ tabs }) => tabs)).toEqual([['s1'], ['s2']]);
  });
});

describe('several windows', () => {
  it('a session whose tab is in another one is brought there, and takes no keyboard here', async () => {
    const { host, controller, selected, moves } = await startWindow();
    host.put(agentSession('s1'));
    host.setElsewhere(S2);
    host.put(agentSession('s2'));
    controller.select(S2, 'to-pane');
    controller.closing.request(S2);
    expect(host.requests.showElsewhere.mock.calls).toEqual([[S2], [S2]]);
    expect([selected(), moves]).toEqual([S1, []]);
  });

  it('a tab that goes to another one leaves the keyboard on the next, and it comes back in the background', async () => {
    const { host, state, places, moves } = await startWindow();
    host.put(agentSession('s1'));
    host.put(agentSession('s2'));
    places.set('s1', 'pane');
    host.setElsewhere(S1);
    const [group] = groupsOf(state.getState().layout);
    expect([group?.tabs, state.getState().selected, moves]).toEqual([[S2], S2, ['tab s2']]);
    host.setElsewhere();
    expect([groupsOf(state.getState().layout)[0]?.tabs, state.getState().selected]).toEqual([[S2, S1], S2]);
  });
});

describe('the arrangement of the window', () => {
  it('is what was kept, without what is gone, and is kept with each change', async () => {
    const host = new FakeHost();
    host.put(agentSession('s1'));
    host.put(secondShell);
    const tab = (id: string, startedAtMs: number) => ({ id, startedAtMs });
    const first = exampleSession().startedAtMs;
    host.requests.keptWindow.mockResolvedValue({
      page: {
        root: {
          kind: 'split',
          direction: 'row',
          parts: [
            { share: 0.25, node: { kind: 'group', tabs: [tab('s2', 2_000)], shown: 's2', isActive: true } },
            { share: 0.5, node: { kind: 'group', tabs: [tab('gone', 1)], shown: 'gone', isActive: false } },
            { share: 0.25, node: { kind: 'group', tabs: [tab('s1', first)], shown: 's1', isActive: false } },
          ],
        },
        panels: { sessions: { isOpen: true, width: 300 }, timeline: { isOpen: false, width: 280 } },
      },
      elsewhere: [],
      show: null,
    });
    const { controller, state } = await startWindow(host);
    expect(groupsOf(state.getState().layout).map(({ tabs }) => tabs)).toEqual([['s2'], ['s1']]);
    expect(state.getState()).toMatchObject({
      selected: S2,
      panels: { sessions: true },
      panelWidths: { sessions: 300 },
    });
    controller.panels.setWidth('sessions', 9_999);
    expect(host.requests.keepWindow.mock.lastCall?.[0].panels.sessions).toEqual({ isOpen: true, width: 560 });
    controller.layout.moveShown('right');
    expect(host.requests.keepWindow.mock.lastCall?.[0].root).toMatchObject({ kind: 'group', shown: 's2' });
  });
});

describe('commands of the menu', () => {
  it('bring a panel forward that is open beneath something else, and close it where it is in sight', async () => {
    const { host, state, beneath, moves } = await startWindow();
    host.command('toggle-timeline');
    beneath.add('timeline');
    host.command('toggle-timeline');
    expect([state.getState().panels.timeline, moves]).toEqual([true, ['region timeline']]);
    beneath.delete('timeline');
    host.command('toggle-timeline');
    expect([state.getState().panels.timeline, moves]).toEqual([false, ['region timeline']]);
    host.command('settings');
    beneath.add('settings');
    host.command('settings');
    expect([state.getState().sheet, moves.at(-1)]).toEqual(['settings', 'region settings']);
  });

  it('switch tabs around the ends, with the keyboard in the pane or in the strip as it was', async () => {
    const { host, places, moves, selected } = await startWindow();
    host.put(agentSession('s1'));
    host.put(agentSession('s2'));
    host.command('previous-tab');
    places.set('s2', 'tab');
    host.command('next-tab');
    expect(selected()).toBe(S1);
    expect(moves).toEqual(['pane s2', 'tab s1']);
  });

  it('do nothing without a session', async () => {
    const { host, moves, state } = await startWindow();
    host.command('next-tab');
    host.command('close-tab');
    expect(moves).toEqual([]);
    expect(state.getState()).toEqual(INITIAL_WINDOW_STATE);
  });

  it('copy what is selected, and nothing when nothing is', async () => {
    const { host, selection } = await startWindow();
    host.command('copy');
    expect(host.requests.writeClipboard).not.toHaveBeenCalled();
    selection.text = 'two\nlines';
    host.command('copy');
    expect(host.requests.writeClipboard).toHaveBeenCalledWith('two\nlines');
  });
});

describe('tabs', () => {
  it('are gone to by their place, the last from the end; where there is none nothing changes', async () => {
    const { host, controller, selected, moves } = await startWindow();
    for (const id of ['s1', 's2', 's3']) {
      host.put(agentSession(id));
    }
    controller.runCommand('tab-2');
    expect(selected()).toBe(S2);
    controller.runCommand('tab-8');
    expect(selected()).toBe(S2);
    controller.runCommand('tab-last');
    expect(selected()).toBe('s3');
    expect(moves).toEqual(['pane s2', 'pane s3']);
  });

  it('are gone back to in the order of their use, unless they are closed', async () => {
    const { host, controller, selected } = await startWindow();
    for (const id of ['s1', 's2', 's3']) {
      host.put(agentSession(id));
    }
    controller.runCommand('last-used-tab');
    expect(selected()).toBe(S1);
    controller.runCommand('tab-3');
    controller.runCommand('last-used-tab');
    expect(selected()).toBe(S1);
    controller.runCommand('last-used-tab');
    expect(selected()).toBe('s3');
    host.remove('s1');
    controller.runCommand('last-used-tab');
    expect(selected()).toBe('s3');
  });
});

describe('failures', () => {
  it('count as looked at all at once', async () => {
    const { host, controller, state } = await startWindow();
    host.put(agentSession('s1'));
    for (const id of ['s2', 's3']) {
      host.put(exampleSession({ id, origin: CODEX, ...ended(3) }));
    }
    expect([...state.getState().unseen]).toEqual(['s2', 's3']);
    controller.runCommand('mark-all-seen');
    expect(state.getState().unseen.size).toBe(0);
    host.put(exampleSession({ id: 's2', origin: CODEX, ...ended(3), title: 'renamed' }));
    expect(state.getState().unseen.size).toBe(0);
  });
});

describe('the door for agents', () => {
  it('is known from the host, and an event is newer than the first answer', async () => {
    const host = new FakeHost();
    let answer: (info: typeof LISTENING) => void = () => undefined;
    host.requests.describeConnection.mockReturnValueOnce(
      new Promise((resolve) => {
        answer = resolve;
      }),
    );
    const { connection } = await startWindow(host);
    host.connect({ clients: ['codex'] });
    answer(LISTENING);
    await allTurns();
    expect(connection.getState()).toEqual({ kind: 'known', connection: { ...LISTENING, clients: ['codex'] } });
  });

  it('is told to be unknown, with the reason, when the host cannot say', async () => {
    const host = new FakeHost();
    host.requests.describeConnection.mockRejectedValueOnce(new Error('No answer.'));
    const { connection } = await startWindow(host);
    expect(connection.getState()).toEqual({ kind: 'unreachable', reason: 'No answer.' });
  });
});
