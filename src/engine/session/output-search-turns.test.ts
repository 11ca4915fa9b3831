import { describe, expect, test } from 'vitest';
import type { FindQuery } from '../../shared/output-search.ts';
import { OutputRuns } from './output-runs.ts';
import { searchOutput } from './output-search.ts';
import { Turns } from './turns.ts';

/**
 * Most work of one turn, in bytes, where a turn lasts no longer than one step: some steps of different kinds in a row, and
 * what is not parted, as a sequence that moves a whole line. At 10 ns a byte it is a millisecond.
 */
const MOST_WORK = 112 * 1024;

/** The work of each turn of a search, when the time of a turn is over at every look at the clock. */
async function workOf(printed: Buffer, query: FindQuery): Promise<{ readonly work: readonly number[]; hits: number }> {
  const work: number[] = [];
  let now = 0;
  const turns = new Turns({ onTurn: (done) => work.push(done), now: () => (now += 1_000) });
  const { hits } = await searchOutput(
    {
      keptFrom: 0,
      endOffset: printed.length,
      runsBetween: async (from, to) => {
        const runs = new OutputRuns(from, to);
        runs.copy(from, { from: printed, begin: from, end: Math.min(to, printed.length), atMs: 1, size: null });
        return runs;
      },
    },
    { query, before: null, from: 0, maxBytes: Infinity, maxHits: 1_000 },
    { turns },
  );
  turns.waited();
  return { work, hits: hits.length };
}

const MEGABYTE = 1024 * 1024;
const ANY_CASE = { matchCase: false, wholeWord: false } as const;
const times = (text: string, bytes: number) => Buffer.from(text.repeat(Math.ceil(bytes / Buffer.byteLength(text))));

describe('a turn of a search has a bound, also where the output is', () => {
  test.each<readonly [string, Buffer, string, number]>([
    ['plain lines', times('all work and no play\n', 2 * MEGABYTE), 'nothing of it', 0],
    ['coloured lines', times('\u001B[31mall work\u001B[m and no play\n', 2 * MEGABYTE), 'nothing of it', 0],
    ['empty lines', times('\n', MEGABYTE), 'nothing of it', 0],
    ['one line without a newline', times('all work and no play ', 2 * MEGABYTE), 'nothing of it', 0],
    ['one line of a progress bar', times('50 %\r', 2 * MEGABYTE), 'nothing of it', 0],
    ['one line of combining characters', times('\u0301', 2 * MEGABYTE), 'nothing of it', 0],
    ['one line of nothing but matches', times('a', MEGABYTE), 'a', 1_000],
    ['nothing but matches, each in a row of its own', times('a\u001B[A', MEGABYTE), 'a', 1_000],
    ['one line that nearly matches everywhere', times('a', MEGABYTE), `${'a'.repeat(499)}b`, 0],
    ['a sequence that says nothing for a megabyte', times('\u001B[1111111111111111', MEGABYTE), 'nothing of it', 0],
    ['a title that never ends', endless('\u001B]0;'), 'nothing of it', 0],
    ['what goes to the clipboard and never ends', endless('\u001B]52;c;'), 'nothing of it', 0],
    ['a device control string that never ends', endless('\u001BPq'), 'nothing of it', 0],
    ['an application command that never ends', endless('\u001B_G'), 'nothing of it', 0],
    ['a sequence of numbers that never ends', endless('\u001B[', '1;2:3'), 'nothing of it', 0],
    ['a sequence of blanks that never ends', endless('\u001B[', ' '), 'nothing of it', 0],
    ['an escape that never ends', endless('\u001B', '('), 'nothing of it', 0],
    ['a line that is made longer by each sequence', times('x\u001B[2000C', 64 * 1024), 'nothing of it', 0],
    ['a line of which all is moved again and again', deletingCells(), 'nothing of it', 0],
  ])('%s', async (_what, printed, text, hits) => {
    const found = await workOf(printed, { text, ...ANY_CASE });
    expect(found.hits).toBe(hits);
    expect(Math.max(...found.work)).toBeLessThanOrEqual(MOST_WORK);
    expect(found.work.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(printed.length);
  });
});

/** A line in which a sequence begins and does not end; most of the block that it begins in is behind that. */
function endless(opener: string, payload = 'AAAA'): Buffer {
  return Buffer.concat([Buffer.from(`all work ${opener}`), times(payload, 2.4 * MEGABYTE)]);
}

/** A long line, and sequences that each take a character out at its begin. */
function deletingCells(): Buffer {
  return Buffer.concat([times('all work and no play ', 300_000), Buffer.from('\r'), times('\u001B[P', 6_000)]);
}
