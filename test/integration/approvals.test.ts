import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { describe, expect } from 'vitest';
import type { Grant, Question } from '../../src/engine/engine.ts';
import { test, type ApprovalsWorld } from '../support/approvals-world.ts';
import type { ExecClient, Frame } from '../support/exec-client.ts';
import { NO_SANDBOX } from '../support/sandbox-here.ts';

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** Neither known to be safe nor of any effect that lasts. */
const MAKE = ['mkdir', 'made'];

/** As the host has it: another one may change what a command does. */
const PATH = process.env['PATH'] ?? '';

const start = (
  client: ExecClient,
  host: ApprovalsWorld,
  processId: string,
  argv: readonly string[] = MAKE,
  more = {},
) => client.start(processId, argv, { cwd: `file://${host.workspace}`, env: { PATH }, ...more });

const allowed = (processId: string) => ({ result: { processId, sandboxType: 'none' } });
const refused = (message: string) => ({ error: { code: -32_600, message } });

const answer = async (host: ApprovalsWorld, ...args: readonly string[]) => {
  expect(await host.run(['approvals', ...args])).toEqual({ code: 0, stdout: '', stderr: '' });
};

describe('what an agent wants to run by the exec-server protocol', () => {
  test('waits, and is told whole; what is known to be safe runs unasked', async ({ host }) => {
    const agent = await host.execAgent();
    expect(await host.run(['approvals'])).toEqual({ code: 0, stdout: '', stderr: 'Nothing waits.\n' });
    expect(await start(agent, host, 'safe', ['ls'])).toMatchObject(allowed('safe'));

    const env = { PATH, ODD: '1' };
    const metadata = { threadId: 'thread-1', toolCallId: 'call-7' };
    const started = start(agent, host, 'p1', MAKE, { env, metadata });
    const [question] = await host.questions(1);
    expect(question).toMatchObject({
      id: 'question-1',
      kind: 'start',
      client: 'test-agent',
      callId: 'call-7',
      argv: MAKE,
      cwd: host.workspace,
      changedVariables: expect.arrayContaining(['ODD']),
      sandbox: 'none',
      why: expect.stringContaining('mkdir'),
    });
    expect(JSON.parse((await host.run(['approvals', '--json'])).stdout)).toEqual([question]);
    const { stdout } = await host.run(['approvals']);
    expect(stdout).toMatch(/^question-1 {2}test-agent wants to run {2}\((9m|10m) left\)\n {2}command +mkdir made\n/);
    expect(stdout).toContain(`  in         ${host.workspace}\n`);
    expect(stdout).toMatch(/\n {2}variables {2}.*\bODD\b/);
    expect(stdout).toContain('  sandbox    none\n');
    expect(stdout).toContain(`  why        ${question?.why}\n`);
    expect(stdout).toContain('  call       call-7\n');
    expect(await isThere(join(host.workspace, 'made'))).toBe(false);

    await answer(host, 'allow', '1');
    expect(await started).toMatchObject(allowed('p1'));
    expect((await agent.closedProcess('p1')).exitCode).toBe(0);
    expect(await isThere(join(host.workspace, 'made'))).toBe(true);
    // Once is once.
    const again = start(agent, host, 'p2', MAKE, { env });
    await host.questions(1);
    await answer(host, 'refuse', 'question-2');
    expect(await again).toMatchObject(refused('a person refused this command'));
  });

  test('is refused with a person’s words', async ({ host }) => {
    const agent = await host.execAgent();
    const started = start(agent, host, 'p1');
    await host.questions(1);
    await answer(host, 'refuse', '1', '--say', 'use the folder that is there');
    expect(await started).toMatchObject(refused('a person refused this command: use the folder that is there'));
    expect([await isThere(join(host.workspace, 'made')), (await host.sessions()).length]).toEqual([false, 0]);
  });

  test('is allowed for the conversation, listed, and asked again once that is revoked', async ({ host }) => {
    const agent = await host.execAgent();
    const inThread = (processId: string, threadId: string) =>
      start(agent, host, processId, ['touch', 'made'], { metadata: { threadId, toolCallId: processId } });
    const first = inThread('p1', 'thread-1');
    await host.questions(1);
    await answer(host, 'allow', '1', '--for', 'session');
    expect(await first).toMatchObject(allowed('p1'));
    expect(await inThread('p2', 'thread-1')).toMatchObject(allowed('p2'));
    const grants = JSON.parse((await host.run(['approvals', 'grants', '--json'])).stdout) as readonly Grant[];
    expect(grants).toMatchObject([
      {
        argv: ['touch', 'made'],
        cwd: host.workspace,
        sandbox: 'none',
        by: 'command line',
        scope: { kind: 'session', conversation: 'thread-1' },
      },
    ]);
    expect((await host.run(['approvals', 'grants'])).stdout).toMatch(
      /^grant-1 {2}test-agent, in the conversation thread-1, until this client leaves, by command line, \d+s ago\n {2}command +touch made\n/,
    );
    // Another conversation is not meant.
    const other = inThread('p3', 'thread-2');
    await host.questions(1);
    await answer(host, 'refuse', '2');
    expect(await other).toMatchObject(refused('a person refused this command'));

    await answer(host, 'revoke', '1');
    expect((await host.run(['approvals', 'grants', '--json'])).stdout).toBe('[]\n');
    const after = inThread('p4', 'thread-1');
    await host.questions(1);
    await answer(host, 'refuse', '3');
    expect(await after).toHaveProperty('error');
  });

  test('is allowed for always, by a rule in the settings', async ({ host }) => {
    const agent = await host.execAgent();
    const first = start(agent, host, 'p1', ['mkdir', 'one']);
    const [question] = await host.questions(1);
    await answer(host, 'allow', '1', '--for', 'always');
    expect(await first).toMatchObject(allowed('p1'));
    expect(question?.proposedRules).toHaveLength(1);
    expect(await host.settings()).toMatchObject({
      approvals: { clients: { 'test-agent': { rules: question?.proposedRules } } },
    });
    expect(await start(agent, host, 'p2', ['mkdir', 'one'])).toMatchObject(allowed('p2'));
    expect(await host.questions(0)).toEqual([]);
  });

  test('waits each by itself, and is answered in any order', async ({ host }) => {
    const agent = await host.execAgent();
    const ended: string[] = [];
    const note = async (name: string, started: Promise<Frame>) => {
      const frame = await started;
      ended.push(name);
      return frame;
    };
    const one = note('one', start(agent, host, 'one', ['mkdir', 'one']));
    await host.questions(1);
    const two = note('two', start(agent, host, 'two', ['mkdir', 'two']));
    expect((await host.questions(2)).map(({ argv }) => argv[1])).toEqual(['one', 'two']);
    await answer(host, 'allow', '2');
    expect(await two).toMatchObject(allowed('two'));
    await answer(host, 'refuse', '1');
    expect(await one).toHaveProperty('error');
    expect(ended).toEqual(['two', 'one']);
  });

  test('is followed as it is asked and settled', async ({ host }) => {
    const agent = await host.execAgent();
    const follower = host.start('approvals', '--follow', '--json');
    const lines = createInterface(follower.stdout)[Symbol.asyncIterator]();
    const next = async () => JSON.parse(String((await lines.next()).value)) as object;
    const started = start(agent, host, 'p1');
    expect(await next()).toMatchObject({ type: 'asked', question: { id: 'question-1', argv: MAKE } });
    await answer(host, 'refuse', '1', '--say', 'no');
    expect(await next()).toMatchObject({
      type: 'settled',
      question: { id: 'question-1' },
      settled: { by: 'person', from: 'command line', answer: { kind: 'refuse', words: 'no' } },
    });
    await started;
  });
});

