import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withoutLeftovers } from '../support/leftovers.ts';
import { CLOSED, type ConformanceRow } from './conformance-row.ts';
import { connectionRows } from './connection-rows.ts';
import { frameRows } from './frame-rows.ts';
import { handshakeRows } from './handshake-rows.ts';
import { startOurs, startOursOnStdio, startReal, startRealOnStdio, type Peer } from './peers.ts';
import { processRows } from './process-rows.ts';
import { readRows } from './read-rows.ts';
import { runRow, type Side } from './row-runner.ts';

const rows: readonly ConformanceRow[] = [
  ...handshakeRows,
  ...frameRows,
  ...processRows,
  ...readRows,
  ...connectionRows,
];

/** What can be said in lines, on a connection that cannot be resumed. */
const lineRows = rows.filter(
  ({ webSocketOnly, steps }) =>
    webSocketOnly === undefined && !steps.some(({ kind }) => ['http', 'ping', 'drop', 'resume'].includes(kind)),
);

/** The executable of the real Codex CLI, where somebody wants its word as well. */
const CODEX = process.env['SHELLSCOPE_CODEX'] ?? '';

describe('our server by WebSocket:', () => {
  playAll(rows, 'ours', startOurs);
});

describe('our server on stdio:', () => {
  playAll(lineRows, 'ours', startOursOnStdio);
});

describe.skipIf(CODEX === '')('codex exec-server by WebSocket:', () => {
  playAll(rows, 'real', () => startReal(CODEX));
});

describe.skipIf(CODEX === '')('codex exec-server on stdio:', () => {
  // After a breach of the protocol it reads once more before it ends, whenever that is: nothing to wait for.
  const answered = lineRows.filter(
    ({ steps }) => !steps.some((step) => step.kind === 'send' && step.hears.includes(CLOSED)),
  );
  playAll(answered, 'real', () => startRealOnStdio(CODEX));
});

/** A test for each row; in the end nothing is left of what the rows started. */
function playAll(all: readonly ConformanceRow[], side: Side, startPeer: () => Peer | Promise<Peer>): void {
  let peer: Peer;
  let finish: () => void;
  let whole: Promise<void>;

  beforeAll(async () => {
    await new Promise<void>((resolve, reject) => {
      whole = withoutLeftovers(async () => {
        const finished = new Promise<void>((done) => {
          finish = done;
        });
        peer = await startPeer();
        resolve();
        await finished;
        expect(peer.faults).toEqual([]);
        await peer.close();
      });
      whole.catch(reject);
    });
  });
  afterAll(async () => {
    finish();
    await whole;
  });

  const played = all.filter(({ notAskedOfReal }) => side === 'ours' || notAskedOfReal === undefined);
  test.each(played.map((row) => [row.title, row] as const))('%s', (_title, row) => runRow(row, peer, side));
}

describe('the table', () => {
  test('has one row for each title', () => {
    expect(rows.map(({ title }) => title)).toHaveLength(new Set(rows.map(({ title }) => title)).size);
  });

  test('differs from the real server only where docs/exec-server.md says why', async () => {
    const document = await readFile(resolve(import.meta.dirname, '../../docs/exec-server.md'), 'utf8');
    const explained = new Set([...document.matchAll(/^\| (.+?) +\|/gm)].map(([, cell]) => cell));
    const reasons = rows
      .flatMap(({ steps }) => steps)
      .flatMap((step) => ('differs' in step && step.differs !== undefined ? [step.differs.why] : []));
    expect(reasons.length).toBeGreaterThan(0);
    expect(reasons.filter((why) => !explained.has(why))).toEqual([]);
  });
});
