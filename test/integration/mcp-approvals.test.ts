import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { test, type ApprovalsWorld } from '../support/approvals-world.ts';
import type { Era, Road } from '../support/mcp-world.ts';

// Each answer of a person is a command of its own, of which a busy machine starts one in some seconds.
vi.setConfig({ testTimeout: 60_000 });

const ROADS: readonly (readonly [Road, Era])[] = [
  ['stdio', 'legacy'],
  ['http', 'modern'],
  ['http', 'legacy'],
];

const answer = async (host: ApprovalsWorld, ...args: readonly string[]) => {
  expect(await host.run(['approvals', ...args])).toEqual({ code: 0, stdout: '', stderr: '' });
};

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** Asked about, since it changes something. */
const makeIn = (host: ApprovalsWorld, more = {}) => ({
  command: 'mkdir made',
  cwd: host.workspace,
  shell: '/bin/bash',
  login: false,
  yield_ms: 100,
  ...more,
});

const pending = (requestId: unknown) => ({
  session_id: null,
  state: 'pending',
  exit_code: null,
  output: '',
  approval: { state: 'pending', request_id: requestId, until: expect.stringMatching(/^\d{4}-/) },
});

describe.for(ROADS)('a call by MCP over %s, %s, that waits for a person', ([road, era]) => {
  test('ends in its time and says so; the same call again waits on, and tells the outcome', async ({ host }) => {
    const agent = await host.mcpAgent(road, era);
    const exec = makeIn(host, { request_id: 'request-1' });
    expect(await agent.ok('shell_exec', exec)).toMatchObject({
      ...pending('request-1'),
      hint: expect.stringContaining('the same call with request_id "request-1" waits'),
    });
    expect(await agent.ok('shell_exec', exec)).toMatchObject(pending('request-1'));
    // The first call is over, and its question stands; nobody is asked twice.
    expect(await host.questions(1)).toMatchObject([{ id: 'question-1', callId: 'request-1' }]);
    const waiting = agent.ok('shell_exec', { ...exec, yield_ms: 20_000 });
    await answer(host, 'allow', '1');
    expect(await waiting).toMatchObject({ session_id: 'session-1', exit_code: 0, approval: null });
    expect(await agent.ok('shell_exec', exec)).toMatchObject({ session_id: 'session-1', exit_code: 0 });
    expect([await isThere(join(host.workspace, 'made')), (await host.sessions()).length]).toEqual([true, 1]);
  });

  test('names an id where the call had none; a refusal is told by it, however often it is asked for', async ({
    host,
  }) => {
    const agent = await host.mcpAgent(road, era);
    const { approval } = (await agent.ok('shell_exec', makeIn(host))) as unknown as {
      readonly approval: { readonly request_id: string };
    };
    const again = makeIn(host, { request_id: approval.request_id });
    await answer(host, 'refuse', '1', '--say', 'not here');
    for (const _time of [1, 2]) {
      expect(await agent.call('shell_exec', again)).toMatchObject({
        isError: true,
        text: 'a person refused this command: not here',
      });
    }
    expect(await agent.call('shell_exec', { ...again, command: 'mkdir other' })).toMatchObject({
      isError: true,
      text: 'request_id: it was that of another call; use a new one for each',
    });
    expect([await host.questions(0), (await host.sessions()).length]).toEqual([[], 0]);
  });

  test('takes its question back when it is cancelled, also the one that a call before it has asked', async ({
    host,
  }) => {
    const agent = await host.mcpAgent(road, era);
    const exec = makeIn(host, { request_id: 'request-1' });
    expect(await agent.ok('shell_exec', exec)).toMatchObject(pending('request-1'));
    const call = new AbortController();
    const waiting = agent.call('shell_exec', { ...exec, yield_ms: 20_000 }, { signal: call.signal });
    // By the answer of another request it is known that the one before it has come.
    await agent.ok('shell_list');
    call.abort();
    await expect(waiting).rejects.toThrow();
    expect(await host.questions(0)).toEqual([]);
    // Asked anew, with the same id.
    expect(await agent.ok('shell_exec', exec)).toMatchObject(pending('request-1'));
    expect(await host.questions(1)).toMatchObject([{ id: 'question-2' }]);
    expect(await isThere(join(host.workspace, 'made'))).toBe(false);
  });
});

