import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ShownQuestion } from '../../shared/approval.ts';
import type { SessionId, SessionInfo, WaitingKind } from '../../shared/session.ts';
import { PersonWants, type Want, type WantsOf } from './person-wants.ts';

const PATIENCE = { passwordMs: 10_000, lineMs: 60_000, failedAfterMs: 5_000 };
const ID = 's1' as SessionId;
const codex = { kind: 'agent', client: 'codex', processId: 'p', threadId: null, callId: null } as const;

/** Only the fields that are looked at. */
function session(over: Partial<SessionInfo> = {}): SessionInfo {
  const known = { id: ID, argv: ['/bin/sh', '-c', 'npm publish'], title: null, origin: codex, state: 'running' };
  const facts = { startedAtMs: 0, endedAtMs: null, endedBy: null, exit: null, attention: null, waitingFor: null };
  return { ...known, ...facts, ...over } as SessionInfo;
}

const waits = (kind: WaitingKind, over: Partial<SessionInfo> = {}): SessionInfo =>
  session({ waitingFor: { kind, pid: 1, program: 'x', echo: null, canonical: null }, ...over });

const asked = (id: string, over: Partial<ShownQuestion> = {}): ShownQuestion =>
  ({ id, kind: 'start', client: 'codex', session: null, argv: ['npm', 'publish'], ...over }) as ShownQuestion;

describe('what waits for a person', () => {
  let all: readonly WantsOf[];
  let failures: Want[];
  let wants: PersonWants;
  const titles = (): readonly string[] => all.flatMap((one) => one.wants.map(({ title }) => title));

  beforeEach(() => {
    vi.useFakeTimers();
    all = [];
    failures = [];
    wants = new PersonWants({
      patience: PATIENCE,
      onChange: (now) => (all = now),
      onFailed: (_id, failure) => failures.push(failure),
    });
  });

  afterEach(() => {
    wants.dispose();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('is a password that nobody types, after a while and not before; typing ends it', () => {
    wants.sessionChanged(waits('password'));
    vi.advanceTimersByTime(PATIENCE.passwordMs - 1);
    wants.sessionChanged(waits('password'));
    expect(titles()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(titles()).toEqual(['npm publish waits for a password']);
    wants.sessionChanged(session());
    expect(titles()).toEqual([]);
  });

  it('is an agent’s line after a longer while, and never the prompt of a person’s own', () => {
    wants.sessionChanged(waits('line'));
    wants.sessionChanged(waits('line', { id: 's2' as SessionId, origin: { kind: 'person' } }));
    vi.advanceTimersByTime(PATIENCE.lineMs);
    expect(titles()).toEqual(['npm publish waits for a line']);
    wants.sessionRemoved(ID);
    expect(titles()).toEqual([]);
  });

  it('is what an agent asks for, at once, as one line of plain text', () => {
    const attention = { id: 'a1', kind: 'ask', message: 'look at\n\u202Ethat', askedAtMs: 0, untilMs: 1 } as const;
    wants.sessionChanged(session({ attention }));
    expect(all).toEqual([
      {
        subject: 'session s1',
        session: ID,
        wants: [{ id: 'asked a1', title: 'codex asks you', body: 'look at \\u202ethat' }],
      },
    ]);
  });

  it('is together what is about one session, and by client what has none yet', () => {
    const attention = { id: 'a1', kind: 'ask', message: 'look', askedAtMs: 0, untilMs: 1 } as const;
    wants.questionsChanged([
      asked('q1'),
      asked('q2', { session: ID, kind: 'input', argv: ['secret text'] }),
      asked('q3'),
    ]);
    wants.sessionChanged(session({ attention }));
    expect(all.map(({ subject, wants: list }) => [subject, list.map(({ id }) => id)])).toEqual([
      ['client codex', ['question q1', 'question q3']],
      ['session s1', ['question q2', 'asked a1']],
    ]);
    expect(JSON.stringify(all)).not.toContain('secret text');
  });

  it('is told of a failure once, when it ran long enough and nobody ended it', () => {
    const end = (exitCode: number | null, signal: string | null, over: Partial<SessionInfo> = {}) => {
      wants.sessionChanged(session());
      const exit = { exitCode, signal };
      const ended = session({ state: 'exited', exit, endedBy: 'child', endedAtMs: PATIENCE.failedAfterMs, ...over });
      wants.sessionChanged(ended);
      wants.sessionChanged({ ...ended, state: 'closed' });
    };
    end(1, null);
    end(null, 'SIGKILL', { endedBy: 'limit' });
    expect(failures.map(({ title }) => title)).toEqual(['npm publish: exited 1', 'npm publish: killed SIGKILL']);
    end(0, null);
    end(1, null, { endedAtMs: PATIENCE.failedAfterMs - 1 });
    end(null, 'SIGTERM', { endedBy: 'agent' });
    end(null, null);
    expect(failures).toHaveLength(2);
  });
});