describe('what an agent types at a prompt', () => {
  test('is judged as the command that it becomes, and refused with the words', async ({ host }) => {
    const agent = await host.execAgent();
    const env = { PATH, TERM: 'dumb', PS1: 'ready> ' };
    const started = start(agent, host, 'shell', ['/bin/bash', '--norc', '--noprofile', '-i'], { env });
    await host.questions(1);
    await answer(host, 'allow', '1');
    await started;
    await agent.printed('shell', 'ready> ');
    await host.run(['wait', 'session-1', '--input', '--timeout', '15s']);
    // Nothing runs yet; what stands on the line is judged with the Enter.
    expect(await agent.write('shell', 'mkdir ', 'w1')).toMatchObject({ result: { status: 'accepted' } });
    await agent.printed('shell', 'mkdir');
    const entered = agent.write('shell', 'typed\r', 'w2');
    const [question] = await host.questions(1);
    expect(question).toMatchObject({ kind: 'input', session: 'session-1', argv: ['typed\r'] });
    expect((await host.run(['approvals'])).stdout).toContain('  input      "typed\\r"\n');
    await answer(host, 'refuse', '2', '--say', 'not here');
    expect(await entered).toMatchObject(refused('a person refused this command: not here'));
    expect(await agent.write('shell', '\u0003', 'w3')).toMatchObject({ result: { status: 'accepted' } });
    const typed = agent.write('shell', 'mkdir yes; echo do""ne\r', 'w4');
    await host.questions(1);
    await answer(host, 'allow', '3');
    expect(await typed).toMatchObject({ result: { status: 'accepted' } });
    await agent.printed('shell', 'done');
    expect([await isThere(join(host.workspace, 'typed')), await isThere(join(host.workspace, 'yes'))]).toEqual([
      false,
      true,
    ]);
  });
});

