import { describe, expect } from 'vitest';
import type { SessionId, SessionOrigin } from '../../src/shared/session.ts';
import type { Act } from '../../src/shared/timeline.ts';
import { test, type EngineWorld } from '../support/engine-world.ts';

const AGENT: SessionOrigin = { kind: 'agent', client: 'codex', processId: 'p1', threadId: 't1', callId: 'c1' };
const agent = { kind: 'agent', client: 'codex' } as const;
const person = { kind: 'person' } as const;

const bytes = (text: string) => Buffer.from(text);
const KINDS = [
  ['pty', {}],
  ['pipe', { backend: { kind: 'pipe', stdin: true } }],
] as const;

const acts = async (world: EngineWorld, id: SessionId): Promise<readonly Act[]> =>
  (await world.engine.timeline(id)).map(({ act }) => act);

for (const [kind, request] of KINDS) {
  describe(`the keyboard of an agent's session on ${kind}`, () => {
    const echoes = ['/bin/sh', '-c', 'stty -echo 2>/dev/null; echo up; while read a; do echo "<$a>"; done'];

    test('S7: a person wins at any time, an agent is refused whole, and hears afterwards what happened', async ({
      world,
    }) => {
      const { id } = await world.start(echoes, { ...request, origin: AGENT });
      await world.printed(id, 'up');
      const written = (text: string) => world.engine.write(id, bytes(`${text}\n`), { by: agent });
      await written('agent 1');
      await world.printed(id, '<agent 1>');
      const { outputBytes } = await world.engine.get(id);
      await world.engine.write(id, bytes('person\n'), { by: person });
      expect(await world.engine.get(id)).toMatchObject({ keyboard: 'person', lastHold: null });
      await expect(written('agent 2')).rejects.toMatchObject({
        code: 'human-in-control',
        message: expect.stringContaining('human_in_control'),
      });
      await world.printed(id, '<person>');

      await world.engine.handBackKeyboard(id);
      const { keyboard, lastHold } = await world.engine.get(id);
      expect({ keyboard, from: lastHold?.fromOffset }).toEqual({ keyboard: 'agent', from: outputBytes });
      await written('agent 3');
      const all = await world.printed(id, '<agent 3>');
      expect(all).not.toContain('agent 2');
      const since = await world.engine.page(id, {
        cursor: { epoch: (await world.engine.get(id)).epoch, offset: lastHold?.fromOffset ?? -1 },
        maxBytes: 1_000,
        waitMs: 0,
      });
      expect(Buffer.concat(since.pieces.map((piece) => piece.bytes)).toString()).toContain('<person>');
      expect(await world.engine.timeline(id)).toMatchObject([
        { by: agent, act: { kind: 'started', callId: 'c1', threadId: 't1' } },
        { by: agent, act: { kind: 'wrote', times: 1, bytes: 8 } },
        { by: person, act: { kind: 'took-keyboard' } },
        { by: person, act: { kind: 'wrote', times: 1, bytes: 7 } },
        { by: agent, act: { kind: 'write-refused' } },
        { by: person, act: { kind: 'gave-keyboard-back', why: 'asked' } },
        { by: agent, act: { kind: 'wrote', times: 1, bytes: 8 } },
      ]);
    });

    test('a write that is sent again after it was delivered is answered, whoever holds it', async ({ world }) => {
      const { id } = await world.start(echoes, { ...request, origin: AGENT });
      await world.printed(id, 'up');
      const write = () => world.engine.write(id, bytes('once\n'), { by: agent, requestId: 'w1' });
      const first = await write();
      await world.engine.write(id, bytes('person\n'), { by: person });
      expect(await write()).toEqual(first);
      expect((await world.printed(id, '<person>')).match(/once/g)).toHaveLength(1);
    });
  });
}

test('an interrupt passes also while a person types, and nothing next to it', async ({ world }) => {
  const { id } = await world.start(['/bin/sh', '-c', 'trap "echo stopped; exit 3" INT; echo up; read a; sleep 300'], {
    origin: AGENT,
  });
  await world.printed(id, 'up');
  await world.engine.write(id, bytes('x'), { by: person });
  await expect(world.engine.write(id, bytes('y\u0003'), { by: agent })).rejects.toMatchObject({
    code: 'human-in-control',
  });
  await world.engine.write(id, bytes('\u0003'), { by: agent });
  expect((await world.closed(id)).exit).toEqual({ exitCode: 3, signal: null });
});

test('a person’s size is theirs for as long as they hold the keyboard', async ({ world }) => {
  const { id } = await world.start(['/bin/sh', '-c', 'trap "stty size" WINCH; echo up; while :; do sleep 0.05; done'], {
    origin: AGENT,
    backend: { kind: 'pty', size: { cols: 80, rows: 24 } },
  });
  await world.printed(id, 'up');
  await world.engine.resize(id, { cols: 120, rows: 40 }, person);
  await world.printed(id, '40 120');
  expect((await world.engine.get(id)).keyboard).toBe('person');
  await world.engine.handBackKeyboard(id);
  await world.printed(id, '24 80');
  expect((await world.engine.get(id)).size).toEqual({ cols: 80, rows: 24 });
});

test('of a password not even the length is noted', async ({ world }) => {
  const { id } = await world.start(['/bin/bash', '-c', 'read -rsp "Password: " secret; echo; echo "${#secret}"'], {
    origin: AGENT,
  });
  await world.engine.wait({ condition: { kind: 'input', session: id }, timeoutMs: 10_000 });
  expect((await world.engine.get(id)).waitingFor?.kind).toBe('password');
  // Key by key, as a person types.
  for (const key of 'hunter2\r') {
    await world.engine.write(id, bytes(key), { by: person });
  }
  await world.printed(id, '7');
  // Nor how many keys it were.
  const hidden = { kind: 'wrote', times: 1, bytes: null };
  expect((await acts(world, id)).filter(({ kind }) => kind === 'wrote')).toEqual([hidden]);
  expect(world.engine.inputsSince(id, 0).entries.map(({ act }) => act)).toEqual([hidden]);
});

test('a person’s own session is theirs alone', async ({ world }) => {
  const { id } = await world.start(['/bin/cat']);
  await expect(world.engine.write(id, bytes('x'), { by: agent })).rejects.toMatchObject({ code: 'human-in-control' });
  await world.engine.write(id, bytes('y\r'));
  await world.printed(id, 'y');
});

test('a title is told, and one that no tab can show is refused', async ({ world }) => {
  const { id } = await world.start(['/bin/cat']);
  await world.engine.rename(id, '  web build ');
  expect((await world.engine.get(id)).title).toBe('web build');
  await expect(world.engine.rename(id, 'a\u001bb')).rejects.toMatchObject({ code: 'invalid-argument' });
  await expect(world.engine.rename(id, ' ')).rejects.toMatchObject({ code: 'invalid-argument' });
  await world.engine.rename(id, null);
  expect((await world.engine.get(id)).title).toBeNull();
  expect((await acts(world, id)).slice(1)).toEqual([
    { kind: 'titled', title: 'web build' },
    { kind: 'titled', title: null },
  ]);
});
