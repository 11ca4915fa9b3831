import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, vi } from 'vitest';
import type { Actor } from '../../src/shared/timeline.ts';
import { test, type EngineWorld } from '../support/engine-world.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'shellscope-input-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const person: Actor = { kind: 'person' };
const AGENT = { kind: 'agent', client: 'codex', processId: 'p1', threadId: null, callId: null } as const;

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** Who put in what, and what the output ended with when it came. */
async function inputs(world: EngineWorld, id: Parameters<EngineWorld['text']>[0]) {
  const text = await world.text(id);
  return world.engine
    .inputsSince(id, 0)
    .entries.map(({ by, act, offset }) => [by.kind, act, text.slice(0, offset).split('\n').at(-1)]);
}

describe('input', () => {
  const auditFile = join(FOLDER, 'audit.jsonl');
  test.override({ engineOptions: { safety: { auditFile } } });

  test('is told by who it was from and where it came: an agent, a person, the terminal; and recorded without what it was', async ({
    world,
  }) => {
    const script =
      'printf "one> "; read -r a; printf "two> "; read -r b; printf "three\\033[c> "; read -rsd c x; ' +
      'echo; printf "Password: "; read -rs p; echo; echo end';
    const { id } = await world.start(['/bin/bash', '-c', script], { origin: AGENT });
    await world.printed(id, 'one> ');
    await world.engine.write(id, bytes('from codex\r'));
    await world.printed(id, 'two> ');
    await world.engine.write(id, bytes('mi'), { by: person });
    await world.engine.write(id, bytes('ne\r'), { by: person });
    await world.printed(id, 'Password: ');
    await world.engine.wait({ condition: { kind: 'input', session: id }, timeoutMs: 10_000 });
    expect((await world.engine.get(id)).waitingFor?.kind).toBe('password');
    for (const key of 'hunter2\r') {
      await world.engine.write(id, bytes(key), { by: person });
    }
    await world.closed(id);
    expect(await inputs(world, id)).toEqual([
      ['agent', { kind: 'wrote', times: 1, bytes: 11 }, 'one> '],
      ['person', { kind: 'wrote', times: 2, bytes: 5 }, 'two> '],
      ['terminal', { kind: 'replied', times: 1, bytes: expect.any(Number) }, 'three\u001B[c> '],
      ['person', { kind: 'wrote', times: 1, bytes: null }, 'Password: '],
    ]);
    const { offset = -1 } = world.engine.inputsSince(id, 0).entries[1] ?? {};
    expect(world.engine.inputsAt(id, offset)).toMatchObject([{ by: person }]);

    const audit = await readFile(auditFile, 'utf8');
    expect(audit).not.toContain('hunter2');
    expect(audit).not.toContain('codex\r');
    const lines = audit
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
    expect(lines.filter(({ type }) => type === 'input').map(({ at: _at, began: _began, ...line }) => line)).toEqual([
      { type: 'input', session: id, by: { kind: 'agent', client: 'codex' }, times: 1, bytes: 11, offset: 5 },
      { type: 'input', session: id, by: person, times: 2, bytes: 5, offset: expect.any(Number) },
      {
        type: 'input',
        session: id,
        by: { kind: 'terminal' },
        times: 1,
        bytes: expect.any(Number),
        offset: expect.any(Number),
      },
      { type: 'input', session: id, by: person, hidden: true, offset: expect.any(Number) },
    ]);
  });

  test('that goes on is recorded while its session runs, when nothing is joined with it any more', async ({
    world,
  }) => {
    const { id } = await world.start(['/bin/cat']);
    await world.engine.write(id, bytes('still here\r'));
    const recorded = async (): Promise<string> => (await readFile(auditFile, 'utf8')).split('\n').at(-2) ?? '';
    await vi.waitFor(
      async () => expect(JSON.parse(await recorded())).toMatchObject({ session: id, bytes: 11 }),
      10_000,
    );
  });

  test('of a terminal that is asked again and again is one act', async ({ world }) => {
    const script =
      'stty raw -echo; i=0; while [ $i -lt 200 ]; do printf "\\033[5n"; read -rsd n x; i=$((i+1)); done; echo done';
    const { id } = await world.start(['/bin/bash', '-c', script]);
    await world.printed(id, 'done');
    const replies = (await world.engine.timeline(id)).filter(({ act }) => act.kind === 'replied');
    expect(replies).toMatchObject([{ by: { kind: 'terminal' }, act: { bytes: 800 } }]);
  });
});