describe('what an agent wants to run by MCP', () => {
  const exec = { command: 'mkdir made', shell: '/bin/bash', login: false, request_id: 'request-1' };

  test('waits, and its answer has a person’s words', async ({ host }) => {
    const agent = await host.mcpAgent();
    const called = agent.call('shell_exec', exec);
    const [question] = await host.questions(1);
    expect(question).toMatchObject({
      client: 'test-mcp',
      callId: 'request-1',
      argv: ['/bin/bash', '-c', 'mkdir made'],
      cwd: host.workspace,
    });
    await answer(host, 'refuse', '1', '--say', 'it is there');
    expect(await called).toMatchObject({ isError: true, text: 'a person refused this command: it is there' });
    const again = agent.call('shell_exec', { ...exec, request_id: 'request-2' });
    await host.questions(1);
    await answer(host, 'allow', '2', '--for', 'always');
    const { facts } = await again;
    expect(facts).toMatchObject({ state: 'closed', exit_code: 0 });
    expect((await agent.call('shell_exec', { ...exec, request_id: 'request-3' })).facts).toMatchObject({
      exit_code: 1,
    });
  });

  test('is no longer asked about when its call is cancelled', async ({ host }) => {
    const agent = await host.mcpAgent();
    const call = new AbortController();
    const called = agent.call('shell_exec', exec, { signal: call.signal }).catch(() => 'cancelled');
    await host.questions(1);
    call.abort();
    expect(await called).toBe('cancelled');
    expect(await host.questions(0)).toEqual([]);
    expect(await host.run(['approvals', 'allow', '1'])).toMatchObject({
      code: 1,
      stderr: 'shellscope: no question question-1 waits; it may have been answered, or its call is over\n',
    });
    expect([await isThere(join(host.workspace, 'made')), (await host.sessions()).length]).toEqual([false, 0]);
  });

  test('typed with submit is judged with its Enter, and not twice for one request', async ({ host }) => {
    const agent = await host.mcpAgent();
    const opened = agent.call('shell_open', { command: 'exec bash --norc --noprofile -i' });
    await host.questions(1);
    await answer(host, 'allow', '1');
    const { session_id: id } = (await opened).facts;
    await host.run(['wait', id, '--input', '--timeout', '15s']);
    const write = { session_id: id, text: 'mkdir made', submit: true, request_id: 'write-1' };
    const typed = agent.call('shell_write', write);
    expect(await host.questions(1)).toMatchObject([{ kind: 'input', argv: ['mkdir made\r'], callId: 'write-1' }]);
    await answer(host, 'allow', '2');
    expect((await typed).isError).toBe(false);
    expect((await agent.call('shell_write', write)).isError).toBe(false);
    // Of two at once the second stands behind what the first leaves on the line.
    const [half, rest] = [
      agent.call('shell_write', { session_id: id, text: 'rmdir ' }),
      agent.call('shell_write', { session_id: id, text: 'made', submit: true }),
    ];
    const [question] = await host.questions(1);
    expect(question?.argv).toEqual(['made\r']);
    await answer(host, 'refuse', '3');
    expect([(await half).isError, (await rest).isError]).toEqual([false, true]);
    expect(await isThere(join(host.workspace, 'made'))).toBe(true);
  });

  test.skipIf(NO_SANDBOX !== null)(
    'runs in its sandbox, and again without when a person allows that',
    async ({ host }) => {
      const agent = await host.mcpAgent();
      const outside = join(host.workspace, 'outside');
      const fenced = {
        command: `touch inside && touch ${outside}`,
        shell: '/bin/bash',
        login: false,
        cwd: join(host.workspace, 'folder'),
        sandbox: 'workspace-write',
      };
      const refusedRun = agent.call('shell_exec', fenced);
      expect(await host.questions(1)).toMatchObject([{ kind: 'start', sandbox: 'workspace-write, no network' }]);
      await answer(host, 'allow', '1');
      expect(await host.questions(1)).toMatchObject([{ kind: 'retry', session: 'session-1', sandbox: 'none' }]);
      await answer(host, 'refuse', '2', '--say', 'stay inside');
      expect((await refusedRun).facts).toMatchObject({
        session_id: 'session-1',
        sandbox: 'workspace-write, no network',
        sandbox_denied: true,
        retry_of: null,
        hint: expect.stringContaining('a person refused this command: stay inside'),
      });
      expect([await isThere(join(fenced.cwd, 'inside')), await isThere(outside)]).toEqual([true, false]);

      // A yes to both beforehand.
      const repeated = agent.call('shell_exec', fenced);
      await host.questions(1);
      await answer(host, 'allow', '3', '--without-sandbox');
      expect((await repeated).facts).toMatchObject({
        session_id: 'session-3',
        exit_code: 0,
        sandbox: null,
        sandbox_denied: false,
        retry_of: 'session-2',
        hint: expect.stringContaining('session-2'),
      });
      expect(await isThere(outside)).toBe(true);
      expect((await agent.ok('shell_read', { session_id: 'session-3', cursor: 'start' })).state).toBe('closed');
    },
  );
});

