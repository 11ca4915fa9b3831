import fc from 'fast-check';
import { describe, expect, test as base } from 'vitest';
import { cutOutput } from '../../src/engine/exec/answer-text.ts';
import { ShellCommands, shellAnswerText } from '../../src/engine/exec/shell-commands.ts';
import { SessionManager } from '../../src/engine/session/session-manager.ts';
import { silentLogger } from '../../src/shared/logger.ts';
import { withoutLeftovers } from '../support/leftovers.ts';

const test = base.extend<{ sessions: SessionManager; front: ShellCommands }>({
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
    await use(frontOf(sessions));
  },
});

function frontOf(sessions: SessionManager, maxCallMs: number | null = null): ShellCommands {
  return new ShellCommands({
    sessions,
    start: (request) => sessions.start(request),
    write: (id, ...input) => sessions.get(id).write(...input),
    cwd: '/tmp',
    environment: { kind: 'exact', variables: { PATH: '/usr/bin:/bin', TERM: 'xterm', HOME: '/nowhere' } },
    origin: { kind: 'person' },
    shellPath: '/bin/bash',
    maxCallMs,
    wholeOutput: (session) => `shell://session/${session}/output`,
  });
}

describe('exec_command and write_stdin', () => {
  test('B1: a command runs in the shell, as a login shell or not, in a terminal of 24 rows and 80 columns', async ({
    front,
    sessions,
  }) => {
    const { output } = await front.execCommand({ cmd: 'stty size; shopt -q login_shell; echo $?' });
    expect(output).toBe('24 80\n0\n');
    const plain = await front.execCommand({ cmd: 'shopt -q login_shell; echo $?', login: false });
    expect(plain.output).toBe('1\n');
    const other = await front.execCommand({ cmd: 'echo $0', shell: '/bin/sh', login: false });
    expect(other.output).toBe('/bin/sh\n');
    expect(sessions.list().map(({ argv }) => argv.slice(0, 2))).toEqual([
      ['/bin/bash', '-lc'],
      ['/bin/bash', '-c'],
      ['/bin/sh', '-c'],
    ]);
  });

  test('B2: it answers at the exit, with what comes shortly after it, and at the yield time while it runs', async ({
    front,
  }) => {
    const late = 'trap "" HUP; (sleep 0.01; echo late) & disown; exit 4';
    expect(await front.execCommand({ cmd: late, yieldTimeMs: 20_000 })).toMatchObject({
      output: 'late\n',
      exit: { exitCode: 4, signal: null },
    });
    const startedAt = performance.now();
    const running = await front.execCommand({ cmd: 'echo up; exec sleep 300', yieldTimeMs: 300 });
    expect(running).toMatchObject({ output: 'up\n', exit: null });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(299);
    // Bounded: what outlives the child may print for ever.
    const flood = await front.execCommand({ cmd: 'trap "" HUP; yes & exit 0', yieldTimeMs: 20_000 });
    expect(flood.exit).toEqual({ exitCode: 0, signal: null });
    expect(flood.wallTimeMs).toBeLessThan(15_000);
  });

  test('B3: the answer has its facts apart: wall time, exit or session, tokens when cut, output', async ({ front }) => {
    const ended = await front.execCommand({ cmd: 'echo out; kill -9 $$' });
    expect(ended).toEqual({
      wallTimeMs: expect.any(Number),
      session: 'session-1',
      number: 1,
      exit: { exitCode: null, signal: 'SIGKILL' },
      output: 'out\n',
      leftOutBytes: 0,
      originalTokens: null,
      cursor: { epoch: ended.cursor.epoch, offset: 0 },
      nextCursor: { epoch: ended.cursor.epoch, offset: 5 },
      goneBytes: 0,
      warnings: [],
    });
    const cut = await front.execCommand({ cmd: 'head -c 8000 /dev/zero | tr "\\0" x', maxOutputTokens: 100 });
    expect(cut).toMatchObject({ exit: { exitCode: 0 }, originalTokens: 2_000 });
  });

  test('B4: the text form, line by line', async ({ front }) => {
    const wall = String.raw`^Wall time: \d+\.\d{3} seconds\n`;
    const text = async (cmd: string, more: object = {}) => shellAnswerText(await front.execCommand({ cmd, ...more }));
    expect(await text('echo hi')).toMatch(new RegExp(`${wall}Process exited with code 0\nOutput:\nhi\n$`));
    expect(await text('exit 3')).toMatch(new RegExp(`${wall}Process exited with code 3\nOutput:\n$`));
    expect(await text('echo hi; exec sleep 300', { yieldTimeMs: 250 })).toMatch(
      new RegExp(`${wall}Process running with session ID 3\nOutput:\nhi\n$`),
    );
    const cut = await text('head -c 4000 /dev/zero | tr "\\0" x', { maxOutputTokens: 50 });
    expect(cut).toMatch(
      new RegExp(
        `${wall}Process exited with code 0\nWarning: truncated output \\(original token count: 1000\\)\nOutput:\nx+….*x+$`,
      ),
    );
  });

  test('B5: a cut output is within its cap, marker included, and says what is missing and where all of it is', async ({
    front,
  }) => {
    const { output } = await front.execCommand({ cmd: 'seq 100000', maxOutputTokens: 100 });
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(400);
    expect(output).toMatch(
      /^1\n2\n[^]*…\d+ tokens truncated; all of it: shell:\/\/session\/session-1\/output…[^]*\n100000\n$/,
    );
    const small = await front.execCommand({ cmd: 'seq 100000', maxOutputTokens: 16 });
    expect(Buffer.byteLength(small.output)).toBeLessThanOrEqual(64);
    expect(small.output).toMatch(/^1\n2\n[^]*…\d+ tokens truncated…[^]*\n100000\n$/);
    const text = fc.string({ unit: 'grapheme', maxLength: 900 }).map((drawn) => drawn.replaceAll('\uFFFD', ''));
    const ends = fc.oneof(fc.tuple(text), fc.tuple(text, text));
    fc.assert(
      fc.property(ends, fc.nat({ max: 10_000 }), fc.nat({ max: 250 }), (parts, skippedBytes, tokens) => {
        const whole = { parts, skippedBytes: parts.length === 1 ? 0 : skippedBytes + 1 };
        const cut = cutOutput(whole, tokens * 4, 'shell://session/session-1/output');
        expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(tokens * 4);
        expect(cut.text).not.toContain('\uFFFD');
        const isCut = cut.leftOutBytes > 0;
        expect(isCut && tokens >= 16 ? /….*tokens truncated/.test(cut.text) : true).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('B6: a write reads since the last answer, or only what comes from now on', async ({ front, sessions }) => {
    const { number, session } = await front.execCommand({
      cmd: 'stty -echo; echo ready; while read a; do echo "got $a"; done',
      yieldTimeMs: 250,
    });
    const printed = (text: string) =>
      sessions.wait({ condition: { kind: 'text', session, text, from: null }, timeoutMs: 10_000 });
    await printed('ready');
    await sessions.get(session).write(Buffer.from('one\r'));
    await printed('got one');
    const since = await front.writeStdin({ sessionId: number, chars: 'two\r', yieldTimeMs: 400 });
    expect(since.output.replace('ready\n', '')).toBe('got one\ngot two\n');
    await sessions.get(session).write(Buffer.from('three\r'));
    await printed('got three');
    const fromNow = await front.writeStdin({ sessionId: number, chars: 'four\r', from: 'now', yieldTimeMs: 400 });
    expect(fromNow.output).toBe('got four\n');
    expect((await front.writeStdin({ sessionId: number, yieldTimeMs: 250 })).output).toBe('');
  });

  test('B7: each error has its text', async ({ front, sessions }) => {
    await expect(front.writeStdin({ sessionId: 42 })).rejects.toThrow(/^unknown session id 42$/);
    await expect(front.execCommand({ cmd: 'true', shell: '/no/such/shell' })).rejects.toThrow(
      /^exec_command failed for session ID 1: cannot start `\/no\/such\/shell`/,
    );
    const pipes = await front.execCommand({ cmd: 'exec sleep 300', tty: false, yieldTimeMs: 250 });
    await expect(front.writeStdin({ sessionId: pipes.number, chars: 'x' })).rejects.toThrow(
      /^failed to write to stdin: /,
    );
    await sessions.terminate(pipes.session, 'person');
    await expect(front.writeStdin({ sessionId: pipes.number, chars: 'x' })).rejects.toThrow(
      /^failed to write to stdin: /,
    );
    // Its end was not told yet; afterwards it is unknown.
    expect(await front.writeStdin({ sessionId: pipes.number })).toMatchObject({ exit: { signal: 'SIGTERM' } });
    await expect(front.writeStdin({ sessionId: pipes.number })).rejects.toThrow(`unknown session id ${pipes.number}`);
  });

  test('B8: ids rise, over all fronts, and none is used again', async ({ front, sessions }) => {
    const numbers: number[] = [];
    for (const agent of [front, frontOf(sessions), front]) {
      const { number, session } = await agent.execCommand({ cmd: 'true' });
      numbers.push(number);
      await sessions.close(session, 'person');
    }
    await expect(front.execCommand({ cmd: 'true', shell: '/no/such/shell' })).rejects.toThrow('session ID 4');
    numbers.push((await front.execCommand({ cmd: 'true' })).number);
    expect(numbers).toEqual([1, 2, 3, 5]);
  });

  test('B9: a child that prints for ever is served in windows, each with larger numbers than the one before', async ({
    front,
  }) => {
    const numbersOf = (output: string) => output.split(/\D+/).filter(Boolean).map(Number);
    const startedAt = performance.now();
    const first = await front.execCommand({
      cmd: 'for ((i=100000; ; i++)); do echo $i; sleep 0.01; done',
      yieldTimeMs: 400,
    });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    const second = await front.writeStdin({ sessionId: first.number, yieldTimeMs: 400 });
    expect(second.exit).toBeNull();
    const [before, after] = [numbersOf(first.output), numbersOf(second.output)];
    expect(before.length).toBeGreaterThan(0);
    expect(Math.min(...after)).toBe(Math.max(...before) + 1);
    expect(after).toEqual(after.toSorted((a, b) => a - b));
  });

  test('a yield time outside its limits is clamped, and the answer says so', async ({ front, sessions }) => {
    const warning = async (yieldTimeMs: number, agent = front) =>
      (await agent.execCommand({ cmd: 'true', yieldTimeMs })).warnings;
    expect(await warning(30_000)).toEqual([]);
    expect(await warning(31_000)).toEqual([
      'Warning: requested yield time 31000ms exceeds maximum of 30000ms; clamping to 30000ms.',
    ]);
    expect(await warning(1)).toEqual([
      'Warning: requested yield time 1ms is below minimum of 250ms; clamping to 250ms.',
    ]);
    expect(await warning(30_000, frontOf(sessions, 24_000))).toEqual([
      'Warning: requested yield time 30000ms exceeds maximum of 24000ms; clamping to 24000ms.',
    ]);
  });

  test('a call that nobody waits for any more ends no child and takes no output', async ({ front }) => {
    const { number } = await front.execCommand({ cmd: 'read a; echo "got $a"; read b', yieldTimeMs: 250 });
    const controller = new AbortController();
    const call = front.writeStdin({ sessionId: number, chars: 'x\r', yieldTimeMs: 20_000, signal: controller.signal });
    controller.abort();
    expect((await call).exit).toBeNull();
    let output = '';
    while (!output.includes('got x')) {
      const answer = await front.writeStdin({ sessionId: number, yieldTimeMs: 250 });
      output += answer.output;
    }
    expect(output).toBe('x\ngot x\n');
  });

  test('the same request id again is the same command', async ({ front, sessions }) => {
    const request = { cmd: 'echo once; exec sleep 300', requestId: 'r1', yieldTimeMs: 250 };
    const [first, second] = await Promise.all([front.execCommand(request), front.execCommand(request)]);
    expect(second.number).toBe(first.number);
    expect(sessions.list()).toHaveLength(1);
    expect([first.output, second.output].toSorted()).toEqual(['', 'once\n']);
  });
});
