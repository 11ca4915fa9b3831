import { expect } from 'vitest';
import { test } from '../support/engine-world.ts';

/** Asks far more than any queue holds, reads nothing until it is told to by a signal, then counts what stands before the K. */
const ASKS_AND_NEVER_READS = `
import os, signal, tty
tty.setraw(0)
heard = []
signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
for _ in range(150): os.write(1, b"\\x1b[5n" * 2000)
os.write(1, b"asked")
while not heard: signal.pause()
count = 0
while True:
    got = os.read(0, 65536)
    if b"K" in got:
        break
    count += len(got)
os.write(1, b" before the key: %d." % (count + got.index(b"K")))
`;

test('a program that asks and never reads holds no memory, and a key comes soon behind its replies', async ({
  world,
}) => {
  const { id } = await world.start(['/usr/bin/python3', '-c', ASKS_AND_NEVER_READS]);
  await world.printed(id, 'asked');
  // The responder has said what it had to say when no more acts of it are noted.
  const replied = async () =>
    (await world.engine.timeline(id)).reduce((sum, { act }) => sum + (act.kind === 'replied' ? act.bytes : 0), 0);
  let before = -1;
  await expect
    .poll(
      async () => {
        const now = await replied();
        const isSame = now === before && now > 0;
        before = now;
        return isSame;
      },
      { interval: 500, timeout: 20_000 },
    )
    .toBe(true);
  const key = world.engine.write(id, Buffer.from('K'));
  await world.engine.signal(id, 'SIGUSR1');
  expect(await key).toMatchObject({ outcome: 'delivered' });
  const printed = await world.printed(id, '.');
  // Asked for were 300,000 replies of 4 bytes: the first piece, the queue, and what the kernel had taken are left of them.
  expect(Number(/before the key: (\d+)/.exec(printed)?.[1])).toBeLessThan(64 * 1024);
});
