import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FindQuery, OutputHit } from '../../shared/output-search.ts';
import { plainText } from '../terminal/plain-text.ts';
import type { OutputPiece } from './output-ring.ts';
import { OutputRuns } from './output-runs.ts';
import { searchOutput, SEARCH_BLOCK_BYTES, type KeptOutput, type OutputSearchRequest } from './output-search.ts';

const ANY_CASE = { matchCase: false, wholeWord: false } as const;

function pieceAt(offset: number, bytes: Uint8Array): OutputPiece {
  return { stream: 'pty', offset, bytes, atMs: 1_000 + offset, size: { cols: 80, rows: 24 } };
}

/** Output in the given pieces; between two of them something may be gone. */
function keptOutput(pieces: readonly OutputPiece[]): KeptOutput {
  const last = pieces.at(-1);
  return {
    keptFrom: pieces[0]?.offset ?? 0,
    endOffset: last === undefined ? 0 : last.offset + last.bytes.length,
    runsBetween: async (from, to) => {
      const runs = new OutputRuns(from, to);
      for (const piece of pieces) {
        const begin = Math.max(from, piece.offset);
        const end = Math.min(to, piece.offset + piece.bytes.length);
        if (end > begin) {
          const { bytes, atMs, size } = piece;
          runs.copy(begin, { from: bytes, begin: begin - piece.offset, end: end - piece.offset, atMs, size });
        }
      }
      return runs;
    },
  };
}

const textOutput = (text: string) => keptOutput([pieceAt(0, Buffer.from(text))]);

/** All steps of a search, and what they found. */
async function searched(
  output: KeptOutput,
  query: FindQuery,
  request: Partial<OutputSearchRequest> = {},
  blockBytes = SEARCH_BLOCK_BYTES,
): Promise<{ readonly hits: readonly OutputHit[]; readonly goneBytes: number; readonly steps: number }> {
  const hits: OutputHit[] = [];
  let goneBytes = 0;
  let steps = 0;
  for (let before: number | null = request.before ?? output.endOffset; before !== null; steps += 1) {
    const step = await searchOutput(
      output,
      { query, from: 0, maxBytes: Infinity, maxHits: 10_000, ...request, before },
      { blockBytes },
    );
    hits.push(...step.hits);
    goneBytes += step.goneBytes;
    before = step.nextBefore;
  }
  return { hits, goneBytes, steps };
}

const marked = ({ line, column, length }: OutputHit) =>
  `${line.slice(0, column)}[${line.slice(column, column + length)}]${line.slice(column + length)}`;

