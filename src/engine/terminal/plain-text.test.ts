import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openEndLength, screenEffectOf } from './control-sequences.ts';
import { plainText } from './plain-text.ts';

const SIZE = { cols: 20, rows: 6 };

const textOf = (text: string, context = '', size: typeof SIZE | null = SIZE) =>
  plainText({ text, context, onAlternate: false, size });

describe('text for a model', () => {
  test('plain text with newlines and tabs passes unchanged, also where it is wider than the terminal', async () => {
    const line = fc.string({ unit: fc.constantFrom(...Array.from(' \tabcXYZ019{}[];~$')), maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), fc.constantFrom('\n', '\r\n'), async (lines, end) => {
        expect(await textOf(lines.join(end))).toBe(lines.join('\n'));
      }),
    );
  });

  test.for([
    ['colours and titles are taken out', '\u001B]0;title\u0007\u001B[1;31mred\u001B[0m\r\n', 'red\n'],
    ['an erase at the end of a line is none', 'a\u001B[Kb\u001B[K\r\n', 'ab\n'],
    ['a progress bar is its last state', '  1%\r 50%\r100%\r\ndone\r\n', '100%\ndone\n'],
    ['what a shorter state leaves of a longer one stays, as on the screen', 'downloading\rdone\r\n', 'doneloading\n'],
    ['an erased line is gone', 'downloading\r\u001B[Kdone\r\n', 'done\n'],
    ['backspaces take back', 'abc\b\bX\r\n', 'aXc\n'],
    ['tabs of other lines stay', 'a\tb\r\n1%\r2%\r\n\tc\r\n', 'a\tb\n2%\n\tc\n'],
    [
      'a bar over several lines is its last state',
      'one: 1%\r\ntwo: 1%\r\n\u001B[2A\u001B[Kone: 2%\r\n\u001B[Ktwo: 2%\r\n',
      'one: 2%\ntwo: 2%\n',
    ],
    ['a wrapped line is one', `${'x'.repeat(50)}\rY\r\n`, `${'x'.repeat(40)}Y${'x'.repeat(9)}\n`],
    ['wide characters take two cells', '漢字漢字\u001B[4D!\r\n', '漢字! 字\n'],
    [
      'what a full-screen program draws is no text',
      'a\r\n\u001B[?1049h\u001B[2J\u001B[Hfull\u001B[?1049lb\r\n',
      'a\nb\n',
    ],
    ['line drawing is drawn', '\u001B(0qx\u001B(B\r\n', '─│\n'],
    ['control characters are taken out', 'a\u0007\u0000b\u007F\u009Bc\r\n', 'abc\n'],
  ] as const)('%s', async ([, printed, text]) => {
    expect(await textOf(printed)).toBe(text);
  });

  test('only what is new after the context is answered; of a changed line all of it', async () => {
    expect(await textOf('x = 1\r\n', '>>> ')).toBe('x = 1\n');
    expect(await textOf('\r 60%', ' 50%')).toBe(' 60%');
    expect(await textOf('!\b!\r\nnext', 'loading')).toBe('!\nnext');
    expect(await textOf('\u001B[1A\u001B[2Ktwo\r\n', 'zero\r\none\r\n')).toBe('two\n');
    expect(await textOf('\u001B[2Bmore', 'zero\r\none\r\n')).toBe('\n\nmore');
  });

  test('output of pipes ends its lines with a newline alone', async () => {
    expect(await textOf('a\nb\u001B[2A\n', '', null)).toBe('a\nb');
  });

  test('whatever is printed, no control character comes through, and nothing throws', async () => {
    const bit = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom(
        '\u001B[',
        '\u001B]',
        '\u001B',
        'A',
        'H',
        '2J',
        '?1049h',
        '?1049l',
        '\r',
        '\n',
        '\b',
        '\u001BM',
        '12;3',
        '漢',
        'm',
        '\u001BP',
        '\u0007',
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(bit, { maxLength: 40 }),
        fc.array(bit, { maxLength: 10 }),
        fc.boolean(),
        async (bits, before, onAlternate) => {
          const text = await plainText({ text: bits.join(''), context: before.join(''), onAlternate, size: SIZE });
          // oxlint-disable-next-line no-control-regex -- it is about them
          expect(text).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('many lines that move the cursor are rendered part by part', async () => {
    const lines = Array.from({ length: 9_000 }, (_line, at) => `line ${at}`);
    const printed = `first\r\n${lines.map((line) => `old\u001B[1G${line}\u001B[1A\u001B[1B\r\n`).join('')}`;
    expect(screenEffectOf(printed)).toBe('screen');
    expect((await textOf(printed)).split('\n')).toEqual(['first', ...lines, '']);
  });
});

test.for([
  ['text', 0],
  ['text\r', 1],
  ['text\u001B', 1],
  ['\u001B[31', 4],
  ['\u001B[31m', 0],
  ['\u001B]0;title', 9],
  ['\u001B]0;title\u001B', 10],
  ['\u001B]0;title\u001B\\', 0],
  ['\u001B]0;title\u0007\r\n', 0],
  ['\u001B(', 2],
] as const)('%j ends with %d bytes of something that goes on', ([text, length]) => {
  expect(openEndLength(Buffer.from(text))).toBe(length);
});
