import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { QueryScan, type Asked } from './query-scan.ts';
import { ANSWERED_QUERIES, cut, NO_QUERIES, queryfulOutput, UNANSWERED_QUERIES } from './testing/query-bytes.ts';
import { ReferenceTerminal } from './testing/reference-terminal.ts';

const ORDER: readonly Asked[] = ['nothing', 'unanswered', 'answered'];

/** What each byte ends. */
function byteByByte(bytes: Uint8Array): readonly Asked[] {
  const scan = new QueryScan();
  return Array.from(bytes, (byte) => scan.scan(Uint8Array.of(byte)));
}

function greatest(asked: readonly Asked[]): Asked {
  return asked.reduce((most, one) => (ORDER.indexOf(one) > ORDER.indexOf(most) ? one : most), 'nothing');
}

describe('the scan for terminal questions', () => {
  const known: readonly [string, Readonly<Record<string, string>>, Asked][] = [
    ['that a terminal answers', ANSWERED_QUERIES, 'answered'],
    ['that a terminal leaves unanswered', UNANSWERED_QUERIES, 'unanswered'],
    ['that only looks like one', NO_QUERIES, 'nothing'],
  ];
  for (const [what, queries, asked] of known) {
    for (const [name, text] of Object.entries(queries)) {
      test(`knows what ${what}: ${name}`, async () => {
        const terminal = new ReferenceTerminal();
        expect({
          asked: new QueryScan().scan(Buffer.from(text)),
          among: new QueryScan().scan(Buffer.from(`${'before '.repeat(20)}${text}${' after'.repeat(20)}`)),
          answers: (await terminal.parse(Buffer.from(text))) !== '',
        }).toEqual({ asked, among: asked, answers: asked === 'answered' });
        terminal.dispose();
      });
    }
  }

  test('finds the same, however the bytes are cut', () => {
    fc.assert(
      fc.property(queryfulOutput, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (bytes, lengths) => {
        const perByte = byteByByte(bytes);
        const scan = new QueryScan();
        let at = 0;
        for (const part of cut(bytes, lengths)) {
          expect(scan.scan(part)).toBe(greatest(perByte.slice(at, at + part.length)));
          at += part.length;
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('finds every question that a terminal answers, at the byte at which it answers', async () => {
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(queryfulOutput, async (bytes) => {
        const terminal = new ReferenceTerminal();
        const asked = byteByByte(bytes);
        const said = await Promise.all(Array.from(bytes, (byte) => terminal.parse(Uint8Array.of(byte))));
        terminal.dispose();
        const missed = said.flatMap((reply, at) => (reply !== '' && asked[at] !== 'answered' ? [at] : []));
        answered += said.filter((reply) => reply !== '').length;
        expect(missed).toEqual([]);
      }),
      { numRuns: 300 },
    );
    // Else this test would say nothing.
    expect(answered).toBeGreaterThan(300);
  });

  test('is quiet about plain text, coloured text and foreign letters', () => {
    const text = '\u001B[2J\u001B[1;1H\u001B[38;2;1;2;3mGrüße, 你好 «naïve» what? 6n\u001B[0m\u001B[K\r\n';
    expect(new QueryScan().scan(Buffer.from(text.repeat(1_000)))).toBe('nothing');
  });
});
