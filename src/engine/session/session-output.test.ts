import { expect, test } from 'vitest';
import { silentLogger } from '../../shared/logger.ts';
import type { SessionId } from '../../shared/session.ts';
import { SessionOutput } from './session-output.ts';

const PIECE = new Uint8Array(64 * 1024);

function makeOutput() {
  return new SessionOutput({
    id: 'job' as SessionId,
    ring: { maxBytes: 256 * 1024, maxChunks: 1_000 },
    log: silentLogger,
    keepsScreen: false,
    recorder: () => null,
    earlier: null,
    onRead: () => {},
    hold: () => {},
  });
}

test('a reader that must not lose a byte loses nothing of a full pipe of a child that is ended without having been held', () => {
  const output = makeOutput();
  let received = 0;
  let gone = 0;
  const handle = output.follow({
    afterSeq: 0,
    creditBytes: 1,
    holdsChildMs: 60_000,
    onEvent: (event) => {
      received += event.kind === 'output' ? event.bytes.length : 0;
      gone += event.kind === 'gap' ? (event.bytes ?? 0) : 0;
    },
  });
  output.append('stdout', PIECE);
  output.append('stdout', PIECE);
  output.stopHolding();
  for (let rest = 0; rest < 1024 * 1024; rest += PIECE.length) {
    output.append('stdout', PIECE);
  }
  output.exited({ exitCode: null, signal: 'SIGTERM' });
  output.closed();
  for (let before = -1; before < received;) {
    before = received;
    handle.ack(received);
  }
  expect({ received, gone }).toEqual({ received: 1024 * 1024 + 2 * PIECE.length, gone: 0 });
});
