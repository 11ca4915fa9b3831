import { describe, expect, it } from 'vitest';
import type { SessionId, WaitingKind } from '../shared/session.ts';
import { quitLosses, type QuitSession } from './quit-losses.ts';

const ID = 's1' as SessionId;
const SHELL = '/bin/zsh';

const waits = (kind: WaitingKind, pid = 7): QuitSession['waitingFor'] => {
  return { kind, pid, program: 'zsh', echo: null, canonical: null };
};

/** A person's shell at its prompt, with whatever a test wants otherwise. */
const shell = (over: Partial<QuitSession> = {}): QuitSession => ({
  id: ID,
  origin: { kind: 'person' },
  argv: [SHELL],
  pid: 7,
  state: 'running',
  waitingFor: waits('repl'),
  treeEmpty: null,
  ...over,
});

const losses = (session: QuitSession, processes: number | null = 1) =>
  quitLosses([session], new Map(processes === null ? [] : [[ID, { processes }]]), SHELL);

describe('what the end of the app would end', () => {
  it('loses nothing of an own shell at its prompt, alone in its session', () => {
    expect(losses(shell())).toEqual({ lost: [], idle: [ID] });
    expect(losses(shell({ waitingFor: waits('line') }))).toEqual({ lost: [], idle: [ID] });
  });

  it.each<[string, QuitSession, number | null]>([
    ['a shell with a job in the background', shell(), 2],
    ['a shell of which nothing is known but its state', shell({ waitingFor: null }), 1],
    ['a shell whose processes could not be counted', shell(), null],
    ['a shell at work', shell({ waitingFor: waits('busy') }), 1],
    ['a shell whose program waits', shell({ waitingFor: waits('repl', 8) }), 1],
    ['another program of the person', shell({ argv: ['/usr/bin/python3'] }), 1],
    ['a shell that was given a script', shell({ argv: [SHELL, 'job.sh'] }), 1],
    [
      'a shell of an agent',
      shell({ origin: { kind: 'agent', client: 'codex', processId: 'p', threadId: null, callId: null } }),
      1,
    ],
    ['what outlived an ended session', shell({ state: 'closed', waitingFor: null, treeEmpty: false }), null],
  ])('loses %s', (_what, session, processes) => {
    expect(losses(session, processes)).toEqual({ lost: [ID], idle: [] });
  });

  it('has nothing to lose of an ended session', () => {
    expect(losses(shell({ state: 'closed', treeEmpty: true }))).toEqual({ lost: [], idle: [] });
  });
});
