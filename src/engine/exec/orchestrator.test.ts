import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ExitStatus, SessionId, SessionInfo } from '../../shared/session.ts';
import { Grants } from '../approval/grants.ts';
import { PendingQuestions, type Answer } from '../approval/pending-questions.ts';
import type { ApprovalMode, ApprovalRule } from '../approval/policy.ts';
import { openSecondOpinion } from '../approval/second-opinion.ts';
import type { SecondOpinion } from '../approval/shell-text.ts';
import type { Fence } from '../sandbox/fence.ts';
import { workspaceWrite } from '../sandbox/sandbox-policy.ts';
import type { SandboxReport } from '../sandbox/sandbox-report.ts';
import type { StartRequest } from '../session/session-manager.ts';
import { Orchestrator } from './orchestrator.ts';
import type { SafetyEvent, StartSafety } from './start-safety.ts';

const USABLE: SandboxReport = {
  kind: 'usable',
  tool: 'bubblewrap',
  program: '/usr/bin/bwrap',
  version: '0.8.0',
  canDisableUserNamespaces: true,
};

const DENIED = { exit: { exitCode: 1, signal: null }, output: "touch: cannot touch '/a': Read-only file system" };
const FAILED = { exit: { exitCode: 1, signal: null }, output: '1 test failed' };

let secondOpinion: SecondOpinion;
let folder: string;
beforeAll(async () => {
  secondOpinion = await openSecondOpinion();
});
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'orchestrator-')));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

interface Started {
  readonly id: string;
  readonly isFenced: boolean;
  readonly request: StartRequest;
}

function world(
  mode: ApprovalMode,
  { rules = [], report = USABLE }: { rules?: readonly ApprovalRule[]; report?: SandboxReport } = {},
) {
  const started: Started[] = [];
  const events: SafetyEvent[] = [];
  const added: ApprovalRule[] = [];
  const ends: { exit: ExitStatus; output: string }[] = [];
  const questions = new PendingQuestions({ unattended: 'wait', now: Date.now, onFault: () => undefined });
  const grants = new Grants({ now: Date.now });
  const orchestrator = new Orchestrator({
    start: async (request: StartRequest, fence: Fence) => {
      const id = `session-${started.length + 1}`;
      started.push({ id, isFenced: fence.prefix[0] === '/usr/bin/bwrap', request });
      return { id: id as SessionId } as SessionInfo;
    },
    ended: async () => ends.shift() ?? FAILED,
    environmentOf: () => ({ variables: { PATH: '/usr/bin', CI: '1' }, changed: { CI: '1' } }),
    policyFor: () => ({ mode, rules: [...rules, ...added] }),
    addRules: async (_client, written) => {
      added.push(...written);
    },
    sandboxReport: async () => report,
    openNetwork: async () => null,
    secondOpinion,
    questions,
    grants,
    audit: (event) => events.push(event),
  });
  const start = (argv: readonly string[], safety: Partial<StartSafety> = {}, request: Partial<StartRequest> = {}) =>
    orchestrator.start(
      {
        argv,
        cwd: folder,
        workspace: folder,
        environment: { kind: 'exact', variables: {} },
        backend: { kind: 'pty' },
        origin: { kind: 'person' },
        ...request,
      },
      {
        client: 'codex',
        clientSession: 'a',
        conversation: null,
        callId: 'call-1',
        sandbox: workspaceWrite(folder),
        asksForHosts: false,
        asksMoreRights: false,
        mayRetry: true,
        ...safety,
      },
    );
  /** Answers the next question when it is asked. */
  const answering = (...answers: readonly Answer[]) => {
    const left = [...answers];
    questions.onEvent((event) => {
      const answer = event.type === 'asked' ? left.shift() : undefined;
      if (event.type === 'asked' && answer !== undefined) {
        queueMicrotask(() => questions.answer(event.question.id, answer, 'window'));
      }
    });
  };
  const asked: string[] = [];
  questions.onEvent((event) => {
    if (event.type === 'asked') {
      asked.push(event.question.kind);
    }
  });
  return { start, answering, asked, started, events, questions, grants, ends, added };
}

const once: Answer = { kind: 'once', withoutSandbox: false };
const session: Answer = { kind: 'session', withoutSandbox: false };
const refuse: Answer = { kind: 'refuse', words: 'use pnpm' };
const told = (started: readonly Started[]) => started.map(({ id, isFenced }) => `${id}${isFenced ? ' fenced' : ''}`);

