import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutLeftovers } from '../support/leftovers.ts';
import { fuzzFrame, isInitialized } from './fuzz-frames.ts';
import { startOurs, startOursOnStdio, type Peer } from './peers.ts';
import type { WireClient } from './wire-client.ts';

/** The same frames in each run; another seed may be given to look further. */
const SEED = Number(process.env['SHELLSCOPE_FUZZ_SEED'] ?? 20_261_121);

const STATUS = 'environment/status';

async function readyClient(peer: Peer): Promise<WireClient> {
  const client = await peer.connect();
  client.send({ id: 'hello', method: 'initialize', params: { clientName: 'fuzz' } });
  await client.answerTo('hello');
  client.send({ method: 'initialized' });
  return client;
}

/** Sends the frame; resolves when it was answered, or the connection ended. Throws when neither happens in time. */
async function answeredOrClosed(client: WireClient, frame: string | Uint8Array): Promise<void> {
  client.send(frame);
  client.send({ id: 'fence', method: STATUS });
  await client.answerTo('fence');
  const shown = Buffer.from(frame).toString().slice(0, 200);
  await client.until(
    () => client.closed || client.answers.length > 0 || isInitialized(frame),
    `an answer to ${JSON.stringify(shown)}`,
  );
  // One frame, one answer.
  expect(client.closed ? 1 : client.answers.length, shown).toBeLessThanOrEqual(1);
  client.answers.length = 0;
}

describe('any frame is answered, or ends its own connection and no other, and leaves nothing behind', () => {
  test.for([
    ['WebSocket', 2_500, startOurs],
    ['stdio', 1_000, startOursOnStdio],
  ] as const)('by %s', async ([transport, frames, startPeer]) => {
    await withoutLeftovers(async () => {
      const peer = await startPeer();
      try {
        const other = await readyClient(peer);
        let client = await readyClient(peer);
        let breaches = 0;
        await fc.assert(
          fc.asyncProperty(fuzzFrame, async (frame) => {
            // A line is a frame there; what has several is several.
            const bytes = Buffer.from(frame);
            if (transport === 'stdio' && (bytes.includes(0x0a) || /^\s*$/.test(bytes.toString()))) {
              return;
            }
            if (client.closed) {
              breaches += 1;
              client = await readyClient(peer);
            }
            await answeredOrClosed(client, frame);
          }),
          { seed: SEED, numRuns: frames, endOnFailure: true },
        );
        expect(peer.faults).toEqual([]);
        expect(breaches).toBeGreaterThan(frames / 100);
        other.send({ id: 'still here', method: STATUS });
        expect(await other.answerTo('still here')).toMatchObject({ result: { status: 'ready' } });
      } finally {
        await peer.close();
      }
    });
  });

  test('bytes that are no frames end the connection, or wait for more, and harm nobody', async () => {
    await withoutLeftovers(async () => {
      const peer = await startOurs();
      try {
        const other = await readyClient(peer);
        const { hostname, port } = new URL(peer.url ?? '');
        const upgrade =
          `GET / HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n';
        await fc.assert(
          fc.asyncProperty(fc.boolean(), fc.uint8Array({ minLength: 1, maxLength: 200 }), async (upgrades, bytes) => {
            const socket = connectTcp({ host: hostname, port: Number(port) });
            socket.on('error', () => {});
            await once(socket, 'connect');
            if (upgrades) {
              socket.write(upgrade);
              await once(socket, 'data');
            }
            socket.resume();
            const closed = once(socket, 'close');
            socket.end(bytes);
            await closed;
          }),
          { seed: SEED, numRuns: 300, endOnFailure: true },
        );
        other.send({ id: 'still here', method: STATUS });
        expect(await other.answerTo('still here')).toMatchObject({ result: { status: 'ready' } });
      } finally {
        await peer.close();
      }
    });
  });
});