describe('what waits for a person', () => {
  test('goes with the client that asked', async ({ host }) => {
    const agent = await host.mcpAgent();
    await agent.ok('shell_exec', makeIn(host));
    await host.questions(1);
    await agent.client.close();
    expect(await host.questions(0)).toEqual([]);
  });

  test('is allowed for the session until the client leaves', async ({ host }) => {
    const stays = makeIn(host, { command: 'sleep 300; mkdir made', background: true });
    const agent = await host.mcpAgent();
    await agent.ok('shell_exec', stays);
    await answer(host, 'allow', '1', '--for', 'session');
    expect(await agent.ok('shell_exec', stays)).toMatchObject({ state: 'running', approval: null });
    const grants = async () => (await host.run(['approvals', 'grants'])).stdout;
    expect(await grants()).toMatch(/^grant-1 {2}test-mcp, until this client leaves, by command line/);
    await agent.client.close();
    // With the client its sessions end.
    await host.run(['wait', '1']);
    expect(await grants()).not.toContain('grant-1');
    const next = await host.mcpAgent();
    await next.ok('shell_exec', stays);
    expect(await host.questions(1)).toMatchObject([{ argv: expect.arrayContaining([stays.command]) }]);
  });

  test('and is refused leaves its client with nothing, nor does the id that was meant for it', async ({ host }) => {
    const agent = await host.mcpAgent();
    const asked = { cmd: 'mkdir made', workdir: host.workspace, shell: '/bin/bash', login: false };
    for (const [number, requestId] of [
      ['1', 'r1'],
      ['2', undefined],
    ] as const) {
      const call = agent.call('exec_command', {
        ...asked,
        ...(requestId === undefined ? {} : { request_id: requestId }),
      });
      await host.questions(1);
      await answer(host, 'refuse', number);
      expect((await call).isError).toBe(true);
      expect(await host.questions(0)).toEqual([]);
    }
    expect((await agent.ok('shell_list')).sessions).toEqual([]);
    for (const session_id of ['session-1', 'session-2']) {
      const read = await agent.call('shell_read', { session_id });
      expect(read).toMatchObject({ isError: true, text: expect.stringContaining(`unknown session ${session_id}`) });
    }
    expect([await host.sessions(), await isThere(join(host.workspace, 'made'))]).toEqual([[], false]);
  });

  test('runs when it is allowed, whether or not anybody calls', async ({ host }) => {
    const agent = await host.mcpAgent();
    await agent.ok('shell_exec', makeIn(host, { background: true }));
    await answer(host, 'allow', '1');
    await host.run(['wait', '1']);
    expect((await agent.ok('shell_list')).sessions).toMatchObject([{ session_id: 'session-1', exit_code: 0 }]);
  });

  test('may be input: nothing of it is typed, and nothing of the output is taken, before it is allowed', async ({
    host,
  }) => {
    const agent = await host.mcpAgent();
    const open = { command: 'exec bash --norc --noprofile -i', yield_ms: 50, request_id: 'open-1' };
    expect(await agent.ok('shell_open', open)).toMatchObject(pending('open-1'));
    await answer(host, 'allow', '1');
    const { session_id } = await agent.ok('shell_open', { ...open, yield_ms: 20_000 });
    await host.run(['wait', session_id, '--input', '--timeout', '15s']);
    const write = { session_id, text: 'mkdir made', submit: true, yield_ms: 100, request_id: 'write-1' };
    expect(await agent.ok('shell_write', write)).toMatchObject({
      session_id,
      state: 'running',
      output: '',
      approval: { state: 'pending', request_id: 'write-1' },
    });
    await answer(host, 'allow', '2');
    const typed = await agent.ok('shell_write', { ...write, yield_ms: 20_000 });
    expect(typed).toMatchObject({ approval: null, output: expect.stringContaining('mkdir made\n') });
    expect(await isThere(join(host.workspace, 'made'))).toBe(true);
    expect(await host.questions(0)).toEqual([]);
  });

  test('is told in the words of exec_command and write_stdin, too', async ({ host }) => {
    const agent = await host.mcpAgent();
    const exec = {
      cmd: 'exec bash --norc --noprofile -i',
      workdir: host.workspace,
      yield_time_ms: 250,
      request_id: 'exec-1',
    };
    const asked = await agent.call('exec_command', exec);
    expect(asked).toMatchObject({ isError: false, facts: { ...pending('exec-1'), session_number: null } });
    expect(asked.text).toMatch(
      /^Wall time: 0\.\d{3} seconds\nApproval pending with request ID exec-1: nothing has run[^\n]*\nOutput:\n$/,
    );
    await answer(host, 'allow', '1');
    const started = await agent.call('exec_command', exec);
    const [, number] = /\nProcess running with session ID (\d+)\n/.exec(started.text) ?? [];
    await host.run(['wait', number ?? '', '--input', '--timeout', '15s']);
    const write = { session_id: Number(number), chars: 'mkdir made\r', yield_time_ms: 250, request_id: 'write-1' };
    expect(await agent.call('write_stdin', write)).toMatchObject({
      text: expect.stringMatching(/\nApproval pending with request ID write-1: /),
      facts: { session_id: `session-${number}`, state: 'running', approval: { state: 'pending' } },
    });
    await answer(host, 'refuse', '2', '--say', 'no');
    expect(await agent.call('write_stdin', write)).toMatchObject({
      isError: true,
      text: 'failed to write to stdin: a person refused this command: no',
    });
    expect(await isThere(join(host.workspace, 'made'))).toBe(false);
  });
});

