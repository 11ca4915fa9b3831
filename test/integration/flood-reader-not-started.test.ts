import type * as childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FloodReader } from '../../src/engine/backend/flood-reader.ts';
import { ForkServer } from '../../src/engine/backend/fork-server.ts';

const { lacking } = vi.hoisted(() => ({ lacking: { is: false, made: [] as EventEmitter[] } }));
vi.mock('node:child_process', async (importOriginal) => {
  const real = await importOriginal<typeof childProcess>();
  return {
    ...real,
    // As Node does without descriptors: the error comes in a later turn.
    spawn: (...request: Parameters<typeof real.spawn>) => {
      if (!lacking.is) {
        return real.spawn(...request);
      }
      const child = new EventEmitter();
      lacking.made.push(child);
      return child;
    },
  };
});

test('a reader that cannot be started is told as ended, nothing is thrown later, and the next ones are tried', async () => {
  const server = ForkServer.start(null);
  if (server === null) {
    throw new Error('there is no fork server: npm run build');
  }
  onTestFinished(() => server.dispose());
  lacking.is = true;
  // More than there may be at a time.
  for (let times = 1; times <= 20; times += 1) {
    const ended = new Promise<void>((resolve) => {
      void FloodReader.start(server, () => 7, { started: () => {}, output: () => {}, ended: resolve });
    });
    await ended;
    expect(lacking.made.length).toBe(times);
    expect(() => lacking.made.at(-1)?.emit('error', new Error('EMFILE'))).not.toThrow();
  }
});
