import { describe, expect, vi } from 'vitest';
import type { SessionId } from '../../src/shared/session.ts';
import { test } from '../support/exec-world.ts';

const EXTENSIONS = [
  'shellscope/list',
  'shellscope/attach',
  'shellscope/setTitle',
  'shellscope/resize',
  'shellscope/closeStdin',
  'shellscope/wait',
];

const KINDS = [
  ['pty', { tty: true }],
  ['pipes', { tty: false, pipeStdin: true }],
] as const;

describe('what is served beyond the protocol', () => {
  test('is advertised, and refused like everything else before the handshake', async ({ world }) => {
    const client = await world.client();
    expect(await client.request('environment/info', {})).toMatchObject({
      result: { capabilities: { shellscopeExtensions: EXTENSIONS } },
    });
  });

  test('a client lists its own processes with their facts, and no one else’s', async ({ world }) => {
    const client = await world.client();
    const other = await world.client();
    await client.start('p1', ['/bin/sh', '-c', 'exit 3']);
    await client.closedProcess('p1');
    await other.start('p2', ['/bin/cat']);
    expect(await client.request('shellscope/list', {})).toMatchObject({
      result: {
        processes: [{ processId: 'p1', argv: ['/bin/sh', '-c', 'exit 3'], state: 'closed', exitCode: 3, signal: null }],
      },
    });
    const error = { error: { code: -32_600, message: 'unknown process id p2' } };
    expect(await client.request('shellscope/resize', { processId: 'p2', cols: 80, rows: 24 })).toMatchObject(error);
    expect(await client.request('shellscope/closeStdin', { processId: 'p2' })).toMatchObject(error);
  });

  for (const [kind, connected] of KINDS) {
    test(`a client attaches by another connection to what it started, from the first byte on (${kind})`, async ({
      world,
    }) => {
      const first = await world.client();
      const second = await world.client();
      await first.start('p1', ['/bin/sh', '-c', 'stty -echo 2>/dev/null; echo early; read a; echo "<$a>"'], connected);
      await first.printed('p1', 'early');
      expect(await first.request('shellscope/setTitle', { processId: 'p1', title: 'web build' })).toMatchObject({
        result: {},
      });
      const { processes } = (await second.request('shellscope/list', { all: true }))['result'] as {
        readonly processes: readonly { readonly sessionId: string }[];
      };
      expect(processes).toMatchObject([{ processId: null, title: 'web build', state: 'running' }]);
      const attach = { sessionId: processes[0]?.sessionId, processId: 'mine' };
      expect(await second.request('shellscope/attach', attach)).toMatchObject({
        result: { processId: 'mine', title: 'web build' },
      });
      expect(await second.request('shellscope/attach', attach)).toMatchObject({
        error: { code: -32_600, message: 'process mine already exists' },
      });
      await second.printed('mine', 'early');
      await second.write('mine', 'typed\n', 'w1');
      const [ours, theirs] = await Promise.all([second.closedProcess('mine'), first.closedProcess('p1')]);
      expect(ours).toEqual(theirs);
      expect(ours.output).toContain('<typed>');
    });
  }

  test('S7: while a person types, a write is refused whole with why', async ({ world }) => {
    const client = await world.client();
    await client.start('p1', ['/bin/sh', '-c', 'echo up; read a; echo "<$a>"']);
    await client.printed('p1', 'up');
    const [session] = await world.engine.list();
    const id = session?.id as SessionId;
    await world.engine.write(id, Buffer.from('per'), { by: { kind: 'person' } });
    expect(await client.write('p1', 'agent\r', 'w1')).toMatchObject({
      error: { code: -32_603, message: expect.stringContaining('human_in_control') },
    });
    expect(await client.request('shellscope/list', {})).toMatchObject({
      result: { processes: [{ keyboard: 'person' }] },
    });
    await world.engine.write(id, Buffer.from('son'), { by: { kind: 'person' } });
    await world.engine.handBackKeyboard(id);
    // Refused before: the same write may be sent again.
    await client.write('p1', '\r', 'w1');
    expect((await client.closedProcess('p1')).output).toContain('<person>');
  });

  test('another client can neither see nor attach to it', async ({ world }) => {
    const first = await world.client();
    await first.start('p1', ['/bin/cat']);
    const [session] = await world.engine.list();
    const sessionId = session?.id ?? '';
    const other = await world.clientWithToken();
    expect(await other.request('shellscope/attach', { sessionId, processId: 'theirs' })).toMatchObject({
      error: { code: -32_600, message: expect.stringContaining(`unknown session id ${sessionId}`) },
    });
    expect(await other.request('shellscope/list', { all: true })).toMatchObject({ result: { processes: [] } });
  });

  test('resizes a terminal, closes a stdin, and says what is wrong with other requests', async ({ world }) => {
    const client = await world.client();
    await client.start('tty', ['/bin/sh', '-c', 'trap "stty size; exit" WINCH; echo up; while :; do sleep 0.05; done']);
    await client.printed('tty', 'up');
    expect(await client.request('shellscope/resize', { processId: 'tty', cols: 100, rows: 30 })).toMatchObject({
      result: {},
    });
    expect((await client.closedProcess('tty')).output).toContain('30 100');
    await client.start('pipe', ['/bin/cat'], { tty: false, pipeStdin: true });
    await client.write('pipe', 'all', 'w1');
    expect(await client.request('shellscope/closeStdin', { processId: 'pipe' })).toMatchObject({ result: {} });
    expect(await client.closedProcess('pipe')).toMatchObject({ output: 'all', exitCode: 0 });
    await client.start('other', ['/bin/cat'], { tty: false, pipeStdin: true });
    expect(await client.request('shellscope/resize', { processId: 'other', cols: 1, rows: 1 })).toMatchObject({
      error: { code: -32_600, message: expect.stringContaining('is on pipes') },
    });
    expect(await client.request('shellscope/resize', { processId: 'other', cols: 0, rows: 1 })).toMatchObject({
      error: { code: -32_602 },
    });
  });

  for (const [kind, connected] of KINDS) {
    test(`S13: a start and a write that are sent again, also over a new connection, are done once (${kind})`, async ({
      world,
    }) => {
      const script = 'stty -echo 2>/dev/null; echo up; read a; echo "<$a>"; read b; echo "<$b>"';
      const first = await world.client();
      const start = (client: typeof first, program = script) =>
        client.start('p1', ['/bin/sh', '-c', program], { ...connected, shellscope: { requestId: 'start-1' } });
      const [once, twice] = await Promise.all([start(first), start(first)]);
      expect(once['result']).toEqual({ processId: 'p1', sandboxType: 'none' });
      expect(twice['result']).toEqual(once['result']);
      await first.printed('p1', 'up');
      await first.write('p1', 'once\n', 'w1');
      await first.printed('p1', '<once>');
      first.drop();
      await vi.waitFor(() => expect(world.server.clientNames).toEqual([]));

      const second = await world.client(first.sessionId);
      expect((await start(second))['result']).toEqual(once['result']);
      expect(await second.write('p1', 'once\n', 'w1')).toMatchObject({ result: { status: 'accepted' } });
      await second.write('p1', 'twice\n', 'w2');
      // What came before was told to the connection that is gone.
      expect((await second.closedProcess('p1')).output.replaceAll('\r', '')).toBe('<twice>\n');
      expect(await world.engine.list()).toHaveLength(1);
      expect(await start(second, 'echo another')).toMatchObject({
        error: { code: -32_602, message: expect.stringContaining('requestId: it was that of another start') },
      });
      expect(await second.start('p1', ['/bin/true'], connected)).toMatchObject({ error: { code: -32_600 } });
      expect(await world.engine.list()).toHaveLength(1);
    });
  }

  test('a wish that is misspelt, or no limit, is refused by its name', async ({ world }) => {
    const client = await world.client();
    const asked = async (shellscope: object) => client.start('p1', ['/bin/true'], { shellscope });
    for (const [wish, name] of [
      [{ limit: {} }, 'limit'],
      [{ limits: { memory: 1 } }, 'limits.memory is no limit'],
      [{ limits: { memoryBytes: -1 } }, 'limits.memoryBytes must be a positive whole number'],
      [{ requestId: '' }, 'requestId'],
    ] as const) {
      expect(await asked(wish)).toMatchObject({ error: { code: -32_602, message: expect.stringContaining(name) } });
    }
    expect(await world.engine.list()).toEqual([]);
  });

  test('S6: waits for any or all of several conditions of several processes, and delays nothing else', async ({
    world,
  }) => {
    const client = await world.client();
    await client.start('a', ['/bin/sh', '-c', 'read x; echo ready $x; read y']);
    await client.start('b', ['/bin/sleep', '300']);
    const waiting = client.request('shellscope/wait', {
      mode: 'any',
      conditions: [
        { processId: 'a', kind: 'pattern', pattern: '^ready \\w+$' },
        { processId: 'b', kind: 'exit' },
      ],
      timeoutMs: 60_000,
    });
    expect(await client.request('environment/status', {})).toMatchObject({ result: { status: 'ready' } });
    await client.write('a', 'now\r', 'w1');
    expect(await waiting).toMatchObject({
      result: { outcome: 'met', met: [{ kind: 'pattern', processId: 'a', match: 'ready now' }] },
    });
    const input = { mode: 'all', conditions: [{ processId: 'a', kind: 'input' }], timeoutMs: 10_000 };
    expect(await client.request('shellscope/wait', input)).toMatchObject({ result: { outcome: 'met' } });
    const bad = { mode: 'any', conditions: [{ processId: 'a', kind: 'pattern', pattern: '(' }], timeoutMs: 1 };
    expect(await client.request('shellscope/wait', bad)).toMatchObject({
      error: { code: -32_602, message: expect.stringMatching(/^pattern: /) },
    });
  });
});
