import type { SessionId, SessionInfo } from '../../shared/session.ts';

/** An agent's origin, as Codex gives it. */
export const CODEX = {
  kind: 'agent',
  client: 'codex-environment',
  processId: 'p1',
  threadId: null,
  callId: 'call_1',
} as const;

/** A running shell of the person's own, with whatever a test wants otherwise. */
export function exampleSession(over: Omit<Partial<SessionInfo>, 'id'> & { readonly id?: string } = {}): SessionInfo {
  return {
    backend: 'pty',
    argv: ['/bin/zsh'],
    cwd: '/home/ada/src',
    shownCwd: '/home/ada/src',
    pid: 4121,
    size: { cols: 80, rows: 24 },
    state: 'running',
    exit: null,
    endedBy: null,
    failure: null,
    origin: { kind: 'person' },
    startedAtMs: 1_000,
    endedAtMs: null,
    outputBytes: 0,
    epoch: `epoch of ${over.id ?? 's1'}`,
    activity: 0,
    waitingFor: null,
    folder: null,
    progress: null,
    treeEmpty: null,
    limits: {},
    limitHit: null,
    sandbox: null,
    retryOf: null,
    title: null,
    keyboard: 'person',
    lastHold: null,
    timelineNumber: 1,
    timelineActs: 1,
    attention: null,
    ...over,
    id: (over.id ?? 's1') as SessionId,
  };
}

/** The facts of an ended session, 1.2 s after its start. */
export function ended(exitCode: number | null, signal: string | null = null): Partial<Omit<SessionInfo, 'id'>> {
  return { state: 'closed', exit: { exitCode, signal }, endedBy: 'child', endedAtMs: 2_200 };
}
