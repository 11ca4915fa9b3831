import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Locator } from '@playwright/test';
import { drawnCharacters } from './drawn-characters.ts';
import { expect, test } from './fixtures.ts';

/** What tells a browser which way to write. */
const DIRECTION_SIGNS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** One line of output each. All stand in cells of one column, but for the signs, which have none. */
const LINES = [
  'a\u202Etxt.exe b|end',
  'x السلام عليكم 123 end|',
  'السلام 456 end|',
  'שלום 123 (abc) עולם 45|',
  'a\u2066b\u2067cd 12\u2068ef\u2069gh\u2069|',
  'k\u202Cאבג def|',
  'k\u202Dab\u202Bcd\u202Agh\u202C\u202Cדה|',
  'p\u200Fab (1)\u061C 2\u200E|',
  'r\u001B[31mab\u202Ecd\u001B[0mef\u2067gh|',
  'p\u2029אבג|',
] as const;

/** Signs that take no column. */
const SIGNS = /\u0301|\u200B|\u200D|\uFE0F/g;

/** What is printed, and what of it stands in the row: a sign joins what is to the left of the cursor, and nothing else. */
const LINES_WITH_SIGNS = [
  ['\u200Bab 1|', 'ab 1|'],
  ['\u0301ab 2|', 'ab 2|'],
  ['\u200Dab 3|', 'ab 3|'],
  ['\uFE0Fab 4|', 'ab 4|'],
  ['\u202Eab 5|', 'ab 5|'],
  ['\u001B[31m\u0301x 6|', 'x 6|'],
  ['r\u001B[31m\u0301x 7|', 'r\u0301x 7|'],
  ['r\u001B[31m\u200Bx\u001B[m\uFE0Fy\u001B[1m\u202Ez 8|', 'r\u200Bx\uFE0Fy\u202Ez 8|'],
  ['abcdef\u001B[5D\u0301xy 9|', 'a\u0301xy 9|'],
  ['m\u001B[3C\u200Bx 10|', 'm   x 10|'],
  ['界\u001B[m\u200Bx 11|', '界\u200Bx 11|'],
] as const;

const ALL_LINES: readonly (readonly [printed: string, kept: string])[] = [
  ...LINES.map((line) => [line, stripVTControlCharacters(line)] as const),
  ...LINES_WITH_SIGNS,
];

/** A line before them, by whose first ten cells is measured. */
const RULER = '0123456789 needle';

/** What stands in a row, each sign with the column that it is drawn at, in the order of the page's text. */
async function drawnIn(row: Locator, cell: number): Promise<readonly string[]> {
  // To a tenth, since cells are a fraction of a pixel wide.
  return (await drawnCharacters(row))
    .filter(({ character }) => character.replace(SIGNS, '') !== '')
    .map(({ character, left }) => `${character} at ${Math.round((left / cell) * 10) / 10}`);
}

/** Each of the lines stands in its cells below the ruler, from left to right, and nothing else is in its row. */
async function expectInCells(rows: Locator): Promise<void> {
  const ruler = rows.filter({ hasText: RULER });
  await expect(ruler).toHaveCount(1);
  const cell = await ruler.evaluate((row) => {
    const digits = new Range();
    digits.setStart(row.firstChild?.firstChild ?? row, 0);
    digits.setEnd(row.firstChild?.firstChild ?? row, 10);
    return digits.getBoundingClientRect().width / 10;
  });
  const first = (await rows.allTextContents()).findIndex((text) => text.startsWith(RULER)) + 1;
  for (const [index, [printed, kept]] of ALL_LINES.entries()) {
    let column = 0;
    const inCells = Array.from(kept.replaceAll(DIRECTION_SIGNS, '').replaceAll(SIGNS, ''), (character) => {
      const place = `${character} at ${column}`;
      column += character === '界' ? 2 : 1;
      return place;
    });
    await expect.poll(() => drawnIn(rows.nth(first + index), cell), printed).toEqual(inCells);
  }
}

test.use({ appArguments: ['--disable-gpu'] });

test('letters of every script stand in their cells, signs turn and shift nothing, and a copy and a screen reader have them', async ({
  shellscope,
  agent,
}) => {
  const { page } = shellscope;
  await agent.start(
    'job',
    ['/bin/bash', '-c', `printf '%b\\n' "$@"; exec cat`, 'job', RULER, ...ALL_LINES.map(([printed]) => printed)],
    {
      env: { LC_ALL: 'C.UTF-8' },
    },
  );
  const tab = shellscope.tab(/test-agent/);
  await tab.click();
  await shellscope.expectScreen(tab, [RULER, ...ALL_LINES.map(([, kept]) => kept)].join('\n'));
  const panel = page.getByRole('tabpanel');
  const rows = panel.locator('.xterm-rows > div');
  await expectInCells(rows);
  await expect(panel.locator('.xterm-accessibility')).toContainText(LINES[0]);

  // What is selected is drawn anew, without the terminal telling of it.
  await shellscope.inApp(({ clipboard }) => clipboard.writeText('before'), null);
  await panel.locator('.xterm-screen').click({ clickCount: 3, position: { x: 20, y: 25 } });
  await expect(panel.locator('.xterm-selection > div')).not.toHaveCount(0);
  await expectInCells(rows);
  await page.keyboard.press('Control+Shift+C');
  await expect.poll(() => shellscope.inApp(({ clipboard }) => clipboard.readText(), null)).toBe(LINES[0]);
});

test('earlier output stands in its cells, too', async ({ shellscope, stateFolder }) => {
  const { page } = shellscope;
  await writeFile(join(stateFolder, 'lines.txt'), `${[RULER, ...ALL_LINES.map(([printed]) => printed)].join('\n')}\n`);
  const tab = await shellscope.openShell();
  await shellscope.type('clear; cat ~/lines.txt; seq 200000; echo e""nd\n');
  await shellscope.expectScreen(tab, /\nend\n\$$/);
  await page.keyboard.press('Control+Shift+G');
  await page.keyboard.type('needle');
  await page.keyboard.press('Enter');
  const earlier = page.getByRole('region', { name: 'Earlier output' });
  // Not those of the picture that stands over them while they are drawn anew.
  const rows = earlier.locator('.xterm-scrollable-element > .xterm-screen .xterm-rows > div');
  await expectInCells(rows);
});