describe('an answer', () => {
  test('that cannot be given is refused with why', async ({ host }) => {
    const agent = await host.execAgent();
    const started = start(agent, host, 'p1', ['/bin/sh', '-c', 'touch made*']);
    const [question]: readonly Question[] = await host.questions(1);
    expect(question?.proposedRules).toEqual([]);
    const rows = [
      [['allow', '1', '--for', 'always'], 2, /question-1 cannot be answered for always/],
      [['allow', '1', '--without-sandbox'], 2, /question-1 has no run without its sandbox to allow/],
      [['allow', '1', '--for', 'always', '--without-sandbox'], 2, /leave one of them out/],
      [['allow', '1', '--for', 'ever'], 2, /Allowed choices are once, session, always/],
      [['allow', '9'], 1, /no question question-9 waits/],
      [['refuse', 'x'], 1, /no question x waits/],
      [['revoke', '4'], 1, /nothing that is remembered has the id grant-4/],
    ] as const;
    for (const [args, code, stderr] of rows) {
      expect(await host.run(['approvals', ...args])).toEqual({
        code,
        stdout: '',
        stderr: expect.stringMatching(stderr),
      });
    }
    expect(await host.questions(1)).toEqual([question]);
    await answer(host, 'refuse', '1');
    await started;
  });
});