describe('the way of a command', () => {
  test('what is known to be safe runs unasked, in its sandbox, with its call in the audit log', async () => {
    const { start, asked, started, events } = world('ask-unless-known-safe');
    const { session: info, retry } = await start(['ls']);
    expect(await retry).toEqual({ kind: 'none', denied: null });
    expect([asked, told(started)]).toEqual([[], ['session-1 fenced']]);
    expect(events).toEqual([
      {
        type: 'decided',
        client: 'codex',
        callId: 'call-1',
        verdict: 'allow',
        why: 'it only reads, and runs nothing else',
        decidedBy: { kind: 'known-safe' },
      },
      {
        type: 'started',
        client: 'codex',
        callId: 'call-1',
        session: info.id,
        sandbox: 'workspace-write, no network',
        retryOf: null,
      },
    ]);
  });

  test('what is not waits for a person, who sees the whole of it', async () => {
    const { start, questions, started } = world('ask-unless-known-safe');
    const running = start(['bash', '-lc', 'npm install x']);
    const question = await new Promise<unknown>((resolve) => {
      questions.onEvent((event) => resolve(event.question));
    });
    expect(question).toMatchObject({
      kind: 'start',
      callId: 'call-1',
      argv: ['bash', '-lc', 'npm install x'],
      cwd: folder,
      changedVariables: ['CI'],
      sandbox: 'workspace-write, no network',
      why: 'no rule allows `npm install x`',
      offersRetry: true,
    });
    expect(started).toEqual([]);
    questions.answer(questions.list()[0]?.id ?? '', once, 'window');
    await running;
    expect(told(started)).toEqual(['session-1 fenced']);
  });

  test('a sandbox with hosts that only the client wishes for is asked about, where one without is not', async () => {
    const { start, asked, answering } = world('ask-for-more-rights');
    await start(['npm', 'install', 'x']);
    expect(asked).toEqual([]);
    answering(once);
    await start(['npm', 'install', 'x'], { asksForHosts: true });
    expect(asked).toEqual(['start']);
  });

  test('a refusal reaches the agent with its words, and nothing runs', async () => {
    const { start, answering, started } = world('ask-unless-known-safe');
    answering(refuse);
    await expect(start(['npm', 'install'])).rejects.toMatchObject({
      code: 'refused',
      message: 'a person refused this command: use pnpm',
    });
    expect(started).toEqual([]);
  });

  test('what a rule forbids is refused without a question', async () => {
    const rules: readonly ApprovalRule[] = [
      { decision: 'forbid', words: ['rm'], match: 'prefix', reason: 'use trash' },
    ];
    const { start, asked } = world('ask-unless-known-safe', { rules });
    await expect(start(['rm', 'x'])).rejects.toMatchObject({
      code: 'refused',
      message: 'this command is not allowed: use trash',
    });
    expect(asked).toEqual([]);
  });

  test('a cancelled call takes its question with it, and nothing runs', async () => {
    const { start, questions, started } = world('ask-unless-known-safe');
    const call = new AbortController();
    questions.onEvent(({ type }) => type === 'asked' && queueMicrotask(() => call.abort()));
    await expect(start(['npm', 'install'], { signal: call.signal })).rejects.toMatchObject({ code: 'refused' });
    expect([questions.list(), started]).toEqual([[], []]);
  });

  test('where no sandbox can be made nothing runs, and it says what to install', async () => {
    const part = { what: 'bubblewrap', why: 'bubblewrap is not installed', install: 'apt-get install -y bubblewrap' };
    const { start, started } = world('never-ask', { report: { kind: 'missing', missing: [part] } });
    await expect(start(['ls'])).rejects.toMatchObject({
      code: 'sandbox-missing',
      message: expect.stringContaining('apt-get install -y bubblewrap'),
    });
    expect(started).toEqual([]);
    // Without one there is nothing to look for.
    await start(['ls'], { sandbox: { kind: 'none' } });
    expect(told(started)).toEqual(['session-1']);
  });

  test('a call that asks for more rights runs without its sandbox once a person allowed it', async () => {
    const { start, answering, started, asked } = world('ask-for-more-rights');
    answering(once);
    await start(['npm', 'install'], { asksMoreRights: true });
    expect([asked, told(started)]).toEqual([['start'], ['session-1']]);
  });
});

