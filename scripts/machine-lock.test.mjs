// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { withLock } from './machine-lock.mjs';
import { SetupError } from './messages.mjs';

const options = { waitMs: 10_000, waitingFor: 'a test' };
const key = `test ${process.pid}`;

it('lets one at a time in, in whatever order', async () => {
  let inside = 0;
  let most = 0;
  const enter = () =>
    withLock(
      key,
      async () => {
        inside += 1;
        most = Math.max(most, inside);
        // Lets the others run up to the lock.
        await new Promise((resolve) => setImmediate(resolve));
        inside -= 1;
      },
      options,
    );
  await Promise.all([enter(), enter(), enter(), enter()]);
  expect({ inside, most }).toEqual({ inside: 0, most: 1 });
});

it('is free again after a failure', async () => {
  await expect(withLock(key, () => Promise.reject(new Error('broken')), options)).rejects.toThrow('broken');
  expect(await withLock(key, async () => 'in', options)).toBe('in');
});

it('gives up at the deadline, and says on what', async () => {
  await withLock(
    key,
    async () => {
      const second = withLock(key, async () => 'in', { waitMs: 50, waitingFor: 'the tea' });
      await expect(second).rejects.toBeInstanceOf(SetupError);
      await expect(second).rejects.toThrow('the tea');
    },
    options,
  );
});

it('is free again when its holder is killed', async () => {
  const program = `
    import { withLock } from ${JSON.stringify(new URL('machine-lock.mjs', import.meta.url).href)};
    await withLock(${JSON.stringify(key)}, () => new Promise(() => { console.log('in'); setInterval(() => {}, 1000); }), { waitMs: 1, waitingFor: '' });`;
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: holder.stdout }), 'line');
  const waiter = withLock(key, async () => 'in', options);
  holder.kill('SIGKILL');
  expect(await waiter).toBe('in');
});
