import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { BackendKind, SessionId, SessionInfo } from '../../src/shared/session.ts';
import { test as engineTest, type EngineWorld } from './engine-world.ts';
import { processesWith } from './marked-processes.ts';
import { pythonProgram } from './python-program.ts';

/** What every test of a child with a bad habit starts from. */
export interface HabitWorld extends EngineWorld {
  /** Starts a program of test/fixtures/programs; on pipes it has a stdin. */
  run(kind: BackendKind, program: string, ...args: readonly string[]): Promise<SessionInfo>;
  /** Pids of all that the programs started and that still runs, wherever it went. */
  running(): readonly number[];
  /** States of a session in the order in which they were told, each once. */
  states(id: SessionId): readonly string[];
  /** All retained output. */
  bytes(id: SessionId): Promise<Buffer>;
  /** A session on a pty that has nothing to do with the programs: it echoes. */
  readonly witness: SessionInfo;
  /** Rejects when one of the sessions that have nothing to do with the programs does not answer, or shows what is not its own. */
  othersAnswer(): Promise<void>;
}

const PROGRAMS = join(import.meta.dirname, '../fixtures/programs');

/** Python without its site packages: a third of the time to start. */
const INTERPRETERS: Readonly<Record<string, () => readonly string[]>> = {
  py: () => [pythonProgram(), '-I', '-S'],
  sh: () => ['/bin/bash'],
};

/** A test with two sessions beside its programs. Afterwards those still answer, and nothing of the programs is left. */
export const test = engineTest.extend<{ habits: HabitWorld }>({
  habits: async ({ world }, use) => {
    const mark = `SHELLSCOPE_TEST_MARK=${randomUUID()}`;
    const [markName = '', markValue = ''] = mark.split('=');
    const states = new Map<SessionId, string[]>();
    world.engine.onEvent((event) => {
      if (event.type === 'changed') {
        const { id, state } = event.session;
        const told = states.get(id) ?? [];
        states.set(id, told.at(-1) === state ? told : [...told, state]);
      }
    });
    const others = [
      await world.start(['/bin/cat']),
      await world.start(['/bin/cat'], { backend: { kind: 'pipe', stdin: true } }),
    ] as const;
    let questions = 0;
    const othersAnswer = async () => {
      questions += 1;
      for (const { id, backend } of others) {
        await world.engine.write(id, Buffer.from(`${questions}\n`));
        // A terminal shows what is typed, and the answer.
        const lineOf = (number: number) => (backend === 'pty' ? `${number}\r\n`.repeat(2) : `${number}\n`);
        const all = Array.from({ length: questions }, (_value, index) => lineOf(index + 1)).join('');
        expect(await world.printed(id, all)).toBe(all);
      }
    };
    const started: SessionId[] = [];
    await othersAnswer();
    await use({
      ...world,
      witness: others[0],
      othersAnswer,
      run: async (kind, program, ...args) => {
        const interpreter = INTERPRETERS[program.split('.').at(-1) ?? '']?.() ?? [];
        const info = await world.start([...interpreter, join(PROGRAMS, program), ...args], {
          backend: kind === 'pty' ? { kind } : { kind, stdin: true },
          environment: { kind: 'exact', variables: { PATH: process.env['PATH'] ?? '', [markName]: markValue } },
        });
        started.push(info.id);
        return info;
      },
      running: () => processesWith(mark),
      states: (id) => states.get(id) ?? [],
      bytes: async (id) => {
        const { chunks } = await world.engine.read(id, {
          afterSeq: 0,
          maxBytes: Number.POSITIVE_INFINITY,
          waitMs: 0,
        });
        return Buffer.concat(chunks.map(({ bytes }) => bytes));
      },
    });
    const known = new Set((await world.engine.list()).map(({ id }) => id));
    // A test may have disposed of the engine.
    if (known.size > 0) {
      await othersAnswer();
    }
    await Promise.all(started.filter((id) => known.has(id)).map((id) => world.engine.close(id, 'host')));
    expect(processesWith(mark)).toEqual([]);
  },
});

/** Resolves when the condition is true; rejects after 10 s. For facts of the system, which nobody tells of. */
export async function untilTrue(isTrue: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(isTrue()).toBe(true), { timeout: 10_000, interval: 2 });
}
