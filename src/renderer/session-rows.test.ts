import { describe, expect, it } from 'vitest';
import type { SessionInfo } from '../shared/session.ts';
import { rowAfterKey, sessionRows, type GroupKey } from './session-rows.ts';
import { CODEX, ended, exampleSession } from './testing/example-session.ts';

const sessions: readonly SessionInfo[] = [
  exampleSession({ id: 's1' }),
  exampleSession({ id: 's2', argv: ['bash', '-c', 'npm test'], origin: CODEX }),
  exampleSession({ id: 's3', argv: ['vite'], title: 'web build', origin: { ...CODEX, client: 'aider' } }),
  exampleSession({ id: 's4', argv: ['lint'], origin: CODEX, ...ended(1), endedAtMs: 3_000 }),
  exampleSession({ id: 's5', argv: ['tsc'], ...ended(0), endedAtMs: 9_000 }),
];

const shown = (filter = '', closed: readonly GroupKey[] = [], of = sessions): string[] =>
  sessionRows({ sessions: of, filter, closedGroups: new Set(closed) }).map((row) =>
    row.kind === 'group'
      ? `${row.isOpen ? '▾' : '▸'} ${row.name} (${row.count})`
      : `${row.session.id} ${row.position}/${row.size}`,
  );

describe('the rows of the session list', () => {
  it('are grouped by client, agents first, with what ended below, the newest end first', () => {
    expect(shown()).toEqual([
      '▾ aider (1)',
      's3 1/1',
      '▾ codex (1)',
      's2 1/1',
      '▾ you (1)',
      's1 1/1',
      '▾ ended (2)',
      's5 1/2',
      's4 2/2',
    ]);
    expect(shown('', [], [])).toEqual([]);
  });

  it('of a folded group are not there, and are when something is looked for', () => {
    expect(shown('', ['by codex', 'ended'])).toEqual([
      '▾ aider (1)',
      's3 1/1',
      '▸ codex (1)',
      '▾ you (1)',
      's1 1/1',
      '▸ ended (2)',
    ]);
    expect(shown('npm', ['by codex'])).toEqual(['▾ codex (1)', 's2 1/1']);
  });

  it.each([
    ['title', 'WEB build', ['s3']],
    ['command under a title', 'vite', ['s3']],
    ['client', 'aider', ['s3']],
    ['state', 'exited 1', ['s4']],
    ['all words', 'codex exited', ['s4']],
    ['folder', 'ada/src', ['s3', 's2', 's1', 's5', 's4']],
    ['nothing', 'nothing of that', []],
  ])('are found by %s', (_what, filter, ids) => {
    const found = sessionRows({ sessions, filter, closedGroups: new Set() });
    expect(found.flatMap((row) => (row.kind === 'session' ? [row.key] : []))).toEqual(ids);
  });

  it('are found by what stands in the midst of a long command, as it is written', () => {
    const script = `${'make all; '.repeat(50)}echo "in the midst"; ${'make all; '.repeat(50)}`;
    const long = exampleSession({ id: 's9', argv: ['bash', '-c', script] });
    const found = sessionRows({ sessions: [long, ...sessions], filter: '"in midst";', closedGroups: new Set() });
    expect(found.flatMap((row) => (row.kind === 'session' ? [row.key] : []))).toEqual(['s9']);
  });

  it('of a client whose name is “ended” are not taken for ended ones', () => {
    const odd = exampleSession({ id: 's9', origin: { ...CODEX, client: 'ended' } });
    expect(shown('', ['ended'], [odd])).toEqual(['▾ ended (1)', 's9 1/1']);
  });
});

describe('the keys of the session list', () => {
  const rows = sessionRows({ sessions, filter: '', closedGroups: new Set(['by codex']) });

  it.each([
    ['ArrowDown', 0, 1],
    ['ArrowDown', rows.length - 1, rows.length - 1],
    ['ArrowUp', 0, 0],
    ['ArrowUp', 2, 1],
    ['Home', 4, 0],
    ['End', 0, rows.length - 1],
    ['ArrowLeft', 1, 0],
    ['ArrowRight', 0, 1],
    ['ArrowLeft', 0, null],
    ['ArrowRight', 1, null],
    ['ArrowRight', 2, null],
    ['x', 0, null],
  ])('%s from row %d goes to %s', (key, from, to) => {
    expect(rowAfterKey(rows, from, key)).toBe(to);
  });
});
