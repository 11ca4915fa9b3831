import { describe, expect } from 'vitest';
import type { WaitCondition } from '../../src/engine/engine.ts';
import type { SessionId } from '../../src/shared/session.ts';
import { test } from '../support/engine-world.ts';

const enter = { enter: true } as const;
const text = (session: SessionId, wanted: string): WaitCondition => ({
  kind: 'text',
  session,
  text: wanted,
  from: null,
});

for (const [kind, request] of [
  ['pty', {}],
  ['pipe', { backend: { kind: 'pipe', stdin: true } }],
] as const) {
  describe(`a wait for a session on ${kind}`, () => {
    test('S6: ends at a text or a pattern, also one that came in pieces and colours', async ({ world }) => {
      const script = `printf 'lis\\033[1mtening on po'; sleep 0.02; printf 'rt \\033[0m8080\\n'; read a`;
      const { id } = await world.start(['/bin/sh', '-c', script], request);
      expect(await world.engine.wait({ condition: text(id, 'listening on port 8080'), timeoutMs: 10_000 })).toEqual({
        outcome: 'met',
        met: [{ kind: 'text', session: id, match: 'listening on port 8080' }],
      });
      const pattern = { kind: 'pattern', session: id, pattern: 'PORT (\\d+)$', ignoreCase: true, from: null } as const;
      expect((await world.engine.wait({ condition: pattern, timeoutMs: 10_000 })).met).toEqual([
        { kind: 'pattern', session: id, match: 'port 8080' },
      ]);
    });

    test('S6: from a cursor sees only what came after it', async ({ world }) => {
      const { id } = await world.start(['/bin/sh', '-c', 'echo ready; read a; echo ready again; read b'], request);
      await world.printed(id, 'ready');
      const { cursor } = await world.engine.page(id, { cursor: null, maxBytes: 1_000, waitMs: 0 });
      const condition = { ...text(id, 'ready'), from: cursor } as WaitCondition;
      expect(await world.engine.wait({ condition, timeoutMs: 30 })).toEqual({ outcome: 'timed-out', met: [] });
      const waiting = world.engine.wait({ condition, timeoutMs: 10_000 });
      await world.engine.write(id, Buffer.from(''), enter);
      expect((await waiting).outcome).toBe('met');
    });

    test('S6: ends at exit, at silence, at a cancel, and when it can no longer come true', async ({ world }) => {
      const { id } = await world.start(['/bin/sh', '-c', 'echo noise; read a; exit 4'], request);
      await world.printed(id, 'noise');
      const before = performance.now();
      expect(
        (await world.engine.wait({ condition: { kind: 'idle', session: id, idleMs: 80 }, timeoutMs: 10_000 })).outcome,
      ).toBe('met');
      expect(performance.now() - before).toBeGreaterThanOrEqual(79);
      const cancel = new AbortController();
      const never = world.engine.wait({ condition: text(id, 'never'), timeoutMs: 60_000, signal: cancel.signal });
      cancel.abort();
      expect(await never).toEqual({ outcome: 'cancelled', met: [] });
      const impossible = world.engine.wait({ condition: text(id, 'never'), timeoutMs: 60_000 });
      const exit = world.engine.wait({ condition: { kind: 'exit', session: id }, timeoutMs: 60_000 });
      await world.engine.write(id, Buffer.from(''), enter);
      expect(await exit).toEqual({ outcome: 'met', met: [{ kind: 'exit', session: id, match: null }] });
      expect(await impossible).toEqual({ outcome: 'impossible', met: [] });
    });

    test('S6: any of and all of, over many sessions', async ({ world }) => {
      const start = () => world.start(['/bin/sh', '-c', 'read a; echo "<$a>"; read b'], request);
      const [first, second] = [await start(), await start()];
      const both = [text(first.id, '<one>'), text(second.id, '<two>')];
      const any = world.engine.wait({ condition: { kind: 'any', of: both }, timeoutMs: 10_000 });
      const all = world.engine.wait({ condition: { kind: 'all', of: both }, timeoutMs: 10_000 });
      await world.engine.write(second.id, Buffer.from('two'), enter);
      expect(await any).toEqual({ outcome: 'met', met: [{ kind: 'text', session: second.id, match: '<two>' }] });
      await world.engine.write(first.id, Buffer.from('one'), enter);
      expect((await all).met.map(({ session }) => session)).toEqual([first.id, second.id]);
      await world.engine.close(first.id, 'person');
      const gone = world.engine.wait({ condition: text(second.id, 'never'), timeoutMs: 60_000 });
      await world.engine.close(second.id, 'person');
      expect((await gone).outcome).toBe('impossible');
    });
  });
}

describe('a wait', () => {
  test('is refused with the field that is wrong', async ({ world }) => {
    const { id } = await world.start(['/bin/sleep', '300']);
    const wait = (condition: WaitCondition) => world.engine.wait({ condition, timeoutMs: 1_000 });
    const pattern = (source: string): WaitCondition => ({
      kind: 'pattern',
      session: id,
      pattern: source,
      ignoreCase: false,
      from: null,
    });
    await expect(wait(text('nobody' as SessionId, 'x'))).rejects.toMatchObject({ code: 'session-not-found' });
    await expect(wait(text(id, ''))).rejects.toThrow('text: must be 1 to');
    await expect(wait(pattern('('))).rejects.toThrow('pattern: ');
    await expect(wait(pattern('x*'))).rejects.toThrow('pattern: it matches nothing at all');
    await expect(wait({ kind: 'any', of: [] })).rejects.toThrow('condition: ');
    await expect(wait({ ...text(id, 'x'), from: { epoch: 'other', offset: 0 } } as WaitCondition)).rejects.toThrow(
      'from: ',
    );
  });

  test('A10: costs no CPU while the child is silent', async ({ world }) => {
    const { id } = await world.start(['/bin/sleep', '300']);
    const waits = Array.from({ length: 200 }, () =>
      world.engine.wait({ condition: text(id, 'never'), timeoutMs: 600 }),
    );
    const before = process.cpuUsage();
    await Promise.all(waits);
    const { user, system } = process.cpuUsage(before);
    // 200 waits of 600 ms each: a wait that looks again each 10 ms would take twice this for its timers alone.
    expect((user + system) / 1_000).toBeLessThan(120);
  });

  test('an evil pattern and a flood do not keep the host from its other work', async ({ world }) => {
    const flood = await world.start([
      '/bin/sh',
      '-c',
      'while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done',
    ]);
    const waiting = world.engine.wait({
      condition: { kind: 'pattern', session: flood.id, pattern: '(a+)+b', ignoreCase: false, from: null },
      timeoutMs: 700,
    });
    const other = await world.start(['/bin/sh', '-c', 'read a; echo "<$a>"']);
    const before = performance.now();
    await world.engine.write(other.id, Buffer.from('through'), enter);
    await world.printed(other.id, '<through>');
    expect(performance.now() - before).toBeLessThan(700);
    expect((await waiting).outcome).toBe('timed-out');
  });
});
