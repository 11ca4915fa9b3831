import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/session.ts';
import { PaneKeyboard } from './pane-keyboard.ts';

const S1 = 's1' as SessionId;
const S2 = 's2' as SessionId;

function startKeyboard() {
  const keyboard = new PaneKeyboard();
  const moves: SessionId[] = [];
  return { keyboard, moves, show: (id: SessionId): void => keyboard.shown(id, () => moves.push(id)) };
}

describe('the keyboard', () => {
  it('goes to a pane in view at once, and never by itself', () => {
    const { keyboard, moves, show } = startKeyboard();
    show(S1);
    expect(moves).toEqual([]);
    keyboard.give(S1);
    expect(moves).toEqual([S1]);
  });

  it('waits for a pane that is not in view, and goes there once', () => {
    const { keyboard, moves, show } = startKeyboard();
    show(S1);
    keyboard.give(S2);
    expect(moves).toEqual([]);
    keyboard.hidden(S1);
    show(S2);
    show(S2);
    expect(moves).toEqual([S2]);
  });

  it('does not go to a pane that was in view before', () => {
    const { keyboard, moves, show } = startKeyboard();
    show(S1);
    keyboard.hidden(S1);
    keyboard.give(S1);
    expect(moves).toEqual([]);
    show(S1);
    expect(moves).toEqual([S1]);
  });

  it('goes where it was last asked for', () => {
    const { keyboard, moves, show } = startKeyboard();
    show(S1);
    keyboard.give(S2);
    keyboard.give(S1);
    show(S2);
    expect(moves).toEqual([S1]);
  });

  it('is not taken from the next pane by the late farewell of the one before', () => {
    const { keyboard, moves, show } = startKeyboard();
    show(S1);
    show(S2);
    keyboard.hidden(S1);
    keyboard.give(S2);
    expect(moves).toEqual([S2]);
  });
});
