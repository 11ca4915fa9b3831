import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../shared/logger.ts';
import type { SessionId } from '../../shared/session.ts';
import type { OutputRingOptions } from '../session/output-ring.ts';
import { OutputRuns } from '../session/output-runs.ts';
import { SessionOutput } from '../session/session-output.ts';
import { Turns } from '../session/turns.ts';
import { recordHeader } from './transcript-format.ts';
import { copyOutput, segmentName } from './transcript-segments.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'shellscope-turns-'));
const PIECES = 20_000;

/** Of all of it, at so much for each piece; and of a turn that is over as soon as it is looked at. */
const LEAST_WORK = (PIECES - 1) * 20;
const MOST_WORK = 20 * 1024;

/** A program that prints five bytes at a time. */
const pieceAt = (index: number) => Buffer.from(String(index).padStart(5, '0'));
const PRINTED = Buffer.concat(Array.from({ length: PIECES }, (_none, index) => pieceAt(index)));

beforeAll(() => {
  const records = Array.from({ length: PIECES }, (_none, index) => {
    const payload = pieceAt(index);
    return [recordHeader({ kind: 'pty', seq: index + 1, atMs: 1, payload }), payload];
  });
  writeFileSync(join(FOLDER, segmentName(0)), Buffer.concat(records.flat()));
});
afterAll(() => rmSync(FOLDER, { recursive: true }));

function countedTurns(): { readonly turns: Turns; readonly work: number[] } {
  const work: number[] = [];
  let now = 0;
  return { work, turns: new Turns({ onTurn: (done) => work.push(done), now: () => (now += 1_000) }) };
}

/** Of which a segment in that folder has all, and memory the end. */
function outputIn(folder: string, ring: OutputRingOptions): SessionOutput {
  return new SessionOutput({
    id: 'session-1' as SessionId,
    ring,
    log: silentLogger,
    keepsScreen: false,
    recorder: () => ({
      ...{ started() {}, output() {}, size() {}, exited() {}, act() {}, closed() {} },
      keptFrom: (offset) => offset,
      read: async () => null,
      copy: (range, runs, turns) => copyOutput({ folder, segments: [0], turns }, range, runs),
    }),
    earlier: null,
    onRead: () => {},
    hold: () => {},
  });
}

describe('output in very small pieces is read in turns', () => {
  test('from the disk', async () => {
    const { turns, work } = countedTurns();
    const runs = new OutputRuns(0, PRINTED.length);
    expect(await copyOutput({ folder: FOLDER, segments: [0], turns }, { from: 0, to: PRINTED.length }, runs)).toBe(
      PRINTED.length,
    );
    expect(runs.runs.map(({ bytes }) => bytes.equals(PRINTED))).toEqual([true]);
    turns.waited();
    expect(Math.max(...work)).toBeLessThanOrEqual(MOST_WORK);
    expect(work.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(LEAST_WORK);
  });

  test('and from memory, of which the oldest leaves meanwhile', async () => {
    const output = outputIn(FOLDER, { maxBytes: PRINTED.length, maxChunks: PIECES });
    for (let index = 0; index < PIECES; index += 1) {
      output.append('pty', pieceAt(index));
    }
    const { turns, work } = countedTurns();
    const reading = output.runsBetween(0, PRINTED.length, turns);
    // The first half is on the disk alone by the second turn.
    output.append('pty', Buffer.alloc(PRINTED.length / 2));
    const { runs } = await reading;
    expect(runs.map(({ offset }) => offset)).toEqual([0]);
    expect(runs[0]?.bytes.equals(PRINTED)).toBe(true);
    turns.waited();
    expect(work.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(LEAST_WORK);
    expect(Math.max(...work)).toBeLessThanOrEqual(MOST_WORK);
  });

  test('and is found and shown, of more pieces than a call may have arguments', async () => {
    const folder = join(FOLDER, 'single');
    const text = 'all work and no play\n';
    const printed = text.repeat(7_000);
    mkdirSync(folder);
    const payload = new Uint8Array(1);
    const header = Buffer.from(recordHeader({ kind: 'pty', seq: 1, atMs: 1, payload }));
    const records = Buffer.alloc((header.length + 1) * printed.length);
    Buffer.from(printed).forEach((byte, index) => {
      records.set(header, index * (header.length + 1));
      records[(index + 1) * (header.length + 1) - 1] = byte;
    });
    writeFileSync(join(folder, segmentName(0)), records);
    const output = outputIn(folder, { maxBytes: 1, maxChunks: 1 });
    output.append('pty', Buffer.from(printed));
    const query = { text: 'no play', matchCase: true, wholeWord: true };
    const { hits } = await output.search({ query, before: null, from: 0, maxBytes: Infinity, maxHits: 20_000 });
    expect(hits).toHaveLength(7_000);
    const place = { offset: printed.length, linesBefore: 100_000, linesAfter: 1, maxBytes: printed.length };
    const { parts } = await output.stretch(place);
    expect(parts.map(({ bytes }) => Buffer.from(bytes).toString() === printed)).toEqual([true]);
  });
});