describe('searchOutput', () => {
  test('the newest comes first, with its line, its places and its time', async () => {
    const { hits } = await searched(textOutput('one needle\r\ntwo\r\nneedle, Needle\r\n'), {
      text: 'needle',
      ...ANY_CASE,
    });
    expect(hits.map(marked)).toEqual(['needle, [Needle]', '[needle], Needle', 'one [needle]']);
    expect(hits.map(({ lineOffset, offset, endOffset, atMs }) => [lineOffset, offset, endOffset, atMs])).toEqual([
      [17, 25, 31, 1_000],
      [17, 17, 23, 1_000],
      [0, 4, 10, 1_000],
    ]);
  });

  test.each([
    ['a colour within it', 'Na\u001B[31md\u001B[0mel', 'nadel', '[Nadel]'],
    ['a title within it', 'na\u001B]0;nadel\u0007del', 'nadel', '[nadel]'],
    ['a link around it', '\u001B]8;;http://x\u001B\\nadel\u001B]8;;\u001B\\', 'nadel', '[nadel]'],
    ['written over', '10 %\r50 %\r100 %', '%', '100 [%]'],
    ['a shorter one over a longer', 'downloading\rdone\u001B[K', 'd', '[d]one'],
    ['typed, and taken back', 'rm -x\b\u001B[Krf', '-rf', 'rm [-rf]'],
    ['erased in an edited line', 'abcdef\u001B[4D\u001B[2Pg', 'abgf', '[abgf]'],
    ['put in between', 'ac\b\u001B[@b', 'abc', '[abc]'],
    ['repeated by a sequence', '-\u001B[4b', '-----', '[-----]'],
    ['a tab as blanks', 'a\tb', 'a       b', '[a       b]'],
    ['beyond ASCII, in any case', 'GRÜSSE an Ωmega', 'grüsse AN ω', '[GRÜSSE an Ω]mega'],
    ['of four bytes', 'ein 😀 hier', '😀 h', 'ein [😀 h]ier'],
    ['bytes that are no text', 'a\u0080b', 'ab', '[ab]'],
  ])('found with %s', async (_what, printed, text, expected) => {
    const { hits } = await searched(textOutput(`before\r\n${printed}\r\nafter`), { text, ...ANY_CASE });
    expect(hits.map(marked)).toContain(expected);
  });

  test.each([
    ['was written over', 'secret\rpublic', 'secret'],
    ['stands in a title', '\u001B]0;needle\u0007', 'needle'],
    ['is parted by a move to another line', 'nee\u001B[5;1Hdle', 'needle'],
    ['is parted by a newline', 'nee\r\ndle', 'needle'],
    ['was erased', 'needle\u001B[2K\rthread', 'needle'],
  ])('not found where it %s', async (_what, printed, text) => {
    expect((await searched(textOutput(printed), { text, ...ANY_CASE })).hits).toEqual([]);
  });

  test('case and whole words count when they are asked for', async () => {
    const output = textOutput('concat cat\ncat.\ncat_s\nCat\n');
    const found = async (query: Omit<FindQuery, 'text'>) =>
      (await searched(output, { text: 'cat', ...query })).hits.map(marked);
    expect(await found({ matchCase: true, wholeWord: true })).toEqual(['[cat].', 'concat [cat]']);
    expect(await found({ matchCase: false, wholeWord: true })).toEqual(['[Cat]', '[cat].', 'concat [cat]']);
    expect(await found({ matchCase: true, wholeWord: false })).toHaveLength(4);
  });

  test('a program on a whole screen is found by what it drew in each place', async () => {
    const drawn = '\u001B[?1049h\u001B[H\u001B[2Jfile.txt\u001B[24;1H-- INSERT --\u001B[3;5Hneedle\u001B[?1049l';
    const { hits } = await searched(textOutput(drawn), { text: 'e', ...ANY_CASE });
    expect(new Set(hits.map(({ line }) => line))).toEqual(new Set(['needle', '-- INSERT --', 'file.txt']));
  });

  test('of a long line what stands around the match is shown', async () => {
    const { hits } = await searched(textOutput(`${'a'.repeat(5_000)}needle${'b'.repeat(5_000)}`), {
      text: 'needle',
      ...ANY_CASE,
    });
    expect(hits).toHaveLength(1);
    expect(hits[0]).toMatchObject({ column: 60, length: 6, offset: 5_000, lineOffset: 0 });
    expect(hits[0]?.line).toHaveLength(240);
  });

  test('a line longer than what is looked at as one is found in whole, and each match once', async () => {
    const long = `${'x'.repeat(SEARCH_BLOCK_BYTES - 3)}needle`.repeat(3);
    const { hits } = await searched(textOutput(`first\n${long}\nlast needle`), { text: 'needle', ...ANY_CASE });
    expect(hits.map(({ offset }) => offset)).toEqual([
      12 + long.length,
      ...[2, 1, 0].map((turn) => 6 + turn * (SEARCH_BLOCK_BYTES + 3) + SEARCH_BLOCK_BYTES - 3),
    ]);
  });

  test('each match among many lines without one is found once, the newest first', async () => {
    const isFound = (index: number): boolean => index % 700 === 3 || (index > 4_000 && index < 4_010);
    const lines = Array.from(
      { length: 10_000 },
      (_none, index) => `${index} ${isFound(index) ? 'needle' : 'hay'} in it`,
    );
    const { hits } = await searched(textOutput(lines.join('\n')), { text: 'needle', ...ANY_CASE }, { maxHits: 1_000 });
    expect(hits.map(({ line }) => line)).toEqual(lines.filter((_line, index) => isFound(index)).reverse());
  });

  test('more hits than wanted: the newest are told, and that there are more', async () => {
    const step = await searchOutput(textOutput('a\n'.repeat(10)), {
      query: { text: 'a', ...ANY_CASE },
      before: null,
      from: 0,
      maxBytes: Infinity,
      maxHits: 3,
    });
    expect(step.hits.map(({ offset }) => offset)).toEqual([18, 16, 14]);
    expect(step).toMatchObject({ isCut: true, nextBefore: null });
  });

  test('what is gone is told, and parts a line', async () => {
    const output = keptOutput([pieceAt(100, Buffer.from('nee')), pieceAt(200, Buffer.from('dle\nneedle'))]);
    const { hits, goneBytes } = await searched(output, { text: 'needle', ...ANY_CASE });
    expect(hits.map(({ offset }) => offset)).toEqual([204]);
    expect(goneBytes).toBe(197);
  });

  test.each([
    [{ query: { text: '', ...ANY_CASE } }, 'query.text'],
    [{ query: { text: 'a\nb', ...ANY_CASE } }, 'query.text'],
    [{ query: { text: 'a'.repeat(501), ...ANY_CASE } }, 'query.text'],
    [{ before: -1 }, 'before'],
    [{ maxBytes: Number.NaN }, 'maxBytes'],
  ])('%j is refused by its name', async (wrong, name) => {
    const right = { query: { text: 'a', ...ANY_CASE }, before: null, from: 0, maxBytes: 1, maxHits: 1 };
    await expect(searchOutput(textOutput('a'), { ...right, ...wrong })).rejects.toThrow(name);
  });

  test('an abort ends it between two turns', async () => {
    const abort = new AbortController();
    const searching = searchOutput(textOutput('all work and no play\n'.repeat(400_000)), {
      query: { text: 'none', ...ANY_CASE },
      before: null,
      from: 0,
      maxBytes: Infinity,
      maxHits: 1,
      signal: abort.signal,
    });
    setImmediate(() => abort.abort(new Error('the next one')));
    await expect(searching).rejects.toThrow('the next one');
  });

  // Within a line, shorter in all than a block of the search.
  const part = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom('ab', 'a', 'b', 'Ab', ' ', 'é', 'ß', '\u001B[1m', '\u001B[31m', '\u001B]0;ab\u0007'),
    },
    { weight: 1, arbitrary: fc.constantFrom('\r', '\b', '\u001B[K', '\u001B[2D', '\u001B[C', '\u001B[2P') },
  );
  const line = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(''));

  test(
    'whatever the pieces, blocks and steps, it finds what a simple search finds in the plain text',
    { timeout: 30_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            lines: fc.array(line, { maxLength: 30 }),
            ending: fc.constantFrom('\n', '\r\n'),
            lengths: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
            text: fc.constantFrom('ab', 'a', ' b', 'bé', 'ßA'),
            matchCase: fc.boolean(),
            maxBytes: fc.integer({ min: 1, max: 200 }),
          }),
          async ({ lines, ending, lengths, text, matchCase, maxBytes }) => {
            const bytes = Buffer.from(lines.join(ending));
            const pieces: OutputPiece[] = [];
            for (let at = 0; at < bytes.length;) {
              const length = lengths[pieces.length % lengths.length] ?? 1;
              pieces.push(pieceAt(at, bytes.subarray(at, at + length)));
              at += length;
            }
            const { hits } = await searched(
              keptOutput(pieces),
              { text, matchCase, wholeWord: false },
              { maxBytes },
              100,
            );
            const plain = await plainText({ text: bytes.toString(), context: '', onAlternate: false, size: null });
            const fold = (shown: string) => (matchCase ? shown : shown.toLowerCase());
            const expected = plain
              .split('\n')
              .map((shown) => shown.trimEnd())
              .flatMap((shown) => Array.from({ length: fold(shown).split(fold(text)).length - 1 }, () => shown));
            expect(hits.map((hit) => hit.line).reverse()).toEqual(expected);
          },
        ),
        { numRuns: 500 },
      );
    },
  );
});
