import { describe, expect } from 'vitest';
import { test } from '../support/engine-world.ts';

/** Enough that a loss in one of a hundred runs shows: the unpatched way loses every second one. */
const RUNS = 300;

describe('output at the end of a child', () => {
  test('E10: a pty child that prints 20 kB and exits at once loses no byte in 300 runs', async ({ world }) => {
    const short: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const { id } = await world.start(['/bin/sh', '-c', 'head -c 20000 /dev/zero']);
      const { outputBytes, exit } = await world.closed(id);
      expect(exit).toEqual({ exitCode: 0, signal: null });
      if (outputBytes !== 20_000) {
        short.push(outputBytes);
      }
      await world.engine.close(id, 'host');
    }
    expect(short).toEqual([]);
  });

  test('E10: 1 MB printed just before the exit of a pty child is all retained, the last byte too', async ({
    world,
  }) => {
    for (let run = 0; run < 20; run += 1) {
      const { id } = await world.start(['/bin/sh', '-c', 'head -c 1000000 /dev/zero; printf end']);
      await world.closed(id);
      const text = await world.text(id);
      expect(text.length).toBe(1_000_003);
      expect(text.endsWith('end')).toBe(true);
      await world.engine.close(id, 'host');
    }
  });

  test('E10: 1 MB printed just before the exit of a pipe child is all retained', async ({ world }) => {
    for (let run = 0; run < 20; run += 1) {
      const { id } = await world.start(['/bin/sh', '-c', 'head -c 1000000 /dev/zero; printf end'], {
        backend: { kind: 'pipe', stdin: false },
      });
      await world.closed(id);
      const text = await world.text(id);
      expect(text.length).toBe(1_000_003);
      expect(text.endsWith('end')).toBe(true);
      await world.engine.close(id, 'host');
    }
  });

  test('what a grandchild prints into the pty after its leader exited is kept, and closed comes last', async ({
    world,
  }) => {
    const states: string[] = [];
    world.engine.onEvent((event) => {
      if (event.type === 'changed') {
        states.push(event.session.state);
      }
    });
    // The grandchild opens the terminal anew by its name: the kernel hung up what it had when the leader exited.
    const script =
      'trap "" HUP; t=$(tty); (trap "" HUP; while kill -0 $$ 2>/dev/null; do sleep 0.01; done; printf late > $t) & ' +
      'printf early; exit 4';
    const { id } = await world.start(['/bin/bash', '-c', script]);
    const { exit, endedBy } = await world.closed(id);
    expect({ exit, endedBy }).toEqual({ exit: { exitCode: 4, signal: null }, endedBy: 'child' });
    expect(await world.text(id)).toMatch(/^early/);
    expect(states.slice(-2)).toEqual(['exited', 'closed']);
  });

  test('a pipe held by a grandchild keeps the output open after the exit, and loses nothing', async ({ world }) => {
    const { id } = await world.start(
      [
        '/bin/sh',
        '-c',
        '(while kill -0 $$ 2>/dev/null; do sleep 0.01; done; sleep 0.2; printf late) & printf early; exit 4',
      ],
      { backend: { kind: 'pipe', stdin: false } },
    );
    const states: string[] = [];
    world.engine.onEvent((event) => {
      if (event.type === 'changed') {
        states.push(`${event.session.state} after ${event.session.outputBytes} bytes`);
      }
    });
    const { exit } = await world.closed(id);
    expect(exit).toEqual({ exitCode: 4, signal: null });
    expect(await world.text(id)).toBe('earlylate');
    expect(states).toEqual(['exited after 5 bytes', 'closed after 9 bytes']);
  });
});
