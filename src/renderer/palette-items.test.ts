import { describe, expect, it } from 'vitest';
import type { SessionId, SessionInfo } from '../shared/session.ts';
import { moveTab } from './layout/layout-changes.ts';
import { paletteItems } from './palette-items.ts';
import { CODEX, ended, exampleSession } from './testing/example-session.ts';
import { followList, INITIAL_WINDOW_STATE, type WindowState } from './window/window-state.ts';

const S1 = 's1' as SessionId;
const S2 = 's2' as SessionId;
const showing = (...sessions: readonly SessionInfo[]): WindowState =>
  followList(INITIAL_WINDOW_STATE, { before: [], after: sessions, isWindowVisible: true });
const ALWAYS = [
  'Settings',
  'Zoom In',
  'Zoom Out',
  'Reset Zoom',
  'Larger Terminal Font',
  'Smaller Terminal Font',
  'Reset Terminal Font',
  'Keyboard Shortcuts',
];
const labels = (items: ReturnType<typeof paletteItems>): string[] => items.map(({ label }) => label);

describe('the command palette', () => {
  it('offers what does something now, then the sessions', () => {
    expect(labels(paletteItems([], INITIAL_WINDOW_STATE, ''))).toEqual([
      'New Shell',
      'New Window',
      'Reopen Closed Tab',
      'Allowed Commands',
      ...ALWAYS,
    ]);
    const held = exampleSession({ origin: CODEX, keyboard: 'person' });
    expect(labels(paletteItems([held], showing(held), ''))).toEqual([
      'New Shell',
      'New Window',
      'Close Tab',
      'Reopen Closed Tab',
      'Copy',
      'Select All',
      'Select Text',
      'Copy Command',
      'Copy Folder',
      'Find in This Pane',
      'Previous Input',
      'Next Input',
      'Open Full Output',
      'Open Link',
      'Give the Keyboard Back',
      'Fit to My Pane',
      'Answer a Question',
      'Rename',
      'Show Session Details',
      'All Tabs',
      'Sessions',
      'Timeline',
      'Timeline of All Sessions',
      'Survivors',
      'Allowed Commands',
      'Environment of This Session',
      'Connect an Agent',
      'Split Right',
      'Split Down',
      ...ALWAYS,
      'Go to zsh, codex, running',
    ]);
    const fitted = labels(paletteItems([held], { ...showing(held), fitted: new Set([S1]) }, ''));
    expect(fitted).not.toContain('Fit to My Pane');
    expect(labels(paletteItems([held], { ...showing(held), earlier: new Set([S1]) }, ''))).toContain('Back to Now');
    const two = [exampleSession(ended(0)), exampleSession({ id: 's2' })] as const;
    const own = labels(paletteItems(two, { ...showing(...two), selected: S1 }, ''));
    expect(own).toEqual(expect.arrayContaining(['Run Again', 'Close All Ended', 'Next Tab', 'Previous Tab']));
    expect(own).not.toContain('Give the Keyboard Back');
  });

  it('offers the answers to what an agent asks for while it asks', () => {
    const attention = { id: 'a', kind: 'ask', message: 'look', askedAtMs: 1, untilMs: 2 } as const;
    const answers = ['Tell the Agent It Is Done', 'Decline What the Agent Asks'];
    const offered = (over: object): readonly string[] => {
      const session = exampleSession({ origin: CODEX, ...over });
      return labels(paletteItems([session], showing(session), '')).filter((label) => answers.includes(label));
    };
    expect([offered({ attention }), offered({})]).toEqual([answers, []]);
  });

  it('offers of what concerns panes what would change something', () => {
    const two = [exampleSession({}), exampleSession({ id: 's2' })] as const;
    const state = showing(...two);
    const layout = moveTab(state.layout, S2, { kind: 'beside', group: 'group-1', side: 'right' });
    const offered = labels(paletteItems(two, { ...state, layout, selected: S2 }, ''));
    expect(offered).toEqual(
      expect.arrayContaining([
        'Go to the Pane on the Left',
        'Move Tab Left',
        'Make Pane Wider',
        'Close Pane, Keep Its Tabs',
      ]),
    );
    for (const label of ['Go to the Pane on the Right', 'Move Tab Right', 'Make Pane Taller', 'Next Tab']) {
      expect(offered).not.toContain(label);
    }
  });

  it('finds by letters in order, the best match first', () => {
    const npmTest = exampleSession({ argv: ['bash', '-c', 'npm test'], origin: CODEX });
    expect(labels(paletteItems([npmTest], showing(npmTest), 'tline'))[0]).toBe('Timeline');
    expect(labels(paletteItems([npmTest], showing(npmTest), 'npm'))).toEqual(['Go to npm test, codex, running']);
    expect(paletteItems([npmTest], showing(npmTest), 'zzzz')).toEqual([]);
  });
});
