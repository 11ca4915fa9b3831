import { describe, expect, it } from 'vitest';
import type { SessionId, SessionInfo } from '../../shared/session.ts';
import { CODEX, ended, exampleSession } from '../testing/example-session.ts';
import {
  addNotice,
  followList,
  INITIAL_WINDOW_STATE,
  markSeen,
  selectSession,
  type WindowState,
} from './window-state.ts';

const S1 = 's1' as SessionId;
const S2 = 's2' as SessionId;
const S3 = 's3' as SessionId;
const LISTED = { isListed: true, isWindowVisible: true };

function sessions(...ids: string[]): SessionInfo[] {
  return ids.map((id) => exampleSession({ id, origin: CODEX }));
}

function follow(
  state: WindowState,
  before: readonly SessionInfo[],
  after: readonly SessionInfo[],
  isWindowVisible = true,
): WindowState {
  return followList(state, { before, after, isWindowVisible });
}

/** A window that has these sessions, with one of them in view. */
function viewing(selected: SessionId, ...ids: string[]): WindowState {
  return selectSession(follow(INITIAL_WINDOW_STATE, [], sessions(...ids)), selected, LISTED);
}

describe('the selection', () => {
  it('is an agent’s new session only when there is nothing else in view', () => {
    const first = follow(INITIAL_WINDOW_STATE, [], sessions('s1'));
    expect(first.selected).toBe(S1);
    expect(follow(first, sessions('s1'), sessions('s1', 's2')).selected).toBe(S1);
  });

  it('is the newest that still runs when the window opens on a list', () => {
    const list = [...sessions('s1', 's2'), exampleSession({ id: 's3', ...ended(0) })];
    expect(follow(INITIAL_WINDOW_STATE, [], list).selected).toBe(S2);
    expect(follow(INITIAL_WINDOW_STATE, [], [exampleSession(ended(0))]).selected).toBe(S1);
  });

  it('goes to the next tab when the selected one is closed, and to the one before at the end', () => {
    const three = viewing(S2, 's1', 's2', 's3');
    expect(follow(three, sessions('s1', 's2', 's3'), sessions('s1', 's3')).selected).toBe(S3);
    expect(follow(viewing(S2, 's1', 's2'), sessions('s1', 's2'), sessions('s1')).selected).toBe(S1);
    expect(follow(viewing(S2, 's2'), sessions('s2'), []).selected).toBeNull();
  });

  it('goes to the nearest tab that is left when several are closed at once', () => {
    const state = viewing(S3, 's1', 's2', 's3', 's4');
    expect(follow(state, sessions('s1', 's2', 's3', 's4'), sessions('s1', 's2')).selected).toBe(S2);
  });

  it('waits for a session that was asked for and is not in the list yet', () => {
    const before = sessions('s1');
    const waiting = selectSession(viewing(S1, 's1'), S2, { ...LISTED, isListed: false });
    expect([waiting.selected, waiting.awaited]).toEqual([S1, { id: S2, place: null }]);
    const arrived = follow(waiting, before, sessions('s1', 's2', 's3'));
    expect([arrived.selected, arrived.awaited]).toEqual([S2, null]);
  });
});

describe('the mark of a failure', () => {
  const running = sessions('s1', 's2');
  const failed = [sessions('s1')[0], exampleSession({ id: 's2', origin: CODEX, ...ended(1) })] as SessionInfo[];
  const onFirst = viewing(S1, 's1', 's2');

  it('stays on a tab until it was in view', () => {
    const marked = follow(onFirst, running, failed);
    expect([...marked.unseen]).toEqual([S2]);
    expect([...follow(marked, failed, failed).unseen]).toEqual([S2]);
    expect([...selectSession(marked, S2, LISTED).unseen]).toEqual([]);
  });

  it('does not come back once it was seen', () => {
    const seen = selectSession(follow(onFirst, running, failed), S2, LISTED);
    const away = selectSession(seen, S1, LISTED);
    expect([...follow(away, failed, failed).unseen]).toEqual([]);
  });

  it('is not set for what is in view, unless the window cannot be seen', () => {
    const onSecond = viewing(S2, 's1', 's2');
    expect([...follow(onSecond, running, failed).unseen]).toEqual([]);
    const hidden = follow(onSecond, running, failed, false);
    expect([...hidden.unseen]).toEqual([S2]);
    expect([...markSeen(hidden, true).unseen]).toEqual([]);
  });

  it('is not set for success, nor for what the person ended', () => {
    const well = [running[0], exampleSession({ id: 's2', ...ended(0) })] as SessionInfo[];
    const killed = [running[0], exampleSession({ id: 's2', ...ended(null, 'SIGTERM'), endedBy: 'person' })];
    expect([...follow(onFirst, running, well).unseen]).toEqual([]);
    expect([...follow(onFirst, running, killed as SessionInfo[]).unseen]).toEqual([]);
  });

  it('is as it was on a tab that is opened again', () => {
    const again = [running[0], exampleSession({ ...failed[1], id: 's3' })] as SessionInfo[];
    const marked = follow(onFirst, running, failed);
    const seen = selectSession(selectSession(marked, S2, LISTED), S1, LISTED);
    for (const [state, unseen] of [
      [marked, [S3]],
      [seen, []],
    ] as const) {
      const closed = follow(state, failed, sessions('s1'));
      expect([...follow(closed, sessions('s1'), again).unseen]).toEqual(unseen);
    }
  });

  it('goes with its session', () => {
    const marked = follow(onFirst, running, failed);
    expect([...follow(marked, failed, sessions('s1')).unseen]).toEqual([]);
  });
});

describe('an open question', () => {
  it('is dropped when the session ends by itself or is removed', () => {
    const asking = { ...viewing(S1, 's1'), asking: S1, ending: new Set([S1]) };
    expect(follow(asking, sessions('s1'), sessions('s1')).asking).toBe(S1);
    expect(follow(asking, sessions('s1'), [exampleSession(ended(0))]).asking).toBeNull();
    expect([...follow(asking, sessions('s1'), []).ending]).toEqual([]);
  });
});

describe('a byte count that changes', () => {
  it('changes nothing that components compare', () => {
    const before = viewing(S1, 's1', 's2');
    const after = follow(before, sessions('s1', 's2'), [
      exampleSession({ id: 's1', outputBytes: 9 }),
      ...sessions('s2'),
    ]);
    expect(after).toEqual(before);
    expect([after.unseen, after.ending]).toEqual([before.unseen, before.ending]);
    expect(after.unseen).toBe(before.unseen);
    expect(after.ending).toBe(before.ending);
  });
});

describe('notices', () => {
  it('are told once each, the newest last, and at most three', () => {
    const texts = ['a', 'b', 'a', 'c', 'd'];
    const state = texts.reduce((known, text, id) => addNotice(known, { id, text }), INITIAL_WINDOW_STATE);
    expect(state.notices.map(({ text }) => text)).toEqual(['a', 'c', 'd']);
  });
});