describe('an answer that is remembered', () => {
  test('for the session covers the same command there, however it is quoted, and nothing else', async () => {
    const { start, answering, asked } = world('ask-unless-known-safe');
    answering(session, once, once, once, once);
    await start(['bash', '-lc', 'npm install "x"']);
    await start(['bash', '-c', "npm  install 'x'"]);
    expect(asked).toHaveLength(1);
    await start(['npm', 'install', 'y']);
    await start(['npm', 'install', 'x'], { conversation: 'b' });
    await start(['npm', 'install', 'x'], { clientSession: 'b' });
    await start(['npm', 'install', 'x'], { asksMoreRights: true });
    expect(asked).toHaveLength(5);
  });

  test('for always is a rule, which holds in every session', async () => {
    const { start, answering, asked, added } = world('ask-unless-known-safe');
    answering({ kind: 'always' });
    await start(['npm', 'install', 'x']);
    await start(['npm', 'install', 'y'], { conversation: 'b' });
    expect(asked).toHaveLength(1);
    expect(added).toEqual([
      { decision: 'allow', words: ['npm', 'install'], match: 'prefix', reason: 'a person allowed it for always' },
    ]);
  });

  test('for the session covers the second run until the client leaves, and nothing after that', async () => {
    const { start, answering, asked, grants, ends } = world('ask-unless-known-safe');
    answering({ kind: 'session', withoutSandbox: true }, once, refuse);
    ends.push(DENIED, DENIED, DENIED);
    for (const _time of [1, 2]) {
      expect(await (await start(['npm', 'install'])).retry).toMatchObject({ kind: 'started' });
    }
    expect([asked, grants.list().length]).toEqual([['start'], 2]);
    grants.endSession('a');
    expect(grants.list()).toEqual([]);
    expect(await (await start(['npm', 'install'])).retry).toMatchObject({ kind: 'refused' });
    expect(asked).toEqual(['start', 'start', 'retry']);
  });

  test('for the session of a client that has left meanwhile is not kept', async () => {
    const { start, questions, grants } = world('ask-unless-known-safe');
    const left = new AbortController();
    questions.onEvent((event) => {
      if (event.type === 'asked') {
        queueMicrotask(() => {
          questions.answer(event.question.id, session, 'window');
          left.abort();
        });
      }
    });
    await start(['npm', 'install'], { signal: left.signal });
    expect(grants.list()).toEqual([]);
  });

  test('can be taken back', async () => {
    const { start, answering, asked, grants } = world('ask-unless-known-safe');
    answering(session, session);
    await start(['npm', 'install']);
    grants.revoke(grants.list()[0]?.id ?? '');
    await start(['npm', 'install']);
    expect(asked).toHaveLength(2);
  });
});

describe('what the sandbox denied', () => {
  test('is asked about, and runs again without it, as a session of its own that names the first', async () => {
    const { start, answering, asked, started, events, ends } = world('ask-on-failure');
    ends.push(DENIED);
    answering(once);
    const first = await start(['touch', '/a'], {}, { id: 'mine' as SessionId, requestId: 'r-1' });
    expect(await first.retry).toMatchObject({ kind: 'started', denied: 'file-system', session: { id: 'session-2' } });
    expect([asked, told(started)]).toEqual([['retry'], ['session-1 fenced', 'session-2']]);
    expect(started[1]?.request).not.toHaveProperty('id');
    expect(started[1]?.request).not.toHaveProperty('requestId');
    expect(events.filter(({ type }) => type !== 'decided')).toEqual([
      expect.objectContaining({ type: 'started', session: 'session-1', retryOf: null }),
      { type: 'denied', session: 'session-1', why: 'file-system' },
      expect.objectContaining({ type: 'started', session: 'session-2', retryOf: 'session-1', sandbox: 'none' }),
    ]);
  });

  test('stays denied when a person says no', async () => {
    const { start, answering, started, ends } = world('ask-on-failure');
    ends.push(DENIED);
    answering(refuse);
    expect(await (await start(['touch', '/a'])).retry).toEqual({
      kind: 'refused',
      denied: 'file-system',
      why: 'a person refused this command: use pnpm',
    });
    expect(started).toHaveLength(1);
  });

  test('runs again unasked when the first answer covered it', async () => {
    for (const answer of [
      { kind: 'once', withoutSandbox: true },
      { kind: 'session', withoutSandbox: true },
    ] as const) {
      const { start, answering, asked, started, ends } = world('ask-unless-known-safe');
      ends.push(DENIED);
      answering(answer);
      expect(await (await start(['touch', '/a'])).retry).toMatchObject({ kind: 'started' });
      expect([asked, told(started)]).toEqual([['start'], ['session-1 fenced', 'session-2']]);
    }
  });

  test('runs again unasked under a grant that covers it', async () => {
    const { start, answering, asked, ends } = world('ask-on-failure');
    ends.push(DENIED, DENIED);
    answering(session);
    await (
      await start(['touch', '/a'])
    ).retry;
    expect(await (await start(['touch', '/a'])).retry).toMatchObject({ kind: 'started' });
    expect(asked).toEqual(['retry']);
  });

  test.each(['never-ask', 'ask-for-more-rights'] as const)('is not asked about in the mode %s', async (mode) => {
    const { start, asked, started, ends } = world(mode);
    ends.push(DENIED);
    expect(await (await start(['touch', '/a'])).retry).toEqual({ kind: 'none', denied: 'file-system' });
    expect([asked, told(started)]).toEqual([[], ['session-1 fenced']]);
  });

  test('is not run again when it failed by itself, may not be, or its call is gone', async () => {
    const { start, asked, started, ends } = world('ask-on-failure');
    expect(await (await start(['touch', '/a'])).retry).toEqual({ kind: 'none', denied: null });
    expect(await (await start(['touch', '/a'], { mayRetry: false })).retry).toEqual({ kind: 'none', denied: null });
    ends.push(DENIED);
    const call = new AbortController();
    call.abort();
    const running = await start(['touch', '/a'], { signal: call.signal });
    expect(await running.retry).toEqual({ kind: 'none', denied: 'file-system' });
    expect([asked, started.length]).toEqual([[], 3]);
  });
});
