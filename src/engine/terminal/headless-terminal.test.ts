import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { feed, headlessTerminal } from './headless-terminal.ts';
import { signfulOutput, SIGNS, withoutSigns } from './testing/signful-output.ts';

const SIZE = { cols: 12, rows: 4 } as const;

/** What is in the cells of the screen, each with the column that it begins at, and where the cursor is. */
async function cellsOf(parts: readonly (string | Uint8Array)[]) {
  const terminal = headlessTerminal({ size: SIZE, scrollback: 50, convertEol: false });
  try {
    for (const part of parts) {
      await feed(terminal, part);
    }
    const { active } = terminal.buffer;
    const rows = Array.from({ length: active.length }, (_row, row) => {
      const line = active.getLine(row);
      return Array.from({ length: SIZE.cols }, (_column, column) => {
        const cell = line?.getCell(column);
        return { text: cell?.getChars() ?? '', width: cell?.getWidth() };
      });
    });
    return { rows, cursor: { row: active.baseY + active.cursorY, col: active.cursorX } };
  } finally {
    terminal.dispose();
  }
}

async function firstRow(output: string): Promise<readonly string[]> {
  const [row = []] = (await cellsOf([output])).rows;
  const texts = row.map(({ text }) => text);
  return texts.slice(0, texts.findLastIndex((text) => text !== '') + 1);
}

describe('bytes of a character in two writes', () => {
  const text = 'a—“。é😀🀄';
  const bytes = Buffer.from(text);

  test.each(Array.from({ length: bytes.length }, (_none, at) => at))('cut at %i', async (at) => {
    const whole = await cellsOf([text]);
    expect(await cellsOf([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    expect(await cellsOf([bytes.subarray(0, at), bytes.subarray(at, at + 1), bytes.subarray(at + 1)])).toEqual(whole);
  });

  test('what never completes is left out', async () => {
    const { rows } = await cellsOf([Buffer.of(0x61, 0xe2, 0x80), Buffer.of(0x62)]);
    expect(rows[0]?.slice(0, 3).map((cell) => cell.text)).toEqual(['a', 'b', '']);
  });
});

describe('a sign without a width', () => {
  test.each(SIGNS)('%j at the begin of a line has nothing to join, and moves nothing', async (sign) => {
    expect(await firstRow(`${sign}ab`)).toEqual(['a', 'b']);
    expect(await firstRow(`first\r\u001B[2K${sign}${sign}ab`)).toEqual(['a', 'b']);
  });

  test.each(SIGNS)('%j behind a sequence joins the character before it', async (sign) => {
    expect(await firstRow(`a\u001B[31m${sign}b`)).toEqual([`a${sign}`, 'b']);
    expect(await firstRow(`abc\u001B[2D${sign}x`)).toEqual([`a${sign}`, 'x', 'c']);
    expect(await firstRow(`界\u001B[m${sign}b`)).toEqual([`界${sign}`, '', 'b']);
  });

  test('a byte order mark is nothing', async () => {
    expect(await firstRow('\uFEFFa\u001B[m\uFEFFb')).toEqual(['a', 'b']);
  });

  test('behind cells that nothing was printed to it has nothing to join', async () => {
    expect(await firstRow('a\u001B[3C\u0301x')).toEqual(['a', '', '', '', 'x']);
  });

  test('within a wide character it has nothing to join, and leaves that whole', async () => {
    expect(await firstRow('界\b\u0301')).toEqual(['界']);
  });

  test('what it joined is repeated as one', async () => {
    expect(await firstRow('e\u001B[m\u0301\u001B[2b')).toEqual(['e\u0301', 'e\u0301', 'e\u0301']);
  });

  test('at the end of a full row it joins the last character', async () => {
    const row = await firstRow('0123456789ab\u001B[m\u0301');
    expect(row.at(-1)).toBe('b\u0301');
  });

  test(
    'every character has the cells and the cursor the place that they have without such signs',
    { timeout: 30_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(signfulOutput, async (output) => {
          const [withSigns, without] = [await cellsOf([output]), await cellsOf([withoutSigns(output)])];
          const shown = withSigns.rows.map((row) =>
            row.map(({ text, width }) => ({ text: withoutSigns(text), width })),
          );
          expect({ ...withSigns, rows: shown }).toEqual(without);
        }),
      );
    },
  );

  test('however the output is cut, it stands in the same cell', { timeout: 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        signfulOutput,
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
        async (text, lengths) => {
          const bytes = Buffer.from(text);
          const parts: Buffer[] = [];
          for (let at = 0; at < bytes.length; at += parts.at(-1)?.length ?? 1) {
            parts.push(bytes.subarray(at, at + (lengths[parts.length % lengths.length] ?? 1)));
          }
          expect(await cellsOf(parts)).toEqual(await cellsOf([text]));
        },
      ),
    );
  });
});