describe('what an agent asks a person to do', () => {
  test('is listed and answered on the command line', async ({ host }) => {
    const agent = await host.mcpAgent();
    // Known to be safe: nobody is asked whether it may run.
    const { session_id } = await agent.ok('shell_open', { command: 'exec cat' });
    const attention = (...args: readonly string[]) => host.run(['attention', ...args]);
    expect(await attention('done', session_id)).toMatchObject({
      code: 1,
      stderr: `shellscope: session ${session_id} wants nothing of a person: \`shellscope attention\` lists those that do\n`,
    });
    const wish = { session_id, message: 'type the\u001B[31m password', kind: 'secret', yield_ms: 50 };
    expect(await agent.ok('shell_request_human', wish)).toMatchObject({ human: { state: 'pending' } });
    expect((await attention()).stdout).toMatch(
      new RegExp(`^${session_id}  test-mcp asks to type something that it may not know  \\(\\d[^)]* left\\)\n`),
    );
    expect((await attention()).stdout).not.toContain('\u001B');
    expect(JSON.parse((await attention('--json')).stdout)).toMatchObject([{ session: session_id, kind: 'secret' }]);
    const waiting = agent.ok('shell_request_human', { ...wish, yield_ms: 20_000 });
    expect(await attention('decline', session_id, '--say', 'ask the admin')).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(await waiting).toMatchObject({ human: { state: 'declined', note: 'ask the admin' }, attention: null });
    expect(await attention()).toMatchObject({ code: 0, stdout: '', stderr: 'No agent asks for anything.\n' });
    const another = agent.ok('shell_request_human', { ...wish, message: 'look', kind: 'ask', yield_ms: 20_000 });
    await expect.poll(async () => (await attention()).stdout).toContain('asks you');
    await attention('done', session_id);
    expect(await another).toMatchObject({ human: { state: 'done', note: null } });
  });
});
