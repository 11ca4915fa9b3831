import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { test, type Era, type Road } from '../support/mcp-world.ts';

const ROADS: readonly (readonly [Road, Era])[] = [
  ['stdio', 'modern'],
  ['stdio', 'legacy'],
  ['http', 'modern'],
  ['http', 'legacy'],
];

const TOOLS = [
  'shell_exec',
  'shell_open',
  'shell_write',
  'shell_read',
  'shell_wait',
  'shell_signal',
  'shell_close',
  'shell_list',
  'shell_request_human',
  'exec_command',
  'write_stdin',
];

describe.for(ROADS)('MCP over %s, %s', ([road, era]) => {
  test('lists its tools, each with what it takes and answers', async ({ world }) => {
    const { client } = await world.connect(road, era);
    expect(client.getNegotiatedProtocolVersion()).toMatch(era === 'modern' ? /^2026-07-28$/ : /^2025-/);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        description: expect.any(String),
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: expect.any(Boolean), destructiveHint: expect.any(Boolean) },
      });
    }
  });

  test('a command is run to its end, and its facts are told', async ({ world }) => {
    const agent = await world.connect(road, era);
    const answer = await agent.call('shell_exec', { command: 'echo "$PWD"; printf "\\033[31mred\\033[m\\n"; exit 3' });
    expect(JSON.parse(answer.text)).toEqual(answer.facts);
    expect(answer.facts).toEqual({
      session_id: 'session-1',
      sandbox: null,
      sandbox_denied: false,
      retry_of: null,
      state: 'closed',
      exit: { code: 3, signal: null, by: 'child', at: expect.stringMatching(/^\d{4}-/) },
      exit_code: 3,
      waiting: null,
      control: 'agent',
      last_human: null,
      survivors: [],
      attention: null,
      output_resource: 'shell://session/session-1/output',
      hint: null,
      cursor: expect.stringMatching(/^[0-9a-f]{8}:0$/),
      next_cursor: expect.stringMatching(/^[0-9a-f]{8}:\d+$/),
      dropped_bytes: 0,
      omitted_bytes: 0,
      truncated: false,
      output: '/tmp\nred\n',
      untrusted: true,
      warnings: [],
      approval: null,
    });
    const { resources } = await agent.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['shell://session/session-1/output']);
    const whole = await agent.client.readResource({ uri: 'shell://session/session-1/output' });
    expect(whole.contents).toEqual([
      { uri: 'shell://session/session-1/output', mimeType: 'text/plain', text: '/tmp\nred\n' },
    ]);
    const part = await agent.client.readResource({ uri: 'shell://session/session-1/output/1-6' });
    expect(part.contents).toMatchObject([{ text: 'tmp\n' }]);
  });

  test('a start that fails leaves its client with nothing', async ({ world }) => {
    const agent = await world.connect(road, era);
    const shell = '/no/such/shell';
    for (const [tool, args] of [
      ['exec_command', { cmd: 'true', shell }],
      ['exec_command', { cmd: 'true', shell, request_id: 'r' }],
      ['shell_exec', { command: 'true', shell }],
      ['shell_open', { command: 'true', cwd: '/no/such/folder' }],
      ['shell_open', { command: 'true', title: 'of\ntwo lines' }],
    ] as const) {
      expect((await agent.call(tool, args)).isError, tool).toBe(true);
    }
    const again = { cmd: 'exec cat', request_id: 'r', yield_time_ms: 250 };
    const { session_id } = (await agent.call('exec_command', again)).facts;
    expect((await agent.ok('shell_list')).sessions).toMatchObject([{ session_id, state: 'running' }]);
    expect((await agent.client.listResources()).resources).toHaveLength(1);
    const asked = await agent.call('shell_read', { session_id: 'session-1' });
    expect(asked).toMatchObject({ isError: true, text: expect.stringContaining('unknown session session-1') });
  });

  test('a person is asked, and the same call goes on waiting for the answer', async ({ world }) => {
    const agent = await world.connect(road, era);
    const { session_id } = await agent.ok('shell_open', { command: 'exec cat' });
    const args = { session_id, message: 'please look', yield_ms: 50 };
    const pending = await agent.ok('shell_request_human', args);
    expect(pending).toMatchObject({ human: { state: 'pending' }, attention: { kind: 'ask', message: 'please look' } });
    if (road === 'stdio') {
      return;
    }
    const waited = agent.ok('shell_request_human', { ...args, yield_ms: 20_000 });
    expect(
      await world.engine.answerAttention(session_id, pending.attention?.id ?? '', { state: 'done', note: 'seen' }),
    ).toBe(true);
    expect(await waited).toMatchObject({ human: { state: 'done', note: 'seen', until: null }, attention: null });
  });

  test('a cancelled call ends no child and takes no output', async ({ world }) => {
    const agent = await world.connect(road, era);
    const { session_id } = await agent.ok('shell_open', { command: 'read a; echo "got $a"; read b' });
    const controller = new AbortController();
    const cancelled = agent.call(
      'shell_write',
      { session_id, text: 'x', submit: true, yield_ms: 20_000 },
      { signal: controller.signal },
    );
    // The write has been made when the session has printed; another reader is told of that.
    const seen = agent.ok('shell_wait', { session_ids: [session_id], until: ['match'], pattern: 'got x' });
    const read = agent.call(
      'shell_read',
      { session_id, cursor: 'now', yield_ms: 20_000 },
      { signal: controller.signal },
    );
    await seen;
    controller.abort(new Error('not wanted any more'));
    const outcomes = await Promise.allSettled([cancelled, read]);
    const told = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.facts.output] : []));
    const last = await agent.ok('shell_read', { session_id });
    expect(last.state).toBe('running');
    expect([...told, last.output].join('')).toContain('got x\n');
  });
});

