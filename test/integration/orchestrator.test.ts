import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { Grants } from '../../src/engine/approval/grants.ts';
import { PendingQuestions, type Answer } from '../../src/engine/approval/pending-questions.ts';
import { openSecondOpinion } from '../../src/engine/approval/second-opinion.ts';
import { Orchestrator } from '../../src/engine/exec/orchestrator.ts';
import type { SafetyEvent, StartSafety } from '../../src/engine/exec/start-safety.ts';
import { workspaceWrite } from '../../src/engine/sandbox/sandbox-policy.ts';
import { NO_SANDBOX, sandboxReport } from '../support/sandbox-here.ts';
import { test, type SandboxWorld } from '../support/sandbox-world.ts';

const secondOpinion = await openSecondOpinion();

/** The orchestrator with the real engine and the real sandbox; every question gets the same answer. */
function orchestrated(sandbox: SandboxWorld, answer: Answer) {
  const asked: string[] = [];
  const events: SafetyEvent[] = [];
  const questions = new PendingQuestions({ unattended: 'wait', now: Date.now, onFault: () => undefined });
  questions.onEvent((event) => {
    if (event.type === 'asked') {
      asked.push(event.question.kind);
      queueMicrotask(() => questions.answer(event.question.id, answer, 'test'));
    }
  });
  const orchestrator = new Orchestrator({
    start: (request, fence) => sandbox.engine.start({ ...request, argv: [...fence.prefix, ...request.argv] }),
    ended: async (id) => {
      const { exit } = await sandbox.closed(id);
      return { exit: exit ?? { exitCode: null, signal: null }, output: await sandbox.text(id) };
    },
    environmentOf: () => ({ variables: {}, changed: {} }),
    policyFor: () => ({ mode: 'ask-on-failure', rules: [] }),
    addRules: async () => undefined,
    sandboxReport: async () => sandboxReport,
    openNetwork: async () => null,
    secondOpinion,
    questions,
    grants: new Grants({ now: Date.now }),
    audit: (event) => events.push(event),
  });
  const safety: StartSafety = {
    client: 'codex',
    clientSession: 'a',
    conversation: null,
    callId: 'call-1',
    sandbox: workspaceWrite(sandbox.workspace),
    asksForHosts: false,
    asksMoreRights: false,
    mayRetry: true,
  };
  const start = (text: string) =>
    orchestrator.start(
      {
        argv: ['bash', '-c', text],
        cwd: sandbox.workspace,
        environment: { kind: 'exact', variables: { PATH: '/usr/bin:/bin' } },
        backend: { kind: 'pty' },
        origin: { kind: 'agent', client: 'codex', processId: 'p', threadId: null, callId: 'call-1' },
      },
      safety,
    );
  return { start, asked, events };
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe.runIf(process.platform === 'linux')(
  `the orchestrator with real children${NO_SANDBOX === null ? '' : `: not here, ${NO_SANDBOX}`}`,
  () => {
    test.skipIf(NO_SANDBOX !== null)(
      'a write outside is denied, asked about, and done by a second session',
      async ({ sandbox }) => {
        const file = join(sandbox.outside, 'a');
        const { start, asked, events } = orchestrated(sandbox, { kind: 'once', withoutSandbox: false });
        const first = await start(`touch ${file}`);
        const retry = await first.retry;
        expect(retry).toMatchObject({ kind: 'started', denied: 'file-system' });
        const second = retry.kind === 'started' ? retry.session.id : first.session.id;
        expect((await sandbox.closed(second)).exit).toEqual({ exitCode: 0, signal: null });
        expect([asked, await isThere(file)]).toEqual([['retry'], true]);
        expect(events.at(-1)).toMatchObject({ type: 'started', session: second, retryOf: first.session.id });
      },
    );

    test.skipIf(NO_SANDBOX !== null)('with a no it stays denied', async ({ sandbox }) => {
      const file = join(sandbox.outside, 'a');
      const { start } = orchestrated(sandbox, { kind: 'refuse', words: null });
      expect(await (await start(`touch ${file}`)).retry).toMatchObject({ kind: 'refused', denied: 'file-system' });
      expect(await isThere(file)).toBe(false);
    });

    test.skipIf(NO_SANDBOX !== null)('what the sandbox lets it do is done once, unasked', async ({ sandbox }) => {
      const { start, asked } = orchestrated(sandbox, { kind: 'refuse', words: null });
      expect(await (await start('echo x >> a')).retry).toEqual({ kind: 'none', denied: null });
      expect(asked).toEqual([]);
      expect(await sandbox.attempt('cat a', { kind: 'none' })).toEqual({ exitCode: 0, output: 'x\n' });
    });
  },
);
