import { describe, expect, it } from 'vitest';
import { CODEX, ended, exampleSession } from '../testing/example-session.ts';
import { lostSessions, quitLosses, quitSentence } from './quit-text.ts';
import { clockText } from './timeline-text.ts';

describe('the question before the app ends', () => {
  it('groups what runs by whom it is for, the longest at work first, and tells three of each', () => {
    const codex = ['four', 'one', 'three', 'two'].map((title, at) =>
      exampleSession({ id: title, title, origin: CODEX, startedAtMs: [4, 1, 3, 2][at] ?? 0 }),
    );
    const own = exampleSession({ id: 'own', title: 'own', startedAtMs: 60_000 });
    expect(quitLosses([own, ...codex], new Map([[own.id, '(2)']]))).toEqual([
      { who: 'codex', count: `4 sessions since ${clockText(1)}`, titles: 'one, two, three, and 1 more' },
      { who: 'you', count: `1 session since ${clockText(60_000)}`, titles: 'own (2)' },
    ]);
  });

  it('tells what outlived a session, and neither idle shells nor what has ended', () => {
    const left = exampleSession({ id: 'left', title: 'server', ...ended(0), treeEmpty: false });
    const sessions = [
      left,
      exampleSession({ id: 'idle' }),
      exampleSession({ id: 'over', ...ended(0), treeEmpty: true }),
    ];
    const lost = lostSessions(sessions, [exampleSession({ id: 'idle' }).id]);
    expect(lost).toEqual([left]);
    expect(quitLosses(lost, new Map())[0]?.titles).toBe('what server left running');
  });

  it.each([
    [0, /^Nothing is left that quitting would end/],
    [1, /^1 session is still running\. Quitting ends it /],
    [2, /^2 sessions are still running\. Quitting ends them /],
  ])('says that %i run', (count, sentence) => {
    expect(quitSentence(count)).toMatch(sentence);
  });
});
