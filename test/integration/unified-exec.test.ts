import { describe, expect, test as base } from 'vitest';
import { UnifiedExec } from '../../src/engine/exec/unified-exec.ts';
import { SessionManager } from '../../src/engine/session/session-manager.ts';
import { silentLogger } from '../../src/shared/logger.ts';
import { isRunning } from '../support/is-running.ts';
import { withoutLeftovers } from '../support/leftovers.ts';

const test = base.extend<{ sessions: SessionManager; front: UnifiedExec }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names a fixture uses from this pattern
  sessions: async ({}, use) => {
    await withoutLeftovers(async () => {
      const sessions = new SessionManager({
        hostEnvironment: process.env,
        log: silentLogger,
        hostId: 'test',
        record: { started() {}, ended() {} },
        recorder: null,
      });
      try {
        await use(sessions);
      } finally {
        await sessions.dispose();
      }
    });
  },
  front: async ({ sessions }, use) => {
    await use(
      new UnifiedExec({
        sessions,
        start: (request) => sessions.start(request),
        write: (id, ...input) => sessions.get(id).write(...input),
        cwd: '/tmp',
        environment: { kind: 'exact', variables: { PATH: '/usr/bin:/bin', TERM: 'xterm' } },
        origin: { kind: 'person' },
      }),
    );
  },
});

const sh = (script: string) => ['/bin/sh', '-c', script];

describe('unified exec', () => {
  test('A1: without a session id it starts its argv in a pty of 24 rows and 80 columns', async ({ front }) => {
    const result = await front.exec({ sessionId: null, input: sh('stty size; tty | cut -c1-8') });
    expect(result).toEqual({ sessionId: null, output: '24 80\r\n/dev/pts\r\n', exit: { exitCode: 0, signal: null } });
    await expect(front.exec({ sessionId: null, input: [] })).rejects.toThrow(/^missing command line$/);
  });

  test('A2 A5: with one it writes the words joined by a space, and gives once what came since the last answer', async ({
    front,
  }) => {
    const first = await front.exec({ sessionId: null, input: sh('echo up; cat'), timeoutMs: 150 });
    expect(first).toEqual({ sessionId: 1, output: 'up\r\n', exit: null });
    const second = await front.exec({ sessionId: 1, input: ['two', 'words\r'], timeoutMs: 150 });
    expect(second.output).toBe('two words\r\ntwo words\r\n');
    expect((await front.exec({ sessionId: 1, input: [], timeoutMs: 30 })).output).toBe('');
    const last = await front.exec({ sessionId: 1, input: ['\u0004'] });
    expect(last).toEqual({ sessionId: null, output: '', exit: { exitCode: 0, signal: null } });
  });

  test('A5: what came while nobody polled is there at the next poll', async ({ front, sessions }) => {
    const { sessionId } = await front.exec({
      sessionId: null,
      input: sh('read a; echo "got $a"; read b'),
      timeoutMs: 30,
    });
    const [info] = sessions.list();
    const session = sessions.get(info!.id);
    await session.write(Buffer.from('x'), { enter: true });
    await sessions.wait({
      condition: { kind: 'text', session: session.id, text: 'got x', from: null },
      timeoutMs: 10_000,
    });
    expect((await front.exec({ sessionId, input: [], timeoutMs: 1 })).output).toBe('x\r\ngot x\r\n');
  });

  test('A4: a timeout over the maximum is clamped, and the answer says so first', async ({ front }) => {
    const { output } = await front.exec({ sessionId: null, input: ['/bin/echo', 'done'], timeoutMs: 120_000 });
    expect(output).toBe(
      'Warning: requested timeout 120000ms exceeds maximum of 60000ms; clamping to 60000ms.\ndone\r\n',
    );
    const started = performance.now();
    await front.exec({ sessionId: null, input: ['/bin/sleep', '300'] });
    expect(performance.now() - started).toBeGreaterThanOrEqual(999);
  });

  test('A6: a session id is given only while the child runs, and what ended leaves no entry', async ({ front }) => {
    expect((await front.exec({ sessionId: null, input: ['/bin/true'] })).sessionId).toBeNull();
    expect(front.running).toEqual([]);
    const { sessionId } = await front.exec({ sessionId: null, input: sh('read a; exit 3'), timeoutMs: 30 });
    expect(front.running).toEqual([sessionId]);
    expect(await front.exec({ sessionId, input: ['\r'] })).toMatchObject({
      sessionId: null,
      exit: { exitCode: 3, signal: null },
    });
    expect(front.running).toEqual([]);
  });

  test('A7 A8: each error has its own text, and the entry of an ended or unknown session is gone', async ({
    front,
    sessions,
  }) => {
    await expect(front.exec({ sessionId: 42, input: ['x'] })).rejects.toThrow(/^unknown session id 42$/);
    await expect(front.exec({ sessionId: null, input: ['/no/such/program'] })).rejects.toThrow(
      /^cannot create session: cannot start `\/no\/such\/program`/,
    );
    const { sessionId } = await front.exec({ sessionId: null, input: sh('read a'), timeoutMs: 30 });
    await sessions.terminate(sessions.list().at(-1)!.id, 'person');
    await expect(front.exec({ sessionId, input: ['x'] })).rejects.toThrow(`unknown session id ${sessionId}`);
    expect(front.running).toEqual([]);
    const closed = await front.exec({ sessionId: null, input: ['/bin/sleep', '300'], timeoutMs: 30 });
    await sessions.close(sessions.list().at(-1)!.id, 'person');
    await expect(front.exec({ sessionId: closed.sessionId, input: [] })).rejects.toThrow('unknown session id');
    const full = await front.exec({ sessionId: null, input: sh('stty raw; exec sleep 300'), timeoutMs: 200 });
    const [running] = sessions.list().filter(({ state }) => state === 'running');
    void sessions.get(running!.id).write(Buffer.alloc(8 * 1024 * 1024));
    await expect(front.exec({ sessionId: full.sessionId, input: ['more'] })).rejects.toThrow(
      /^write to stdin failed: /,
    );
  });

  test('A11: an answer over 131,072 bytes is cut in the middle and says how much left', async ({ front }) => {
    const { output } = await front.exec({
      sessionId: null,
      input: sh('stty -opost; echo first; head -c 300000 /dev/zero | tr "\\0" x; echo; echo last'),
      timeoutMs: 20_000,
    });
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(131_072);
    expect(output).toMatch(/^first\nx+\n\[… \d+ bytes left out …\]\nx+\nlast\n$/);
  });

  test('A12: disposing of the manager ends every child', async ({ front, sessions }) => {
    await front.exec({ sessionId: null, input: ['/bin/sleep', '300'], timeoutMs: 10 });
    const [{ pid } = { pid: null }] = sessions.list();
    await sessions.dispose();
    expect(isRunning(pid ?? 0)).toBe(false);
  });
});
