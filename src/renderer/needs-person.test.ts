import { describe, expect, it } from 'vitest';
import type { SessionId, WaitingKind } from '../shared/session.ts';
import { needyText, nextNeedy } from './needs-person.ts';
import { CODEX, ended, exampleSession } from './testing/example-session.ts';

const waits = (id: string, kind: WaitingKind) =>
  exampleSession({
    id,
    origin: CODEX,
    waitingFor: { kind, pid: 1, program: 'x', echo: null, canonical: null },
  });
const attention = { id: 'a1', kind: 'ask', message: 'look', askedAtMs: 0, untilMs: 1 } as const;
const ids = (...all: readonly string[]): ReadonlySet<SessionId> => new Set(all as SessionId[]);
const id = (text: string) => text as SessionId;

describe('where a person is needed', () => {
  const calm = exampleSession({ id: 'calm' });
  const line = waits('line', 'line');
  const failed = exampleSession({ id: 'failed', ...ended(1) });
  const password = waits('password', 'password');
  const asked = exampleSession({ id: 'asked', origin: CODEX, attention });
  const sessions = [calm, line, failed, password, asked];
  const unseen = ids('failed');

  it('is found by urgency, from wherever she is, around the end', () => {
    const places: (string | null)[] = [];
    for (let at: SessionId | null = id('calm'); places.length < 5; places.push(at)) {
      at = nextNeedy(sessions, unseen, at);
    }
    expect(places).toEqual(['asked', 'password', 'failed', 'line', 'asked']);
  });

  it('is nowhere else when she is there, and nowhere when nothing happened', () => {
    expect(nextNeedy([calm, password], unseen, id('password'))).toBeNull();
    expect(nextNeedy([calm], unseen, id('calm'))).toBeNull();
    expect(nextNeedy([], unseen, null)).toBeNull();
  });

  it('counts neither what an agent may type itself, nor a person’s own prompt, nor what was looked at', () => {
    expect(needyText(sessions, unseen)).toBe('2 need you, 1 failed');
    expect(needyText([calm, line, asked], ids())).toBe('1 session needs you');
    expect(needyText([calm, failed], unseen)).toBe('1 failed');
    expect(needyText([{ ...line, origin: { kind: 'person' } }, failed], ids())).toBeNull();
    expect(nextNeedy([{ ...line, origin: { kind: 'person' } }], ids(), null)).toBeNull();
  });
});
