import { expect, test, vi } from 'vitest';
import type { ProgramProgress, SessionId, SessionInfo } from '../../shared/session.ts';
import { AppProgress, joinedProgress } from './app-progress.ts';

const at = (percent: number | null, kind: ProgramProgress['kind'] = 'normal'): ProgramProgress => ({ kind, percent });

test.each([
  ['of nobody is none', [], null],
  ['of one is its own', [at(40)], at(40)],
  ['of several is their mean', [at(10), at(25)], at(18)],
  ['leaves out who knows none', [at(30), at(null, 'indeterminate')], at(30)],
  ['of those who all know none has no measure', [at(null, 'indeterminate')], at(null, 'indeterminate')],
  ['is an error where one has it', [at(20), at(60, 'error')], at(40, 'error')],
  ['is paused where all are', [at(20, 'paused'), at(null, 'paused')], at(20, 'paused')],
  ['goes on where one of them does', [at(20, 'paused'), at(40)], at(30)],
] as const)('the progress of the app %s', (_what, all, joined) => {
  expect(joinedProgress(all)).toEqual(joined);
});

test('what the person runs is shown when it changes, and goes with its session; agents’ is not', () => {
  const show = vi.fn();
  const progress = new AppProgress({ show });
  const tell = (id: string, told: ProgramProgress | null, more: Partial<SessionInfo> = {}): void =>
    progress.sessionChanged({
      id: id as SessionId,
      origin: { kind: 'person' },
      state: 'running',
      progress: told,
      ...more,
    } as SessionInfo);
  tell('s1', null);
  tell('s2', at(90), { origin: { kind: 'agent', client: 'codex', processId: 'p', threadId: null, callId: null } });
  expect(show.mock.calls).toEqual([]);
  tell('s1', at(10));
  tell('s1', at(10));
  tell('s3', at(30));
  expect(show.mock.calls).toEqual([[at(10)], [at(20)]]);
  tell('s1', at(10), { state: 'exited' });
  progress.sessionRemoved('s3' as SessionId);
  expect(show.mock.calls.slice(2)).toEqual([[at(30)], [null]]);
});
