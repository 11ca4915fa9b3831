import { describe, expect, it } from 'vitest';
import type { SessionId } from '../shared/session.ts';
import { paletteItems } from './palette-items.ts';
import { CODEX, ended, exampleSession } from './testing/example-session.ts';
import { INITIAL_WINDOW_STATE } from './window-state.ts';

const S1 = 's1' as SessionId;
const state = { ...INITIAL_WINDOW_STATE, selected: S1 };
const labels = (items: ReturnType<typeof paletteItems>): string[] => items.map(({ label }) => label);

describe('the command palette', () => {
  it('offers what does something now, then the sessions', () => {
    expect(labels(paletteItems([], INITIAL_WINDOW_STATE, ''))).toEqual(['New Shell']);
    const held = exampleSession({ origin: CODEX, keyboard: 'person' });
    expect(labels(paletteItems([held], state, ''))).toEqual([
      'New Shell',
      'Close Tab',
      'Copy',
      'Find in This Pane',
      'Give the Keyboard Back',
      'Fit to My Pane',
      'Answer an Agent’s Question',
      'Sessions',
      'Timeline',
      'Survivors',
      'Connect an Agent',
      'Go to zsh, codex, running',
    ]);
    const fitted = labels(paletteItems([held], { ...state, fitted: new Set([S1]) }, ''));
    expect(fitted).not.toContain('Fit to My Pane');
    const own = labels(paletteItems([exampleSession(ended(0)), exampleSession({ id: 's2' })], state, ''));
    expect(own).toEqual(expect.arrayContaining(['Run Again', 'Close All Ended', 'Next Tab', 'Previous Tab']));
    expect(own).not.toContain('Give the Keyboard Back');
  });

  it('finds by letters in order, the best match first', () => {
    const npmTest = exampleSession({ argv: ['bash', '-c', 'npm test'], origin: CODEX });
    expect(labels(paletteItems([npmTest], state, 'tline'))[0]).toBe('Timeline');
    expect(labels(paletteItems([npmTest], state, 'npm'))).toEqual(['Go to npm test, codex, running']);
    expect(paletteItems([npmTest], state, 'zzzz')).toEqual([]);
  });
});
