import { beforeAll, describe, expect, test } from 'vitest';
import type { SessionId } from '../../shared/session.ts';
import type { InputPlace } from '../approval/judge-input.ts';
import { PendingQuestions, type Question } from '../approval/pending-questions.ts';
import type { ApprovalMode } from '../approval/policy.ts';
import { openSecondOpinion } from '../approval/second-opinion.ts';
import type { SecondOpinion } from '../approval/shell-text.ts';
import type { SafetyEvent } from './start-safety.ts';
import { approveInput } from './typed-input.ts';

const atPrompt: InputPlace = {
  waitingFor: { kind: 'repl', pid: 1, program: 'bash', echo: true, canonical: false },
  pendingLine: '',
  isShellSession: true,
};

let secondOpinion: SecondOpinion;
beforeAll(async () => {
  secondOpinion = await openSecondOpinion();
});

async function typed(
  text: string,
  {
    mode = 'ask-unless-known-safe',
    answer = 'refuse',
    place = atPrompt,
  }: {
    mode?: ApprovalMode;
    answer?: 'refuse' | 'once';
    place?: InputPlace;
  } = {},
) {
  const asked: Question[] = [];
  const events: SafetyEvent[] = [];
  const questions = new PendingQuestions({ unattended: 'wait', now: Date.now, onFault: () => undefined });
  questions.onEvent((event) => {
    if (event.type === 'asked') {
      asked.push(event.question);
      const given =
        answer === 'once'
          ? ({ kind: 'once', withoutSandbox: false } as const)
          : ({ kind: 'refuse', words: 'no' } as const);
      queueMicrotask(() => questions.answer(event.question.id, given, 'window'));
    }
  });
  const outcome = await approveInput(
    { id: 'session-1' as SessionId, cwd: '/home/ada/app' },
    Buffer.from(text),
    place,
    { client: 'codex', callId: 'call-2', workspace: '/home/ada/app', sandbox: 'workspace-write, no network' },
    {
      policyFor: () => ({
        mode,
        rules: [{ decision: 'forbid', words: ['rm'], match: 'prefix', reason: 'nothing is removed here' }],
      }),
      ...{ questions, secondOpinion, audit: (event: SafetyEvent) => events.push(event) },
    },
  ).catch((error: unknown) => error);
  return { outcome, asked, events };
}

describe('what an agent types', () => {
  test('at a prompt is judged like a command', async () => {
    expect(await typed('git status\n')).toMatchObject({ outcome: { pendingLine: '' }, asked: [] });
    expect(await typed('rm x\n')).toMatchObject({
      outcome: { code: 'refused', message: expect.stringContaining('nothing is removed') },
    });
    const { outcome, asked, events } = await typed('touch a\ngit st');
    expect(outcome).toMatchObject({ code: 'refused', message: 'a person refused this command: no' });
    expect(asked).toMatchObject([
      { kind: 'input', session: 'session-1', callId: 'call-2', argv: ['touch a\ngit st'], proposedRules: [] },
    ]);
    expect(events).toMatchObject([{ type: 'decided', verdict: 'ask' }]);
  });

  test('with a yes goes in, and what follows the last Enter stays on the line', async () => {
    expect(await typed('touch a\ngit st', { answer: 'once' })).toMatchObject({ outcome: { pendingLine: 'git st' } });
  });

  test('without Enter runs nothing, and is judged with the Enter', async () => {
    expect(await typed('rm x')).toMatchObject({ outcome: { pendingLine: 'rm x' }, asked: [], events: [] });
    const { outcome } = await typed('\n', { place: { ...atPrompt, pendingLine: 'rm x' } });
    expect(outcome).toMatchObject({ code: 'refused' });
    expect(await typed('\n')).toMatchObject({ outcome: { pendingLine: '' }, asked: [] });
  });

  test('with keys that make another line of it is asked, also in a sandbox', async () => {
    for (const mode of ['ask-unless-known-safe', 'ask-for-more-rights'] as const) {
      const { outcome, asked } = await typed('\u001b[A\n', { mode, answer: 'once' });
      expect(asked).toHaveLength(1);
      expect(outcome).toEqual({ pendingLine: null });
    }
    expect(await typed('\u001b[A\n', { mode: 'never-ask' })).toMatchObject({ outcome: { code: 'refused' }, asked: [] });
  });

  test('in a sandbox goes in unasked where the mode says so', async () => {
    expect(await typed('touch a\n', { mode: 'ask-for-more-rights' })).toMatchObject({
      outcome: { pendingLine: '' },
      asked: [],
    });
  });

  test('into a program that was allowed is its data', async () => {
    const place: InputPlace = {
      ...atPrompt,
      waitingFor: { kind: 'line', pid: 1, program: 'npm', echo: true, canonical: true },
    };
    expect(await typed('rm x\n', { place })).toMatchObject({ outcome: { pendingLine: '' }, asked: [], events: [] });
  });
});