describe('MCP tools', () => {
  test.for([
    ['shell_exec', {}, /command/],
    ['shell_exec', { command: '' }, /command.*must not be empty/s],
    ['shell_exec', { command: 'true', cwd: 'relative' }, /cwd.*must be an absolute path/s],
    ['shell_exec', { command: 'true', allowed_hosts: ['*.org'] }, /allowed_hosts.*'\*\.org' is no host/s],
    ['shell_exec', { command: 'true', allowed_hosts: ['127.0.0.1'] }, /allowed_hosts.*only the settings may allow/s],
    ['shell_exec', { command: 'true', cwd: '/no/such/folder' }, /\/no\/such\/folder/],
    ['shell_exec', { command: 'true', yield_ms: 'soon' }, /yield_ms.*must be a time in milliseconds/s],
    ['shell_exec', { command: 'true', comand: 'x' }, /comand.*there is no such field; there are: command, /s],
    ['shell_open', { cols: 0 }, /cols/],
    ['shell_write', { session_id: 'S', text: 5 }, /text.*must be a text/s],
    ['shell_write', { session_id: 'S', keys: ['hyperspace'] }, /keys: there is no key "hyperspace"; there are up, /],
    ['shell_write', { text: 'x' }, /session_id.*must be the session_id of an earlier answer/s],
    ['shell_write', { session_id: 'session-99', text: 'x' }, /unknown session session-99: shell_list shows/],
    ['shell_read', { session_id: 'S', cursor: 'yesterday' }, /cursor: "yesterday" is none of session-1; use unread, /],
    ['shell_read', { session_id: 'S', view: 'film' }, /view.*must be 'text', 'screen' or 'raw'/s],
    ['shell_read', { session_id: 'S', grep: '(' }, /pattern: .*RE2 syntax/],
    ['shell_wait', { session_ids: [] }, /session_ids/],
    ['shell_wait', { session_ids: ['S'], until: ['match'] }, /pattern: is needed to wait for a match/],
    ['shell_wait', { session_ids: ['S'], until: ['rain'] }, /until.*must be a list of 'exit', 'idle'/s],
    ['shell_signal', { session_id: 'S', signal: 'NOPE' }, /signal: there is no SIGNOPE here/],
    ['shell_close', { session_id: 'S', grace_ms: -1 }, /grace_ms/],
    ['shell_list', { all: true }, /all.*there is no such field; there are: none/s],
    ['shell_request_human', { session_id: 'S' }, /message.*must say what a person shall do/s],
    ['exec_command', { cmd: 7 }, /cmd.*must be a command line/s],
    ['write_stdin', { session_id: 99 }, /^unknown session id 99$/],
  ] as const)(
    '%s refuses %j with a sentence that names the field, and changes nothing',
    async ([tool, args, says], { world }) => {
      const agent = await world.connect('http', 'modern');
      const { session_id } = await agent.ok('shell_open', { command: 'exec cat' });
      const named = JSON.parse(JSON.stringify(args).replaceAll('"S"', JSON.stringify(session_id))) as object;
      const before = await world.engine.list();
      const answer = await agent.call(tool, named);
      expect({ isError: answer.isError, text: answer.text }).toEqual({
        isError: true,
        text: expect.stringMatching(says),
      });
      const known = (await world.engine.list()).filter(({ state }) => state !== 'failed');
      expect(known.map(({ id, outputBytes, state }) => [id, outputBytes, state])).toEqual(
        before.map(({ id, outputBytes, state }) => [id, outputBytes, state]),
      );
    },
  );

  test('the words of other hosts are understood', async ({ world }) => {
    const agent = await world.connect('http', 'legacy');
    expect(
      await agent.ok('shell_exec', { cmd: 'pwd', workdir: '/', description: 'looks', timeout_ms: 5_000 }),
    ).toMatchObject({
      output: '/\n',
    });
    // It prints when it is told to: what an answer has given already is not waited for.
    const told = join(await mkdtemp(join(tmpdir(), 'shellscope-words-')), 'told');
    execFileSync('mkfifo', [told]);
    const running = await agent.ok('shell_exec', { command: `cat ${told}; exec cat`, run_in_background: true });
    expect(running).toMatchObject({ state: 'running', output: '' });
    await writeFile(told, 'up\n');
    await rm(dirname(told), { recursive: true });
    expect(
      await agent.ok('shell_wait', { session_id: running.session_id, until: 'match', regex: '^up$' }),
    ).toMatchObject({
      outcome: 'met',
      met: [{ kind: 'match', match: 'up' }],
    });
    expect(await agent.ok('shell_read', { bash_id: running.session_id, filter: 'u.' })).toMatchObject({
      output: 'up\n',
    });
    expect(await agent.ok('shell_write', { id: 2, input: 'typed\r' })).toMatchObject({ output: 'typed\ntyped\n' });
    expect(await agent.ok('shell_close', { shell_id: running.session_id })).toMatchObject({
      was_running: true,
      exit: { by: 'agent' },
      survivors: [],
    });
  });

  test('the pair answers in the text that models know, and its sessions are those of the other tools', async ({
    world,
  }) => {
    const agent = await world.connect('http', 'modern');
    const started = await agent.call('exec_command', { cmd: 'read a; echo "got $a"', yield_time_ms: 250 });
    expect(started.text).toMatch(/^Wall time: \d+\.\d{3} seconds\nProcess running with session ID 1\nOutput:\n$/);
    expect(started.facts).toMatchObject({ session_id: 'session-1', session_number: 1, state: 'running' });
    const typed = await agent.call('write_stdin', { session_id: 1, chars: 'x\r', yield_time_ms: 10_000 });
    expect(typed.text).toMatch(/\nProcess exited with code 0\nOutput:\nx\ngot x\n$/);
    expect(typed.facts).toMatchObject({ session_number: null, exit_code: 0 });
    const clamped = await agent.call('exec_command', { cmd: 'true', yield_time_ms: 60_000 });
    expect(clamped.text).toContain(
      'Warning: requested yield time 60000ms exceeds maximum of 24000ms; clamping to 24000ms.\nOutput:',
    );
    expect(await agent.ok('shell_read', { session_id: 1, cursor: 'start' })).toMatchObject({ output: 'x\ngot x\n' });
  });

  test('a longer wait than a call may take is cut, and the answer says so', async ({ world }) => {
    const agent = await world.connect('http', 'modern');
    const warnings = ['Warning: requested yield time 60000ms exceeds maximum of 24000ms; clamping to 24000ms.'];
    expect(await agent.ok('shell_exec', { command: 'true', yield_ms: 60_000 })).toMatchObject({ warnings });
    const opened = await agent.ok('shell_open', { command: 'exec cat', yield_ms: 60_000 });
    expect(opened).toMatchObject({ warnings });
    const { session_id } = opened;
    expect(await agent.ok('shell_write', { session_id, keys: ['ctrl-d'], yield_ms: 60_000 })).toMatchObject({
      warnings,
    });
  });

  test('the same request id again starts and types nothing twice; two clients may choose the same', async ({
    world,
  }) => {
    const [one, two] = [
      await world.connect('http', 'modern', await world.tokenOf('one')),
      await world.connect('http', 'modern', await world.tokenOf('two')),
    ];
    const start = { command: 'exec cat', request_id: 'r', yield_ms: 0, background: true };
    const first = await one.ok('shell_exec', start);
    expect((await one.ok('shell_exec', start)).session_id).toBe(first.session_id);
    expect((await two.ok('shell_exec', start)).session_id).not.toBe(first.session_id);
    const write = { session_id: first.session_id, text: 'once', submit: true, request_id: 'w' };
    await one.ok('shell_write', write);
    await one.ok('shell_write', write);
    expect((await one.ok('shell_read', { session_id: first.session_id, cursor: 'start' })).output).toBe('once\nonce\n');
  });

  test('S16: a client sees its own sessions only; the ids of others are unknown to it', async ({ world }) => {
    const [one, two] = [
      await world.connect('http', 'modern', await world.tokenOf('one')),
      await world.connect('http', 'legacy', await world.tokenOf('two')),
    ];
    const { session_id } = await one.ok('shell_open', { command: 'exec cat' });
    expect((await one.ok('shell_list')).sessions).toMatchObject([{ session_id }]);
    expect((await two.ok('shell_list')).sessions).toEqual([]);
    expect((await two.client.listResources()).resources).toEqual([]);
    for (const [tool, args] of [
      ['shell_write', { text: 'x' }],
      ['shell_read', {}],
      ['shell_wait', {}],
      ['shell_signal', {}],
      ['shell_close', {}],
      ['shell_request_human', { message: 'x' }],
    ] as const) {
      expect(await two.call(tool, { session_id, ...args })).toMatchObject({
        isError: true,
        text: expect.stringContaining(`unknown session ${session_id}`),
      });
    }
    expect((await two.call('write_stdin', { session_id: 1, chars: 'x' })).text).toBe('unknown session id 1');
    await expect(two.client.readResource({ uri: `shell://session/${session_id}/output` })).rejects.toThrow(
      'unknown session',
    );
    // The same client, over another connection.
    expect((await one.ok('shell_read', { session_id })).state).toBe('running');
    expect(await world.engine.get(session_id)).toMatchObject({
      outputBytes: 0,
      origin: { kind: 'agent', client: 'one' },
    });
  });

  test('while a person types, a write is refused whole; afterwards the agent can read what happened', async ({
    world,
  }) => {
    const agent = await world.connect('http', 'modern');
    const { session_id } = await agent.ok('shell_open', { command: 'exec cat', title: 'a cat' });
    await world.engine.write(session_id, Buffer.from('mine'), { by: { kind: 'person' }, enter: true });
    const refused = await agent.call('shell_write', { session_id, text: 'theirs', submit: true });
    expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/^human_in_control: /) });
    // The echo, and cat's own: what is typed before that is echoed between the two.
    const typed = { session_ids: [session_id], until: 'match', pattern: 'mine\\s+mine' };
    expect(await agent.ok('shell_wait', typed)).toMatchObject({
      sessions: [{ control: 'human', hint: expect.stringContaining('a person is typing') }],
    });
    await world.engine.handBackKeyboard(session_id);
    const after = await agent.ok('shell_write', { session_id, text: 'theirs', submit: true });
    expect(after).toMatchObject({ control: 'agent', last_human: { cursor: expect.stringMatching(/:0$/) } });
    expect(after.output).toBe('mine\nmine\ntheirs\ntheirs\n');
    expect(await world.engine.get(session_id)).toMatchObject({ title: 'a cat' });
  });

  test('of a long output the middle is left out, and the resource has it', async ({ world }) => {
    const agent = await world.connect('http', 'modern');
    const answer = await agent.ok('shell_exec', { command: 'seq 300000', max_bytes: 2_000 });
    expect(answer).toMatchObject({ truncated: true, dropped_bytes: 0 });
    expect(Buffer.byteLength(answer.output)).toBeLessThanOrEqual(2_000);
    expect(answer.output).toMatch(
      /^1\n2\n[^]*tokens truncated; all of it: shell:\/\/session\/session-1\/output…[^]*\n300000\n$/,
    );
    const { contents } = await agent.client.readResource({ uri: 'shell://session/session-1/output/1000000-1000040' });
    expect(contents).toMatchObject([{ text: expect.stringMatching(/^\d*\n(?:\d+\n)+\d*$/) }]);
  });

  test('what outlived a command is named, and ended by a close', async ({ world }) => {
    const agent = await world.connect('http', 'modern');
    const { session_id } = await agent.ok('shell_exec', {
      command: 'setsid -f sh -c "exec sleep 301 >/dev/null 2>&1 </dev/null"; sleep 0.1',
    });
    let facts = await agent.ok('shell_read', { session_id });
    while (facts.survivors.length === 0) {
      facts = await agent
        .ok('shell_wait', { session_ids: [session_id], until: 'idle', idle_ms: 50 })
        .then(({ sessions }) => sessions[0] ?? facts);
    }
    expect(facts.survivors).toEqual([{ pid: expect.any(Number), command: 'sleep 301' }]);
    expect(facts.hint).toContain('shell_close');
    expect(await agent.ok('shell_close', { session_id })).toMatchObject({ survivors: [], was_running: false });
  });
});
