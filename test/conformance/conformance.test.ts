import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConformanceRow } from './conformance-row.ts';
import { connectionRows } from './connection-rows.ts';
import { frameRows } from './frame-rows.ts';
import { handshakeRows } from './handshake-rows.ts';
import { startOurs, startReal, type Peer } from './peers.ts';
import { processRows } from './process-rows.ts';
import { readRows } from './read-rows.ts';
import { runRow } from './row-runner.ts';

const rows: readonly ConformanceRow[] = [
  ...handshakeRows,
  ...frameRows,
  ...processRows,
  ...readRows,
  ...connectionRows,
];

function titled(some: readonly ConformanceRow[]): readonly (readonly [string, ConformanceRow])[] {
  return some.map((row) => [row.title, row]);
}

/** The executable of the real Codex CLI, where somebody wants its word as well. */
const CODEX = process.env['SHELLSCOPE_CODEX'] ?? '';

describe('our server says what the table says:', () => {
  let peer: Peer;
  beforeAll(async () => {
    peer = await startOurs();
  });
  afterAll(() => peer.close());

  test.each(titled(rows))('%s', (_title, row) => runRow(row, peer.url, 'ours'));
});

describe.skipIf(CODEX === '')('codex exec-server says what the table says:', () => {
  let peer: Peer;
  beforeAll(async () => {
    peer = await startReal(CODEX);
  });
  afterAll(() => peer.close());

  const asked = rows.filter(({ notAskedOfReal }) => notAskedOfReal === undefined);
  test.each(titled(asked))('%s', (_title, row) => runRow(row, peer.url, 'real'));
});

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
