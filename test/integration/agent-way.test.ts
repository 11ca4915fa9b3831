import { access, mkdir, mkdtemp, realpath, rm, writeFile, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import type { ApprovalMode } from '../../src/engine/approval/policy.ts';
import { createEngine, likelyDenied, type Answer, type Engine, type StartSafety } from '../../src/engine/engine.ts';
import { readOnly, workspaceWrite } from '../../src/engine/sandbox/sandbox-policy.ts';
import type { SandboxMachine } from '../../src/engine/sandbox/sandbox-report.ts';
import type { SessionId, SessionInfo } from '../../src/shared/session.ts';
import { ExecClient } from '../support/exec-client.ts';
import { workspaceWriteContext } from '../support/exec-sandbox-context.ts';
import { test } from '../support/mcp-world.ts';
import { NO_SANDBOX } from '../support/sandbox-here.ts';

const ONCE: Answer = { kind: 'once', withoutSandbox: false };

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

interface Way {
  readonly engine: Engine;
  readonly workspace: string;
  readonly outside: string;
  /** What was asked, as `start` or `retry`. */
  readonly asked: string[];
  /** Starts it as an agent does, in a workspace-write fence when it is not said otherwise. */
  readonly run: (script: string, safety?: Partial<StartSafety>, cwd?: string) => ReturnType<Engine['startSafely']>;
  readonly ended: (session: SessionInfo) => Promise<SessionInfo>;
}

interface WayOptions {
  readonly mode: ApprovalMode;
  /** Null: nobody answers within a twentieth of a second, which is the limit then. */
  readonly answer: Answer | null;
  readonly machine?: SandboxMachine;
  readonly hostEnvironment?: Readonly<Record<string, string>>;
}

/** The engine as a host has it, with its settings in a file; every question gets the same answer. */
async function wayOf({ mode, answer, machine, hostEnvironment }: WayOptions): Promise<Way> {
  // Not below a temporary folder, which a fence replaces.
  const folder = await realpath(await mkdtemp(join(homedir(), '.shellscope-way-test-')));
  const [workspace, outside] = [join(folder, 'workspace'), join(folder, 'outside')];
  await mkdir(workspace);
  await mkdir(outside);
  const settingsFile = join(folder, 'settings.json');
  await writeFile(settingsFile, JSON.stringify({ approvals: { mode } }), { mode: 0o600 });
  const engine = createEngine({
    hostEnvironment: { ...process.env, ...hostEnvironment },
    safety: {
      settingsFile,
      unattended: 'wait',
      ...(machine === undefined ? {} : { machine }),
      ...(answer === null ? { questionTimeLimitMs: 50 } : {}),
    },
  });
  onTestFinished(async () => {
    await engine.dispose();
    await rm(folder, { recursive: true });
  });
  const asked: string[] = [];
  engine.onQuestion((event) => {
    if (event.type === 'asked') {
      asked.push(event.question.kind);
      if (answer !== null) {
        queueMicrotask(() => void engine.answerQuestion(event.question.id, answer, 'test'));
      }
    }
  });
  return {
    engine,
    workspace,
    outside,
    asked,
    run: (script, safety = {}, cwd = workspace) =>
      engine.startSafely(
        {
          argv: ['bash', '-c', script],
          cwd,
          environment: INHERITED,
          backend: { kind: 'pty' },
          origin: { kind: 'agent', client: 'codex', processId: 'p', threadId: 'thread-1', callId: 'call-1' },
        },
        { sandbox: workspaceWrite(workspace), mayRetry: true, ...safety },
      ),
    ended: async ({ id }) => {
      await engine.wait({ condition: { kind: 'closed', session: id }, timeoutMs: 15_000 });
      return engine.get(id);
    },
  };
}

const INHERITED = {
  kind: 'inherit',
  from: 'all',
  excludeCredentials: false,
  exclude: [],
  set: {},
  includeOnly: [],
  overlay: {},
} as const;

const fenced = describe.skipIf(NO_SANDBOX !== null);

fenced(`the way of an agent's command${NO_SANDBOX === null ? '' : `: not here, ${NO_SANDBOX}`}`, () => {
  test('D1: asks, fences it in, runs it, and asks again before it runs without the sandbox that denied it', async () => {
    const { engine, workspace, outside, asked, run, ended } = await wayOf({
      mode: 'ask-unless-known-safe',
      answer: ONCE,
    });
    const { session, retry } = await run(`touch in; touch ${outside}/out`);
    expect(asked).toEqual(['start']);
    expect(await ended(session)).toMatchObject({ sandbox: 'workspace-write, no network', exit: { exitCode: 1 } });
    const outcome = await retry;
    expect(outcome).toMatchObject({ kind: 'started', session: { retryOf: session.id, sandbox: null } });
    expect(asked).toEqual(['start', 'retry']);
    const again = outcome.kind === 'started' ? await ended(outcome.session) : null;
    expect(again?.exit?.exitCode).toBe(0);
    expect([await isThere(join(workspace, 'in')), await isThere(join(outside, 'out'))]).toEqual([true, true]);
    // By the other doors, too: nothing of an agent starts without being asked about.
    const front = engine.shellCommands({
      cwd: workspace,
      shellPath: '/bin/bash',
      environment: INHERITED,
      origin: session.origin,
      maxCallMs: null,
      wholeOutput: () => null,
    });
    await front.execCommand({ cmd: 'touch by-command' });
    await engine.unifiedExec({ cwd: workspace, environment: INHERITED, origin: session.origin }).exec({
      sessionId: null,
      input: ['touch', 'by-exec'],
    });
    expect(asked).toEqual(['start', 'retry', 'start', 'start']);
    // What is known to be safe is not asked about, and what did not fail does not run twice.
    const safe = await run('ls');
    expect(await safe.retry).toEqual({ kind: 'none', denied: null });
    expect(asked).toHaveLength(4);
  });

  test('D2: an answer for the session holds for this command, directory and sandbox, and for its second run', async () => {
    const answer: Answer = { kind: 'session', withoutSandbox: true };
    const { engine, outside, workspace, asked, run } = await wayOf({ mode: 'ask-unless-known-safe', answer });
    const first = await run(`touch ${outside}/out`);
    expect(await first.retry).toMatchObject({ kind: 'started' });
    expect(asked).toEqual(['start']);
    expect((await (await run(`touch '${outside}/out'`)).retry).kind).toBe('started');
    expect(asked).toEqual(['start']);
    expect((await engine.grants()).map(({ sandbox }) => sandbox === 'none')).toEqual([false, true]);
    await run(`touch ${outside}/other`);
    expect(asked).toHaveLength(2);
    await run(`touch ${outside}/out`, {}, outside);
    expect(asked).toHaveLength(3);
    await run(`touch ${outside}/out`, { sandbox: readOnly() });
    expect(asked).toHaveLength(4);
    await run(`touch ${outside}/out`, { conversation: 'another' });
    expect(asked).toHaveLength(5);
    for (const { id } of await engine.grants()) {
      await engine.revokeGrant(id);
    }
    await run(`touch ${workspace}/x`);
    await run(`touch ${outside}/out`);
    expect(asked).toHaveLength(7);
  });

  describe('D3: each policy asks when it says, and each sandbox lets through what it says', () => {
    const rows = [
      // Asked of: a start, one that fails in its sandbox, and one that asks for more rights.
      ['never-ask', [], [], 'refused'],
      ['ask-for-more-rights', [], [], ['start']],
      ['ask-on-failure', [], ['retry'], ['start']],
      ['ask-unless-known-safe', ['start'], ['start', 'retry'], ['start']],
    ] as const;
    test.for(rows)('%s', async ([mode, forStart, forFailure, forMoreRights]) => {
      const { outside, asked, run } = await wayOf({ mode, answer: ONCE });
      const askedFor = async (script: string, safety: Partial<StartSafety> = {}) => {
        asked.length = 0;
        await (
          await run(script, safety)
        ).retry;
        return [...asked];
      };
      expect(await askedFor('touch in')).toEqual(forStart);
      expect(await askedFor(`touch ${outside}/${mode}`)).toEqual(forFailure);
      const more = askedFor(`touch ${outside}/more`, { asksMoreRights: true });
      await (forMoreRights === 'refused'
        ? expect(more).rejects.toMatchObject({ code: 'refused' })
        : expect(more).resolves.toEqual(forMoreRights));
      // Known to be safe: no mode asks.
      expect(await askedFor('ls')).toEqual([]);
    });

    test.for(['read-only', 'workspace-write', 'none'] as const)('sandbox %s', async (kind) => {
      const { outside, workspace, run, ended } = await wayOf({ mode: 'never-ask', answer: ONCE });
      const sandbox =
        kind === 'none' ? ({ kind } as const) : kind === 'read-only' ? readOnly() : workspaceWrite(workspace);
      await ended((await run(`touch in; touch ${outside}/out`, { sandbox })).session);
      expect([await isThere(join(workspace, 'in')), await isThere(join(outside, 'out'))]).toEqual(
        kind === 'none' ? [true, true] : [kind === 'workspace-write', false],
      );
    });
  });

  test('D5: one function says what was likely denied, by every way', async ({ world }) => {
    const folder = await realpath(await mkdtemp(join(homedir(), '.shellscope-denied-test-')));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [workspace, outside] = [join(folder, 'in'), join(folder, 'out')];
    await mkdir(workspace);
    await mkdir(outside);
    const { engine, url, token } = world;
    const exec = await ExecClient.ready(url.replace('http:', 'ws:').replace('/mcp', ''), token);
    onTestFinished(() => exec.drop());
    const mcp = await world.connect('http', 'modern');
    const sandbox = workspaceWriteContext(workspace);
    const rows = [
      [`touch ${outside}/x`, true],
      ['echo nothing of the kind; exit 1', false],
      ['echo Permission denied', false],
      ['kill -SYS $$', true],
    ] as const;
    for (const [index, [script, isDenied]] of rows.entries()) {
      const argv = ['/bin/bash', '-c', script];
      const started = await engine.startSafely(
        {
          argv,
          cwd: workspace,
          environment: INHERITED,
          backend: { kind: 'pty' },
          origin: { kind: 'agent', client: 'codex', processId: 'p', threadId: null, callId: null },
        },
        { sandbox: workspaceWrite(workspace), mayRetry: true },
      );
      const { denied } = await started.retry;
      const { exit, epoch } = await engine.get(started.session.id);
      const { parts } = await engine.modelText(started.session.id, {
        cursor: { epoch, offset: 0 },
        toOffset: null,
        view: 'text',
        grep: null,
      });
      expect(denied).toBe(likelyDenied(exit ?? { exitCode: null, signal: null }, parts.join('')));
      await exec.start(`p${index}`, argv, { cwd: `file://${workspace}`, sandbox });
      await exec.closedProcess(`p${index}`);
      const told = exec.notifications.find(
        ({ method, params }) => method === 'process/exited' && params.processId === `p${index}`,
      );
      const facts = await mcp.ok('shell_exec', {
        command: script,
        shell: '/bin/bash',
        login: false,
        cwd: workspace,
        sandbox: 'workspace-write',
      });
      expect([denied !== null, Reflect.get(told?.params ?? {}, 'sandboxDenied'), facts['sandbox_denied']]).toEqual([
        isDenied,
        isDenied,
        isDenied,
      ]);
    }
  });

  test('what looks like a credential is not inherited, and where each variable came from can be seen', async () => {
    const hostEnvironment = { BUILD_TOKEN: 'of-the-host', PLAIN: 'plain' };
    const { engine, run, ended } = await wayOf({ mode: 'never-ask', answer: ONCE, hostEnvironment });
    for (const sandbox of [readOnly(), { kind: 'none' } as const]) {
      const { session } = await run('echo "token=[$BUILD_TOKEN] plain=[$PLAIN]"', { sandbox });
      const { epoch } = await ended(session);
      const { parts } = await engine.modelText(session.id, {
        cursor: { epoch, offset: 0 },
        toOffset: null,
        view: 'text',
        grep: null,
      });
      expect(parts.join('')).toBe('token=[] plain=[plain]\n');
      const facts = await engine.environment(session.id);
      expect(JSON.stringify(facts)).not.toContain('of-the-host');
      expect(facts?.leftOut).toContain('BUILD_TOKEN');
      expect(facts?.origins).toMatchObject({ PLAIN: 'host' });
    }
  });
});

test('D7: a question and its session have the id of the call that they belong to', async () => {
  const { engine, workspace } = await wayOf({ mode: 'ask-unless-known-safe', answer: ONCE });
  const questions: (string | null)[] = [];
  engine.onQuestion(({ question }) => questions.push(question.callId));
  const started = await Promise.all(
    ['call-1', 'call-2'].map((callId) =>
      engine.start({
        argv: ['touch', callId],
        cwd: workspace,
        environment: INHERITED,
        backend: { kind: 'pty' },
        origin: { kind: 'agent', client: 'codex', processId: callId, threadId: null, callId },
      }),
    ),
  );
  expect(new Set(questions)).toEqual(new Set(['call-1', 'call-2']));
  expect(started.map(({ argv, origin }) => [argv[1], origin.kind === 'agent' ? origin.callId : null])).toEqual([
    ['call-1', 'call-1'],
    ['call-2', 'call-2'],
  ]);
  const acts = await engine.timeline(started[0]?.id ?? ('none' as SessionId));
  expect(acts.map(({ act }) => act)).toEqual(
    expect.arrayContaining([expect.objectContaining({ kind: 'started', callId: 'call-1' })]),
  );
});

test('D8: without a sandbox on the machine, a command that must have one fails with what to install', async () => {
  const machine: SandboxMachine = {
    platform: 'linux',
    isRoot: true,
    find: (program) => (program === 'apt-get' ? '/usr/bin/apt-get' : null),
    run: async () => ({ exitCode: 1, output: '' }),
    read: async () => null,
  };
  const { engine, workspace, run, ended } = await wayOf({ mode: 'never-ask', answer: ONCE, machine });
  await expect(run('touch in')).rejects.toMatchObject({
    code: 'sandbox-missing',
    message: expect.stringMatching(/bubblewrap.*apt-get install .*bubblewrap/),
  });
  expect([await isThere(join(workspace, 'in')), await engine.list()]).toEqual([false, []]);
  // The same without one runs.
  await ended((await run('touch in', { sandbox: { kind: 'none' } })).session);
  expect(await isThere(join(workspace, 'in'))).toBe(true);
});

test('what nobody answers within its limit is refused, and nothing ran', async () => {
  const { engine, run } = await wayOf({ mode: 'ask-unless-known-safe', answer: null });
  await expect(run('touch in', { sandbox: { kind: 'none' } })).rejects.toMatchObject({
    code: 'refused',
    message: 'nobody answered in time whether this command may run',
  });
  expect([await engine.questions(), await engine.list()]).toEqual([[], []]);
});

test('what the settings say of a folder holds for what runs in it and for what is typed there, and nowhere else', async () => {
  const { engine, workspace, outside, asked, run, ended } = await wayOf({
    mode: 'never-ask',
    answer: { kind: 'refuse', words: null },
  });
  const bash = { decision: 'allow', words: ['bash', '--norc'], match: 'prefix', reason: 'a shell to type into' };
  const approvals = {
    mode: 'never-ask',
    workspaces: { [workspace]: { mode: 'ask-unless-known-safe', rules: [bash] } },
  };
  await writeFile(join(workspace, '../settings.json'), JSON.stringify({ approvals }), { mode: 0o600 });
  const free = { sandbox: { kind: 'none' } } as const;
  await symlink(workspace, join(outside, 'link'));
  for (const cwd of [workspace, join(outside, 'link')]) {
    await expect(run('touch made', free, cwd)).rejects.toMatchObject({ code: 'refused' });
  }
  expect(asked).toEqual(['start', 'start']);
  const { session } = await run('touch made', free, outside);
  expect((await ended(session)).exit).toEqual({ exitCode: 0, signal: null });
  expect(asked).toEqual(['start', 'start']);

  const typist = { kind: 'agent', client: 'codex', processId: 'p', threadId: null, callId: null } as const;
  const typed = async (cwd: string) => {
    const { id } = await engine.start({
      argv: ['bash', '--norc', '-i'],
      cwd,
      environment: { kind: 'exact', variables: { PATH: process.env['PATH'] ?? '' } },
      backend: { kind: 'pty' },
      origin: typist,
    });
    await engine.wait({ condition: { kind: 'input', session: id }, timeoutMs: 10_000 });
    return engine.write(id, Buffer.from('touch typed\r'), { by: { kind: 'agent', client: 'codex' } });
  };
  await expect(typed(workspace)).rejects.toMatchObject({ code: 'refused' });
  expect(asked).toEqual(['start', 'start', 'input']);
  expect(await typed(outside)).toMatchObject({ outcome: 'delivered' });
  expect(asked).toEqual(['start', 'start', 'input']);
});
