import { describe, expect } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { SessionId, SessionInfo } from '../../src/shared/session.ts';
import { test } from '../support/engine-world.ts';

const sh = (script: string) => ['/bin/sh', '-c', script];

/** Resolves with the first facts of the session that are as wanted. */
async function until(engine: Engine, id: SessionId, isWanted: (session: SessionInfo) => boolean): Promise<SessionInfo> {
  const now = await engine.get(id);
  if (isWanted(now)) {
    return now;
  }
  return new Promise((resolve) => {
    const stop = engine.onEvent((event) => {
      if (event.type === 'changed' && event.session.id === id && isWanted(event.session)) {
        stop();
        resolve(event.session);
      }
    });
  });
}

describe('the progress that a program tells', () => {
  test('is a fact of its session, changes with it, and ends with it', async ({ world }) => {
    const { engine } = world;
    const { id } = await world.start(sh(`printf '\\033]9;4;1;40\\007'; read go; printf '\\033]9;4;3\\007'; read go`));
    const told = await until(engine, id, ({ progress }) => progress !== null);
    expect(told.progress).toEqual({ kind: 'normal', percent: 40 });
    await engine.write(id, Buffer.from('\r'));
    const next = await until(engine, id, ({ progress }) => progress?.kind !== 'normal');
    expect(next.progress).toEqual({ kind: 'indeterminate', percent: null });
    await engine.write(id, Buffer.from('\r'));
    expect((await world.closed(id)).progress).toBeNull();
  });

  test('goes when its program was killed and the shell is at its prompt again', async ({ world }) => {
    const { engine } = world;
    const { id } = await world.start(['/bin/bash', '--norc', '-i']);
    await engine.write(id, Buffer.from(`printf '\\033]9;4;1;70\\007'; sleep 300\r`));
    const told = await until(engine, id, ({ progress }) => progress !== null);
    expect(told.progress).toEqual({ kind: 'normal', percent: 70 });
    await engine.write(id, Buffer.from('\u0003'));
    const after = await until(engine, id, ({ progress }) => progress === null);
    expect([after.state, after.waitingFor?.kind]).toEqual(['running', 'repl']);
  });

  test('told a hundred thousand times it is told on a few times a second, and the last one holds', async ({
    world,
  }) => {
    const { engine } = world;
    let changes = 0;
    const stop = engine.onEvent(({ type }) => {
      changes += type === 'changed' ? 1 : 0;
    });
    const script = `import sys
for n in range(100_000):
    sys.stdout.write(f"\\x1b]9;4;1;{n % 100}\\a")
sys.stdout.write("\\x1b]9;4;4;33\\a")
sys.stdout.flush()
input()`;
    const startedAtMs = performance.now();
    const { id } = await world.start(['/usr/bin/python3', '-c', script]);
    const last = await until(engine, id, ({ progress }) => progress?.kind === 'paused');
    const tookMs = performance.now() - startedAtMs;
    stop();
    expect(last.progress).toEqual({ kind: 'paused', percent: 33 });
    // The start, the keyboard's first look, and otherwise one in half a second.
    expect(changes).toBeLessThanOrEqual(4 + tookMs / 500);
  });

  test('is none on pipes, where there is no terminal to tell', async ({ world }) => {
    const { engine } = world;
    const { id } = await world.start(sh(`printf '\\033]9;4;1;40\\007'; echo told; read go`), {
      backend: { kind: 'pipe', stdin: true },
    });
    await world.printed(id, 'told');
    expect((await engine.get(id)).progress).toBeNull();
  });
});
