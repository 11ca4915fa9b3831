import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  PendingQuestions,
  type PendingQuestionsOptions,
  type QuestionEvent,
  type QuestionSubject,
} from './pending-questions.ts';

const subject: QuestionSubject = {
  kind: 'start',
  client: 'codex',
  callId: 'call-1',
  session: null,
  argv: ['npm', 'install'],
  cwd: '/home/ada/app',
  changedVariables: ['CI'],
  sandbox: 'workspace-write',
  why: 'no rule allows `npm install`',
  decidedBy: { kind: 'mode', mode: 'ask-unless-known-safe' },
  doubts: [],
  proposedRules: [{ decision: 'allow', words: ['npm', 'install'], match: 'prefix', reason: 'a person allowed it' }],
  offersRetry: true,
};

beforeEach(() => {
  vi.useFakeTimers({ now: 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

function world(options: Partial<PendingQuestionsOptions> = {}) {
  const faults: unknown[] = [];
  const questions = new PendingQuestions({
    unattended: 'wait',
    now: Date.now,
    onFault: (error) => faults.push(error),
    ...options,
  });
  const events: QuestionEvent[] = [];
  questions.onEvent((event) => events.push(event));
  return { questions, events, faults };
}

/** Nothing is left that would wake up later. */
const expectNoTimers = () => expect(vi.getTimerCount()).toBe(0);

describe('a question', () => {
  test('waits, is listed whole, and resolves with the answer of a person, once', async () => {
    const { questions, events } = world();
    const asked = questions.ask(subject);
    const [question] = questions.list();
    expect(question).toEqual({ ...subject, id: 'question-1', askedAt: 1000, until: 601_000 });
    expect(questions.answer('question-1', { kind: 'once', withoutSandbox: false }, 'window')).toBe(true);
    expect(questions.answer('question-1', { kind: 'refuse', words: null }, 'window')).toBe(false);
    const settled = { answer: { kind: 'once', withoutSandbox: false }, by: 'person', from: 'window' };
    expect(await asked).toEqual(settled);
    expect(questions.list()).toEqual([]);
    expect(events).toEqual([
      { type: 'asked', question },
      { type: 'settled', question, settled, at: 1000 },
    ]);
    expectNoTimers();
  });

  test.each([
    { kind: 'session', withoutSandbox: true },
    { kind: 'always' },
    { kind: 'refuse', words: 'use pnpm' },
    { kind: 'refuse', words: null },
  ] as const)('can be answered with %j', async (answer) => {
    const { questions } = world();
    const asked = questions.ask(subject);
    questions.answer('question-1', answer, 'command line');
    expect(await asked).toEqual({ answer, by: 'person', from: 'command line' });
  });

  test('cannot be answered with what was not offered, and still waits then', () => {
    const { questions } = world();
    void questions.ask({ ...subject, proposedRules: [], offersRetry: false });
    expect(questions.answer('question-1', { kind: 'always' }, 'window')).toBe(false);
    expect(questions.answer('question-1', { kind: 'once', withoutSandbox: true }, 'window')).toBe(false);
    expect(questions.answer('question-1', { kind: 'refuse', words: 'x'.repeat(10_001) }, 'window')).toBe(false);
    expect(questions.answer('question-2', { kind: 'always' }, 'window')).toBe(false);
    expect(questions.list()).toHaveLength(1);
    questions.dispose();
  });

  test('is refused at its time limit', async () => {
    const { questions, events } = world({ timeLimitMs: 500 });
    const asked = questions.ask(subject);
    await vi.advanceTimersByTimeAsync(499);
    expect(questions.list()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await asked).toEqual({ answer: { kind: 'refuse', words: null }, by: 'time-limit', from: null });
    expect(events.at(-1)).toMatchObject({ type: 'settled', at: 1500 });
  });

  test('without a limit waits for its answer only', () => {
    const { questions } = world({ timeLimitMs: null });
    void questions.ask(subject);
    expect(questions.list()[0]?.until).toBeNull();
    expectNoTimers();
    questions.dispose();
  });

  test('goes with its call', async () => {
    const { questions } = world();
    const call = new AbortController();
    const asked = questions.ask(subject, call.signal);
    call.abort();
    expect(await asked).toMatchObject({ by: 'cancelled', answer: { kind: 'refuse' } });
    expect(questions.answer('question-1', { kind: 'always' }, 'window')).toBe(false);
    expectNoTimers();
    expect(await questions.ask(subject, call.signal)).toMatchObject({ by: 'cancelled' });
  });

  test('does not hold on to the signal of a call that goes on', async () => {
    const { questions } = world();
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    const asked = questions.ask(subject, signal);
    questions.answer('question-1', { kind: 'always' }, 'window');
    await asked;
    expect(removed).toHaveBeenCalledOnce();
  });
});

describe('questions', () => {
  test('are answered each by itself, in any order', async () => {
    const { questions } = world();
    const one = questions.ask(subject);
    const two = questions.ask({ ...subject, callId: 'call-2' });
    expect(questions.list().map(({ callId }) => callId)).toEqual(['call-1', 'call-2']);
    questions.answer('question-2', { kind: 'refuse', words: 'no' }, 'window');
    questions.answer('question-1', { kind: 'always' }, 'window');
    expect([(await one).answer.kind, (await two).answer.kind]).toEqual(['always', 'refuse']);
  });

  test('of one client may not flood the window', async () => {
    const { questions } = world();
    for (let count = 0; count < 50; count += 1) {
      void questions.ask(subject);
    }
    const { answer, by } = await questions.ask(subject);
    expect({ answer, by }).toEqual({
      answer: { kind: 'refuse', words: '50 questions of this client wait already' },
      by: 'host',
    });
    void questions.ask({ ...subject, client: 'claude' });
    expect(questions.list()).toHaveLength(51);
    questions.dispose();
  });

  test('are all refused when the host ends, and none waits afterwards', async () => {
    const { questions } = world();
    const asked = questions.ask(subject);
    questions.dispose();
    expect(await asked).toMatchObject({ by: 'host', answer: { kind: 'refuse' } });
    expect(await questions.ask(subject)).toMatchObject({ by: 'host', answer: { kind: 'refuse' } });
    expect(questions.list()).toEqual([]);
    expectNoTimers();
  });

  test('get the answer of the policy where nobody is there, and are told all the same', async () => {
    for (const [unattended, answer] of [
      ['refuse', { kind: 'refuse', words: null }],
      ['allow', { kind: 'once', withoutSandbox: false }],
    ] as const) {
      const { questions, events } = world({ unattended });
      expect(await questions.ask(subject)).toEqual({ answer, by: 'policy', from: null });
      expect(events.map(({ type }) => type)).toEqual(['asked', 'settled']);
    }
  });

  test('are settled also when a listener throws', async () => {
    const { questions, faults } = world();
    questions.onEvent(() => {
      throw new Error('broken window');
    });
    const asked = questions.ask(subject);
    questions.answer('question-1', { kind: 'always' }, 'window');
    expect((await asked).answer.kind).toBe('always');
    expect(faults).toHaveLength(1);
  });
});
