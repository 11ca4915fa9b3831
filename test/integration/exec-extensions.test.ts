import { describe, expect } from 'vitest';
import { test } from '../support/exec-world.ts';

const EXTENSIONS = ['shellscope/list', 'shellscope/resize', 'shellscope/closeStdin', 'shellscope/wait'];

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
