import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProgramProgress } from '../../shared/session.ts';
import { ProgressNote } from './progress-note.ts';
import { QueryScan } from './query-scan.ts';
import { cut, queryfulOutput } from './testing/query-bytes.ts';

/** What holds after each of these outputs, which are cut into pieces of so many bytes. */
function after(outputs: readonly string[], pieceBytes = 1_000): ProgramProgress | null {
  const note = new ProgressNote();
  const scan = new QueryScan(note);
  const bytes = Buffer.from(outputs.join(''));
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    scan.scan(bytes.subarray(at, at + pieceBytes));
  }
  return note.progress;
}

const told = (words: string): string => `\u001B]9;4;${words}\u0007`;
const at = (percent: number | null, kind: ProgramProgress['kind'] = 'normal') => ({ kind, percent });

describe('what a program says of its progress', () => {
  test.each([
    ['is set', [told('1;40')], at(40)],
    ['is set by ST', ['\u001B]9;4;1;40\u001B\\'], at(40)],
    ['is set by the one-character forms', ['\u009D9;4;1;40\u009C'], at(40)],
    ['is set where another sequence cuts the string off', ['\u001B]9;4;1;40\u001B[31m'], at(40)],
    ['is the last one', [told('1;40'), ' text ', told('1;41')], at(41)],
    ['is nothing before and no more than all', [told('1;0'), told('1;250')], at(100)],
    ['has no measure', [told('1;40'), told('3')], at(null, 'indeterminate')],
    ['has no measure, whatever is told with it', [told('3;40')], at(null, 'indeterminate')],
    ['is taken away', [told('1;40'), told('0')], null],
    ['is taken away with a number', [told('1;40'), told('0;0')], null],
    ['is an error where it stood', [told('1;40'), told('2')], at(40, 'error')],
    ['is an error where it says', [told('1;40'), told('2;60')], at(60, 'error')],
    ['is an error without a place', [told('2')], at(null, 'error')],
    ['is paused where it stood', [told('1;40'), told('4;0')], at(40, 'paused')],
    ['is not told without a percentage', [told('1;40'), told('1'), told('1;')], at(40)],
    ['is not told by a kind that there is none of', [told('1;40'), told('5;60'), told(''), told(';9')], at(40)],
    ['is not told by what is no number', [told('1;40'), told('1;x'), told('1;-5'), told('1;5;6')], at(40)],
    [
      'is not told by other notes',
      ['\u001B]9;build done\u0007', '\u001B]9;9;/home\u0007', '\u001B]9;41;1\u0007'],
      null,
    ],
    ['is not told by a string that is broken off', [told('1;40'), '\u001B]9;4;1;90\u0018'], at(40)],
    ['is not told by text', [']9;4;1;40\u0007', '\u001B[9;4;1;40\u0007'], null],
    ['is not told by other strings', ['\u001B]0;9;4;1;40\u0007', '\u001B]99;4;1;40\u0007'], null],
  ] as const)('%s', (_what, outputs, progress) => {
    expect(after(outputs)).toEqual(progress);
    expect(after(outputs, 1)).toEqual(progress);
  });

  test('is the same however the bytes are cut, and costs the questions around it nothing', () => {
    const output = fc
      .array(
        fc.oneof(
          queryfulOutput,
          fc.constantFrom(told('1;7'), told('0'), '\u001B]9;4;1').map((text) => Buffer.from(text)),
        ),
      )
      .map((parts) => Buffer.concat(parts));
    let seen = 0;
    fc.assert(
      fc.property(output, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (bytes, lengths) => {
        const [whole, pieces] = [new ProgressNote(), new ProgressNote()];
        new QueryScan(whole).scan(bytes);
        const scan = new QueryScan(pieces);
        for (const part of cut(bytes, lengths)) {
          scan.scan(part);
        }
        seen += whole.progress === null ? 0 : 1;
        expect(pieces.progress).toEqual(whole.progress);
      }),
      { numRuns: 1_000 },
    );
    expect(seen).toBeGreaterThan(100);
  });

  test('is kept as one object while it does not change, however often it is told', () => {
    const note = new ProgressNote();
    const scan = new QueryScan(note);
    scan.scan(Buffer.from(told('1;40')));
    const first = note.progress;
    scan.scan(Buffer.from(told('1;40').repeat(100)));
    expect(note.progress).toBe(first);
    note.forget();
    expect(note.progress).toBeNull();
  });
});
